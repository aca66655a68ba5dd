// Moving, adding and removing axes: swapaxes, moveaxis, expand_dims, squeeze. Views like permute and reshape, also as
// assignment targets.
#pragma once

#include <sinter/axis.hpp>
#include <sinter/view.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_squeeze(const std::int64_t* extents, int rank, int axis);

/// An operand's axis as a nonnegative number.
constexpr int axis_number(const char* function, int axis, int rank) {
    return __builtin_ctz(axis_mask(function, runtime_axes<1>{{axis}}, rank));
}

}  // namespace detail

/// Swaps two axes: swapaxes(x, 0, -1).
template <operand A, detail::integer I, detail::integer J>
[[nodiscard]] auto swapaxes(A&& a, I first, J second) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(rank > 0, "sinter: an operand of rank 0 has no axes to exchange or to move");
    int axes[rank];
    for (int i = 0; i < rank; ++i) axes[i] = i;
    const int one = detail::axis_number("swapaxes", static_cast<int>(first), rank);
    const int other = detail::axis_number("swapaxes", static_cast<int>(second), rank);
    axes[one] = other;
    axes[other] = one;
    return permute(std::forward<A>(a), axes);
}

/// Moves one axis to another position and keeps the order of the others: moveaxis(x, 0, -1).
template <operand A, detail::integer I, detail::integer J>
[[nodiscard]] auto moveaxis(A&& a, I source, J destination) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(rank > 0, "sinter: an operand of rank 0 has no axes to exchange or to move");
    const int from = detail::axis_number("moveaxis", static_cast<int>(source), rank);
    const int to = detail::axis_number("moveaxis", static_cast<int>(destination), rank);
    int axes[rank], next = 0;
    for (int i = 0; i < rank; ++i) {
        if (next == from) ++next;
        axes[i] = i == to ? from : next++;
    }
    return permute(std::forward<A>(a), axes);
}

/// Inserts axes of extent 1 at these axes of the result: expand_dims(x, axis=0), axis={0, -1}.
template <operand A, class Axes = detail::all_axes>
[[nodiscard]] auto expand_dims(A&& a, Axes which = {}) {
    constexpr int count = detail::axis_count<Axes>, rank = std::remove_cvref_t<A>::rank, added = count > 0 ? count : 1;
    static_assert(count > 0, "sinter: expand_dims takes the new axes by name: expand_dims(x, axis=0), axis={0, 2}");
    static_assert(rank + added <= max_rank, "sinter: an array has at most 8 axes");
    int to[rank + 1] = {};
    if constexpr (count > 0) {
        const std::uint32_t mask = detail::mask_of_axes<rank + added>("expand_dims", which);
        for (int source = 0, result = 0; source < rank; ++result)
            if (!(mask >> result & 1)) to[source++] = result;
    }
    return detail::view_through<A>(a, detail::spread<rank + added>(std::forward<A>(a), to));
}

/// Removes axes of extent 1: squeeze(x, axis=0), axis={0, 2}. Throws for other extents.
template <operand A, class Axes = detail::all_axes>
[[nodiscard]] auto squeeze(A&& a, Axes which = {}) {
    constexpr int count = detail::axis_count<Axes>, rank = std::remove_cvref_t<A>::rank;
    constexpr bool known = count > 0 && count <= rank;
    static_assert(known,
                  "sinter: squeeze takes the axes to remove by name, since the rank is part of the type: squeeze(x, "
                  "axis=0), axis={0, 2}");
    if constexpr (!known) {
        return detail::expr_of<A>(detail::as_expr(std::forward<A>(a)));
    } else {
        const std::uint32_t mask = detail::mask_of_axes<rank>("squeeze", which);
        const shape<rank> from = a.shape();
        auto v = detail::make_view<rank - count>(std::forward<A>(a));
        for (int source = 0, to = 0; source < rank; ++source) {
            const bool kept = !(mask >> source & 1);
            if (!kept && from.extent[source] != 1) detail::throw_bad_squeeze(from.extent, rank, source);
            if (kept) v.shape_.extent[to] = from.extent[source];
            detail::set_axis(detail::own_integers(v), source, kept ? to++ : -1, 0, kept);
        }
        detail::set_extents(v, rank);
        return detail::view_through<A>(a, std::move(v));
    }
}

}  // namespace sinter
