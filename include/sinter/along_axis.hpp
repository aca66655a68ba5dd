// Gather and scatter along one axis with one index per element, as argmax and argsort return: take_along_axis,
// put_along_axis.
#pragma once

#include <sinter/scatter.hpp>

namespace sinter {
namespace detail {

/// The broadcast shape of an operand and its indices; along the axis itself, the extent of the indices.
template <int Rank>
shape<Rank> shape_along(const char* function, const shape<Rank>& of, const shape<Rank>& indices, int axis) {
    shape<Rank> to = of;
    to.extent[axis] = 1;
    broadcast(function, to, indices);
    return to;
}

template <class A, class I>
constexpr void check_indices_along() {
    static_assert(is_integer(expr_of<I>::type), "sinter: indices must have an integer dtype: write astype<int>(i)");
    static_assert(A::rank > 0 && A::rank == expr_of<I>::rank,
                  "sinter: indices along an axis must have as many axes as the operand: expand_dims adds one");
}

}  // namespace detail

/// Gathers one element of `a` per index along one axis. The result has the shape of the indices, which broadcast with
/// `a` along the other axes. take_along_axis(x, argmax(x, axis=1, keepdims), axis=1) is max(x, axis=1, keepdims).
/// Indices follow the rules of take.
template <operand A, operand I>
[[nodiscard]] auto take_along_axis(const A& a, const I& indices, detail::runtime_axes<1> which) {
    const detail::called_as self(__func__);
    detail::check_indices_along<A, I>();
    constexpr int rank = A::rank;
    const int chosen = __builtin_ctz(detail::axis_mask("take_along_axis", which, rank));
    const shape<rank> from = a.shape();
    const shape<rank> to = detail::shape_along("take_along_axis", from, indices.shape(), chosen);
    if (from.extent[chosen] == 0 && to.size() > 0) detail::throw_take_from_nothing(from.extent, rank, chosen);
    auto v = detail::make_taken<rank>(a, detail::indices_within(indices, from.extent[chosen]));
    for (int source = 0; source < rank; ++source) {
        const bool repeats = from.extent[source] == 1;
        const int along = source == chosen ? ir::from_operand : repeats ? -1 : source;
        detail::set_axis(detail::own_integers(v), source, along, 0, source != chosen && repeats ? 0 : 1);
    }
    v.shape_ = to;
    detail::set_extents(v, rank);
    return v;
}

/// `a` with elements replaced along one axis, one index per value. Indices and values broadcast with `a` along the
/// other axes. Of equal indices the last one wins. Indices follow the rules of put, and so does the cost: each element
/// searches all indices.
template <operand A, operand I, operand_or_scalar V>
[[nodiscard]] auto put_along_axis(const A& a, const I& indices, const V& values, detail::runtime_axes<1> which) {
    const detail::called_as self(__func__);
    detail::check_indices_along<A, I>();
    constexpr int rank = A::rank, wide = rank + 1;
    static_assert(rank < max_rank, "sinter: writing at indices takes operands of at most 7 axes");
    static_assert(
        assignable(A::type, detail::info_of<V>().type),
        "sinter: values do not convert to a lower kind (bool < integer < floating < complex): write astype<T>(...)");
    const int chosen = __builtin_ctz(detail::axis_mask("put_along_axis", which, rank));
    const shape<rank> to = a.shape();
    shape<rank> places = detail::shape_along("put_along_axis", to, indices.shape(), chosen);
    const std::int64_t extent = to.extent[chosen], count = places.extent[chosen];
    const auto v = detail::values_at<A::type>("put_along_axis", to, chosen, count, values);

    // position among the indices of the last one that names this element; -1 if none does
    int aside[rank];
    for (int i = 0; i < rank; ++i) aside[i] = i < chosen ? i : i + 1;
    const auto named = detail::indices_from_end(indices, extent);
    const auto found = detail::index_along<wide>(chosen, extent) == detail::spread<wide>(named, aside);
    const auto place = where(found, detail::index_along<wide>(chosen + 1, count), std::int64_t{-1});
    const auto last = max(place, detail::index_axis_of<wide>(chosen), initial=-1);
    return where(last >= std::int64_t{0}, take_along_axis(v, broadcast_to(maximum(last, std::int64_t{0}), to), which),
                 a);
}

}  // namespace sinter
