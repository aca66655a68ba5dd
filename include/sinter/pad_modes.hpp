// pad with NumPy's modes: pad(x, {{1, 1}, {2, 2}}, pad_mode::reflect). Padding is read from the operand where it is
// used, so it fuses with windows and other operations.
#pragma once

#include <sinter/join.hpp>
#include <sinter/op/composite/statistics.hpp>

namespace sinter {
namespace detail {

enum class padding { edge, reflect, symmetric, wrap, linear_ramp, maximum, mean, minimum };

template <padding Mode>
struct pad_mode_t {};

}  // namespace detail

/// How the padding of an operand is computed.
namespace pad_mode {
inline constexpr detail::pad_mode_t<detail::padding::edge> edge{};        ///< the outermost element: a a [a b c] c c
inline constexpr detail::pad_mode_t<detail::padding::reflect> reflect{};  ///< mirrored at it: c b [a b c] b a
inline constexpr detail::pad_mode_t<detail::padding::symmetric> symmetric{};  ///< mirrored beyond it: b a [a b c] c b
inline constexpr detail::pad_mode_t<detail::padding::wrap> wrap{};            ///< from the other end: b c [a b c] a b
inline constexpr detail::pad_mode_t<detail::padding::linear_ramp> linear_ramp{};  ///< linearly to a value
inline constexpr detail::pad_mode_t<detail::padding::maximum> maximum{};          ///< the greatest element of the axis
inline constexpr detail::pad_mode_t<detail::padding::mean> mean{};                ///< the mean of the axis
inline constexpr detail::pad_mode_t<detail::padding::minimum> minimum{};          ///< the smallest element of the axis
}  // namespace pad_mode

namespace detail {

[[noreturn]] void throw_padding_of_nothing(const std::int64_t* extents, int rank, int axis);

/// One axis of an operand with `own` elements, padded with `before` and `after` elements. An axis without elements has
/// no padding.
struct padded_axis {
    int axis;
    std::int64_t before, own, after;
    std::int64_t total() const { return before + own + after; }
    std::int64_t last() const { return own > 0 ? own - 1 : 0; }
};

/// The operand index that index i of the padded axis reads. Mirrored indices are periodic; the second half of each
/// period runs backwards.
template <padding Mode, int Rank>
auto index_behind(const padded_axis& p) {
    const auto i = index_along<Rank>(p.axis, p.total()) - fixed_index(p.before);
    if constexpr (Mode == padding::wrap) {
        return i % fixed_index(p.last() + 1);
    } else if constexpr (Mode == padding::reflect) {
        const auto period = fixed_index(p.last() > 0 ? 2 * p.last() : 1);
        return minimum(i % period, period - i % period);
    } else if constexpr (Mode == padding::symmetric) {
        const auto period = fixed_index(2 * p.last() + 2);
        return minimum(i % period, fixed_index(2 * p.last() + 1) - i % period);
    } else {
        return clip(i, std::int64_t{0}, fixed_index(p.last()));
    }
}

/// Whether index i of the padded axis belongs to the operand.
template <int Rank>
auto is_inside(const padded_axis& p) {
    const auto i = index_along<Rank>(p.axis, p.total());
    return i >= fixed_index(p.before) && i < fixed_index(p.before + p.own);
}

/// The position of index i on the ramp from the outer end of the padding, 0, to the operand, 1.
template <dtype D, int Rank>
auto ramp_along(const padded_axis& p) {
    const auto i = to_dtype<D>(index_along<Rank>(p.axis, p.total()));
    const auto part = [](std::int64_t width) { return width > 0 ? 1 / static_cast<double>(width) : 0.0; };
    const auto rising = i * part(p.before);
    const auto falling = (static_cast<double>(p.total() - 1) - i) * part(p.after);
    return where(is_inside<Rank>(p), 1.0,
                 where(index_along<Rank>(p.axis, p.total()) < fixed_index(p.before), rising, falling));
}

/// A statistic of the elements along an axis, in their dtype; integers round to nearest.
template <padding Mode, class E>
auto statistic_along(const E& e, int axis) {
    const runtime_axes<1> only{{axis}};
    // of no elements, too, which pad nothing
    if constexpr (Mode == padding::maximum)
        return max(e, only, keepdims, initial=lowest<element_t<computed_in(E::type)>>);
    else if constexpr (Mode == padding::minimum)
        return min(e, only, keepdims, initial=highest<element_t<computed_in(E::type)>>);
    else if constexpr (is_exact(E::type))
        return astype<element_t<E::type>>(rint(mean(e, only, keepdims)));
    else
        return mean(e, only, keepdims);
}

/// A linear ramp of integers along an axis to `outer`, rounded down. Exact, independent of device rounding.
template <class E>
auto integers_to(const E& e, const padded_axis& p, std::int64_t outer) {
    constexpr int rank = E::rank;
    const auto at_least = [](std::int64_t least, std::int64_t n) { return fixed_index(n < least ? least : n); };
    const auto i = index_along<rank>(p.axis, p.total());
    const auto in_front = i < fixed_index(p.before);
    const auto steps = where(in_front, i, at_least(0, p.total() - 1) - i);
    const auto width = where(in_front, at_least(1, p.before), at_least(1, p.after));
    const auto edges = along(e, p.axis, p.total(), index_behind<padding::edge, rank>(p));
    const auto ramp = outer + floor_divide((astype<std::int64_t>(edges) - outer) * steps, width);
    return where(is_inside<rank>(p), edges, astype<element_t<E::type>>(ramp));
}

/// The operand padded along one axis.
template <padding Mode, class E>
auto padded_along(const E& e, const padded_axis& p, [[maybe_unused]] double end_value) {
    constexpr int rank = E::rank;
    if constexpr (Mode == padding::linear_ramp && is_exact(E::type)) {
        return integers_to(e, p, static_cast<std::int64_t>(scalar_value<E::type>(end_value, "pad")));
    } else if constexpr (Mode == padding::linear_ramp) {
        constexpr dtype type = compute_dtype(dtype_rule::floating, info_of<E>());
        const auto edges = along(to_dtype<type>(e), p.axis, p.total(), index_behind<padding::edge, rank>(p));
        return to_dtype<E::type>(end_value + (edges - end_value) * ramp_along<type, rank>(p));
    } else if constexpr (Mode == padding::maximum || Mode == padding::mean || Mode == padding::minimum) {
        return where(is_inside<rank>(p), along(e, p.axis, p.total(), index_behind<padding::edge, rank>(p)),
                     statistic_along<Mode>(e, p.axis));
    } else {
        return along(e, p.axis, p.total(), index_behind<Mode, rank>(p));
    }
}

/// The operand padded along the axes from number K on; each reads the result of the axes before it, as in NumPy.
template <padding Mode, int K, int N, class E>
auto padded_from(const padded_axis (&axes)[N], double end_value, const E& e) {
    if constexpr (K == N)
        return e;
    else
        return padded_from<Mode, K + 1>(axes, end_value, padded_along<Mode>(e, axes[K], end_value));
}

template <padding Mode, int N, class A>
auto padded(A&& a, const any_integer (&widths)[N][2], double end_value) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(N == rank, "sinter: pad takes one pair {before, after} per axis of the operand");
    const auto from = a.shape();
    shape<rank> to = from;
    padded_axis axes[rank];
    for (int i = 0; i < rank; ++i) {
        axes[i] = {i, as_int64(widths[i][0]), from.extent[i], as_int64(widths[i][1])};
        if (axes[i].before < 0 || axes[i].after < 0) throw_bad_padding(axes[i].before, axes[i].after, i);
        to.extent[i] = checked_sum("pad", checked_sum("pad", from.extent[i], axes[i].before), axes[i].after);
        if (from.extent[i] == 0 && to.extent[i] > 0) throw_padding_of_nothing(from.extent, rank, i);
    }
    checked_size("pad", to.extent, rank, bytes_of<A>);
    return padded_from<Mode, 0>(axes, end_value, expr_of<A>(as_expr(std::forward<A>(a))));
}

}  // namespace detail

/// Pads with elements computed from the operand's own: pad(x, {{1, 1}, {0, 2}}, pad_mode::reflect). The modes are
/// NumPy's. Axes are padded in order, each from the result of the previous ones. pad_mode::mean rounds integers to
/// nearest. Throws if a padded axis has no elements, and for negative widths.
template <operand A, int N, detail::padding Mode>
[[nodiscard]] auto pad(A&& a, const detail::any_integer (&widths)[N][2], detail::pad_mode_t<Mode>) {
    return detail::padded<Mode>(std::forward<A>(a), widths, 0);
}
/// pad_mode::linear_ramp to `end_value` at the outer ends: pad(x, {{3, 3}}, pad_mode::linear_ramp, -1). Integer ramps
/// round down; throws for an end value that the dtype cannot represent.
template <operand A, int N>
[[nodiscard]] auto pad(A&& a, const detail::any_integer (&widths)[N][2],
                       detail::pad_mode_t<detail::padding::linear_ramp>, double end_value) {
    return detail::padded<detail::padding::linear_ramp>(std::forward<A>(a), widths, end_value);
}

}  // namespace sinter
