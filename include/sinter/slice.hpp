// Indexing: x(all, range(1, -1), newaxis, 3), x(i) for an array i. An index creates a view of an array or an
// expression, and fuses.
#pragma once

#include <sinter/gather.hpp>
#include <sinter/index_arrays.hpp>
#include <sinter/op/functions.hpp>
#include <sinter/view.hpp>

#include <tuple>

namespace sinter {

namespace detail {

/// A position counted back from the end of an axis.
struct before_end {
    std::int64_t count;
};

}  // namespace detail

/// The type of `end`.
struct end_t {
    /// The position `count` before the end: x(end - 1) is the last element, range(1, end - 1) drops the first and last.
    template <detail::integer I>
    friend constexpr detail::before_end operator-(end_t, I count) {
        return {static_cast<std::int64_t>(count)};
    }
};
/// In a range: past the last element, in the direction of the step. `end - k` is k before the end of the axis.
inline constexpr end_t end{};

/// The type of `ellipsis`.
struct ellipsis_t {};
/// As an index: all axes that the other indices do not cover, x(ellipsis, 0).
inline constexpr ellipsis_t ellipsis{};

/// The type of `newaxis`.
struct newaxis_t {};
/// As an index: a new axis of extent 1.
inline constexpr newaxis_t newaxis{};

namespace detail {

/// An unresolved bound of a range: a position, counted from the end of the axis if `from_end`.
struct range_bound {
    std::int64_t at;
    bool from_end;
};
struct range_t {
    range_bound start;
    range_bound stop;
    std::int64_t step;
    bool to_end;
};

struct whole_axis {};  // the index `all`

constexpr range_bound bound_of(end_t) { return {0, true}; }
constexpr range_bound bound_of(before_end b) { return {-b.count, true}; }
template <integer I>
constexpr range_bound bound_of(I i) {
    return {as_int64(i), false};
}
template <class B>
concept range_end = requires(B b) { bound_of(b); };

[[noreturn]] void throw_zero_step();
[[noreturn]] void throw_bad_index(std::int64_t index, int axis, std::int64_t extent);
[[noreturn]] void throw_bad_index_from_end(std::int64_t count, int axis, std::int64_t extent);

/// The first index and the number of elements of a range along an axis, by Python's slice rules: negative numbers count
/// from the end; bounds are clamped to the axis.
struct resolved_range {
    std::int64_t first;
    std::int64_t count;
    std::int64_t step;  ///< 1 for fewer than two elements
};
constexpr resolved_range resolve(const range_t& r, std::int64_t extent) {
    const bool forward = r.step > 0;
    const std::int64_t lowest_bound = forward ? 0 : -1, highest_bound = forward ? extent : extent - 1;
    const auto bound = [&](const range_bound& b) {
        const std::int64_t i = b.at < 0 || b.from_end ? b.at + extent : b.at;
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
inline constexpr bool is_ellipsis = std::is_same_v<I, ellipsis_t>;
template <class I>
concept position = integer<I> || std::is_same_v<I, before_end>;

/// Index arrays: operands as indices, whose axes replace the indexed axis.
template <class I>
inline constexpr bool is_index_array = false;
template <operand I>
inline constexpr bool is_index_array<I> = is_integer(I::type);

/// Masks select elements: masks.hpp.
template <class I>
inline constexpr bool is_mask = false;
template <operand I>
inline constexpr bool is_mask<I> = I::type == dtype::bool_;

/// The elements of an operand selected by a mask; defined in masks.hpp.
template <class A, class M, class = void>
struct chosen_by_mask {
    template <class... T>
    explicit chosen_by_mask(const T&...) {
        static_assert(
            never<A, M>,
            "sinter: x(mask) needs #include <sinter/masks.hpp>; where(mask, x, y) and sum(x, where=mask) do not");
    }
};

template <class I>
concept index = position<I> || std::is_same_v<I, range_t> || std::is_same_v<I, newaxis_t> || is_whole_axis<I> ||
                is_ellipsis<I> || is_index_array<I>;

/// The number of operand axes that an index consumes, and of result axes that it adds; 0 for an ellipsis itself.
template <class I>
inline constexpr int axes_taken = std::is_same_v<I, newaxis_t> || is_ellipsis<I> ? 0 : 1;
template <class I>
inline constexpr int axes_given = position<I> || is_ellipsis<I> || std::is_arithmetic_v<I> ? 0 : 1;
template <class I>
inline constexpr int extra_axes = 0;  // of an index array beyond the one axis it replaces
template <operand I>
inline constexpr int extra_axes<I> = is_index_array<I> ? I::rank - 1 : 0;

/// The element that an index selects along an axis. Throws if out of range.
template <position I>
constexpr std::int64_t element_at(const I& i, int axis, std::int64_t extent) {
    if constexpr (integer<I>) {
        const std::int64_t at = as_int64(i);
        if (at < -extent || at >= extent) throw_bad_index(at, axis, extent);
        return at < 0 ? at + extent : at;
    } else {
        if (i.count < 1 || i.count > extent) throw_bad_index_from_end(i.count, axis, extent);
        return extent - i.count;
    }
}

/// Adds an index to a view, from operand axis `from` to result axis `to`. An ellipsis covers `spare` axes.
template <class Tree, class I>
void index_axis(expr<Tree>& v, const std::int64_t* extents, int spare, int& from, int& to, const I& i) {
    if constexpr (std::is_same_v<I, newaxis_t>) {
        v.shape_.extent[to++] = 1;
    } else if constexpr (is_ellipsis<I>) {
        for (int k = 0; k < spare; ++k) index_axis(v, extents, 0, from, to, whole_axis{});
    } else {
        const std::int64_t extent = extents[from];
        if constexpr (position<I>) {
            set_axis(own_integers(v), from, -1, element_at(i, from, extent), 0);
        } else if constexpr (std::is_same_v<I, range_t>) {
            const resolved_range r = resolve(i, extent);
            v.shape_.extent[to] = r.count;
            set_axis(own_integers(v), from, to++, r.count > 0 ? r.first : 0, r.step);
        } else {
            v.shape_.extent[to] = extent;
            set_axis(own_integers(v), from, to++, 0, 1);
        }
        ++from;
    }
}

/// The view by indices, in which index arrays keep their whole axis.
template <class A, class... I>
auto affine_view(A&& a, const I&... i) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    constexpr int spare = rank - (axes_taken<I> + ... + 0);
    const auto extents = a.shape();
    auto v = make_view<(axes_given<I> + ... + 0) + spare>(std::forward<A>(a));
    int from = 0, to = 0;
    (index_axis(v, extents.extent, spare, from, to, i), ...);
    while (from < rank) index_axis(v, extents.extent, 0, from, to, whole_axis{});
    set_extents(v, rank);
    return view_through<A>(a, std::move(v));
}

/// Properties of the list of indices, in order.
template <int Rank, class... I>
struct index_list {
    static constexpr int spare = Rank - (axes_taken<I> + ... + 0);
    static constexpr int arrays = (int(is_index_array<I>) + ... + 0);
    /// The common rank of the index arrays, which broadcast.
    static constexpr int array_rank = [] {
        int most = 0;
        ((most = is_index_array<I> && extra_axes<I> + 1 > most ? extra_axes<I> + 1 : most), ...);
        return most;
    }();
    static constexpr int result_rank = (axes_given<I> + ... + 0) + (spare > 0 ? spare : 0) - arrays + array_rank;
    static constexpr int likely_rank = result_rank > max_rank ? max_rank : result_rank;

    /// The axis of the affine view that the last index array replaces.
    static constexpr int array_axis() {
        int axis = 0, found = 0;
        ((found = is_index_array<I> ? axis : found, axis += is_ellipsis<I> ? spare : axes_given<I>), ...);
        return found;
    }
    /// Whether other indices separate integers and index arrays: then NumPy moves the arrays' axes to the front.
    static constexpr bool parted() {
        int last = -1, at = 0;
        bool apart = false;
        ((position<I> || is_index_array<I> ? (apart = apart || (last >= 0 && last != at - 1), last = at) : 0, ++at),
         ...);
        return arrays > 0 && apart;
    }
    static constexpr auto all_arrays(const I&... i) {
        return std::tuple_cat([](const auto& one) {
            if constexpr (is_index_array<std::remove_cvref_t<decltype(one)>>)
                return std::tuple<decltype(one)>(one);
            else
                return std::tuple<>();
        }(i)...);
    }
};

/// The view of an operand by indices; axes without an index are kept whole.
template <class A, class... I>
auto index_view(A&& a, const I&... i) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    using list = index_list<rank, I...>;
    constexpr bool known = (index<I> && ...);
    constexpr bool once = (int(is_ellipsis<I>) + ... + 0) <= 1;
    constexpr bool by_mask = sizeof...(I) == 1 && (is_mask<I> && ...);
    static_assert(known || by_mask,
                  "sinter: an index is an integer, range(...), all or newaxis; where(mask, x, y) selects by a mask");
    static_assert(list::spare >= 0, "sinter: there are more indices than the operand has axes");
    static_assert(once, "sinter: at most one ellipsis: it stands for all axes that have no other index");
    static_assert(!list::parted(),
                  "sinter: an integer index beside an array of indices must be adjacent to it (otherwise NumPy moves "
                  "axes): index twice, x(0)(all, i)");
    if constexpr (by_mask) {
        return chosen_by_mask<A, I...>(a, i...);
    } else if constexpr (known && list::spare >= 0 && once && !list::parted()) {
        if constexpr (list::arrays == 0)
            return affine_view(std::forward<A>(a), i...);
        else
            return take_together<list::arrays, list::array_rank>(affine_view(std::forward<A>(a), i...),
                                                                 list::array_axis(), list::all_arrays(i...));
    } else {
        // the likely rank, to suppress further errors
        return make_view<list::likely_rank>(std::forward<A>(a));
    }
}

}  // namespace detail

/// As an index: every `step`-th element from `start` up to but excluding `stop`. Python's rules: negative bounds count
/// from the end, a negative step goes backwards, bounds are clamped to the axis. `end` is the end of the axis: range(1,
/// end), or range(-1, end, -1) for the whole axis backwards.
template <class Start, class Stop, class Step = int>
constexpr detail::range_t range(Start start, Stop stop, Step step = 1) {
    constexpr bool known = detail::range_end<Start> && detail::range_end<Stop> && detail::integer<Step>;
    static_assert(known,
                  "sinter: the bounds of a range are integers: range(1, 5), range(0, end, 2), range(1, end - 1)");
    if constexpr (known) {
        if (step == 0) detail::throw_zero_step();
        return {detail::bound_of(start), detail::bound_of(stop), static_cast<std::int64_t>(step),
                std::is_same_v<Stop, end_t>};
    } else {
        return {};
    }
}
/// A range that starts at the first element.
template <class Stop>
constexpr detail::range_t range(Stop stop) {
    return range(0, stop);
}

/// Reverses the given axes (default: all): flip(x, axis=1), flip(x, axis={0, 1}).
template <operand A, class Axes = detail::all_axes>
[[nodiscard]] auto flip(A&& a, Axes which = {}) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    const std::uint32_t mask = detail::mask_of_axes<rank>("flip", which);
    const auto extents = a.shape();
    auto v = detail::make_view<rank>(std::forward<A>(a));
    for (int i = 0; i < rank; ++i) {
        const bool backwards = mask >> i & 1;
        detail::set_axis(detail::own_integers(v), i, i, backwards && extents[i] > 0 ? extents[i] - 1 : 0,
                         backwards ? -1 : 1);
    }
    v.shape_ = extents;
    detail::set_extents(v, rank);
    return detail::view_through<A>(a, std::move(v));
}

}  // namespace sinter
