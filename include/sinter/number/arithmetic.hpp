// Functions for bodies of the op table that neither <cmath> nor CUDA has: floored division, divisors, shifts with
// defined overflow, bits, parts of floating numbers. Bodies call f<T>(x, y), for every T.
//
// Integer `%` and `/` are guarded, because the host traps where a GPU returns an arbitrary value.
#pragma once

#include <sinter/number/both.hpp>

#include <cmath>
#include <cstring>

namespace sinter::detail::number {

using std::copysign, std::fabs, std::floor, std::fmod, std::frexp, std::memcpy, std::trunc;

// <kernel text>

// floats: whether T is a floating type.
template <class T>
constexpr bool floats = T(0) < T(0.5) && T(0.5) < T(1);

// negates: whether T has negative numbers.
template <class T>
constexpr bool negates = T(-1) < T(0);

// narrowed: the low 16 bits. ptxas widens neg.s16 and abs.s16 of the lowest number as if the result were positive, so
// int16 is computed in 32 bits.
template <class T>
SINTER_BOTH T narrowed(int x) {
#if __CUDA_ARCH__
    asm("" : "+r"(x));
#endif
    return T(x);
}

// opposite: 0 - x. Integers wrap: the signed overflow of the lowest number would be undefined.
template <class T>
SINTER_BOTH T opposite(const T x) {
    if constexpr (floats<T>)
        return T(0) - x;
    else if constexpr (sizeof(T) == 2)
        return narrowed<T>(-int(x));
    else
        return T(0ull - (unsigned long long)x);
}

// settled: x, as one value, in loops that the host's compiler compiles. Of a choice by another choice's result g++
// merges the conditions: a vector of clip(x, y, z) takes 25 instructions, otherwise 11. It does not vectorise a choice
// by two conditions within another one either. bool and integers need none of it.
template <class T>
SINTER_BOTH T settled(const T x) {
#if !__CUDA_ARCH__
#if __has_builtin(__builtin_assoc_barrier)
    if constexpr (floats<T>) return __builtin_assoc_barrier(x);
#endif
#endif
    return x;
}

// larger: the larger of two numbers, or NaN if either is. For float it is one instruction instead of three.
template <class T>
SINTER_BOTH T larger(const T x, const T y) {
    const T more = x > y ? x : y;
    return settled<T>(x != x ? x : more);
}
#if __CUDA_ARCH__ >= 800
template <>
SINTER_BOTH float larger(const float x, const float y) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
}
#endif

// smaller: the smaller of two numbers, or NaN if either is. For float it is one instruction instead of three.
template <class T>
SINTER_BOTH T smaller(const T x, const T y) {
    const T less = x < y ? x : y;
    return settled<T>(x != x ? x : less);
}
#if __CUDA_ARCH__ >= 800
template <>
SINTER_BOTH float smaller(const float x, const float y) {
    float r;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
}
#endif

// floored_remainder: the remainder of a division that rounds down: Python's %, with the divisor's sign. Integers give 0
// where the divisor is 0, as in NumPy.
template <class T>
SINTER_BOTH T floored_remainder(const T x, const T y) {
    if constexpr (floats<T>) {
        const T r = fmod(x, y);
        if (r == T(0)) return copysign(T(0), y);
        return (r < T(0)) != (y < T(0)) ? r + y : r;
    } else if constexpr (negates<T>) {
        if (y == T(0) || y == T(-1)) return T(0);
        const T r = T(x % y);
        return r != T(0) && (r < T(0)) != (y < T(0)) ? T(r + y) : r;
    } else {
        return y == T(0) ? T(0) : T(x % y);
    }
}

// floored_quotient: the quotient of a division that rounds down: Python's //. Integers give 0 where the divisor is 0,
// and wrap where the quotient does not fit. In floating point it is the integer nearest to (x - remainder) / y, so
// quotient and remainder are consistent, as in Python and NumPy.
template <class T>
SINTER_BOTH T floored_quotient(const T x, const T y) {
    if constexpr (floats<T>) {
        if (y == T(0)) return x / y;
        const T r = fmod(x, y);
        T q = (x - r) / y;
        if (r != T(0) && (r < T(0)) != (y < T(0))) q -= T(1);
        if (q == T(0)) return copysign(T(0), x / y);
        const T whole = floor(q);
        return q - whole > T(0.5) ? whole + T(1) : whole;
    } else if constexpr (negates<T>) {
        if (y == T(0)) return T(0);
        if (y == T(-1)) return opposite<T>(x);
        const T q = T(x / y);
        return x % y != 0 && (x < T(0)) != (y < T(0)) ? T(q - T(1)) : q;
    } else {
        return y == T(0) ? T(0) : T(x / y);
    }
}

