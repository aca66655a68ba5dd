// Float functions that take fewer instructions than CUDA's, within the bounds of tests/data/accuracy/bounds.txt:
// short_f replaces f in the bodies of the op table.
#pragma once

#include <sinter/number/both.hpp>

#include <cmath>

namespace sinter::detail::number {

using std::exp2, std::fabs, std::fma, std::pow;

// <kernel text>

// reciprocal_from_1: 1 / x for x >= 1, within one unit in the last place.
template <class T>
SINTER_BOTH T reciprocal_from_1(const T x) {
#if __CUDA_ARCH__
    T inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    return inverse;
#else
    return T(1) / x;
#endif
}

// short_erfc: some 30 instructions, CUDA's erfcf 48. erfc(z) = e^(-z^2) erfcx(z) for z = |x|, and (1 + 3/8 z) erfcx(z)
// is a polynomial in z / (1 + 3/8 z), here less 1, to 1.3e-8 up to 10.1, where erfc rounds to 0. e^(-z^2) is a power of
// two and a correction by what its rounded exponent lacks.
template <class T>
SINTER_BOTH T short_erfc(const T x) {
    const T z = fabs(x) > T(10.1) ? T(10.1) : fabs(x);
    const T inverse = reciprocal_from_1(fma(T(0.375), z, T(1)));
    const T w = fma(z, inverse, T(-1));
    T p = T(2.41630442e-05);
    p = fma(p, w, T(-2.1415055e-05));
    p = fma(p, w, T(-0.000421692937));
    p = fma(p, w, T(0.000916725956));
    p = fma(p, w, T(0.00578399422));
    p = fma(p, w, T(-0.042985823));
    p = fma(p, w, T(0.145059094));
    p = fma(p, w, T(-0.317939162));
    p = fma(p, w, T(0.489524782));
    const T square = z * z;
    const T exponent = square * T(-1.44269504);
    T missing = fma(exponent, T(-0.693147182), -square);  // -square - exponent ln 2
    missing = fma(exponent, T(1.90465421e-9), missing);
    missing -= fma(z, z, -square);
    const T tail = inverse * p * exp2(exponent);
    const T whole = fma(tail, missing, tail);
    return x < T(0) ? T(2) - whole : whole;
}

// near_power: 2^x for x from -0.6 to 0.6, within two units in the last place.
template <class T>
SINTER_BOTH T near_power(const T x) {
#if __CUDA_ARCH__
    T power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
#else
    return exp2(x);
#endif
}

// usual_pow: x^y for a normal x above 0 and a normal result: 2^(y log2(x)). x is 2^e (1 + f), and with s = f / (2 + f),
// log2(1 + f) = C s + s^3 p(s^2), C = 2 / log(2); s, C and the sum have a second part. `exponent` is y log2(x).
template <class T>
SINTER_BOTH T usual_pow(const T x, const T y, T& exponent) {
    const int high = int((as_bits(x) - 0x3f3504f3u) & ~0x7fffffu);
    const T f = as_float(as_bits(x) - unsigned(high)) - T(1), e = T(high) * T(0x1p-23);
    const T d = f + T(2), rest = f - (d - T(2)), inverse = reciprocal_from_1(d), s = f * inverse, z = s * s;
    const T missing = fma(-s, rest, fma(-s, d, f)) * inverse;
    T p = T(0.336590797);
    p = fma(p, z, T(0.411901146));
    p = fma(p, z, T(0.577079773));
    p = fma(p, z, T(0.961796701));
    const T head = s * T(2.88539004), whole = e + head;
    const T cut = fma(s, T(2.88539004), -head) + (head - (whole - e));
    const T tail = fma(s * z, p, fma(missing, T(2.88539004), fma(s, T(3.85192607e-08), cut)));
    exponent = y * whole;
    const T shifted = exponent + T(0x1.8p23), cut_off = exponent - (shifted - T(0x1.8p23));
    const T fraction = cut_off + fma(y, tail, fma(y, whole, -exponent));
    // the lower bits of `shifted` are the integer
    return as_float(as_bits(near_power(fraction)) + (as_bits(shifted) << 23));
}

// rarely_pow: not in line, so that neighbouring elements lie next to each other.
#if __CUDA_ARCH__
template <class T>
__noinline__ __device__ T rarely_pow(const T x, const T y) {
    return pow(x, y);
}
#else
template <class T>
SINTER_BOTH T rarely_pow(const T x, const T y) {
    return pow(x, y);
}
#endif

// short_pow: some 45 instructions, CUDA's powf 75. Its error grows with the exponent of the result: two ulps are of the
// power of two, and up to 2^64 less than two of the logarithm. y is mostly an argument of the kernel, which tests it
// once per thread.
template <class T>
SINTER_BOTH T short_pow(const T x, const T y) {
    if (y == T(2)) return x * x;
    T exponent = T(0);
    const T usual = usual_pow<T>(x, y, exponent);
    return as_bits(x) - 0x00800000u < 0x7f000000u && fabs(exponent) < T(64) ? usual : rarely_pow<T>(x, y);
}

// fast_pow: CUDA's, which the compiler replaces in kernels of fast_math_scope.
template <class T>
SINTER_BOTH T fast_pow(const T x, const T y) {
    return pow(x, y);
}

// </kernel text>

}  // namespace sinter::detail::number
