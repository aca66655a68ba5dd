// Group statistics (segment_sum ...), weighted bincount and histogram, and histogram2d. Summation order is fixed, so
// results are bit-for-bit reproducible. On the host, group statistics take one step per element. On a GPU each result
// scans all elements: the cost is groups times elements, which suits few groups.
#pragma once

#include <sinter/histogram.hpp>
#include <sinter/op/composite/statistics.hpp>
#include <sinter/scatter.hpp>
#include <sinter/searchsorted.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_groups(const char* function, std::int64_t groups, std::int64_t extent);
[[noreturn]] void throw_bad_weights(const char* function, std::int64_t weights, std::int64_t elements);

template <class A, class W>
void check_weights(const char* function, const A& a, const W& weights) {
    const std::int64_t elements = a.shape().extent[0], count = weights.shape().extent[0];
    if (count != elements) throw_bad_weights(function, count, elements);
}

/// Whether each slice of the first axis of rank `Rank` belongs to each group; groups run along a new first axis.
template <int Rank, class G>
auto is_in_group(const char* function, const G& groups, std::int64_t count, std::int64_t extent) {
    static_assert(G::rank == 1 && is_integer(G::type),
                  "sinter: group numbers are a vector of integers, one per slice of axis 0");
    if (count < 0) throw_bad_count(function, count);
    if (groups.shape().extent[0] != extent) throw_bad_groups(function, groups.shape().extent[0], extent);
    const int second[] = {1};
    return spread<Rank + 1>(to_dtype<dtype::int64>(groups), second) == index_along<Rank + 1>(0, count);
}

/// The operand repeated for each group, along a new first axis.
template <class A>
auto for_each_group(const A& a, std::int64_t count) {
    static_assert(A::rank > 0 && A::rank < max_rank,
                  "sinter: groups consist of slices of axis 0: the operand must have 1 to 7 axes");
    shape<A::rank + 1> to;
    to.extent[0] = count < 0 ? 0 : count;
    for (int i = 0; i < A::rank; ++i) to.extent[i + 1] = a.shape().extent[i];
    return broadcast_to(a, to);
}

/// Reduces the slices of each group.
template <class Reduced, class A, class G>
auto reduced_by_group(const char* function, const Reduced& reduced, const A& a, const G& groups, std::int64_t count) {
    const auto mine = is_in_group<A::rank>(function, groups, count, a.shape().extent[0]);
    return reduced(for_each_group(a, count), mine);
}

}  // namespace detail

/// Sums the slices of axis 0 by group: element k is the sum of the slices whose group is k, for groups 0 .. `count` -
/// 1. Slices with other group numbers are ignored. Dtypes as in sum; an empty group gives 0. Throws unless there is one
/// group number per slice.
template <operand A, operand G>
[[nodiscard]] auto segment_sum(const A& a, const G& groups, std::int64_t count) {
    return detail::reduced_by_group(
        "segment_sum", [](const auto& x, const auto& mine) { return sum(x, detail::static_axes<1>{}, where=mine); },
        a, groups, count);
}
/// Products of the slices by group; an empty group gives 1. See segment_sum.
template <operand A, operand G>
[[nodiscard]] auto segment_prod(const A& a, const G& groups, std::int64_t count) {
    return detail::reduced_by_group(
        "segment_prod", [](const auto& x, const auto& mine) { return prod(x, detail::static_axes<1>{}, where=mine); },
        a, groups, count);
}
/// Means of the slices by group; an empty group gives NaN. Integers give the default float.
template <operand A, operand G>
[[nodiscard]] auto segment_mean(const A& a, const G& groups, std::int64_t count) {
    return detail::reduced_by_group(
        "segment_mean", [](const auto& x, const auto& mine) { return mean(x, detail::static_axes<1>{}, where=mine); },
        a, groups, count);
}
/// Maxima of the slices by group; an empty group gives the dtype's lowest value (-inf for floating types).
template <operand A, operand G>
[[nodiscard]] auto segment_max(const A& a, const G& groups, std::int64_t count) {
    return detail::reduced_by_group(
        "segment_max",
        [](const auto& x, const auto& mine) {
            constexpr auto none = detail::lowest<element_t<computed_in(A::type)>>;
            return max(x, detail::static_axes<1>{}, where=mine, initial=none);
        },
        a, groups, count);
}
/// Minima of the slices by group; an empty group gives the dtype's greatest value (inf for floating types).
template <operand A, operand G>
[[nodiscard]] auto segment_min(const A& a, const G& groups, std::int64_t count) {
    return detail::reduced_by_group(
        "segment_min",
        [](const auto& x, const auto& mine) {
            constexpr auto none = detail::highest<element_t<computed_in(A::type)>>;
            return min(x, detail::static_axes<1>{}, where=mine, initial=none);
        },
        a, groups, count);
}

