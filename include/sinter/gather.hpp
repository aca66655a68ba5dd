// Gather: take(x, indices). A view of an array or an expression; it fuses.
#pragma once

#include <sinter/op/define.hpp>
#include <sinter/reshape.hpp>
#include <sinter/view.hpp>

namespace sinter {
namespace detail {

/// Normalises index x for an extent y as in NumPy: negative x counts from the end; clamps to 0 .. y - 1.
SINTER_BINARY(index_within, integral, x < T(0) ? (x + y < T(0) ? T(0) : x + y) : x < y ? x : y - T(1))

/// The same for uint64, of which int64 does not hold the largest values.
SINTER_BINARY(index_within_unsigned, integral, x < y ? x : y - T(1))

/// Maps index x into concatenated operands to an index into the one that begins at y and has z elements: x - y, clamped
/// to 0 .. z - 1. Elements read at a clamped index must not be used; gradients rely on that.
SINTER_DETAIL_INDEX_3(index_of_part, below_last, x < y ? T(0) : x - y < z ? x - y : z - T(1))

/// The source index of element x of z after rotating by y < z positions.
SINTER_TERNARY(index_rolled, same, x < y ? x + (z - y) : x - y)

/// The elements that indices read along an axis of this extent: the nearest one where an index is out of range.
template <operand I>
auto indices_within(I&& indices, std::int64_t extent) {
    if constexpr (expr_of<I>::type == dtype::uint64)
        return to_dtype<dtype::int64>(index_within_unsigned(std::forward<I>(indices), extent));
    else
        return index_within(to_dtype<dtype::int64>(std::forward<I>(indices)), extent);
}

[[noreturn]] void throw_take_from_nothing(const std::int64_t* extents, int rank, int axis);
[[noreturn]] void throw_bad_index(std::int64_t index, int axis, std::int64_t extent);

/// A view of rank `Rank` whose index map may have one source axis with set_axis(..., ir::from_operand, 0, 0): it is
/// gathered at `index`, an int64 expression that broadcasts to the result. The caller fills in map and extents.
template <int Rank, operand A, class Index>
auto make_taken(A&& a, expr<Index>&& index) {
    static_assert(Index::type == dtype::int64 && Index::rank <= Rank);
    using in = expr_of<A>;
    expr<tree::taken<Rank, typename in::tree_type, Index>> v;
    tree::counts at{};
    v.append(at, as_expr(std::forward<A>(a)));
    v.append(at, std::move(index));
    return v;
}

/// Gathers along one axis of any extent, at indices from 0 to its extent - 1.
template <operand A, class Index>
auto along(A&& a, int axis, std::int64_t extent, expr<Index>&& index) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    const auto from = a.shape();
    auto v = make_taken<rank>(std::forward<A>(a), std::move(index));
    for (int source = 0; source < rank; ++source) {
        set_axis(own_integers(v), source, source == axis ? ir::from_operand : source, 0, 1);
        v.shape_.extent[source] = source == axis ? extent : from.extent[source];
    }
    set_extents(v, rank);
    return v;
}

/// Inserts an axis of extent 1 at `axis`.
template <operand A>
auto with_axis(A&& a, int axis) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    int to[rank + 1] = {};
    for (int source = 0; source < rank; ++source) to[source] = source < axis ? source : source + 1;
    return spread<rank + 1>(std::forward<A>(a), to);
}

/// The integers 0, 1, 2 ... as an expression of rank `Rank` that runs along `axis`; the other extents are 1.
template <int Rank>
auto index_along(int axis, std::int64_t extent) {
    expr<tree::view<Rank, tree::iota>> v;
    v.integers_.item[0] = extent;
    for (int a = 0; a < Rank; ++a) v.shape_.extent[a] = a == axis ? extent : 1;
    set_axis(own_integers(v), 0, axis, 0, 1);
    set_extents(v, 1);
    return v;
}

/// A nonnegative integer that is part of the plan, like an extent. Scalars, by contrast, may change between
/// evaluations.
inline auto fixed_index(std::int64_t n) {
    expr<tree::view<0, tree::iota>> v;
    v.integers_.item[0] = n + 1;
    set_axis(own_integers(v), 0, -1, n, 0);
    return v;
}

}  // namespace detail

/// The elements of `a` at `indices` along one axis. The result's shape is a's with that axis replaced by the shape of
/// `indices`, which have any integer dtype and any rank. As in NumPy a negative index counts from the end; an index out
/// of range reads the nearest element, because a kernel cannot throw. Throws if the axis has no elements.
template <operand A, operand I>
[[nodiscard]] auto take(A&& a, I&& indices, detail::runtime_axes<1> which) {
    constexpr int from_rank = std::remove_cvref_t<A>::rank, index_rank = std::remove_cvref_t<I>::rank;
    constexpr int rank = from_rank - 1 + index_rank;
    static_assert(is_integer(detail::expr_of<I>::type),
                  "sinter: take needs indices of an integer dtype: write astype<int>(i)");
    static_assert(from_rank > 0, "sinter: take needs an axis to read along; the operand has rank 0");
    static_assert(rank <= max_rank, "sinter: an array has at most 8 axes");
    const int chosen = __builtin_ctz(detail::axis_mask("take", which, from_rank));
    const shape<from_rank> from = a.shape();
    const shape<index_rank> places = indices.shape();
    if (from.extent[chosen] == 0 && places.size() > 0) detail::throw_take_from_nothing(from.extent, from_rank, chosen);

    auto within = detail::indices_within(std::forward<I>(indices), from.extent[chosen]);
    int along[index_rank + 1];
    for (int q = 0; q < index_rank; ++q) along[q] = chosen + q;
    auto spread = detail::spread<rank>(std::move(within), along);

    const shape<rank> spread_shape = spread.shape_;
    auto v = detail::make_taken<rank>(std::forward<A>(a), std::move(spread));
    v.shape_ = spread_shape;
    for (int source = 0; source < from_rank; ++source) {
        const int to = source < chosen ? source : source - 1 + index_rank;
        detail::set_axis(detail::own_integers(v), source, source == chosen ? ir::from_operand : to, 0, 1);
        if (source != chosen) v.shape_.extent[to] = from.extent[source];
    }
    detail::set_extents(v, from_rank);
    return v;
}

