// The functions that the op table's bodies may call, as the host has them: what <cmath> and CUDA share, what CUDA has
// and <cmath> has not, and the functions of complex numbers. What neither has is in number/arithmetic.hpp.
#pragma once

#include <sinter/number/arithmetic.hpp>
#include <sinter/number/complex.hpp>
#include <sinter/number/moments.hpp>
#include <sinter/op/row.hpp>

#include <cmath>
#include <type_traits>

namespace sinter::detail {

/// What CUDA's math library has and <cmath> has not: codegen/host/special.cpp. Each says its largest error in ulps.
namespace special {
#define SINTER_DETAIL_SPECIAL(function) \
    double function(double x) noexcept; \
    inline float function(float x) noexcept { return static_cast<float>(function(static_cast<double>(x))); }
SINTER_DETAIL_SPECIAL(exp10)          // 10^x
SINTER_DETAIL_SPECIAL(sinpi)          // sin(pi x)
SINTER_DETAIL_SPECIAL(cospi)          // cos(pi x)
SINTER_DETAIL_SPECIAL(erfinv)         // the inverse of erf
SINTER_DETAIL_SPECIAL(erfcinv)        // the inverse of erfc
SINTER_DETAIL_SPECIAL(erfcx)          // exp(x^2) erfc(x)
SINTER_DETAIL_SPECIAL(normcdf)        // the distribution function of the standard normal distribution
SINTER_DETAIL_SPECIAL(normcdfinv)     // its inverse
SINTER_DETAIL_SPECIAL(cyl_bessel_i0)  // the modified Bessel function of the first kind and order 0
SINTER_DETAIL_SPECIAL(cyl_bessel_i1)  // of order 1
SINTER_DETAIL_SPECIAL(j0)             // the Bessel functions of the first kind
SINTER_DETAIL_SPECIAL(j1)
SINTER_DETAIL_SPECIAL(y0)  // and of the second kind
SINTER_DETAIL_SPECIAL(y1)
#undef SINTER_DETAIL_SPECIAL
}  // namespace special

/// Bodies inherit these, so that exp(x) in a body means this exp whatever other functions of that name are in sight.
/// As in CUDA, float operands give float and all others compute in double.
struct math {
#define SINTER_DETAIL_MATH(function)                                                           \
    template <class... A>                                                                      \
    [[gnu::always_inline]] static inline auto function(A... a) {                               \
        using computed = std::conditional_t<(std::is_same_v<A, float> && ...), float, double>; \
        return std::function(static_cast<computed>(a)...);                                     \
    }
    SINTER_DETAIL_MATH(exp)
    SINTER_DETAIL_MATH(exp2)
    SINTER_DETAIL_MATH(expm1)
    SINTER_DETAIL_MATH(log)
    SINTER_DETAIL_MATH(log2)
    SINTER_DETAIL_MATH(log10)
    SINTER_DETAIL_MATH(log1p)
    SINTER_DETAIL_MATH(logb)
    SINTER_DETAIL_MATH(pow)
    SINTER_DETAIL_MATH(sqrt)
    SINTER_DETAIL_MATH(cbrt)
    SINTER_DETAIL_MATH(hypot)
    SINTER_DETAIL_MATH(sin)
    SINTER_DETAIL_MATH(cos)
    SINTER_DETAIL_MATH(tan)
    SINTER_DETAIL_MATH(asin)
    SINTER_DETAIL_MATH(acos)
    SINTER_DETAIL_MATH(atan)
    SINTER_DETAIL_MATH(atan2)
    SINTER_DETAIL_MATH(sinh)
    SINTER_DETAIL_MATH(cosh)
    SINTER_DETAIL_MATH(tanh)
    SINTER_DETAIL_MATH(asinh)
    SINTER_DETAIL_MATH(acosh)
    SINTER_DETAIL_MATH(atanh)
    SINTER_DETAIL_MATH(floor)
    SINTER_DETAIL_MATH(ceil)
    SINTER_DETAIL_MATH(trunc)
    SINTER_DETAIL_MATH(round)
    SINTER_DETAIL_MATH(rint)
    SINTER_DETAIL_MATH(nearbyint)
    SINTER_DETAIL_MATH(erf)
    SINTER_DETAIL_MATH(erfc)
    SINTER_DETAIL_MATH(tgamma)
    SINTER_DETAIL_MATH(fabs)
    SINTER_DETAIL_MATH(fma)
    SINTER_DETAIL_MATH(fmin)
    SINTER_DETAIL_MATH(fmax)
    SINTER_DETAIL_MATH(fdim)
    SINTER_DETAIL_MATH(fmod)
    SINTER_DETAIL_MATH(remainder)
    SINTER_DETAIL_MATH(copysign)
    SINTER_DETAIL_MATH(nextafter)
    SINTER_DETAIL_MATH(isnan)
    SINTER_DETAIL_MATH(isinf)
    SINTER_DETAIL_MATH(isfinite)
    SINTER_DETAIL_MATH(signbit)
#undef SINTER_DETAIL_MATH

// The same names for complex operands.
#define SINTER_DETAIL_MATH(function)                                           \
    template <class R>                                                         \
    [[gnu::always_inline]] static inline auto function(number::complex<R> z) { \
        return number::function(z);                                            \
    }
    SINTER_DETAIL_MATH(abs)
    SINTER_DETAIL_MATH(conj)
    SINTER_DETAIL_MATH(exp)
    SINTER_DETAIL_MATH(log)
    SINTER_DETAIL_MATH(log2)
    SINTER_DETAIL_MATH(log10)
    SINTER_DETAIL_MATH(sqrt)
    SINTER_DETAIL_MATH(sin)
    SINTER_DETAIL_MATH(cos)
    SINTER_DETAIL_MATH(tan)
    SINTER_DETAIL_MATH(asin)
    SINTER_DETAIL_MATH(acos)
    SINTER_DETAIL_MATH(atan)
    SINTER_DETAIL_MATH(sinh)
    SINTER_DETAIL_MATH(cosh)
    SINTER_DETAIL_MATH(tanh)
    SINTER_DETAIL_MATH(asinh)
    SINTER_DETAIL_MATH(acosh)
    SINTER_DETAIL_MATH(atanh)
#undef SINTER_DETAIL_MATH
    template <class R>
    [[gnu::always_inline]] static inline auto pow(number::complex<R> z, number::complex<R> w) {
        return number::pow(z, w);
    }

