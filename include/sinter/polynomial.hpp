// polyval, polynomial evaluation, and vander, the Vandermonde matrix.
#pragma once

#include <sinter/generate.hpp>
#include <sinter/let.hpp>

namespace sinter {
namespace detail {

/// Horner's scheme, from coefficient K on.
template <int K, int N, class X, class Value>
auto horner(const double (&coefficients)[N], const X& x, const Value& value) {
    if constexpr (K == N)
        return value;
    else
        return horner<K + 1>(coefficients, x, value * x + coefficients[K]);
}

}  // namespace detail

/// Evaluates a polynomial at each element by Horner's scheme. Coefficients start with the highest power: 3 x^2 + 2 x +
/// 1 is polyval({3, 2, 1}, x). Integers give the default float.
template <std::size_t N, operand X>
[[nodiscard]] auto polyval(const double (&coefficients)[N], const X& x) {
    const detail::called_as self(__func__);
    constexpr dtype type = detail::compute_dtype(dtype_rule::analytic, detail::info_of<X>());
    constexpr int n = static_cast<int>(N);
    return let(detail::to_dtype<type>(x), [&](const auto& at) {
        return detail::horner<1, n>(coefficients, at,
                                    broadcast_to(detail::to_dtype<type>(coefficients[0]), at.shape()));
    });
}
/// As above for an array of coefficients: sums coefficients times powers of x, with one pow call each.
template <operand C, operand X>
[[nodiscard]] auto polyval(const C& coefficients, const X& x) {
    const detail::called_as self(__func__);
    static_assert(C::rank == 1, "sinter: the coefficients of a polynomial have one axis");
    constexpr int rank = X::rank + 1;
    const std::int64_t n = coefficients.shape().extent[0];
    constexpr dtype type = real_of(detail::compute_dtype(dtype_rule::analytic, detail::info_of<X>()));
    const int last[] = {rank - 1};
    const auto power = (n - 1) - detail::index_along<rank>(rank - 1, n);
    return sum(
        detail::spread<rank>(coefficients, last) * pow(detail::with_axis(x, rank - 1), detail::to_dtype<type>(power)),
        axis=detail::integral_constant<-1>{});
}

/// The Vandermonde matrix. Row i holds x_i^(n - 1) to x_i^0, or x_i^0 to x_i^(n - 1) if `increasing`. Floating.
template <operand X>
[[nodiscard]] auto vander(const X& x, std::int64_t n, bool increasing = false) {
    const detail::called_as self(__func__);
    static_assert(X::rank == 1, "sinter: vander takes one axis: write ravel(x)");
    if (n < 0) detail::throw_bad_count("vander", n);
    constexpr dtype type = detail::compute_dtype(dtype_rule::floating, detail::info_of<X>());
    const auto i = detail::index_along<2>(1, n);
    const auto power = increasing ? i * std::int64_t{1} + std::int64_t{0} : i * std::int64_t{-1} + (n - 1);
    return pow(detail::to_dtype<type>(detail::with_axis(x, 1)), detail::to_dtype<type>(power));
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(polyval, "polyval({3, 2, 1}, x)")
SINTER_DETAIL_USAGE(vander, "vander(x, columns)")

}  // namespace sinter
