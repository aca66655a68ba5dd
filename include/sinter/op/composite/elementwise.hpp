// Elementwise functions composed of rows: angles, remainders, number parts, tests and replacements.
#pragma once

#include <sinter/op/complex.hpp>

#include <limits>
#include <numbers>

namespace sinter {
namespace detail {

/// The dtype of a floating function of an operand; complex for complex operands.
template <class A>
inline constexpr dtype floating_dtype = compute_dtype(dtype_rule::analytic, info_of<A>());

/// The largest finite number of a floating dtype.
constexpr double largest(dtype d) {
    return d == dtype::float8_e4m3   ? 448
           : d == dtype::float8_e5m2 ? 57344
           : d == dtype::float16     ? 65504
           : d == dtype::bfloat16    ? 0x1.fep127
           : d == dtype::float32     ? double(std::numeric_limits<float>::max())
                                     : std::numeric_limits<double>::max();
}

/// The replacements for NaN and the infinities.
struct replacements {
    double nan, posinf, neginf;
};

/// The operand with replacements; for complex numbers, in each part.
template <class A>
auto repaired(const A& a, const replacements& by) {
    if constexpr (is_complex(A::type)) {
        return apply<op::complex>(repaired(real(a), by), repaired(imag(a), by));
    } else if constexpr (is_floating(A::type)) {
        constexpr double most = largest(A::type);
        return where(isnan(a), by.nan, where(a < -most, by.neginf, where(a > most, by.posinf, a)));
    } else {
        return expr_of<const A&>(as_expr(a));
    }
}

}  // namespace detail

/// x % y: the remainder with the divisor's sign, as in Python and NumPy. fmod has the dividend's sign; ieee_remainder
/// is relative to the nearest multiple.
template <operand_or_scalar A, operand_or_scalar B>
    requires(operand<A> || operand<B>)
[[nodiscard]] auto remainder(A&& a, B&& b) {
    return std::forward<A>(a) % std::forward<B>(b);
}

/// Unary plus returns the operand; as in NumPy, not for bools.
template <operand A>
[[nodiscard]] auto operator+(A&& a) {
    static_assert(detail::expr_of<A>::type != dtype::bool_,
                  "sinter: unary + takes no bools: convert them with astype<int>(x)");
    return detail::expr_of<A>(detail::as_expr(std::forward<A>(a)));
}
template <operand A>
[[nodiscard]] auto positive(A&& a) {
    return +std::forward<A>(a);
}

/// -x, x && y, x || y and !x under NumPy's names.
template <operand A>
[[nodiscard]] auto negative(A&& a) {
    return -std::forward<A>(a);
}
template <operand_or_scalar A, operand_or_scalar B>
    requires(operand<A> || operand<B>)
[[nodiscard]] auto logical_and(A&& a, B&& b) {
    return std::forward<A>(a) && std::forward<B>(b);
}
template <operand_or_scalar A, operand_or_scalar B>
    requires(operand<A> || operand<B>)
[[nodiscard]] auto logical_or(A&& a, B&& b) {
    return std::forward<A>(a) || std::forward<B>(b);
}
template <operand A>
[[nodiscard]] auto logical_not(A&& a) {
    return !std::forward<A>(a);
}

/// Converts degrees to radians. Integers and bool give the default float.
template <operand A>
[[nodiscard]] auto deg2rad(A&& a) {
    return std::forward<A>(a) * (std::numbers::pi / 180);
}
/// Converts radians to degrees. Integers and bool give the default float.
template <operand A>
[[nodiscard]] auto rad2deg(A&& a) {
    return std::forward<A>(a) * (180 / std::numbers::pi);
}

/// sin(pi x) / (pi x), and 1 at 0. Integers and bool give the default float.
template <operand A>
[[nodiscard]] auto sinc(const A& a) {
    return where(a == element_t<A::type>(0), 1.0, sinpi(a) / (std::numbers::pi * a));
}

/// Rounds to a number of decimals, half to even: rint(x * 10^decimals) / 10^decimals, as in NumPy.
template <operand A>
[[nodiscard]] auto round(const A& a, int decimals) {
    double power = 1;
    for (int i = 0; i < (decimals < 0 ? -decimals : decimals); ++i) power *= 10;
    const double up = decimals < 0 ? 1 : power, down = decimals < 0 ? power : 1;
    const auto rounded = [&](const auto& x) { return rint(x * up / down) * down / up; };
    if constexpr (is_complex(A::type))
        return complex(rounded(real(a)), rounded(imag(a)));  // a factor times an infinite part would be NaN
    else
        return rounded(a);
}

/// The fractional and integral parts of x, both with its sign: auto [fraction, whole] = modf(x).
template <operand A>
[[nodiscard]] auto modf(const A& a) {
    const auto whole = trunc(a);
    return std::pair(copysign(where(isinf(a), 0.0, a - whole), a), whole);
}

/// The significand in [0.5, 1) and the exponent (an int32) of x = significand * 2^exponent: auto [m, e] = frexp(x).
/// Zeros, infinities and NaN are their own significand, with the exponent 0.
template <operand A>
[[nodiscard]] auto frexp(const A& a) {
    return std::pair(significand(a), astype<std::int32_t>(exponent(a)));
}

/// Whether |x - y| <= atol + rtol |y|, as in NumPy. Equal infinities are close; NaN is close to NaN if equal_nan.
/// Integers are compared in the default float.
template <operand_or_scalar A, operand_or_scalar B>
    requires(operand<A> || operand<B>)
[[nodiscard]] auto isclose(const A& a, const B& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) {
    const detail::called_as self(__func__);
    constexpr detail::operand_info operands[] = {detail::info_of<A>(), detail::info_of<B>()};
    constexpr dtype common = detail::compute_dtype(dtype_rule::floating, operands);
    const auto x = detail::to_dtype<common>(a);
    const auto y = detail::to_dtype<common>(b);
    return (abs(x - y) <= atol + rtol * abs(y) && isfinite(y)) || x == y || (equal_nan && isnan(x) && isnan(y));
}

/// Replaces NaN (default: by 0) and infinities (default: by the largest finite numbers): nan_to_num(x, nan, posinf,
/// neginf). For complex numbers, in each part. Integers and bool are returned unchanged.
template <operand A>
[[nodiscard]] auto nan_to_num(const A& a, double nan = 0) {
    constexpr double most = detail::largest(real_of(A::type));
    return detail::repaired(a, {nan, most, -most});
}
template <operand A>
[[nodiscard]] auto nan_to_num(const A& a, double nan, double posinf) {
    return detail::repaired(a, {nan, posinf, -detail::largest(real_of(A::type))});
}
template <operand A>
[[nodiscard]] auto nan_to_num(const A& a, double nan, double posinf, double neginf) {
    return detail::repaired(a, {nan, posinf, neginf});
}

/// Reinterprets the elements' bytes as another type of the same size. Between integers of the same size this is astype.
template <element_type T, operand A>
[[nodiscard]] auto bit_cast(A&& a) {
    constexpr dtype from = detail::expr_of<A>::type, to = dtype_of<T>;
    static_assert(size_of(from) == size_of(to), "sinter: bit_cast converts between types of the same size");
    if constexpr (is_floating(from) == is_floating(to)) {
        return astype<T>(std::forward<A>(a));
    } else if constexpr (is_floating(from)) {
        return astype<T>(to_bits(std::forward<A>(a)));
    } else {
        using integer = element_t<detail::integer_of(size_of(from), true)>;
        return of_bits(astype<integer>(std::forward<A>(a)));
    }
}

}  // namespace sinter
