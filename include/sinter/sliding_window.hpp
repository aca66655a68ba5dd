// sliding_window(x, {3, 3}), windows over an operand, and the rolling statistics that reduce it. A view: windows are
// read in place, and nothing is stored.
//
//     array<float, 2> blurred = mean(sliding_window(x, {3, 3}), axis={-2, -1});                          // one kernel
//     auto pooled = max(sliding_window(x, {2, 2})(range(0, end, 2), range(0, end, 2)), axis={-2, -1});   // steps of 2
#pragma once

#include <sinter/op/composite/statistics.hpp>
#include <sinter/slice.hpp>

namespace sinter {
namespace detail {

/// The operand index of element y of window x along an axis. Both are loop indices, so the sum is affine: reads need no
/// indirect index, and gradients know which windows contain an element.
SINTER_DETAIL_INDEX_2(index_in_window, sum, x + y)

[[noreturn]] void throw_bad_window(std::int64_t window, std::int64_t extent, int axis);

/// The windows of `size` elements along one axis: window starts run along that axis, window elements along a new last
/// axis.
template <operand A>
auto windows_along(A&& a, int axis, std::int64_t size) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(rank < max_rank, "sinter: an array has at most 8 axes; each axis with windows needs one more");
    const auto from = a.shape();
    const std::int64_t extent = from.extent[axis];
    if (size < 1 || size > extent) throw_bad_window(size, extent, axis);
    auto v = make_taken<rank + 1>(std::forward<A>(a), index_in_window(index_along<rank + 1>(axis, extent - size + 1),
                                                                      index_along<rank + 1>(rank, size)));
    for (int source = 0; source < rank; ++source) {
        set_axis(own_integers(v), source, source == axis ? ir::from_operand : source, 0, 1);
        v.shape_.extent[source] = source == axis ? extent - size + 1 : from.extent[source];
    }
    v.shape_.extent[rank] = size;
    set_extents(v, rank);
    return v;
}

/// Windows along the axes from number K on.
template <int K, int N, class A>
auto windows_from(const std::int64_t (&sizes)[N], const int (&axes)[N], A&& a) {
    if constexpr (K == N)
        return std::forward<A>(a);
    else
        return windows_from<K + 1>(sizes, axes, windows_along(std::forward<A>(a), axes[K], sizes[K]));
}

}  // namespace detail

/// The windows of the given extents within the operand, as a view, as in NumPy's sliding_window_view: window starts run
/// along the operand's axes, each shorter by the window's extent minus 1, and window elements along new last axes.
/// sliding_window(x, {3, 3}) has a window along each axis, sliding_window(x, 5, axis=1) along one, sliding_window(x,
/// {2, 2}, axis={1, 2}) along some. Ranges select every other window, w(range(0, end, 2)) (a stride), or every other
/// element of each, w(all, range(0, end, 2)) (a dilation). Throws for a window that is empty or longer than its axis.
template <operand A, int N, class Axes = detail::all_axes>
[[nodiscard]] auto sliding_window(A&& a, const detail::braced<N>& window, Axes which = {}) {
    constexpr int rank = std::remove_cvref_t<A>::rank, named = detail::axis_count<Axes>;
    constexpr bool matched = named == N || (named == 0 && N == rank);
    static_assert(matched,
                  "sinter: sliding_window takes one length per axis, or per axis in axis=: sliding_window(x, {3, 3}, "
                  "axis={1, 2})");
    auto e = detail::expr_of<A>(detail::as_expr(std::forward<A>(a)));
    if constexpr (matched) {
        std::int64_t sizes[N];
        int axes[N];
        detail::mask_of_axes<rank>("sliding_window", which);
        for (int i = 0; i < N; ++i) {
            sizes[i] = detail::as_int64(window[i]);
            if constexpr (named > 0) {
                const int named_axis = detail::as_runtime(which).value[i];
                axes[i] = named_axis < 0 ? named_axis + rank : named_axis;
            } else {
                axes[i] = i;
            }
        }
        return detail::windows_from<0>(sizes, axes, std::move(e));
    } else {
        return e;
    }
}
template <operand A, detail::integer I, class Axes = detail::all_axes>
[[nodiscard]] auto sliding_window(A&& a, I window, Axes which = {}) {
    const detail::braced<1> one = {static_cast<detail::any_integer>(window)};
    return sliding_window(std::forward<A>(a), one, which);
}

