// Searches in sorted arrays, and functions based on them: bins, interpolation, membership.
//
//     array<std::int64_t, 1> bin = digitize(x, edges);
//     array<double, 1> y = interp(x, known_x, known_y);
#pragma once

#include <sinter/compare.hpp>
#include <sinter/op/composite/elementwise.hpp>
#include <sinter/sort.hpp>

#include <limits>

namespace sinter {

/// Which end of a run of equal elements a search returns.
enum class side { left, right };

namespace detail {

/// The dtype in which values are searched for: that in which comparisons compare them.
template <class S, class V>
constexpr dtype searching_dtype() {
    constexpr operand_info operands[] = {info_of<S>(), info_of<V>()};
    constexpr dtype common = common_dtype(operands, 0);
    return operand<V> && !is_complex(common) ? comparing_arrays(operands[0].type, operands[1].type) : common;
}

/// The search among elements of a dtype that compares both exactly; the first operand has rank 1. What a signed integer
/// and uint64 do not have in common precedes all or follows all.
template <operand S, operand_or_scalar V>
auto places_among(S&& sorted, V&& values, side which) {
    static_assert(std::remove_cvref_t<S>::rank == 1,
                  "sinter: searchsorted searches a vector: its first operand must have one axis");
    constexpr dtype of = info_of<S>().type, by = info_of<V>().type;
    if constexpr (operand<V> && signed_beside_uint64(by, of)) {
        constexpr std::int64_t least = 0;
        return where(values < least, least, places_among(sorted, astype<std::uint64_t>(maximum(values, least)), which));
    } else if constexpr (operand<V> && signed_beside_uint64(of, by)) {
        constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
        const std::int64_t all = sorted.shape().extent[0];
        return where(values > most, all, places_among(sorted, astype<std::int64_t>(minimum(values, most)), which));
    } else {
        constexpr dtype type = searching_dtype<S, V>();
        const std::int64_t flags[] = {which == side::right};
        auto&& wanted = to_dtype<type>(std::forward<V>(values), "searchsorted");
        constexpr int rank = std::remove_cvref_t<decltype(wanted)>::rank;
        return call_of<calls::searchsorted, 0, dtype::int64, rank>(flags, to_dtype<type>(std::forward<S>(sorted)),
                                                                   std::forward<decltype(wanted)>(wanted));
    }
}

}  // namespace detail

/// The insertion index of each value in a sorted rank-1 array: the number of elements before it. side::right also
/// counts equal elements. int64, with the shape of the values. The order is that of sort, with NaN last; numbers of
/// different dtypes are compared as by `<`. For an unsorted array the result is some index between 0 and its extent.
template <operand S, operand_or_scalar V>
[[nodiscard]] auto searchsorted(S&& sorted, V&& values, side which = side::left) {
    return detail::places_among(std::forward<S>(sorted), std::forward<V>(values), which);
}

/// The bin of each value: i if bins(i - 1) <= x < bins(i), 0 below all bins and their count above them; with
/// side::right, i if bins(i - 1) < x <= bins(i). Bins must ascend. int64.
template <operand V, operand S>
[[nodiscard]] auto digitize(V&& values, S&& bins, side closed = side::left) {
    return detail::places_among(std::forward<S>(bins), std::forward<V>(values),
                                closed == side::left ? side::right : side::left);
}

/// Whether each element occurs in another array of any shape, compared as by `==`. bool. NaN never does.
template <operand A, operand S>
[[nodiscard]] auto isin(const A& a, const S& among) {
    return let(sort(reshape(among, shape<1>(among.shape().size()))), [&](const auto& s) {
        return searchsorted(s, a, side::left) < searchsorted(s, a, side::right) && a == a;
    });
}

/// Piecewise linear interpolation through the points (known_x(i), known_y(i)) at each element of x. known_x must
/// ascend; below it the result is the first of known_y, above it the last. Of several points at one x, the last one
/// counts from there on. NaN gives NaN. Floating; throws for no points, and for unequal numbers of known_x and known_y.
template <operand A, operand X, operand Y>
[[nodiscard]] auto interp(const A& x, const X& known_x, const Y& known_y) {
    static_assert(X::rank == 1 && Y::rank == 1, "sinter: the points of interp must have one axis");
    constexpr dtype type = detail::floating_dtype<decltype(x + known_x + known_y)>;
    static_assert(!is_complex(type), "sinter: interp takes real numbers");
    constexpr dtype computed = type == dtype::float64 ? dtype::float64 : dtype::float32;
    return detail::to_dtype<type>(detail::call_of<detail::calls::interp, 0, computed, A::rank>(
        nullptr, detail::to_dtype<computed>(known_x), detail::to_dtype<computed>(known_y),
        detail::to_dtype<computed>(x)));
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(searchsorted, "searchsorted(sorted, values, side::right)")
SINTER_DETAIL_USAGE(digitize, "digitize(x, bins, side::right)")
SINTER_DETAIL_USAGE(isin, "isin(x, among)")
SINTER_DETAIL_USAGE(interp, "interp(x, known_x, known_y)")

}  // namespace sinter
