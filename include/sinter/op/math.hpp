// Host versions of the functions that bodies may call: those that <cmath> and CUDA share, those that only CUDA has, and
// complex functions. Those that neither has are in number/arithmetic.hpp.
#pragma once

#include <sinter/number/arithmetic.hpp>
#include <sinter/number/complex.hpp>
#include <sinter/number/exp_sum.hpp>
#include <sinter/number/keyed_index.hpp>
#include <sinter/number/moments.hpp>
#include <sinter/number/quotients.hpp>
#include <sinter/op/row.hpp>
#include <sinter/op/tanh.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace sinter::detail {

/// Functions of CUDA's math library that <cmath> lacks: codegen/rows/special.cpp.
namespace special {
#define SINTER_SPECIAL(function)        \
    double function(double x) noexcept; \
    inline float function(float x) noexcept { return static_cast<float>(function(static_cast<double>(x))); }
#include <sinter/op/special.def>
}  // namespace special

/// Bodies inherit these, so that exp(x) in a body means this exp whatever other functions of that name are visible. As
/// in CUDA, float operands give float and all others compute in double.
struct math {
#define SINTER_DETAIL_MATH(function)                                                           \
    template <class... A>                                                                      \
    [[gnu::always_inline]] static inline auto function(A... a) {                               \
        using computed = std::conditional_t<(std::is_same_v<A, float> && ...), float, double>; \
        return std::function(static_cast<computed>(a)...);                                     \
    }
#define SINTER_DETAIL_COMPLEX_MATH(function)                                   \
    template <class R>                                                         \
    [[gnu::always_inline]] static inline auto function(number::complex<R> z) { \
        return number::function(z);                                            \
    }
#define SINTER_DETAIL_BOTH_MATH(function) SINTER_DETAIL_MATH(function) SINTER_DETAIL_COMPLEX_MATH(function)
    SINTER_DETAIL_BOTH_MATH(exp)
    SINTER_DETAIL_MATH(exp2)
    SINTER_DETAIL_MATH(expm1)
    SINTER_DETAIL_BOTH_MATH(log)
    SINTER_DETAIL_BOTH_MATH(log2)
    SINTER_DETAIL_BOTH_MATH(log10)
    SINTER_DETAIL_MATH(log1p)
    SINTER_DETAIL_MATH(logb)
    SINTER_DETAIL_MATH(pow)
    SINTER_DETAIL_BOTH_MATH(sqrt)
    SINTER_DETAIL_MATH(cbrt)
    SINTER_DETAIL_BOTH_MATH(sin)
    SINTER_DETAIL_BOTH_MATH(cos)
    SINTER_DETAIL_BOTH_MATH(tan)
    SINTER_DETAIL_BOTH_MATH(asin)
    SINTER_DETAIL_BOTH_MATH(acos)
    SINTER_DETAIL_BOTH_MATH(atan)
    SINTER_DETAIL_MATH(atan2)
    SINTER_DETAIL_BOTH_MATH(sinh)
    SINTER_DETAIL_BOTH_MATH(cosh)
    SINTER_DETAIL_COMPLEX_MATH(rsqrt)
    SINTER_DETAIL_COMPLEX_MATH(tanh)
    SINTER_DETAIL_BOTH_MATH(asinh)
    SINTER_DETAIL_BOTH_MATH(acosh)
    SINTER_DETAIL_BOTH_MATH(atanh)
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
    SINTER_DETAIL_COMPLEX_MATH(abs)
    SINTER_DETAIL_COMPLEX_MATH(conj)
#undef SINTER_DETAIL_MATH
#undef SINTER_DETAIL_COMPLEX_MATH
#undef SINTER_DETAIL_BOTH_MATH
    template <class R>
    [[gnu::always_inline]] static inline auto pow(number::complex<R> z, number::complex<R> w) {
        return number::pow(z, w);
    }

    template <class A>
    [[gnu::always_inline]] static inline auto rsqrt(A a) {
        using computed = std::conditional_t<std::is_same_v<A, float>, float, double>;
        return computed(1) / std::sqrt(static_cast<computed>(a));
    }

    template <class A>
    [[gnu::always_inline]] static inline auto tanh(A a) {
        if constexpr (std::is_same_v<A, float>)
            return tanh_of_float(a);
        else
            return tanh_of_double(static_cast<double>(a));
    }

    template <class A>
    [[gnu::always_inline]] static inline auto abs(A a) {
        if constexpr (std::is_floating_point_v<A>)
            return std::fabs(a);
        else
            return a < A(0) ? A(0) - a : a + A(0);  // both arms have the same promoted type
    }

    /// Infinite if either operand is, as in C, CUDA and NumPy. The vector version in some C libraries returns NaN for
    /// an infinity and a NaN.
    template <class A, class B>
    [[gnu::always_inline]] static inline auto hypot(A a, B b) {
        using computed = std::conditional_t<std::is_same_v<A, float> && std::is_same_v<B, float>, float, double>;
        constexpr computed infinity = std::numeric_limits<computed>::infinity();
        const auto x = static_cast<computed>(a), y = static_cast<computed>(b);
        return std::fabs(x) == infinity || std::fabs(y) == infinity ? infinity : std::hypot(x, y);
    }

    template <class A>
    [[gnu::always_inline]] static inline auto lgamma(A a) {
#if defined(__GLIBC__)
        int sign;  // std::lgamma stores the sign in a global: a data race
        if constexpr (std::is_same_v<A, float>)
            return ::lgammaf_r(a, &sign);
        else
            return ::lgamma_r(static_cast<double>(a), &sign);
#else
        return std::lgamma(a);
#endif
    }

#define SINTER_SPECIAL(function)                                                                               \
    template <class A>                                                                                         \
    [[gnu::always_inline]] static inline auto function(A a) {                                                  \
        return special::function(static_cast<std::conditional_t<std::is_same_v<A, float>, float, double>>(a)); \
    }
#include <sinter/op/special.def>

    template <class A>
    [[gnu::always_inline]] static inline A ldexp(A a, int e) {
        return std::ldexp(a, e);
    }
};

}  // namespace sinter::detail