/// The sums of the weights of the elements equal to 0, 1 ... n - 1: bincount with one weight per element, of rank 1.
template <operand I, operand W>
[[nodiscard]] auto bincount(const I& elements, const W& weights, std::int64_t n) {
    const detail::called_as self(__func__);
    static_assert(I::rank == 1 && W::rank == 1, "sinter: bincount takes one axis: write ravel(x)");
    detail::check_weights("bincount", elements, weights);
    return segment_sum(weights, elements, n);
}

namespace detail {

/// The bin of each element between ascending edges, as histogram has them; for none, a number that is no bin's.
template <class A, class E>
auto bin_between(const A& a, const E& edges) {
    check_histogram<A, E>();
    const std::int64_t bins = edges.shape().extent[0] - 1;
    if (bins < 1) throw_bad_edges(bins + 1);
    constexpr dtype type = edges_dtype(A::type, E::type);
    const auto x = to_dtype<type>(a, "histogram");
    const auto ascending = to_dtype<type>(edges, "histogram");
    const auto bin = searchsorted(ascending, x, side::right) - 1;
    return where(x == ascending(range(-1, end)), bins - 1,
                 bin);  // the last bin has its upper edge; above it and NaN: bins
}

}  // namespace detail

/// The edges of `bins` bins of equal width from the smallest to the greatest element, for histogram(x,
/// histogram_bin_edges(x, 10)). Floating. Throws if there are no elements.
template <operand A>
[[nodiscard]] auto histogram_bin_edges(const A& a, std::int64_t bins) {
    const detail::called_as self(__func__);
    if (bins < 1) detail::throw_bad_edges(bins + 1);
    constexpr dtype type = detail::compute_dtype(dtype_rule::floating, detail::info_of<A>());
    const auto i = detail::to_dtype<type>(detail::index_along<1>(0, bins + 1));
    const auto low = detail::to_dtype<type>(min(a));
    const auto high = detail::to_dtype<type>(max(a));
    const auto from = where(low == high, low - 0.5, low);
    const auto to = where(low == high, high + 0.5, high);
    return where(detail::index_along<1>(0, bins + 1) == bins, to, from + i * ((to - from) / static_cast<double>(bins)));
}

/// The sums of the weights of the elements in each bin between ascending edges; bins as in histogram, sums as in
/// segment_sum. The search for the bins is a launch of its own. Throws unless there is one weight per element.
template <operand A, operand E, operand W>
[[nodiscard]] auto histogram(const A& a, const E& edges, const W& weights) {
    const detail::called_as self(__func__);
    static_assert(W::rank == 1, "sinter: a histogram takes a vector of weights, one per element");
    detail::check_weights("histogram", a, weights);
    return segment_sum(weights, detail::bin_between(a, edges), edges.shape().extent[0] - 1);
}

/// The number of element pairs in each rectangle between x edges and y edges; int64. One step per pair: two searches,
/// and a bincount of the rectangles' numbers.
template <operand A, operand B, operand E, operand F>
[[nodiscard]] auto histogram2d(const A& x, const B& y, const E& edges_x, const F& edges_y) {
    const detail::called_as self(__func__);
    const auto row = detail::bin_between(x, edges_x);
    const auto column = detail::bin_between(y, edges_y);
    const std::int64_t rows = edges_x.shape().extent[0] - 1, columns = edges_y.shape().extent[0] - 1;
    const auto is_column = column >= std::int64_t{0} && column < columns;
    const auto rectangle = where(is_column, row * columns + column, std::int64_t{-1});
    return reshape(bincount(rectangle, rows * columns), shape<2>(rows, columns));
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(segment_sum, "segment_sum(x, groups, count)")
SINTER_DETAIL_USAGE(segment_prod, "segment_prod(x, groups, count)")
SINTER_DETAIL_USAGE(segment_mean, "segment_mean(x, groups, count)")
SINTER_DETAIL_USAGE(segment_max, "segment_max(x, groups, count)")
SINTER_DETAIL_USAGE(segment_min, "segment_min(x, groups, count)")
SINTER_DETAIL_USAGE(histogram_bin_edges, "histogram_bin_edges(x, bins)")
SINTER_DETAIL_USAGE(histogram2d, "histogram2d(x, y, x_edges, y_edges)")

}  // namespace sinter
