// Float functions that take fewer instructions than CUDA's, within the bounds of tests/data/accuracy/bounds.txt:
// short_f replaces f in the bodies of the op table.
#pragma once

#include <sinter/number/both.hpp>

#include <cmath>

namespace sinter::detail::number {

using std::exp2, std::fabs, std::fma;

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

// </kernel text>

}  // namespace sinter::detail::number
