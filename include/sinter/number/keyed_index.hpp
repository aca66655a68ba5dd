// An element's index paired with an order-preserving key, so that one reduction finds the first of the greatest
// elements: argmax and argmin (op/composite/search.hpp).
#pragma once

#include <sinter/number/order.hpp>

namespace sinter::detail::number {

// <kernel text>

// keyed_index: the complement of the index, so that of equal keys the first is the greatest. None is T(): zeros.
struct SINTER_ALIGNED(16) keyed_index {
    unsigned long long key, complement;
    keyed_index() = default;
    SINTER_BOTH keyed_index(const unsigned long long order, const unsigned long long later)
        : key(order), complement(later) {}
};

// with_index: the key of an element of type T beside its index.
template <class T>
SINTER_BOTH keyed_index with_index(const unsigned long long key, const long long index) {
    return keyed_index(key, ~(unsigned long long)index);
}

// __shfl_xor_sync: CUDA's has no form for them; the parts travel one after the other.
template <class Mask>
SINTER_BOTH keyed_index __shfl_xor_sync(const Mask mask, const keyed_index x, const int offset) {
    return keyed_index(__shfl_xor_sync(mask, x.key, offset), __shfl_xor_sync(mask, x.complement, offset));
}

// larger_key: the one with the larger key; of equal keys, the one with the smaller index.
template <class T>
SINTER_BOTH T larger_key(const T x, const T y) {
    return x.key > y.key || (x.key == y.key && x.complement > y.complement) ? x : y;
}

// index_of: of none, -1.
SINTER_BOTH long long index_of(const keyed_index x) { return (long long)~x.complement; }
// </kernel text>

}  // namespace sinter::detail::number