// truncated_remainder: the remainder of a division that rounds towards zero: C's %, with the dividend's sign.
template <class T>
SINTER_BOTH T truncated_remainder(const T x, const T y) {
    if constexpr (floats<T>) {
        return fmod(x, y);
    } else if constexpr (negates<T>) {
        return y == T(0) || y == T(-1) ? T(0) : T(x % y);
    } else {
        return y == T(0) ? T(0) : T(x % y);
    }
}

// magnitude: the absolute value; the lowest integer is unchanged.
template <class T>
SINTER_BOTH T magnitude(const T x) {
    if constexpr (floats<T> || negates<T>)
        return x > T(0) ? x : opposite<T>(x);
    else
        return x;
}
#if __CUDA_ARCH__
template <>
SINTER_BOTH float magnitude(const float x) {
    return fabs(x);
}
template <>
SINTER_BOTH double magnitude(const double x) {
    return fabs(x);
}
#endif

// sign_of: -1, 0 or 1, or NaN. A GPU compares and selects at half the rate of its arithmetic, so floats are scaled, the
// smallest to more than 1, and clamped; adding 0 turns -0 into 0.
template <class T>
SINTER_BOTH T sign_of(const T x) {
    return x > T(0) ? T(1) : x == T(0) ? T(0) : x != x ? x : T(T(0) - T(1));
}
#if __CUDA_ARCH__
template <>
SINTER_BOTH float sign_of(const float x) {
    const float scaled = fma(x * 0x1p100f, 0x1p60f, 0.0f);
    return smaller<float>(larger<float>(scaled, -1.0f), 1.0f);
}
#endif

// greatest_divisor: the greatest common divisor, by Euclid's algorithm; never negative.
template <class T>
SINTER_BOTH T greatest_divisor(T x, T y) {
    while (y != T(0)) {
        const T r = truncated_remainder<T>(x, y);
        x = y;
        y = r;
    }
    return magnitude<T>(x);
}

// least_multiple: the least common multiple; never negative.
template <class T>
SINTER_BOTH T least_multiple(const T x, const T y) {
    if (x == T(0) || y == T(0)) return T(0);
    const T multiple = magnitude<T>(x) / greatest_divisor<T>(x, y);
    return T((unsigned long long)multiple * (unsigned long long)magnitude<T>(y));
}

// shifted_left: everything is shifted out where the distance is negative or not less than the width, as in NumPy.
template <class T>
SINTER_BOTH T shifted_left(const T x, const T y) {
    return (unsigned long long)y < 8 * sizeof(T) ? T(x << y) : T(0);
}

// shifted_right: likewise; the sign is shifted in.
template <class T>
SINTER_BOTH T shifted_right(const T x, const T y) {
    if ((unsigned long long)y < 8 * sizeof(T)) return T(x >> y);
    if constexpr (negates<T>)
        return x < T(0) ? T(-1) : T(0);
    else
        return T(0);
}

// widened: the bits of an integer, zero-extended.
template <class T>
SINTER_BOTH unsigned long long widened(const T x) {
    if constexpr (sizeof(T) < 8)
        return (unsigned long long)x & ((1ull << (8 * sizeof(T))) - 1);
    else
        return (unsigned long long)x;
}

// bits_set: the number of set bits, by adding neighbours in pairs, fours and bytes.
template <class T>
SINTER_BOTH T bits_set(const T x) {
    unsigned long long v = widened<T>(x);
    v -= (v >> 1) & 0x5555555555555555ull;
    v = (v & 0x3333333333333333ull) + ((v >> 2) & 0x3333333333333333ull);
    v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
    const unsigned long long count = (v * 0x0101010101010101ull) >> 56;
    return T(count);
}

// leading_zeros: the number of bits above the highest that is set.
template <class T>
SINTER_BOTH T leading_zeros(const T x) {
    unsigned long long v = widened<T>(x);
    for (int distance = 1; distance < 64; distance *= 2) v |= v >> distance;
    return T(8 * sizeof(T) - bits_set<unsigned long long>(v));
}

