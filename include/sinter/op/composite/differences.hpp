// Differences and sums along an axis: diff, gradient, trapezoid, cumulative_sum, cumulative_prod, unwrap.
#pragma once

#include <sinter/join.hpp>
#include <sinter/op/composite/elementwise.hpp>
#include <sinter/scan.hpp>
#include <sinter/split.hpp>

#include <numbers>

namespace sinter {
namespace detail {

struct include_initial_tag {};
using include_initial_option = option<include_initial_tag, no_value>;

[[noreturn]] void throw_too_few(const char* function, std::int64_t count, std::int64_t least, int axis);
[[noreturn]] void throw_bad_coordinates(const char* function, std::int64_t coordinates, std::int64_t extent, int axis);

/// The axis that a function runs along; the last one by default.
template <int Rank, class... Options>
int one_axis(const char* function, const Options&... options) {
    static_assert(Rank > 0, "sinter: this function works along an axis; the operand has none");
    using axes = std::remove_const_t<decltype(find_axes(options...))>;
    if constexpr (std::is_same_v<axes, all_axes>) {
        return Rank - 1;
    } else {
        static_assert(axes_of<axes, Rank>::count == 1, "sinter: this function works along one axis: axis=1");
        return __builtin_ctz(mask_of<Rank>(function, options...));
    }
}

/// Each element minus the one before it; for bools, whether they differ.
template <class E>
auto difference_along(const E& e, int axis) {
    const std::int64_t n = e.shape().extent[axis], count = n > 0 ? n - 1 : 0;
    const auto later = part_along(e, axis, count > 0 ? 1 : 0, count), earlier = part_along(e, axis, 0, count);
    if constexpr (E::type == dtype::bool_)
        return later != earlier;
    else
        return later - earlier;
}
template <int Times, class E>
auto differences_along(const E& e, int axis) {
    if constexpr (Times == 0)
        return e;
    else
        return differences_along<Times - 1>(difference_along(e, axis), axis);
}

/// The coordinates of an operand's elements along an axis of `extent` elements; a vector is broadcast along that axis.
template <int Rank, class X>
auto coordinates_along(const char* function, const X& x, std::int64_t extent, int axis) {
    static_assert(X::rank == 1 || X::rank == Rank,
                  "sinter: coordinates are a vector or have the operand's axes; an equal spacing is a number");
    const std::int64_t count = x.shape().extent[X::rank == 1 ? 0 : axis];
    if (count != extent) throw_bad_coordinates(function, count, extent, axis);
    if constexpr (X::rank == 1) {
        const int to[] = {axis};
        return spread<Rank>(x, to);
    } else {
        return expr_of<const X&>(as_expr(x));
    }
}

/// The sum of the areas of the trapezoids of the given widths under y.
template <class Y, class W>
auto trapezoids(const Y& y, const W& widths, int axis) {
    constexpr dtype type = compute_dtype(dtype_rule::analytic, info_of<Y>());
    const std::int64_t n = y.shape().extent[axis], count = n > 0 ? n - 1 : 0;
    const auto f = to_dtype<type>(y);
    const auto pairs = part_along(f, axis, count > 0 ? 1 : 0, count) + part_along(f, axis, 0, count);
    return sum(widths * pairs * 0.5, runtime_axes<1>{{axis}});
}

/// The slopes of f at both ends and at interior elements, given the distances to the left and right neighbours: from
/// the parabola through three elements, which is the central difference for equal distances.
template <class F, class H>
auto slopes(const F& f, const H& h, int axis) {
    const std::int64_t n = f.shape().extent[axis];
    const auto at = [&](std::int64_t first, std::int64_t count) { return part_along(f, axis, first, count); };
    const auto width = [&](std::int64_t first, std::int64_t count) { return part_along(h, axis, first, count); };
    const auto left = width(0, n - 2), right = width(1, n - 2);
    const auto between =
        (square(left) * at(2, n - 2) + (square(right) - square(left)) * at(1, n - 2) - square(right) * at(0, n - 2)) /
        (left * right * (left + right));
    return concat_along({{axis}}, (at(1, 1) - at(0, 1)) / width(0, 1), between,
                        (at(n - 1, 1) - at(n - 2, 1)) / width(n - 2, 1));
}

/// The result of a cumulative function, with the identity prepended if the options ask for it.
template <class Op, class A, class... Options>
auto cumulative(const char* name, const A& a, const Options&... options) {
    auto running = scan_along<Op>(name, a, without<include_initial_tag>(options)...);
    if constexpr (has_option<include_initial_tag, Options...>) {
        using E = decltype(running);
        const int along = one_axis<A::rank>(name, without<include_initial_tag>(options)...);
        shape<A::rank> first = a.shape();
        first.extent[along] = 1;
        const auto nothing_yet = Op::start::template value<element_t<computed_in(E::type)>>;
        return concat_along({{along}}, broadcast_to(to_dtype<E::type>(nothing_yet), first), std::move(running));
    } else {
        return running;
    }
}

}  // namespace detail

/// Prepends the identity, 0 or 1, to the result of cumulative_sum or cumulative_prod.
inline constexpr detail::include_initial_option include_initial{};

/// The N-th differences of neighbours along an axis (default: last): diff(x), diff<2>(x, axis=0). The axis is shorter
/// by N. For bools the result says which neighbours differ; unsigned integers wrap around. To prepend or append
/// elements: diff(concat(first, x, axis=0), axis=0). Options: axis=.
template <int N = 1, operand A, detail::option_among<>... Options>
    requires(N >= 0)
[[nodiscard]] auto diff(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return detail::differences_along<N>(detail::expr_of<const A&>(detail::as_expr(a)),
                                        detail::one_axis<A::rank>("diff", options...));
}
template <operand A, detail::integer I, class... Wrong>
auto diff(const A& a, I, const Wrong&...) {
    static_assert(detail::never<A>, "sinter: how many differences is a template argument: diff<2>(x, axis=0)");
    return detail::expr_of<const A&>(detail::as_expr(a));
}

/// The derivative along an axis (default: last) of equally spaced values: central differences, and one-sided
/// differences at the ends, as NumPy's with edge_order=1. Integers give the default float. Throws if the axis has fewer
/// than two elements. Options: axis=.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto gradient(const A& f, double spacing, const Options&... options) {
    const detail::called_as self(__func__);
    const int along = detail::one_axis<A::rank>("gradient", options...);
    const auto y = detail::to_dtype<detail::floating_dtype<A>>(f);
    const std::int64_t n = f.shape().extent[along];
    if (n < 2) detail::throw_too_few("gradient", n, 2, along);
    const auto at = [&](std::int64_t first, std::int64_t count) { return detail::part_along(y, along, first, count); };
    return detail::concat_along({{along}}, (at(1, 1) - at(0, 1)) / spacing,
                                (at(2, n - 2) - at(0, n - 2)) / (2 * spacing), (at(n - 1, 1) - at(n - 2, 1)) / spacing);
}
template <operand A, detail::option_among<>... Options>
    requires(detail::is_reduction_option<Options> && ...)
