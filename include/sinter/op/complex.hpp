// Complex functions composed of the table's rows, and real(), imag() and conj() for real operands.
#pragma once

#include <sinter/op/functions.hpp>
#include <sinter/view.hpp>

#include <cmath>

namespace sinter {
namespace detail {

template <class A>
concept complex_operand = operand<A> && is_complex(std::remove_cvref_t<A>::type);

}  // namespace detail

/// The real part; a real operand is returned unchanged.
template <operand A>
    requires(!detail::complex_operand<A>)
[[nodiscard]] auto real(A&& a) {
    return detail::expr_of<A>(detail::as_expr(std::forward<A>(a)));
}
/// The imaginary part; zeros for a real operand.
template <operand A>
    requires(!detail::complex_operand<A>)
[[nodiscard]] auto imag(A&& a) {
    return broadcast_to(element_t<std::remove_cvref_t<A>::type>(0), a.shape());
}
/// The complex conjugate; a real operand is returned unchanged.
template <operand A>
    requires(!detail::complex_operand<A>)
[[nodiscard]] auto conj(A&& a) {
    return real(std::forward<A>(a));
}

/// The modulus: hypot(real(z), imag(z)), without overflow or underflow of intermediate squares. Real.
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
/// The squared modulus: real(z)^2 + imag(z)^2. Real.
template <operand A>
[[nodiscard]] auto abs2(const A& z) {
    if constexpr (detail::complex_operand<A>)
        return square(real(z)) + square(imag(z));
    else if constexpr (std::remove_cvref_t<A>::type == dtype::bool_)
        return real(z);
    else
        return square(z);
}

/// Complex numbers from real and imaginary parts, arrays or scalars, which broadcast: complex64 if both are float32 or
/// shorter, else complex128. Two scalars give a std::complex.
template <operand_or_scalar A, operand_or_scalar B>
[[nodiscard]] auto complex(A&& re, B&& im) {
    constexpr detail::operand_info parts[] = {detail::info_of<A>(), detail::info_of<B>()};
    constexpr bool reals = !is_complex(parts[0].type) && !is_complex(parts[1].type);
    static_assert(reals,
                  "sinter: complex(re, im) takes real operands; for complex ones write re + im * 1i, or real(z)");
    if constexpr (reals && (operand<A> || operand<B>)) {
        return detail::apply<op::complex>(std::forward<A>(re), std::forward<B>(im));
    } else if constexpr (reals) {
        using C = element_t<detail::compute_dtype(dtype_rule::complex_, parts)>;
        return C(static_cast<typename C::value_type>(re), static_cast<typename C::value_type>(im));
    }
}

/// Complex numbers from moduli and angles in radians: complex(r * cos(angle), r * sin(angle)). Two scalars give a
/// std::complex.
template <operand_or_scalar A, operand_or_scalar B>
[[nodiscard]] auto polar(const A& r, const B& angle) {
    constexpr bool reals = !is_complex(detail::info_of<A>().type) && !is_complex(detail::info_of<B>().type);
    static_assert(reals, "sinter: polar(r, angle) takes a real modulus and a real angle, as abs(z) and arg(z) are");
    if constexpr (reals) {
        if constexpr (operand<B>) {
            return complex(r * cos(angle), r * sin(angle));
        } else if constexpr (!operand<A>) {
            constexpr detail::operand_info parts[] = {detail::info_of<A>(), detail::info_of<B>()};
            using C = element_t<detail::compute_dtype(dtype_rule::complex_, parts)>;
            const auto modulus = static_cast<typename C::value_type>(r),
                       turn = static_cast<typename C::value_type>(angle);
            return C(modulus * std::cos(turn), modulus * std::sin(turn));
        } else {
            constexpr dtype type = detail::compute_dtype(dtype_rule::analytic, detail::info_of<A>());
            return polar(r, detail::to_dtype<type>(angle));
        }
    }
}

}  // namespace sinter
