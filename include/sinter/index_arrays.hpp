// Several index arrays at once: x(i, j) gathers at the pairs of i and j, which broadcast.
#pragma once

#include <sinter/gather.hpp>

#include <tuple>

namespace sinter::detail {

/// Gathers along `axis` at indices that run along the `Count` axes after it, which are the indices' own.
template <int Count, operand A, class I>
auto take_beside(A&& a, const I& indices, int axis) {
    constexpr int from_rank = std::remove_cvref_t<A>::rank, rank = from_rank - 1;
    const shape<from_rank> from = a.shape();
    if (from.extent[axis] == 0 && product_of(from.extent + axis + 1, Count) > 0)
        throw_take_from_nothing(from.extent, from_rank, axis);
    int along_own[I::rank + 1] = {};
    for (int q = 0; q < I::rank; ++q) along_own[q] = axis + Count - I::rank + q;
    auto v = make_taken<rank>(std::forward<A>(a), spread<rank>(indices_within(indices, from.extent[axis]), along_own));
    for (int source = 0; source < from_rank; ++source) {
        const int to = source < axis ? source : source - 1;
        set_axis(own_integers(v), source, source == axis ? ir::from_operand : to, 0, 1);
        if (source != axis) v.shape_.extent[to] = from.extent[source];
    }
    set_extents(v, from_rank);
    return v;
}

/// Gathers at the remaining index arrays; the last one has already been applied.
template <int Left, int Count, class Arrays, class E>
auto take_rest(E&& e, int axis, const Arrays& arrays) {
    if constexpr (Left == 0)
        return std::forward<E>(e);
    else
        return take_rest<Left - 1, Count>(take_beside<Count>(std::forward<E>(e), std::get<Left - 1>(arrays), axis),
                                          axis - 1, arrays);
}

/// Gathers at index arrays for adjacent axes, the last of which is `last`. The arrays' broadcast `Count` axes replace
/// the indexed axes.
template <int Arrays, int Count, operand A, class... I>
auto take_together(A&& a, int last, const std::tuple<I...>& arrays) {
    const auto& final = std::get<Arrays - 1>(arrays);
    if constexpr (Arrays == 1) {
        return take(std::forward<A>(a), final, runtime_axes<1>{{last}});
    } else {
        constexpr int rank = std::remove_cvref_t<A>::rank;
        static_assert(rank - 1 + Count <= max_rank, "sinter: an array has at most 8 axes");
        shape<Count> places;
        for (std::int64_t& extent : places.extent) extent = 1;
        std::apply([&](const auto&... one) { (broadcast("index", places, one.shape()), ...); }, arrays);
        return take_rest<Arrays - 1, Count>(
            take(std::forward<A>(a), broadcast_to(final, places), runtime_axes<1>{{last}}), last - 1, arrays);
    }
}

}  // namespace sinter::detail
