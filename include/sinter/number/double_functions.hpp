// Functions of float64 that take fewer instructions than CUDA's, within the bounds of tests/data/accuracy/bounds.txt:
// double_f replaces f in the bodies of the op table.
//
// CUDA's compute most of a result behind a branch that special values leave. So neighbouring elements are computed one
// after the other, and each loads the constants of its polynomial again: two instructions per constant, as many issue
// slots as the multiplication that reads it occupies the pipe of doubles. Here the branch follows the result.
//
// The coefficients interpolate at Chebyshev nodes, computed with 50 digits.
#pragma once

#include <sinter/number/both.hpp>

#include <bit>
#include <cmath>

namespace sinter::detail::number {

using std::copysign, std::fabs, std::fma, std::pow;

/// Bit casts between double and an integer: `__double_as_longlong` and `__longlong_as_double` in a kernel.
constexpr long long as_bits64(double x) { return std::bit_cast<long long>(x); }
constexpr double as_double(long long bits) { return std::bit_cast<double>(bits); }

// <kernel text>

// reciprocal_seed: 1 / x within 2^-20, for normal x whose reciprocal is normal, too.
template <class T>
SINTER_BOTH T reciprocal_seed(const T x) {
#if __CUDA_ARCH__
    T near;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(near) : "d"(x));
    return near;
#else
    return as_double(as_bits64(T(1) / x) & ~0xffffffffll);
#endif
}

// near_reciprocal: 1 / x within an ulp: Newton's iteration of third order.
template <class T>
SINTER_BOTH T near_reciprocal(const T x) {
    const T near = reciprocal_seed<T>(x), missing = fma(-x, near, T(1));
    return fma(fma(missing, missing, missing), near, near);
}

// log_of_parts: log((1 + f) 2^k) + more, for 1 + f between sqrt(1/2) and sqrt(2): with s = f / (2 + f), log(1 + f) =
// 2 s + s^3 p(s^2) = f - s (f - s^2 p), of which f is exact.
template <class T>
SINTER_BOTH T log_of_parts(const T f, const int k, const T more) {
    const T s = f * near_reciprocal<T>(f + T(2)), z = s * s, half = T(0.5) * f;
    T p = T(0x1.2b5900de53b32p-3);
    p = fma(p, z, T(0x1.39fe51a7c18f9p-3));
    p = fma(p, z, T(0x1.7462b51cb66b1p-3));
    p = fma(p, z, T(0x1.c71c62e3f11e6p-3));
    p = fma(p, z, T(0x1.2492492df281ap-2));
    p = fma(p, z, T(0x1.99999999952d7p-2));
    p = fma(p, z, T(0x1.5555555555558p-1));
    const T tail = fma(s, fma(half, f, z * p), fma(T(k), T(0x1.abc9e3b39803fp-56), more));
    return fma(T(k), T(0x1.62e42fefa39efp-1), f + fma(-half, f, tail));
}

// upper_word: the sign, the exponent and 20 bits of the significand.
template <class T>
SINTER_BOTH int upper_word(const T x) {
    return int(as_bits64(x) >> 32);
}

// is_usual_word: of a positive normal number.
template <class T>
SINTER_BOTH bool is_usual_word(const T word) {
    return unsigned(word) - 0x00100000u < 0x7fe00000u;
}

// from_root: a word less that of sqrt(1/2), so that its exponent is the power of two of x / sqrt(1/2).
template <class T>
SINTER_BOTH T from_root(const T word) {
    return T(unsigned(word) - 0x3fe6a09eu);
}

// less_one: x 2^-k - 1, between sqrt(1/2) - 1 and sqrt(2) - 1, for k the exponent of from_root(upper_word(x)).
template <class T>
SINTER_BOTH T less_one(const T x) {
    const long long word = (from_root<int>(upper_word<T>(x)) & 0xfffff) + 0x3fe6a09e;
    return as_double(word << 32 | (as_bits64(x) & 0xffffffffll)) - T(1);
}

// double_log: some 45 instructions, CUDA's 85.
template <class T>
SINTER_BOTH T double_log(const T x) {
    const bool is_small = upper_word<T>(x) < 0x00100000;
    const T normal = is_small ? x * T(0x1p54) : x;
    const int word = upper_word<T>(normal), k = (from_root<int>(word) >> 20) - (is_small ? 54 : 0);
    const T usual = log_of_parts<T>(less_one<T>(normal), k, T(0));
    if (is_usual_word<int>(word)) return usual;
    return x == T(0) ? -T(as_float(0x7f800000u)) : x < T(0) ? T(as_float(0x7fc00000u)) : x;
}

// double_log1p: of u = 1 + x, and what that lacks divided by u. Where u needs no power of two, f is x itself.
template <class T>
SINTER_BOTH T double_log1p(const T x) {
    const T u = x + T(1);
    const int word = upper_word<T>(u), k = from_root<int>(word) >> 20;
    const T lacks = k < 2 ? x - (u - T(1)) : T(1) - (u - x);
    const T f = k == 0 ? x : less_one<T>(u), more = k == 0 ? T(0) : lacks * reciprocal_seed<T>(u);
    const T usual = copysign(log_of_parts<T>(f, k, more), x);
    if (is_usual_word<int>(word)) return usual;
    return x == T(-1) ? -T(as_float(0x7f800000u)) : x < T(-1) ? T(as_float(0x7fc00000u)) : x;
}

