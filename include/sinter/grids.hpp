// Several operands broadcast to common axes: broadcast_arrays, meshgrid. Views; nothing is stored.
#pragma once

#include <sinter/rearrange.hpp>

#include <tuple>

namespace sinter {
namespace detail {

/// The largest of several ranks.
template <int... Rank>
inline constexpr int largest_rank = [] {
    int most = 0;
    ((most = Rank > most ? Rank : most), ...);
    return most;
}();

/// Whether the first two axes of a grid are exchanged (cartesian_t), as in NumPy, or not.
struct cartesian_t {};
struct matrix_t {};

template <bool Exchanged, class... A>
auto grid_of(A&&... a) {
    constexpr int rank = sizeof...(A);
    static_assert(rank <= max_rank, "sinter: an array has at most 8 axes; a grid has one for each operand");
    static_assert(((std::remove_cvref_t<A>::rank == 1) && ...),
                  "sinter: meshgrid takes operands of one axis: write ravel(x)");
    constexpr auto position = [](int i) { return Exchanged && rank > 1 && i < 2 ? 1 - i : i; };
    shape<rank> to;
    int next = 0;
    ((to.extent[position(next++)] = a.shape().extent[0]), ...);
    next = 0;
    const auto along_own = [&](auto&& one) {
        const int own[] = {position(next++)};
        return broadcast_to(spread<rank>(std::forward<decltype(one)>(one), own), to);
    };
    return std::tuple{along_own(std::forward<A>(a))...};  // braces guarantee the order
}

}  // namespace detail

/// The axes of a grid that meshgrid's first two operands run along.
namespace indexing {
inline constexpr detail::cartesian_t xy{};  ///< the second and the first: x runs along columns, as in NumPy
inline constexpr detail::matrix_t ij{};     ///< the first and the second
}  // namespace indexing

/// The operands broadcast to their common shape: auto [p, q] = broadcast_arrays(x, y). Throws if they do not broadcast.
template <operand... A>
    requires(sizeof...(A) > 0)
[[nodiscard]] auto broadcast_arrays(A&&... a) {
    shape<detail::largest_rank<std::remove_cvref_t<A>::rank...>> to;
    for (std::int64_t& extent : to.extent) extent = 1;
    (detail::broadcast("broadcast_arrays", to, a.shape()), ...);
    return std::tuple{broadcast_to(std::forward<A>(a), to)...};
}

/// Coordinate grids from coordinate vectors: auto [px, py] = meshgrid(x, y) has one axis per operand and one element
/// per pair. The first two axes are exchanged, as in NumPy; meshgrid(indexing::ij, x, y) keeps their order.
template <operand... A>
    requires(sizeof...(A) > 0)
[[nodiscard]] auto meshgrid(A&&... a) {
    return detail::grid_of<true>(std::forward<A>(a)...);
}
template <operand... A>
[[nodiscard]] auto meshgrid(detail::matrix_t, A&&... a) {
    return detail::grid_of<false>(std::forward<A>(a)...);
}
template <operand... A>
[[nodiscard]] auto meshgrid(detail::cartesian_t, A&&... a) {
    return detail::grid_of<true>(std::forward<A>(a)...);
}

/// Reorders the axes, under the Array API's name: permute_dims(x, {2, 0, 1}).
template <operand A, std::integral I, std::size_t N>
[[nodiscard]] auto permute_dims(A&& a, const I (&axes)[N]) {
    const detail::called_as self(__func__);
    return permute(std::forward<A>(a), axes);
}
/// The operand with its last two axes swapped.
template <operand A>
[[nodiscard]] auto matrix_transpose(A&& a) {
    static_assert(std::remove_cvref_t<A>::rank >= 2, "sinter: matrix_transpose takes an operand of at least two axes");
    return swapaxes(std::forward<A>(a), -1, -2);
}

}  // namespace sinter
