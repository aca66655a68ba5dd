// Splitting an operand: unstack, split, array_split. All parts are views of one type.
#pragma once

#include <sinter/axis.hpp>
#include <sinter/view.hpp>

#include <vector>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_split(std::int64_t parts, std::int64_t extent, int axis);

/// `count` elements along one axis, from `first` on.
template <operand A>
auto part_along(A&& a, int axis, std::int64_t first, std::int64_t count) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    auto to = a.shape();
    to.extent[axis] = count;
    auto v = make_view<rank>(std::forward<A>(a));
    for (int source = 0; source < rank; ++source)
        set_axis(own_integers(v), source, source, source == axis && count > 0 ? first : 0, 1);
    v.shape_ = to;
    set_extents(v, rank);
    return v;
}

/// One element along an axis, which is removed.
template <operand A>
auto element_along(A&& a, int axis, std::int64_t at) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    const auto from = a.shape();
    auto v = make_view<rank - 1>(std::forward<A>(a));
    for (int source = 0, to = 0; source < rank; ++source) {
        const bool stays = source != axis;
        if (stays) v.shape_.extent[to] = from.extent[source];
        set_axis(own_integers(v), source, stays ? to++ : -1, stays ? 0 : at, stays ? 1 : 0);
    }
    set_extents(v, rank);
    return v;
}

/// The parts of an operand between ascending positions along an axis; the first position is 0, the last the extent.
template <operand A>
auto parts_between(const A& a, int axis, const std::vector<std::int64_t>& positions) {
    std::vector<decltype(part_along(a, axis, 0, 0))> parts;
    parts.reserve(positions.size());
    for (std::size_t i = 0; i + 1 < positions.size(); ++i) {
        const std::int64_t count = positions[i + 1] - positions[i];
        parts.push_back(part_along(a, axis, positions[i], count > 0 ? count : 0));
    }
    return parts;
}

/// As above for a number of parts; the first ones have one more element if the extent is not a multiple.
template <operand A>
auto even_parts(const A& a, std::int64_t parts, int axis) {
    const std::int64_t extent = a.shape().extent[axis];
    if (parts < 1) throw_bad_split(parts, extent, axis);
    std::vector<std::int64_t> positions = {0};
    for (std::int64_t i = 0; i < parts; ++i)
        positions.push_back(positions.back() + extent / parts + (i < extent % parts ? 1 : 0));
    return parts_between(a, axis, positions);
}

}  // namespace detail

/// The elements along one axis (default: first), each as a view without that axis, in a std::vector: for a matrix, its
/// rows. Empty if the axis has no elements.
template <operand A>
[[nodiscard]] auto unstack(const A& a, detail::runtime_axes<1> which = detail::static_axes<0>{}) {
    static_assert(A::rank > 0, "sinter: an operand of rank 0 has no axis to unstack");
    const int along = __builtin_ctz(detail::axis_mask("unstack", which, A::rank));
    std::vector<decltype(detail::element_along(a, along, 0))> elements;
    for (std::int64_t i = 0; i < a.shape().extent[along]; ++i) elements.push_back(detail::element_along(a, along, i));
    return elements;
}

/// Splits into equal parts along an axis (default: first), as views in a std::vector. Throws unless the extent is a
/// multiple of their number.
template <operand A, detail::integer I>
[[nodiscard]] auto split(const A& a, I parts, detail::runtime_axes<1> which = detail::static_axes<0>{}) {
    static_assert(A::rank > 0, "sinter: an operand of rank 0 has no axis to split");
    const int along = __builtin_ctz(detail::axis_mask("split", which, A::rank));
    const auto count = detail::as_int64(parts);
    const std::int64_t extent = a.shape().extent[along];
    if (count < 1 || extent % count != 0) detail::throw_bad_split(count, extent, along);
    return detail::even_parts(a, count, along);
}
/// Splits at positions, which follow the rules of ranges: split(x, {2, -1}).
template <operand A, int N>
[[nodiscard]] auto split(const A& a, const detail::braced<N>& positions,
                         detail::runtime_axes<1> which = detail::static_axes<0>{}) {
    static_assert(A::rank > 0, "sinter: an operand of rank 0 has no axis to split");
    const int along = __builtin_ctz(detail::axis_mask("split", which, A::rank));
    const std::int64_t extent = a.shape().extent[along];
    std::vector<std::int64_t> bounds = {0};
    for (int i = 0; i < N; ++i) {
        const std::int64_t at = detail::as_int64(positions[i] < 0 ? positions[i] + extent : positions[i]);
        bounds.push_back(at < 0 ? 0 : at > extent ? extent : at);
    }
    bounds.push_back(extent);
    return detail::parts_between(a, along, bounds);
}

/// As split for any extent: the first parts have one more element if it is not a multiple of their number.
template <operand A, detail::integer I>
[[nodiscard]] auto array_split(const A& a, I parts, detail::runtime_axes<1> which = detail::static_axes<0>{}) {
    static_assert(A::rank > 0, "sinter: an operand of rank 0 has no axis to split");
    return detail::even_parts(a, detail::as_int64(parts),
                              __builtin_ctz(detail::axis_mask("array_split", which, A::rank)));
}

}  // namespace sinter
