// Views of arrays and of expressions: axes permuted or repeated, without copying. A view is an affine index map in the
// IR, so it fuses with its surroundings.
#pragma once

#include <sinter/axis.hpp>
#include <sinter/expr.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_permutation(const int* axes, int rank);
[[noreturn]] void throw_bad_broadcast_to(const std::int64_t* from, int from_rank, const std::int64_t* to, int to_rank);

/// Bytes per element of an operand.
template <class A>
inline constexpr auto bytes_of = static_cast<std::int64_t>(size_of(std::remove_cvref_t<A>::type));

/// A view of rank `Rank` whose index map and extents the caller fills in.
template <int Rank, class A>
auto make_view(A&& a) {
    using in = expr_of<A>;
    expr<tree::view<Rank, typename in::tree_type>> v;
    tree::counts at{};
    v.append(at, as_expr(std::forward<A>(a)));
    return v;
}

/// The integers of a view's outermost index map, followed by the extents.
template <class Tree>
std::int64_t* own_integers(expr<Tree>& v) {
    return v.integers_.item + (Tree::size.integers - Tree::integers);
}

/// Source axis `source` is read at start + step * (index along result axis `from`); from = -1 reads `start` alone.
inline void set_axis(std::int64_t* integers, int source, std::int64_t from, std::int64_t start, std::int64_t step) {
    integers[3 * source] = from;
    integers[3 * source + 1] = start;
    integers[3 * source + 2] = step;
}

template <class T, int Rank, class Tree>
auto make_view_of(array<T, Rank>& whole, expr<Tree>&& v) {
    return view_of<T, Rank, Tree>(whole, std::move(v));
}

/// A view of `a`, writable if `a` is: a named array, or a temporary view.
template <class A, class Tree>
auto view_through(std::remove_reference_t<A>& a, expr<Tree>&& v) {
    constexpr bool named = std::is_lvalue_reference_v<A>;
    if constexpr (named && is_array<std::remove_reference_t<A>>)
        return make_view_of(a, std::move(v));
    else if constexpr (!named && is_view_of<std::remove_reference_t<A>>)
        return make_view_of(a.whole(), std::move(v));
    else
        return std::move(v);
}

template <class Tree>
void set_extents(expr<Tree>& v, int source_rank) {
    for (int a = 0; a < Tree::rank; ++a) own_integers(v)[3 * source_rank + a] = v.shape_.extent[a];
}

/// Places the operand among `Rank` axes: its axis i becomes axis to[i], and the others have extent 1. Two axes mapped
/// to the same one select their diagonal.
template <int Rank, operand A>
auto spread(A&& a, const int* to) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    const auto from = a.shape();
    auto v = make_view<Rank>(std::forward<A>(a));
    for (std::int64_t& extent : v.shape_.extent) extent = 1;
    for (int source = 0; source < rank; ++source) {
        set_axis(own_integers(v), source, to[source], 0, 1);
        v.shape_.extent[to[source]] = from.extent[source];
    }
    set_extents(v, rank);
    return v;
}

}  // namespace detail

/// Permutes the axes: axis i of the result is axis axes[i] of the operand. Throws unless `axes` names each axis once.
/// permute(x, {2, 0, 1}).
template <operand A, std::integral I, std::size_t N>
[[nodiscard]] auto permute(A&& a, const I (&axes)[N]) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(N == rank, "sinter: permute must name every axis of the operand exactly once");
    const auto from = a.shape();
    auto v = detail::make_view<rank>(std::forward<A>(a));
    int plain[N];
    std::uint32_t seen = 0;
    for (int i = 0; i < rank; ++i) {
        plain[i] = detail::axis_number(axes[i]);
        if (plain[i] < 0) plain[i] += rank;
        if (plain[i] < 0 || plain[i] >= rank || (seen >> plain[i] & 1)) {
            for (int j = 0; j < rank; ++j) plain[j] = detail::axis_number(axes[j]);
            detail::throw_bad_permutation(plain, rank);
        }
        seen |= 1u << plain[i];
        v.shape_.extent[i] = from.extent[plain[i]];
        detail::set_axis(detail::own_integers(v), plain[i], i, 0, 1);
    }
    detail::set_extents(v, rank);
    return detail::view_through<A>(a, std::move(v));
}

template <operand A, class... Wrong>
auto permute(A&& a, const Wrong&...) {
    static_assert(detail::never<A>,
                  "sinter: the axes are one list in braces: permute(x, {2, 0, 1}); transpose(x) reverses them");
    return detail::expr_of<A>(detail::as_expr(a));
}

/// Reverses the order of the axes, or permutes them as permute does.
template <operand A>
[[nodiscard]] auto transpose(A&& a) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    int axes[rank > 0 ? rank : 1];
    for (int i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
    if constexpr (rank > 0)
        return permute(std::forward<A>(a), axes);
    else
        return detail::view_through<A>(a, detail::expr_of<A>(detail::as_expr(std::forward<A>(a))));
}

template <operand A, std::integral I, std::size_t N>
[[nodiscard]] auto transpose(A&& a, const I (&axes)[N]) {
    const detail::called_as self(__func__);
    return permute(std::forward<A>(a), axes);
}
template <operand A, class... Wrong>
    requires(sizeof...(Wrong) > 0)
auto transpose(A&& a, const Wrong&... axes) {
    return permute(a, axes...);
}

/// Broadcasts the operand to a larger shape, as in NumPy: extents of 1 stretch, leading axes are added. Throws if an
/// extent is neither 1 nor the wanted one.
template <operand_or_scalar A, int Rank>
[[nodiscard]] auto broadcast_to(A&& a, const shape<Rank>& to) {
    if constexpr (!operand<A>) {
        return broadcast_to(detail::to_dtype<detail::scalar_dtype<A>>(a), to);
    } else {
        constexpr int rank = std::remove_cvref_t<A>::rank;
        static_assert(rank <= Rank, "sinter: broadcast_to cannot drop axes; the shape has fewer than the operand");
        const auto from = a.shape();
        auto v = detail::make_view<Rank>(std::forward<A>(a));
        for (int source = 0; source < rank; ++source) {
            const int target = source + Rank - rank;
            if (from.extent[source] == 1)
                detail::set_axis(detail::own_integers(v), source, -1, 0, 0);
            else if (from.extent[source] == to.extent[target])
                detail::set_axis(detail::own_integers(v), source, target, 0, 1);
            else
                detail::throw_bad_broadcast_to(from.extent, rank, to.extent, Rank);
        }
        detail::checked_size("broadcast_to", to.extent, Rank, detail::bytes_of<A>);
        v.shape_ = to;
        detail::set_extents(v, rank);
        return v;
    }
}

/// As above with the extents in braces: broadcast_to(x, {3, 4}).
template <operand_or_scalar A, int N>
[[nodiscard]] auto broadcast_to(A&& a, const detail::braced<N>& to) {
    return broadcast_to(std::forward<A>(a), shape<N>(to));
}
template <operand A, class... Wrong>
auto broadcast_to(A&& a, const Wrong&...) {
    static_assert(detail::never<A>, "sinter: the extents are one list in braces, or a shape: broadcast_to(x, {n, m})");
    return detail::expr_of<A>(detail::as_expr(a));
}

}  // namespace sinter
