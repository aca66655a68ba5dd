// Where the extremes are: argmax and argmin, in one kernel.
#pragma once

#include <sinter/gather.hpp>
#include <sinter/op/functions.hpp>

namespace sinter {
namespace detail {

/// The place of each element in row-major order.
template <int Rank, int... Axis>
auto row_major_place(const shape<Rank>& s, std::integer_sequence<int, Axis...>) {
    std::int64_t stride[Rank];
    std::int64_t next = 1;
    for (int a = Rank; a-- > 0; next *= s.extent[a]) stride[a] = next;
    return ((index_along<Rank>(Axis, s.extent[Axis]) * stride[Axis]) + ...);
}

/// The first place of the extreme that a reduction gives; a NaN is one, as it is to the reduction.
template <class Extreme, class A, class... Options>
auto place_of(const char* name, const Extreme& extreme, const A& a, const Options&... options) {
    constexpr int rank = A::rank;
    using set = axes_of<decltype(find_axes(options...)), rank>;
    static_assert(set::count == 1 || set::count == rank,
                  "sinter: argmax and argmin go over one axis or over all; reshape to one axis those that go together");
    const auto extents = a.shape();
    const std::uint32_t mask = mask_of<rank>(name, options...);
    if (reduced_size(extents, mask) == 0) throw_empty_reduction(name, extents.extent, rank);
    const auto is_extreme = a == extreme(a, find_axes(options...), keepdims) || isnan(a);
    const auto nowhere = fixed_index(extents.size());  // behind all places
    const auto first = [&](const auto& place) { return min(where(is_extreme, place, nowhere), options...); };
    if constexpr (rank == 0) {
        return first(std::int64_t{0});
    } else if constexpr (set::count == 1) {
        const int along = __builtin_ctz(mask);
        return first(index_along<rank>(along, extents.extent[along]));
    } else {
        return first(row_major_place(extents, std::make_integer_sequence<int, rank>()));
    }
}

}  // namespace detail

/// The index of the greatest element along an axis, as int64: of the first one if there are several, of the first NaN
/// if there is any. Without axis= it is the index in row-major order. No elements: an error. Options: axis=, keepdims.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto argmax(const A& a, const Options&... options) {
    return detail::place_of("argmax", max, a, options...);
}
/// The index of the smallest element, likewise.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto argmin(const A& a, const Options&... options) {
    return detail::place_of("argmin", min, a, options...);
}

}  // namespace sinter
