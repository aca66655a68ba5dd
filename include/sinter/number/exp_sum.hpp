// Accumulator for the maximum and the sum of exponentials in one pass: the sum is of exp(x - maximum), and is rescaled
// when a greater element is met. After Milakov and Gimelshein, "Online normalizer calculation for softmax"
// (arXiv:1805.02867, 2018).
#pragma once

#include <sinter/number/both.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace sinter::detail::number {

using std::exp;
using std::fabs;

// <kernel text>

// exp_sum: of exp(x - most), where `most` is the greatest element; its sum means nothing where that is not finite. None
// is T(): zeros. The sum of elements is at least 1.
template <class R>
struct SINTER_ALIGNED(2 * sizeof(R)) exp_sum {
    R most, sum;
    exp_sum() = default;
    SINTER_BOTH exp_sum(const R greatest, const R scaled) : most(greatest), sum(scaled) {}
};

// __shfl_xor_sync: CUDA has no overload for exp_sum; the parts are exchanged one by one.
template <class R>
SINTER_BOTH exp_sum<R> __shfl_xor_sync(const unsigned mask, const exp_sum<R> x, const int offset) {
    return exp_sum<R>(__shfl_xor_sync(mask, x.most, offset), __shfl_xor_sync(mask, x.sum, offset));
}

// scale_between: the factor from the smaller of two maxima to the greater; 1 for equal ones, since infinite ones have
// no difference.
template <class R>
SINTER_BOTH R scale_between(const R x, const R y) {
    const R apart = fabs(x - y);
    return exp(apart > 0 ? -apart : R(0));
}

// merged: the sum over the elements of both. Either may have none.
template <class R>
SINTER_BOTH exp_sum<R> merged(const exp_sum<R> x, const exp_sum<R> y) {
    if (y.sum == 0) return x;
    if (x.sum == 0) return y;
    const bool grows = y.most > x.most || y.most != y.most;
    const R scale = scale_between(x.most, y.most);
    return exp_sum<R>(grows ? y.most : x.most, grows ? x.sum * scale + y.sum : y.sum * scale + x.sum);
}

// merged: the sum with one more element.
template <class R>
SINTER_BOTH exp_sum<R> merged(const exp_sum<R> x, const R y) {
    const bool grows = x.sum == 0 || y > x.most || y != y;
    const R scale = scale_between(x.most, y);
    return exp_sum<R>(grows ? y : x.most, (grows ? x.sum : R(1)) * scale + (grows ? R(1) : x.sum));
}

// base_of: what is subtracted from each element.
template <class R>
SINTER_BOTH R base_of(const exp_sum<R> x) {
    return x.most - x.most == 0 ? x.most : R(0);
}

// sum_of_exponentials: the sum of exp(x - base_of).
template <class R>
SINTER_BOTH R sum_of_exponentials(const exp_sum<R> x) {
    return x.sum == 0 || x.most - x.most == 0 ? x.sum : exp(x.most);
}

// largest_of: the greatest element, where there is any.
template <class R>
SINTER_BOTH R largest_of(const exp_sum<R> x) {
    return x.sum == 0 ? R(as_float(0xff800000u)) : x.most;  // -infinity
}
// </kernel text>

/// The accumulator of n contiguous elements that are in the cache.
template <class S, class R>
    requires(std::is_same_v<S, exp_sum<R>>)
[[gnu::always_inline]] inline S folded(const R* x, std::size_t n) {
    S all{};
    for (std::size_t i = 0; i < n; ++i) all = merged(all, x[i]);
    return all;
}

}  // namespace sinter::detail::number
