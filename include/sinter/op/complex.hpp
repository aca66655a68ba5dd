// The functions of complex numbers that are composed of the table's rows, and what real(), imag() and conj() of real
// operands are.
#pragma once

#include <sinter/op/functions.hpp>
#include <sinter/view.hpp>

namespace sinter {
namespace detail {

template <class A>
concept complex_operand = operand<A> && is_complex(std::remove_cvref_t<A>::type);

}  // namespace detail

/// The real part; of a real operand, the operand.
template <operand A>
    requires(!detail::complex_operand<A>)
[[nodiscard]] auto real(A&& a) {
    return detail::expr_of<A>(detail::as_expr(std::forward<A>(a)));
}
/// The imaginary part; of a real operand, zeros.
template <operand A>
    requires(!detail::complex_operand<A>)
[[nodiscard]] auto imag(A&& a) {
    return broadcast_to(element_t<std::remove_cvref_t<A>::type>(0), a.shape());
}
/// The complex conjugate; of a real operand, the operand.
template <operand A>
    requires(!detail::complex_operand<A>)
[[nodiscard]] auto conj(A&& a) {
    return real(std::forward<A>(a));
}

/// The modulus: hypot(real(z), imag(z)), which neither overflows nor vanishes before its time. Real.
template <operand A>
    requires(detail::complex_operand<A>)
[[nodiscard]] auto abs(A&& z) {
    return hypot(real(z), imag(z));
}
/// The angle between the positive real axis and z, from -pi to pi. Real; integers and bool give the default float.
template <operand A>
[[nodiscard]] auto arg(const A& z) {
    return atan2(imag(z), real(z));
}
/// The square of the modulus: real(z)^2 + imag(z)^2. Real.
template <operand A>
[[nodiscard]] auto abs2(const A& z) {
    if constexpr (detail::complex_operand<A>)
        return square(real(z)) + square(imag(z));
    else if constexpr (std::remove_cvref_t<A>::type == dtype::bool_)
        return real(z);
    else
        return square(z);
}

}  // namespace sinter