[[nodiscard]] auto gradient(const A& f, const Options&... options) {
    const detail::called_as self(__func__);
    return gradient(f, 1.0, options...);
}
/// As above for values at coordinates, of rank 1 or f's shape: uses the parabola through each three neighbours. Throws
/// unless there is one coordinate per element of the axis.
template <operand A, operand X, detail::option_among<>... Options>
[[nodiscard]] auto gradient(const A& f, const X& coordinates, const Options&... options) {
    const detail::called_as self(__func__);
    const int along = detail::one_axis<A::rank>("gradient", options...);
    constexpr dtype type = detail::floating_dtype<decltype(f * coordinates)>;
    const std::int64_t n = f.shape().extent[along];
    if (n < 2) detail::throw_too_few("gradient", n, 2, along);
    const auto x = detail::coordinates_along<A::rank>("gradient", coordinates, n, along);
    return detail::slopes(detail::to_dtype<type>(f),
                          detail::difference_along(detail::to_dtype<real_of(type)>(x), along), along);
}

/// The integral along an axis (default: last) of equally spaced values, by the trapezoidal rule. Integers give the
/// default float. Options: axis=.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto trapezoid(const A& y, double dx, const Options&... options) {
    const detail::called_as self(__func__);
    return detail::trapezoids(y, dx, detail::one_axis<A::rank>("trapezoid", options...));
}
template <operand A, detail::option_among<>... Options>
    requires(detail::is_reduction_option<Options> && ...)
[[nodiscard]] auto trapezoid(const A& y, const Options&... options) {
    const detail::called_as self(__func__);
    return trapezoid(y, 1.0, options...);
}
/// As above for values at coordinates, of rank 1 or y's shape. Throws unless there is one coordinate per element of the
/// axis.
template <operand A, operand X, detail::option_among<>... Options>
[[nodiscard]] auto trapezoid(const A& y, const X& coordinates, const Options&... options) {
    const detail::called_as self(__func__);
    const int along = detail::one_axis<A::rank>("trapezoid", options...);
    const auto x = detail::coordinates_along<A::rank>("trapezoid", coordinates, y.shape().extent[along], along);
    return detail::trapezoids(y, detail::difference_along(x, along), along);
}

/// cumsum under the Array API's name. With include_initial the result begins with 0 and has one more element:
/// cumulative_sum(x, axis=1, include_initial). Options: those of cumsum, include_initial.
template <operand A, class... Options>
[[nodiscard]] auto cumulative_sum(const A& a, const Options&... options) {
    return detail::cumulative<op::sum>("cumulative_sum", a, options...);
}
/// cumprod under the Array API's name. With include_initial the result begins with 1.
template <operand A, class... Options>
[[nodiscard]] auto cumulative_prod(const A& a, const Options&... options) {
    return detail::cumulative<op::prod>("cumulative_prod", a, options...);
}

/// Removes jumps from angles: where neighbours along an axis (default: last) differ by half a period or more, the rest
/// of the axis is shifted by whole periods. Real; integers give the default float. Options: axis=.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto unwrap(const A& angles, double period, const Options&... options) {
    const detail::called_as self(__func__);
    const int along = detail::one_axis<A::rank>("unwrap", options...);
    constexpr dtype type = detail::compute_dtype(dtype_rule::floating, detail::info_of<A>());
    const auto x = detail::to_dtype<type>(angles);
    const auto step = detail::difference_along(x, along);
    const auto into = (step + period / 2) % period - period / 2;
    const auto nearest = where(into == -period / 2 && step > 0, period / 2, into);
    const auto moves = where(abs(step) < period / 2, 0.0, nearest - step);
    shape<A::rank> first = angles.shape();
    if (first.extent[along] > 1) first.extent[along] = 1;
    const auto none = broadcast_to(detail::to_dtype<type>(0.0), first);
    return x + cumsum(detail::concat_along({{along}}, none, moves), detail::runtime_axes<1>{{along}});
}
template <operand A, detail::option_among<>... Options>
    requires(detail::is_reduction_option<Options> && ...)
[[nodiscard]] auto unwrap(const A& angles, const Options&... options) {
    const detail::called_as self(__func__);
    return unwrap(angles, 2 * std::numbers::pi, options...);
}

}  // namespace sinter
