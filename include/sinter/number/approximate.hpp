// Approximations of float functions, for kernels whose results are all rounded to float16 and for fast_math_scope.
// approximate_f replaces f in the bodies of the op table.
//
// Required accuracy: 2^-15, and 2^-20 for results near 1, which is 1/16 and 1/500 of float16's spacing. Division and
// square roots in such kernels are the compiler's approximations (codegen/cuda/approximate.cpp).
#pragma once

#include <sinter/number/both.hpp>

#include <cmath>

namespace sinter::detail::number {

using std::copysign, std::exp2, std::fabs;

// <kernel text>

// approximate_exp: as a power of two, off by 1 + |x| units in the last place, as the exponent is rounded.
template <class T>
SINTER_BOTH T approximate_exp(const T x) {
    return exp2(x * T(1.44269504));
}

// approximate_erf: within 1e-6, and within 2e-5 of the result where that is small: Abramowitz and Stegun, Handbook of
// Mathematical Functions, 7.1.26; near 0 the Maclaurin series.
template <class T>
SINTER_BOTH T approximate_erf(const T x) {
    const T s = x * x;
    const T t = T(1) / (T(1) + T(0.3275911) * fabs(x));
    const T p = T(-1.453152027) + t * T(1.061405429);
    const T tail = t * (T(0.254829592) + t * (T(-0.284496736) + t * (T(1.421413741) + t * p)));
    const T far = copysign(T(1) - tail * approximate_exp(-s), x);
    const T near = x * (T(1.128379167) - s * T(0.376126389));
    return fabs(x) < T(0.03125) ? near : far;
}

// approximate_erfc: within 5e-7, and within 1e-5 of the result down to where it flushes to 0: e^(-x^2) t p(t) for
// t = 1 / (1 + |x| / 2).
template <class T>
SINTER_BOTH T approximate_erfc(const T x) {
    const T t = T(1) / (T(1) + T(0.5) * fabs(x));
    T p = T(-0.3654828) + t * T(0.090936504);
    p = T(0.2836208) + t * (T(0.031191336) + t * (T(0.4001256) + t * p));
    p = T(0.28235) + t * (T(0.27725866) + t * p);
    const T tail = t * p * exp2(x * x * T(-1.44269504));
    return x < T(0) ? T(2) - tail : tail;
}

// approximate_near_quotient: the compiler's division, which is approximate in these kernels.
template <class T>
SINTER_BOTH T approximate_near_quotient(const T x, const T y) {
    return x / y;
}

// </kernel text>

}  // namespace sinter::detail::number
