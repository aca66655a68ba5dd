// Quotients of integers by a divisor that neighbouring elements share, as in x // 4, where 4 is an argument of the
// kernel: integer_f replaces f in the bodies of the op table.
//
// A GPU has no instruction for divisions: of 32 bits they take some 25, of 64 bits about 80. What depends on the
// divisor alone is computed here unconditionally, so that the compiler computes it once per thread. The rest takes 8.
#pragma once

#include <sinter/number/arithmetic.hpp>

namespace sinter::detail::number {

// <kernel text>

// upper_product: the upper half of a product of 32-bit numbers.
template <class T>
SINTER_BOTH T upper_product(const T x, const T y) {
    return T((unsigned long long)x * y >> 32);
}

// quotient_of_31_bits: x / y for x up to 2^31 and y from 1 to 2^31. m = (2^32 - 1 - r) / y with r < y, so x m / 2^32 is
// below x / y by x (1 + r) / y / 2^32, at most 1 / 2.
template <class T>
SINTER_BOTH T quotient_of_31_bits(const T x, const T y) {
    const T m = T(0xffffffffu) / y, q = upper_product<T>(x, m);
    return q + T(x - q * y >= y);
}

// rarely_floored_quotient: not in line, so that neighbouring elements lie next to each other.
#if __CUDA_ARCH__
template <class T>
__noinline__ __device__ T rarely_floored_quotient(const T x, const T y) {
    return floored_quotient<T>(x, y);
}
#else
template <class T>
SINTER_BOTH T rarely_floored_quotient(const T x, const T y) {
    return floored_quotient<T>(x, y);
}
#endif

// integer_floored_quotient: as floored_quotient, of numbers that int32 has. Of a negative x it is ~(~x / y).
template <class T>
SINTER_BOTH T integer_floored_quotient(const T x, const T y) {
    if constexpr (sizeof(T) >= 4 && !negates<T>) {
        return floored_quotient<T>(x, y);
    } else {
        const bool fits = y > T(0) && (long long)(y) <= 0x7fffffff;
        const unsigned divisor = fits ? unsigned(y) : 1u;
        const int narrow = int(x), sign = narrow < 0 ? -1 : 0;
        const int quick = int(quotient_of_31_bits<unsigned>(unsigned(narrow ^ sign), divisor)) ^ sign;
        if (fits && T(narrow) == x) return T(quick);
        return rarely_floored_quotient<T>(x, y);
    }
}

// integer_floored_remainder: as floored_remainder, of the quotient.
template <class T>
SINTER_BOTH T integer_floored_remainder(const T x, const T y) {
    if (y == T(0)) return floored_remainder<T>(x, y);
    using wraps = unsigned long long;
    return T(wraps(x) - wraps(integer_floored_quotient<T>(x, y)) * wraps(y));
}

// </kernel text>

}  // namespace sinter::detail::number