/// With a single integer the axis is removed: take(x, 2, axis=1). Throws for an integer that is out of range.
template <operand A, element_type I>
[[nodiscard]] auto take(A&& a, I index, detail::runtime_axes<1> which) {
    static_assert(detail::integer<I>, "sinter: take needs indices of an integer dtype: write astype<int>(i)");
    const int chosen = __builtin_ctz(detail::axis_mask("take", which, std::remove_cvref_t<A>::rank));
    const std::int64_t extent = a.shape().extent[chosen];
    const std::int64_t at = detail::as_int64(index);
    if (extent > 0 && (at < -extent || at >= extent)) detail::throw_bad_index(at, chosen, extent);
    return take(std::forward<A>(a), detail::to_dtype<dtype::int64>(at), which);
}
/// As above, for an operand of rank 1.
template <operand A, operand_or_scalar I>
[[nodiscard]] auto take(A&& a, I&& indices) {
    static_assert(std::remove_cvref_t<A>::rank == 1,
                  "sinter: take needs an axis for an operand of several axes: take(x, indices, axis=0)");
    return take(std::forward<A>(a), std::forward<I>(indices), axis=0);
}

template <operand A, class... Wrong>
    requires(sizeof...(Wrong) == 0)
auto take(A&& a, const Wrong&...) {
    static_assert(detail::never<A>, "sinter: take needs an array of integers as indices: take(x, i, axis=0)");
    return detail::expr_of<A>(detail::as_expr(a));
}

namespace detail {

template <operand A>
auto roll_along(A&& a, any_integer shift, int axis) {
    const std::int64_t n = a.shape().extent[axis];
    const auto rest = static_cast<std::int64_t>(n == 0 ? 0 : shift % n);
    const std::int64_t by = rest < 0 ? rest + n : rest;
    return along(std::forward<A>(a), axis, n, index_rolled(index_along<std::remove_cvref_t<A>::rank>(axis, n), by, n));
}

/// Rolls along the axes from number K on, each by its shift.
template <int K, int Count, class A>
auto roll_from(const any_integer (&shifts)[Count], const runtime_axes<Count>& axes, A&& a) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    if constexpr (K == Count)
        return std::forward<A>(a);
    else
        return roll_from<K + 1>(
            shifts, axes,
            roll_along(std::forward<A>(a), shifts[K], axes.value[K] < 0 ? axes.value[K] + rank : axes.value[K]));
}

}  // namespace detail

/// Rotates elements by `shift` positions along one or several axes, as in roll(x, {1, -2}, axis={0, 1}); without an
/// axis, in row-major order over all elements. Elements that leave at the end re-enter at the beginning. A negative
/// shift rotates backwards.
template <operand A, class Shift, class Axes = detail::all_axes>
[[nodiscard]] auto roll(A&& a, Shift shift, Axes which = {}) {
    constexpr int count = detail::axis_count<Axes>;
    constexpr bool known = detail::integer<Shift> && count >= 0;
    static_assert(known, "sinter: roll takes a shift and the axis by name: roll(x, 1, axis=0), roll(x, 1)");
    if constexpr (!known) {
        return detail::expr_of<A>(detail::as_expr(std::forward<A>(a)));
    } else if constexpr (count == 0) {
        const auto extents = a.shape();
        const shape<1> line(extents.size());
        return reshape(roll(reshape(std::forward<A>(a), line), shift, axis=0), extents);
    } else {
        detail::any_integer shifts[count];
        for (detail::any_integer& s : shifts) s = shift;
        detail::mask_of_axes<std::remove_cvref_t<A>::rank>("roll", which);
        return detail::roll_from<0>(shifts, detail::as_runtime(which),
                                    detail::expr_of<A>(detail::as_expr(std::forward<A>(a))));
    }
}
template <operand A, class... Wrong>
    requires(sizeof...(Wrong) == 0)
auto roll(A&& a, const Wrong&...) {
    static_assert(detail::never<A>, "sinter: roll takes a shift and the axis by name: roll(x, 1, axis=0), roll(x, 1)");
    return detail::expr_of<A>(detail::as_expr(std::forward<A>(a)));
}
template <operand A, int N, class Axes = detail::all_axes>
[[nodiscard]] auto roll(A&& a, const detail::braced<N>& shifts, Axes which = {}) {
    constexpr bool matched = detail::axis_count<Axes> == N;
    static_assert(matched, "sinter: several shifts need as many axes: roll(x, {1, 2}, axis={0, 1})");
    auto e = detail::expr_of<A>(detail::as_expr(std::forward<A>(a)));
    if constexpr (matched) {
        detail::mask_of_axes<std::remove_cvref_t<A>::rank>("roll", which);
        return detail::roll_from<0>(shifts, detail::as_runtime(which), std::move(e));
    } else {
        return e;
    }
}

}  // namespace sinter