// same_bytes: the To with the bytes of x.
template <class To, class T>
SINTER_BOTH To same_bytes(const T x) {
    To y = 0;
    memcpy(&y, &x, sizeof y);
    return y;
}

// bits_of: the bytes of a floating number as an integer of its size.
template <class T>
SINTER_BOTH auto bits_of(const T x) {
    if constexpr (sizeof(T) == 4)
        return same_bytes<int>(x);
    else
        return same_bytes<long long>(x);
}

// number_of: the floating number with these bytes.
template <class T>
SINTER_BOTH auto number_of(const T bits) {
    if constexpr (sizeof(T) == 4)
        return same_bytes<float>(bits);
    else
        return same_bytes<double>(bits);
}

// is_negative: whether the sign bit is set, also of zeros and NaN.
template <class T>
SINTER_BOTH bool is_negative(const T x) {
    if constexpr (floats<T>)
        return copysign(T(1), x) < T(0);
    else if constexpr (negates<T>)
        return x < T(0);
    else
        return false;
}

// binary_significand: the m of x = m 2^e with m in [0.5, 1); zeros, infinities and NaN are unchanged.
template <class T>
SINTER_BOTH T binary_significand(const T x) {
    int e = 0;
    return x - x == x - x ? T(frexp(x, &e)) : x;
}

// binary_exponent: the e of x = m 2^e; 0 for zeros, infinities and NaN.
template <class T>
SINTER_BOTH T binary_exponent(const T x) {
    int e = 0;
    if (x - x == x - x) frexp(x, &e);
    return T(e);
}

// lowest_integer: of an integer type.
template <class T>
constexpr T lowest_integer = negates<T> ? T(1ull << (8 * sizeof(T) - 1)) : T(0);

// highest_integer: of an integer type.
template <class T>
constexpr T highest_integer = T(~lowest_integer<T>);

// whole_number: a floating number truncated to an integer; beyond To's range the nearest integer in it, 0 for NaN. In
// C++ that conversion is undefined; a GPU saturates, except for narrow integers and NaN.
template <class To, class T>
SINTER_BOTH To whole_number(const T x) {
#if __CUDA_ARCH__
    // conversions from or to 64 bits turn NaN into the lowest integer
    if (sizeof(To) + sizeof(T) > 8 && x != x) return To(0);
    if constexpr (sizeof(To) >= 4) {
        return To(x);
    } else if constexpr (!negates<To>) {
        // Saturates at 0. From min(max(int, 0), 255) == 255 ptxas 13.0 makes a wrong comparison for sm_90 and sm_100.
        const unsigned whole = unsigned(x);
        return whole > highest_integer<To> ? highest_integer<To> : To(whole);
    } else {
        const int whole = int(x);
        return whole < lowest_integer<To>    ? lowest_integer<To>
               : whole > highest_integer<To> ? highest_integer<To>
                                             : To(whole);
    }
#else
    constexpr T beyond = T(1ull << (8 * sizeof(To) - 1)) * (negates<To> ? T(1) : T(2));
#if defined(__AVX2__) && !defined(__AVX512DQ__)
    // There are no vectors of conversions to 64 bits: the upper and the lower 32 bits are added to numbers whose last
    // bit is 1, and are their last bits then.
    if constexpr (sizeof(To) == 8) {
        const double number = x > T(lowest_integer<To>) ? (x < beyond ? x : T(0)) : T(lowest_integer<To>);
        const double upper = floor(number * 0x1p-32), lower = trunc(number) - upper * 0x1p32;
        const auto high = __builtin_bit_cast(unsigned long long, upper + 0x1.8p52);
        const auto low = __builtin_bit_cast(unsigned long long, lower + 0x1p52) ^ 0x4330000000000000ull;
        return x < beyond ? To((high << 32) + low) : x != x ? To(0) : highest_integer<To>;
    }
#endif
    const T inside = x > T(lowest_integer<To>) ? (x < beyond ? x : T(0)) : T(lowest_integer<To>);
    const To whole = sizeof(To) < 4 ? To(int(inside)) : To(inside);
    return x < beyond ? whole : x != x ? To(0) : highest_integer<To>;
#endif
}

// </kernel text>

}  // namespace sinter::detail::number
