// Linear algebra: linear solvers, matrix decompositions and functions built on them. Not part of sinter.hpp: include it
// separately.
//
//     array<double, 1> x = lstsq(a, b);
#pragma once

#include <sinter/decompose.hpp>
#include <sinter/generate.hpp>
#include <sinter/let.hpp>
#include <sinter/matmul.hpp>
#include <sinter/op/composite/norm.hpp>
#include <sinter/op/composite/statistics.hpp>

#include <limits>

namespace sinter {
namespace detail {
struct rtol_tag {};
}  // namespace detail

/// Relative tolerance below which singular values count as zero: at most rtol times the greatest. Default: the larger
/// matrix extent times the dtype's epsilon.
inline constexpr detail::keyword<detail::rtol_tag> rtol{};

namespace detail {

/// The relative tolerance below which singular values count as zero.
template <class A, class... Options>
double rank_tolerance(const A& a, const Options&... options) {
    if constexpr (has_option<rtol_tag, Options...>) {
        return static_cast<double>(option_or<rtol_tag>(0.0, options...));
    } else {
        const std::int64_t rows = a.shape().extent[A::rank - 2], columns = a.shape().extent[A::rank - 1];
        const double epsilon = real_of(linalg_dtype<A>) == dtype::float64 ? 0x1p-52 : 0x1p-23;
        return static_cast<double>(rows > columns ? rows : columns) * epsilon;
    }
}

/// The parts of one decomposition, in the dtype in which it is computed.
template <operand A>
auto computed_u(const A& a) {
    return matrix_call<calls::svd, 0, linalg_dtype<A>, 0>(a);
}
template <operand A>
auto computed_values(const A& a) {
    return matrix_call<calls::svd, 1, real_of(linalg_dtype<A>), 1>(a);
}
template <operand A>
auto computed_vh(const A& a) {
    return matrix_call<calls::svd, 2, linalg_dtype<A>, 0>(a);
}

/// 1 over each singular value, or 0 if it counts as zero.
template <operand S>
auto inverted_values(const S& s, double tolerance) {
    using R = element_t<S::type>;
    return where(s > static_cast<R>(tolerance) * max(s, axis=integral_constant<-1>{}, keepdims, initial=0),
                 R(1) / s, R(0));
}

}  // namespace detail

/// The Moore-Penrose pseudo-inverses V S^-1 U^H, without the singular values that count as zero. Options: rtol=.
template <operand A, detail::option_among<detail::rtol_tag>... Options>
[[nodiscard]] auto pinv(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    if constexpr (detail::has_matrices<A>()) {
        const auto by = detail::inverted_values(detail::computed_values(a), detail::rank_tolerance(a, options...));
        return detail::to_dtype<detail::linalg_result<A>>(
            matmul(detail::adjoint(detail::computed_vh(a)) * detail::with_unit_axis<1>(by),
                   detail::adjoint(detail::computed_u(a))));
    }
}

/// The least-squares solution of a x = b with minimum norm, for matrices of any shape and rank: matmul(pinv(a), b)
/// without forming pinv(a). b with one axis is a vector. Options: rtol=.
template <operand A, operand B, detail::option_among<detail::rtol_tag>... Options>
[[nodiscard]] auto lstsq(const A& a, const B& b, const Options&... options) {
    const detail::called_as self(__func__);
    if constexpr (detail::has_matrices<A>()) {
        if constexpr (B::rank == 1) {
            return detail::without_last_axis(lstsq(a, detail::with_unit_axis<0>(b), options...));
        } else {
            constexpr dtype type = detail::linalg_dtype<A, B>;
            const auto x = detail::to_dtype<type>(a);
            const auto by = detail::inverted_values(detail::computed_values(x), detail::rank_tolerance(x, options...));
            const auto parts = matmul(detail::adjoint(detail::computed_u(x)), detail::to_dtype<type>(b));
            return detail::to_dtype<detail::linalg_result<A, B>>(
                matmul(detail::adjoint(detail::computed_vh(x)), detail::with_unit_axis<0>(by) * parts));
        }
    }
}

/// The number of singular values that do not count as zero; int64. Options: rtol=.
template <operand A, detail::option_among<detail::rtol_tag>... Options>
[[nodiscard]] auto matrix_rank(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    if constexpr (detail::has_matrices<A>()) {
        using R = element_t<real_of(detail::linalg_dtype<A>)>;
        const auto tolerance = static_cast<R>(detail::rank_tolerance(a, options...));
        return let(detail::computed_values(a), [tolerance](const auto& s) {
            const auto last = axis = detail::integral_constant<-1>{};
            return sum(detail::to_dtype<dtype::int64>(s > tolerance * max(s, last, keepdims, initial=0)), last);
        });
    }
}

/// The condition number: the ratio of the greatest to the smallest singular value; infinite for singular matrices.
/// Throws for matrices without elements.
template <operand A>
[[nodiscard]] auto cond(const A& a) {
    const detail::called_as self(__func__);
    if constexpr (detail::has_matrices<A>())
        return detail::to_dtype<real_of(detail::linalg_result<A>)>(let(detail::computed_values(a), [](const auto& s) {
            using R = element_t<std::remove_cvref_t<decltype(s)>::type>;
            const auto last = axis = detail::integral_constant<-1>{};
            const auto greatest = max(s, last);
            return where(greatest == R(0), std::numeric_limits<R>::infinity(), greatest / min(s, last));
        }));
}

/// The spectral norm: the greatest singular value.
template <operand A>
[[nodiscard]] auto spectral_norm(const A& a) {
    const detail::called_as self(__func__);
    if constexpr (detail::has_matrices<A>())
        return detail::to_dtype<real_of(detail::linalg_result<A>)>(
            max(detail::computed_values(a), axis=detail::integral_constant<-1>{}, initial=0));
}

/// The nuclear norm: the sum of the singular values.
template <operand A>
[[nodiscard]] auto nuclear_norm(const A& a) {
    const detail::called_as self(__func__);
    if constexpr (detail::has_matrices<A>())
        return detail::to_dtype<real_of(detail::linalg_result<A>)>(
            sum(detail::computed_values(a), axis=detail::integral_constant<-1>{}));
}

namespace detail {

template <int Power, class A>
auto power_of(const A& a) {
    if constexpr (Power == 1) {
        return expr_of<const A&>(as_expr(a));
    } else if constexpr (Power % 2 == 0) {
        const auto half = power_of<Power / 2>(a);  // CSE computes the two copies once
        return matmul(half, half);
    } else {
        return matmul(power_of<Power - 1>(a), a);
    }
}

}  // namespace detail

/// A square matrix to a constant integer power: matrix_power(a, 3_c). Power 0 is the identity; a negative power is the
/// power of the inverse. Integers stay integers, except for negative powers.
template <operand A, class N>
[[nodiscard]] auto matrix_power(const A& a, N) {
    const detail::called_as self(__func__);
    static_assert(detail::integral_constant_like<N>,
                  "sinter: the exponent of matrix_power is a compile-time constant, as it determines the number of "
                  "products: matrix_power(a, 3_c)");
    if constexpr (detail::has_matrices<A>() && detail::integral_constant_like<N>) {
        constexpr int power = static_cast<int>(N::value);
        if constexpr (power == 0)
            return broadcast_to(eye<element_t<A::type>>(a.shape().extent[A::rank - 1]), a.shape());
        else if constexpr (power < 0)
            return detail::power_of<-power>(inv(a));
        else
            return detail::power_of<power>(a);
    }
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(pinv, "pinv(a, rtol=1e-9)")
SINTER_DETAIL_USAGE(lstsq, "lstsq(a, b, rtol=1e-9)")
SINTER_DETAIL_USAGE(matrix_rank, "matrix_rank(a, rtol=1e-9)")
SINTER_DETAIL_USAGE(cond, "cond(a)")
SINTER_DETAIL_USAGE(spectral_norm, "spectral_norm(a)")
SINTER_DETAIL_USAGE(nuclear_norm, "nuclear_norm(a)")
SINTER_DETAIL_USAGE(matrix_power, "matrix_power(a, 3_c)")

}  // namespace sinter
