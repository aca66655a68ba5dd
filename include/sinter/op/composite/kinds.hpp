// Overloads of op table functions for operand kinds that their rows lack: rounding of integers, complex numbers, and
// clip with a single bound.
#pragma once

#include <sinter/called_as.hpp>
#include <sinter/op/complex.hpp>
#include <sinter/op/scalars.hpp>

#include <optional>

namespace sinter {
namespace detail {

/// An operand of integer dtype; bool is not an integer.
template <class A>
concept integer_operand = operand<A> && is_integer(std::remove_cvref_t<A>::type);

/// A C++ integer that a row takes. A pack, so that overloads for C++ scalars take precedence: op/scalars.hpp.
template <class Op, class... A>
concept integer_of_row = row_of_scalars<Op, A...> && sizeof...(A) == 1 && (is_integer(scalar_dtype<A>) && ...);

}  // namespace detail

/// Rounding returns integers unchanged, in their dtype.
template <operand A>
    requires(detail::integer_operand<A>)
[[nodiscard]] auto floor(A&& a) {
    return detail::expr_of<A>(detail::as_expr(std::forward<A>(a)));
}
template <operand A>
    requires(detail::integer_operand<A>)
[[nodiscard]] auto ceil(A&& a) {
    return floor(std::forward<A>(a));
}
template <operand A>
    requires(detail::integer_operand<A>)
[[nodiscard]] auto trunc(A&& a) {
    return floor(std::forward<A>(a));
}
template <operand A>
    requires(detail::integer_operand<A>)
[[nodiscard]] auto rint(A&& a) {
    return floor(std::forward<A>(a));
}
template <operand A>
    requires(detail::integer_operand<A>)
[[nodiscard]] auto round(A&& a) {
    return floor(std::forward<A>(a));
}

/// The same for a C++ integer.
template <class... A>
    requires(detail::integer_of_row<op::floor, A...>)
[[nodiscard]] constexpr auto floor(A... a) {
    return (a, ...);
}
template <class... A>
    requires(detail::integer_of_row<op::ceil, A...>)
[[nodiscard]] constexpr auto ceil(A... a) {
    return (a, ...);
}
template <class... A>
    requires(detail::integer_of_row<op::trunc, A...>)
[[nodiscard]] constexpr auto trunc(A... a) {
    return (a, ...);
}
template <class... A>
    requires(detail::integer_of_row<op::rint, A...>)
[[nodiscard]] constexpr auto rint(A... a) {
    return (a, ...);
}
template <class... A>
    requires(detail::integer_of_row<op::round, A...>)
[[nodiscard]] constexpr auto round(A... a) {
    return (a, ...);
}

/// For complex numbers: rounds each part, half to even.
template <operand A>
    requires(detail::complex_operand<A>)
[[nodiscard]] auto rint(A&& z) {
    return complex(rint(real(z)), rint(imag(z)));
}
template <operand A>
    requires(detail::complex_operand<A>)
[[nodiscard]] auto round(A&& z) {
    return rint(z);
}
/// For complex numbers: z / abs(z), and 0 for 0; with one infinite part, its direction.
template <operand A>
    requires(detail::complex_operand<A>)
[[nodiscard]] auto sign(A&& z) {
    const auto modulus = abs(z);
    const auto by = where(modulus == 0, 1.0, modulus);
    const auto part = [&](const auto& x, const auto& other) {
        const auto towards = where(isinf(x), copysign(where(isinf(other), NaN, 1.0), x), 0.0);
        return where(isinf(modulus), detail::to_dtype<std::remove_cvref_t<decltype(x)>::type>(towards), x / by);
    };
    return complex(part(real(z), imag(z)), part(imag(z), real(z)));
}
/// Whether either part of a complex number is infinite.
template <operand A>
    requires(detail::complex_operand<A>)
[[nodiscard]] auto isinf(A&& z) {
    return isinf(real(z)) || isinf(imag(z));
}
/// e^z - 1 for complex numbers, accurate for small z: expm1(x) cos(y) - 2 sin(y/2)^2 + i e^x sin(y).
template <operand A>
    requires(detail::complex_operand<A>)
[[nodiscard]] auto expm1(A&& z) {
    const auto x = real(z);
    const auto y = imag(z);
    return complex(expm1(x) * cos(y) - 2 * square(sin(0.5 * y)), exp(x) * sin(y));
}
/// log(1 + z) for complex numbers, accurate for small z, where the logarithm of the modulus is log1p(x (2 + x) + y^2) /
/// 2.
template <operand A>
    requires(detail::complex_operand<A>)
[[nodiscard]] auto log1p(A&& z) {
    const auto x = real(z);
    const auto y = imag(z);
    const auto is_small = abs(x) < 0.5 && abs(y) < 0.5;
    const auto modulus =
        where(is_small, 0.5 * log1p(where(is_small, x * (2 + x) + square(y), 0.0)), log(hypot(1 + x, y)));
    return complex(modulus, atan2(y, 1 + x));
}

/// A single bound: clip(x, 0, std::nullopt) is maximum(x, 0), clip(x, std::nullopt, 1) is minimum(x, 1).
template <operand A, operand_or_scalar Low>
[[nodiscard]] auto clip(A&& a, Low&& low, std::nullopt_t) {
    const detail::called_as self(__func__);
    return maximum(std::forward<A>(a), std::forward<Low>(low));
}
template <operand A, operand_or_scalar High>
[[nodiscard]] auto clip(A&& a, std::nullopt_t, High&& high) {
    const detail::called_as self(__func__);
    return minimum(std::forward<A>(a), std::forward<High>(high));
}

}  // namespace sinter