// exp_tail: (e^h - 1 - h) / h^2 for |h| up to log(2) / 2.
template <class T>
SINTER_BOTH T exp_tail(const T h) {
    T p = T(0x1.af38a9b0ec855p-26);
    p = fma(p, h, T(0x1.289185613a3d6p-22));
    p = fma(p, h, T(0x1.71de0dae63bb3p-19));
    p = fma(p, h, T(0x1.a019b90d2ae7ap-16));
    p = fma(p, h, T(0x1.a01a01a7c41d5p-13));
    p = fma(p, h, T(0x1.6c16c1788bd90p-10));
    p = fma(p, h, T(0x1.11111111109b3p-7));
    p = fma(p, h, T(0x1.5555555553d63p-5));
    p = fma(p, h, T(0x1.5555555555556p-3));
    return fma(p, h, T(0.5));
}

// nearest_power: 1.5 * 2^52 + the integer nearest to x / log(2), which its lower bits are.
template <class T>
SINTER_BOTH T nearest_power(const T x) {
    return fma(x, T(0x1.71547652b82fep+0), T(0x1.8p52));
}

// less_power: x - k log(2) for k = nearest_power(x).
template <class T>
SINTER_BOTH T less_power(const T x, const T power) {
    const T k = power - T(0x1.8p52);
    return fma(k, T(-0x1.abc9e3b39803fp-56), fma(k, T(-0x1.62e42fefa39efp-1), x));
}

// two_to: 2^k.
template <class T>
SINTER_BOTH T two_to(const int k) {
    return as_double((long long)(k + 1023) << 52);
}

// double_tanh: t / (t + 2) for t = e^|2 x| - 1; t + 2 is d + rest. Beyond 20 it rounds to 1.
template <class T>
SINTER_BOTH T double_tanh(const T x) {
    const T size = fabs(x) > T(20) ? T(20) : fabs(x), power = nearest_power<T>(size + size);
    const T h = less_power<T>(size + size, power), two = two_to<T>(int(as_bits64(power)));
    const T t = fma(two, fma(h * h, exp_tail<T>(h), h), two - T(1));
    const T d = t + T(2), rest = t - (d - T(2)), inverse = near_reciprocal<T>(d), near = t * inverse;
    return copysign(fma(fma(-rest, near, fma(-d, near, t)), inverse, near), x);
}

// normal_tail: e^(-square - missing) erfcx(z) / 2, where c = z / 4 and square + missing is z^2: (1 + c) erfcx(z) is a
// polynomial in 2 c / (1 + c) - 1.
template <class T>
SINTER_BOTH T normal_tail(const T c, const T square, const T missing) {
    const T inverse = near_reciprocal<T>(c + T(1)), w = fma(c + c, inverse, T(-1));
    T p = T(-0x1.ba3f53f62a49cp-31);
    p = fma(p, w, T(-0x1.ff16e7168912cp-29));
    p = fma(p, w, T(0x1.6205331f86e77p-29));
    p = fma(p, w, T(0x1.116bfaa35f310p-25));
    p = fma(p, w, T(-0x1.747ce2647535bp-26));
    p = fma(p, w, T(-0x1.c9821f508d822p-23));
    p = fma(p, w, T(0x1.8042d83af9688p-22));
    p = fma(p, w, T(0x1.3b5c63cb062b6p-20));
    p = fma(p, w, T(-0x1.3c7b1477770f3p-18));
    p = fma(p, w, T(-0x1.e832fe91a1f79p-21));
    p = fma(p, w, T(0x1.72ce056e84751p-15));
    p = fma(p, w, T(-0x1.dd281d0f67c1ep-14));
    p = fma(p, w, T(-0x1.269b58ce28ceap-14));
    p = fma(p, w, T(0x1.908f46ba82155p-10));
    p = fma(p, w, T(-0x1.b00c052a197b2p-8));
    p = fma(p, w, T(0x1.38dbd2c982226p-6));
    p = fma(p, w, T(-0x1.645fd8a4bea28p-5));
    p = fma(p, w, T(0x1.52cac2370e290p-4));
    p = fma(p, w, T(-0x1.14eacb1ad031ap-3));
    p = fma(p, w, T(0x1.8be202d26c74fp-3));
    p = fma(p, w, T(-0x1.f3fe31ecb49bfp-3));
    p = fma(p, w, T(0x1.18932bf08e154p-2));
    const T power = nearest_power<T>(-square), h = less_power<T>(-square, power) - missing;
    const int k = int(as_bits64(power)) - 1, upper = k >> 1;  // two powers, as the result may be subnormal
    const T e = fma(h * h, exp_tail<T>(h), h), scale = p * inverse * two_to<T>(upper);
    return fma(scale, e, scale) * two_to<T>(k - upper);
}

// double_erfc: some 95 instructions.
template <class T>
SINTER_BOTH T double_erfc(const T x) {
    const T z = fabs(x) > T(28) ? T(28) : fabs(x), square = z * z;
    const T tail = normal_tail<T>(T(0.25) * z, square, fma(z, z, -square)), whole = tail + tail;
    return upper_word<T>(x) < 0 ? T(2) - whole : whole;
}

// double_normcdf: e^(-x^2 / 2) erfcx(|x| / sqrt(2)) / 2 is the tail on x's side.
template <class T>
SINTER_BOTH T double_normcdf(const T x) {
    const T z = fabs(x) > T(40) ? T(40) : fabs(x), half = T(0.5) * z, square = half * z;
    const T tail = normal_tail<T>(T(0x1.6a09e667f3bcdp-3) * z, square, fma(half, z, -square));
    return upper_word<T>(x) < 0 ? tail : T(1) - tail;
}

// double_pow: CUDA's, of some 150 instructions. The exponent is mostly an argument of the kernel.
template <class T>
SINTER_BOTH T double_pow(const T x, const T y) {
    return y == T(2) ? x * x : pow(x, y);
}

// </kernel text>

}  // namespace sinter::detail::number
