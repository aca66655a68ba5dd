// The sort order as unsigned integers: the bits of elements become keys that compare as NumPy's sort does, with NaN
// after all numbers and -0.0 equal to 0.0.
#pragma once

#include <sinter/number/both.hpp>

#include <cstring>

namespace sinter::detail::number {

using std::memcpy;

// <kernel text>

// sort_key: of an element's bits. `infinity` has the bits of a floating type's infinity, and is 0 for integers; `sign`
// is the bit of the sign, 0 for unsigned integers. A NaN has the greatest key, whatever its bits.
template <class W>
SINTER_BOTH W sort_key(const W bits, const W sign, const W infinity) {
    if (infinity == 0) return W(bits ^ sign);
    if (W(bits & W(~sign)) > infinity) return W(~W(0));
    if (bits == sign) return sign;
    return (bits & sign) != 0 ? W(~bits) : W(bits | sign);
}

// order_key: of a real element, as large an integer as the element: of 32 bits where T has no more.
template <class T>
SINTER_BOTH unsigned long long order_key(const T x) {
    constexpr bool floats = T(0) < T(0.5) && T(0.5) < T(1), negates = T(-1) < T(0);
    if constexpr (floats && sizeof(T) == 4) {
        const unsigned bits = as_bits(x + T(0));  // -0.0 + 0.0 is 0.0
#if __CUDA_ARCH__
        // additions have one NaN, 0x7fffffff (CUDA C++ Programming Guide), whose key is the greatest as it is
        return bits ^ ((unsigned)((int)bits >> 31) | 0x80000000u);
#else
        return x != x ? ~0u : bits ^ (x < T(0) ? ~0u : 0x80000000u);
#endif
    } else if constexpr (floats) {
        const T zero_is_positive = x + T(0);
        unsigned long long bits = 0;
        memcpy(&bits, &zero_is_positive, sizeof bits);
        return x != x ? ~0ull : bits ^ (x < T(0) ? ~0ull : 0x8000000000000000ull);
    } else if constexpr (sizeof(T) == 8) {
        return (unsigned long long)x ^ (negates ? 0x8000000000000000ull : 0ull);
    } else {
        return (unsigned)x ^ (negates ? 0x80000000u : 0u);
    }
}

// reversed_key: likewise, in the opposite order; but a NaN has the greatest key in this one, too.
template <class T>
SINTER_BOTH unsigned long long reversed_key(const T x) {
    if constexpr (T(0) < T(0.5) && T(0.5) < T(1))
        return order_key<T>(-x);
    else if constexpr (sizeof(T) == 8)
        return ~order_key<T>(x);
    else
        return ~(unsigned)order_key<T>(x);
}

// packed_with: the key of an element of type T, of 32 bits, above the complement of its index, so that of equal keys
// the first is the greatest.
template <class T>
SINTER_BOTH unsigned long long packed_with(const unsigned long long key, const int index) {
    return key << 32 | (unsigned)~index;
}

// index_of: the one that was packed.
SINTER_BOTH long long index_of(const unsigned long long packed) { return (long long)(unsigned)~packed; }

// pair_precedes: whether a complex number stands before another one, by the keys of their parts: the real ones, then
// the imaginary ones. Numbers with a NaN are behind those without: first those with an imaginary one, then with a real
// one.
template <class W>
SINTER_BOTH bool pair_precedes(const W real, const W imaginary, const W other_real, const W other_imaginary) {
    const W nan = W(~W(0));
    const int rank = 2 * (real == nan) + (imaginary == nan);
    const int other_rank = 2 * (other_real == nan) + (other_imaginary == nan);
    if (rank != other_rank) return rank < other_rank;
    return real != other_real ? real < other_real : imaginary < other_imaginary;
}
// </kernel text>
}  // namespace sinter::detail::number