namespace detail {

/// Reduces the windows along one axis (default: last).
template <class Reduction, class A, class... Options>
auto rolled(const Reduction& reduced, A&& a, std::int64_t window, runtime_axes<1> which, const Options&... options) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    const int axis_of_windows = __builtin_ctz(axis_mask("sliding_window", which, rank));
    return reduced(windows_along(std::forward<A>(a), axis_of_windows, window), static_axes<-1>{}, options...);
}
inline constexpr runtime_axes<1> last_axis = static_axes<-1>{};

/// The axis among a function's options; the last one by default.
template <class... Options>
runtime_axes<1> windowed_axis(const Options&... options) {
    const auto axes = find_axes(options...);
    if constexpr (std::is_same_v<std::remove_const_t<decltype(axes)>, all_axes>)
        return last_axis;
    else
        return axes;
}
/// An option for the reduction of windows, whose axis is another one.
template <class Option>
constexpr decltype(auto) without_axes(const Option& o) {
    if constexpr (is_axes<Option>::value)
        return no_option{};
    else
        return (o);
}

}  // namespace detail

/// The sum of each window of `window` elements along an axis (default: last), which becomes shorter by window - 1. Each
/// window is summed separately, so errors do not accumulate along the axis, and an infinity or NaN affects only its
/// windows; the cost is `window` steps per result. Dtypes as in sum.
template <operand A>
[[nodiscard]] auto rolling_sum(A&& a, std::int64_t window, detail::runtime_axes<1> which = detail::last_axis) {
    const detail::called_as self(__func__);
    return detail::rolled(sum, std::forward<A>(a), window, which);
}
/// The mean of each window; see rolling_sum.
template <operand A>
[[nodiscard]] auto rolling_mean(A&& a, std::int64_t window, detail::runtime_axes<1> which = detail::last_axis) {
    const detail::called_as self(__func__);
    return detail::rolled([](auto&& w, const auto&... o) { return mean(std::forward<decltype(w)>(w), o...); },
                          std::forward<A>(a), window, which);
}
/// The maximum of each window; NaN if it contains one.
template <operand A>
[[nodiscard]] auto rolling_max(A&& a, std::int64_t window, detail::runtime_axes<1> which = detail::last_axis) {
    const detail::called_as self(__func__);
    return detail::rolled(max, std::forward<A>(a), window, which);
}
/// The minimum of each window; NaN if it contains one.
template <operand A>
[[nodiscard]] auto rolling_min(A&& a, std::int64_t window, detail::runtime_axes<1> which = detail::last_axis) {
    const detail::called_as self(__func__);
    return detail::rolled(min, std::forward<A>(a), window, which);
}
/// The variance of each window along an axis (default: last). Options: axis=, ddof=.
template <operand A, detail::option_among<detail::ddof_tag>... Options>
[[nodiscard]] auto rolling_var(A&& a, std::int64_t window, const Options&... options) {
    const detail::called_as self(__func__);
    return detail::rolled([](const auto& w, const auto&... o) { return var(w, o...); }, std::forward<A>(a), window,
                          detail::windowed_axis(options...), detail::without_axes(options)...);
}
/// The standard deviation of each window: the square root of rolling_var.
template <operand A, class... Options>
[[nodiscard]] auto rolling_std(A&& a, std::int64_t window, const Options&... options) {
    const detail::called_as self(__func__);
    return sqrt(rolling_var(std::forward<A>(a), window, options...));
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(sliding_window, "sliding_window(x, {3, 3}) or sliding_window(x, 5, axis=1)")
SINTER_DETAIL_USAGE(rolling_sum, "rolling_sum(x, window, axis=-1)")
SINTER_DETAIL_USAGE(rolling_mean, "rolling_mean(x, window, axis=-1)")
SINTER_DETAIL_USAGE(rolling_max, "rolling_max(x, window, axis=-1)")
SINTER_DETAIL_USAGE(rolling_min, "rolling_min(x, window, axis=-1)")
SINTER_DETAIL_USAGE(rolling_var, "rolling_var(x, window, axis=-1)")
SINTER_DETAIL_USAGE(rolling_std, "rolling_std(x, window, axis=-1)")

}  // namespace sinter