    template <class A>
    [[gnu::always_inline]] static inline auto abs(A a) {
        if constexpr (std::is_floating_point_v<A>)
            return std::fabs(a);
        else
            return a < A(0) ? A(0) - a : a + A(0);  // both arms promote alike
    }

    template <class A>
    [[gnu::always_inline]] static inline auto lgamma(A a) {
#if defined(__GLIBC__)
        int sign;  // std::lgamma leaves the sign in a global, which threads would race for
        if constexpr (std::is_same_v<A, float>)
            return ::lgammaf_r(a, &sign);
        else
            return ::lgamma_r(static_cast<double>(a), &sign);
#else
        return std::lgamma(a);
#endif
    }

#define SINTER_DETAIL_SPECIAL(function)                                                                        \
    template <class A>                                                                                         \
    [[gnu::always_inline]] static inline auto function(A a) {                                                  \
        return special::function(static_cast<std::conditional_t<std::is_same_v<A, float>, float, double>>(a)); \
    }
    SINTER_DETAIL_SPECIAL(exp10)
    SINTER_DETAIL_SPECIAL(sinpi)
    SINTER_DETAIL_SPECIAL(cospi)
    SINTER_DETAIL_SPECIAL(erfinv)
    SINTER_DETAIL_SPECIAL(erfcinv)
    SINTER_DETAIL_SPECIAL(erfcx)
    SINTER_DETAIL_SPECIAL(normcdf)
    SINTER_DETAIL_SPECIAL(normcdfinv)
    SINTER_DETAIL_SPECIAL(cyl_bessel_i0)
    SINTER_DETAIL_SPECIAL(cyl_bessel_i1)
    SINTER_DETAIL_SPECIAL(j0)
    SINTER_DETAIL_SPECIAL(j1)
    SINTER_DETAIL_SPECIAL(y0)
    SINTER_DETAIL_SPECIAL(y1)
#undef SINTER_DETAIL_SPECIAL

    template <class A>
    [[gnu::always_inline]] static inline A ldexp(A a, int e) {
        return std::ldexp(a, e);
    }
};

}  // namespace sinter::detail
