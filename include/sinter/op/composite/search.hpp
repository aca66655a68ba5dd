// Indices of extremes: argmax and argmin, in one pass.
#pragma once

#include <sinter/gather.hpp>
#include <sinter/op/functions.hpp>

namespace sinter {
namespace detail {

/// The row-major index of each element.
template <int Rank, int... Axis>
auto row_major_place(const shape<Rank>& s, std::integer_sequence<int, Axis...>) {
    std::int64_t stride[Rank];
    std::int64_t next = 1;
    for (int a = Rank; a-- > 0; next *= s.extent[a]) stride[a] = next;
    return ((index_along<Rank>(Axis, s.extent[Axis]) * stride[Axis]) + ...);
}

/// The first index of the element with the largest key `Keyed`, in one pass. NaN counts as the extreme, as in max.
template <class Keyed, class A, class... Options>
auto index_of_extreme(const char* name, const A& a, const Options&... options) {
    constexpr int rank = A::rank;
    using set = axes_of<decltype(find_axes(options...)), rank>;
    check_kind<op::max, A::type>();
    static_assert(
        set::count == 1 || set::count == rank,
        "sinter: argmax and argmin reduce one axis or all; reshape axes that are to be reduced together into one");
    const auto extents = a.shape();
    const std::uint32_t mask = mask_of<rank>(name, options...);
    if (reduced_size(extents, mask) == 0) throw_empty_reduction(name, extents.extent, rank);
    const auto first = [&](const auto& index) {
        const auto keyed = join<Keyed, dtype::keyed_index>(to_dtype<A::type>(a), index);
        return join<op::index_of_key, dtype::int64>(
            fold_over<op::largest_key, keeps_dims<Options...>>(keyed, find_axes(options...), true));
    };
    if constexpr (rank == 0) {
        return first(fixed_index(0));
    } else if constexpr (set::count == 1) {
        const int along = __builtin_ctz(mask);
        return first(index_along<rank>(along, extents.extent[along]));
    } else {
        return first(row_major_place(extents, std::make_integer_sequence<int, rank>()));
    }
}

}  // namespace detail

/// The index of the greatest element along an axis, int64: the first of equal ones, and the first NaN if there is one.
/// Without axis= it is the row-major index. Throws for no elements. Options: axis=, keepdims.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto argmax(const A& a, const Options&... options) {
    return detail::index_of_extreme<op::keyed>("argmax", a, options...);
}
/// The index of the smallest element; see argmax.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto argmin(const A& a, const Options&... options) {
    return detail::index_of_extreme<op::keyed_reversed>("argmin", a, options...);
}

}  // namespace sinter
