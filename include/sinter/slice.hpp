// Indexing: x(all, range(1, -1), newaxis, 3). An index is a view, of an array or of an expression, and fuses.
#pragma once

#include <sinter/op/functions.hpp>
#include <sinter/view.hpp>

namespace sinter {

/// The type of `end`.
struct end_t {};
/// In a range: past the last element, in the direction of the step.
inline constexpr end_t end{};

/// The type of `newaxis`.
struct newaxis_t {};
/// As an index: a new axis of extent 1.
inline constexpr newaxis_t newaxis{};

namespace detail {

/// A range before it meets an axis.
struct range_t {
    std::int64_t start;
    std::int64_t stop;
    std::int64_t step;
    bool to_end;
};

[[noreturn]] void throw_zero_step();
[[noreturn]] void throw_bad_index(std::int64_t index, int axis, std::int64_t extent);

/// The first index and the number of elements of a range along an axis, by Python's slice rules: negative numbers count
/// from the end, bounds beyond the axis are cut to it.
struct resolved_range {
    std::int64_t first;
    std::int64_t count;
    std::int64_t step;  ///< 1 where there are no two elements
};
constexpr resolved_range resolve(const range_t& r, std::int64_t extent) {
    const bool forward = r.step > 0;
    const std::int64_t lowest_bound = forward ? 0 : -1, highest_bound = forward ? extent : extent - 1;
    const auto bound = [&](std::int64_t i) {
        if (i < 0) i += extent;
        return i < lowest_bound ? lowest_bound : i > highest_bound ? highest_bound : i;
    };
    const std::int64_t first = bound(r.start);
    const std::int64_t last = r.to_end ? (forward ? extent : -1) : bound(r.stop);
    const std::int64_t distance = forward ? last - first : first - last;
    const std::int64_t stride = forward ? r.step : as_int64(-any_integer(r.step));
    const std::int64_t count = distance > 0 ? (distance - 1) / stride + 1 : 0;
    return {first, count, count > 1 ? r.step : 1};
}

template <class I>
inline constexpr bool is_whole_axis = std::is_same_v<I, reduction<op::all>>;

template <class I>
concept index = std::integral<I> || std::is_same_v<I, range_t> || std::is_same_v<I, newaxis_t> || is_whole_axis<I>;

/// How many axes of its operand an index takes, and how many the result gets from it.
template <class I>
inline constexpr int axes_taken = std::is_same_v<I, newaxis_t> ? 0 : 1;
template <class I>
inline constexpr int axes_given = std::integral<I> ? 0 : 1;

/// Writes one index into the view: axis `from` of the operand, axis `to` of the result.
template <class Tree, class I>
void index_axis(expr<Tree>& v, const std::int64_t* extents, int& from, int& to, const I& i) {
    if constexpr (std::is_same_v<I, newaxis_t>) {
        v.shape_.extent[to++] = 1;
    } else {
        const std::int64_t extent = extents[from];
        if constexpr (std::integral<I>) {
            const std::int64_t at = as_int64(i);
            if (at < -extent || at >= extent) throw_bad_index(at, from, extent);
            set_axis(own_integers(v), from, -1, at < 0 ? at + extent : at, 0);
        } else if constexpr (is_whole_axis<I>) {
            v.shape_.extent[to] = extent;
            set_axis(own_integers(v), from, to++, 0, 1);
        } else {
            const resolved_range r = resolve(i, extent);
            v.shape_.extent[to] = r.count;
            set_axis(own_integers(v), from, to++, r.count > 0 ? r.first : 0, r.step);
        }
        ++from;
    }
}

/// The view of an operand by indices; axes without an index are kept whole.
template <class A, class... I>
auto index_view(A&& a, const I&... i) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    constexpr int taken = (axes_taken<I> + ... + 0);
    constexpr bool known = (index<I> && ...);
    static_assert(known,
                  "sinter: an index is an integer, range(...), all or newaxis; where(mask, x, y) chooses by a mask");
    static_assert(taken <= rank, "sinter: more indices than the operand has axes");
    if constexpr (known && taken <= rank) {
        const auto extents = a.shape();
        auto v = make_view<(axes_given<I> + ... + 0) + rank - taken>(std::forward<A>(a));
        int from = 0, to = 0;
        (index_axis(v, extents.extent, from, to, i), ...);
        while (from < rank) index_axis(v, extents.extent, from, to, all);
        set_extents(v, rank);
        return v;
    }
}

}  // namespace detail

/// As an index: the elements from `start` up to and without `stop`, every `step`-th. Python's rules: negative bounds
/// count from the end, a negative step goes backwards, bounds beyond the axis are cut to it.
constexpr detail::range_t range(std::int64_t start, std::int64_t stop, std::int64_t step = 1) {
    if (step == 0) detail::throw_zero_step();
    return {start, stop, step, false};
}
/// The same to the end of the axis: range(1, end), range(-1, end, -1) for all of it backwards.
constexpr detail::range_t range(std::int64_t start, end_t, std::int64_t step = 1) {
    if (step == 0) detail::throw_zero_step();
    return {start, 0, step, true};
}

/// The operand with one axis backwards.
template <operand A>
[[nodiscard]] auto flip(A&& a, detail::runtime_axes<1> which) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    const std::uint32_t mask = detail::axis_mask("flip", which, rank);
    const auto extents = a.shape();
    auto v = detail::make_view<rank>(std::forward<A>(a));
    for (int i = 0; i < rank; ++i) {
        const bool backwards = mask >> i & 1;
        detail::set_axis(detail::own_integers(v), i, i, backwards && extents[i] > 0 ? extents[i] - 1 : 0,
                         backwards ? -1 : 1);
    }
    v.shape_ = extents;
    detail::set_extents(v, rank);
    return v;
}

}  // namespace sinter
