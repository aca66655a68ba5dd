// Changing axes without changing elements: reshape, ravel, repeat, tile, diagonal. Views of arrays and of expressions.
#pragma once

#include <sinter/axis.hpp>
#include <sinter/view.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_reshape(const std::int64_t* from, int from_rank, const std::int64_t* to, int to_rank);
[[noreturn]] void throw_bad_repeat(const char* what, std::int64_t count);

/// Replaces one -1 among the extents by the extent that matches the number of elements.
template <int From, int To>
shape<To> reshaped(const shape<From>& from, shape<To> to) {
    const std::int64_t size = checked_size("reshape", from.extent, From);
    const shape<To> asked = to;
    int open = 0;
    while (open < To && to.extent[open] != -1) ++open;
    if (open < To) {
        to.extent[open] = 1;
        const std::int64_t known = product_of(to.extent, To);
        to.extent[open] = known > 0 && size % known == 0 ? size / known : -1;
    }
    if (product_of(to.extent, To) != size) throw_bad_reshape(from.extent, From, asked.extent, To);
    return to;
}

}  // namespace detail

/// The operand's elements in row-major order with other extents; one may be -1 and is then inferred: reshape(x, {n,
/// m}). Throws unless the element counts match.
template <operand A, int Rank>
[[nodiscard]] auto reshape(A&& a, const shape<Rank>& extents) {
    using in = detail::expr_of<A>;
    const shape<Rank> to = detail::reshaped(a.shape(), extents);
    expr<tree::reshape<Rank, typename in::tree_type>> v;
    tree::counts at{};
    v.append(at, detail::as_expr(std::forward<A>(a)));
    v.shape_ = to;
    for (int r = 0; r < Rank; ++r) v.integers_.item[at.integers + r] = to.extent[r];
    return detail::view_through<A>(a, std::move(v));
}
template <operand A, int N>
[[nodiscard]] auto reshape(A&& a, const detail::braced<N>& extents) {
    return reshape(std::forward<A>(a), shape<N>(extents));
}
/// With one extent: reshape(x, -1) is ravel(x).
template <operand A, detail::integer I>
[[nodiscard]] auto reshape(A&& a, I extent) {
    return reshape(std::forward<A>(a), shape<1>(extent));
}
template <operand A, class... Wrong>
auto reshape(A&& a, const Wrong&...) {
    static_assert(detail::never<A>, "sinter: the extents are one list in braces, or a shape: reshape(x, {n, m})");
    return detail::expr_of<A>(detail::as_expr(a));
}

/// Flattens to one axis.
template <operand A>
[[nodiscard]] auto ravel(A&& a) {
    return reshape(std::forward<A>(a), {std::int64_t{-1}});
}

/// Repeats each element `count` times along one axis: (a, b) becomes (a, a, b, b). Without an axis, along ravel's.
template <operand A, class Count>
[[nodiscard]] auto repeat(A&& a, Count how_often, detail::runtime_axes<1> which) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(detail::integer<Count>, "sinter: repeat takes one count, an integer: repeat(x, 2, axis=0)");
    static_assert(rank < max_rank, "sinter: repeat takes operands of at most 7 axes");
    const auto count = detail::as_int64(how_often);
    if (count < 0) detail::throw_bad_repeat("repeat", count);
    const int chosen = __builtin_ctz(detail::axis_mask("repeat", which, rank));
    shape<rank> to = a.shape();
    auto v = detail::make_view<rank + 1>(std::forward<A>(a));
    for (int source = 0; source < rank; ++source) {
        const int result = source <= chosen ? source : source + 1;
        detail::set_axis(detail::own_integers(v), source, result, 0, 1);
        v.shape_.extent[result] = to.extent[source];
    }
    v.shape_.extent[chosen + 1] = count;
    detail::checked_size("repeat", v.shape_.extent, rank + 1, detail::bytes_of<A>);
    detail::set_extents(v, rank);
    to.extent[chosen] *= count;
    return reshape(std::move(v), to);
}
template <operand A, class Count>
[[nodiscard]] auto repeat(A&& a, Count count) {
    return repeat(ravel(std::forward<A>(a)), count, axis=0);
}

/// Repeats the whole operand `counts[i]` times along axis i: (a, b) becomes (a, b, a, b). As in NumPy, fewer counts
/// than axes are of the last axes, and more add axes in front.
template <operand A, int N>
[[nodiscard]] auto tile(A&& a, const detail::braced<N>& counts) {
    constexpr int from_rank = std::remove_cvref_t<A>::rank, rank = from_rank > N ? from_rank : N;
    static_assert(2 * rank <= max_rank, "sinter: tile takes operands of at most 4 axes");
    const auto from = a.shape();
    auto v = detail::make_view<2 * rank>(std::forward<A>(a));
    shape<rank> to;
    for (int i = 0; i < rank; ++i) {
        const int source = i - (rank - from_rank), counted = i - (rank - N);
        const std::int64_t count = counted < 0 ? 1 : detail::as_int64(counts[counted]);
        if (count < 0) detail::throw_bad_repeat("tile", count);
        v.shape_.extent[2 * i] = count;
        v.shape_.extent[2 * i + 1] = source < 0 ? 1 : from.extent[source];
        if (source >= 0) detail::set_axis(detail::own_integers(v), source, 2 * i + 1, 0, 1);
    }
    detail::checked_size("tile", v.shape_.extent, 2 * rank, detail::bytes_of<A>);
    for (int i = 0; i < rank; ++i) to.extent[i] = v.shape_.extent[2 * i] * v.shape_.extent[2 * i + 1];
    detail::set_extents(v, from_rank);
    return reshape(std::move(v), to);
}
template <operand A, class... Wrong>
auto tile(A&& a, const Wrong&...) {
    static_assert(detail::never<A>, "sinter: tile takes a list in braces, one count per axis: tile(x, {2, 3})");
    return detail::expr_of<A>(detail::as_expr(a));
}

/// The diagonal of the last two axes, as the result's last axis; `offset` moves the diagonal up and right.
template <operand A>
[[nodiscard]] auto diagonal(A&& a, std::int64_t offset = 0) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(rank >= 2, "sinter: diagonal needs an operand of at least two axes");
    const auto from = a.shape();
    const std::int64_t down = offset < 0 ? detail::as_int64(-detail::any_integer(offset)) : 0,
                       right = offset > 0 ? offset : 0;
    const std::int64_t rows = from.extent[rank - 2] - down, columns = from.extent[rank - 1] - right;
    auto v = detail::make_view<rank - 1>(std::forward<A>(a));
    for (int source = 0; source < rank - 2; ++source) {
        detail::set_axis(detail::own_integers(v), source, source, 0, 1);
        v.shape_.extent[source] = from.extent[source];
    }
    const std::int64_t count = rows < columns ? rows : columns;
    v.shape_.extent[rank - 2] = count > 0 ? count : 0;
    detail::set_axis(detail::own_integers(v), rank - 2, rank - 2, count > 0 ? down : 0, 1);
    detail::set_axis(detail::own_integers(v), rank - 1, rank - 2, count > 0 ? right : 0, 1);
    detail::set_extents(v, rank);
    return detail::view_through<A>(a, std::move(v));
}

}  // namespace sinter
