// Counts: bincount of integers, histogram of elements between edges. Each is a separate launch that reads every element
// once.
//
//     array<std::int64_t, 1> heights = histogram(x, histogram_bin_edges(x, 256));
#pragma once

#include <sinter/call.hpp>
#include <sinter/compare.hpp>
#include <sinter/generate.hpp>
#include <sinter/slice.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_edges(std::int64_t count);

/// The dtype in which elements are compared with edges. Where no integer dtype holds both it is float64, as in NumPy.
constexpr dtype edges_dtype(dtype elements, dtype edges) {
    if (signed_beside_uint64(elements, edges) || signed_beside_uint64(edges, elements)) return dtype::float64;
    return comparing_arrays(elements, edges);
}

/// Whether an operand is elements, and another one the edges, of a histogram; refuses what is not.
template <class A, class E>
constexpr void check_histogram() {
    static_assert(A::rank == 1, "sinter: histogram takes one axis: write ravel(x)");
    static_assert(E::rank == 1, "sinter: the edges of a histogram must have one axis");
    static_assert(!is_complex(A::type) && !is_complex(E::type),
                  "sinter: a histogram takes real elements and edges: complex numbers have no order");
}

}  // namespace detail

/// How often each of 0, 1 ... n - 1 is among the elements, as int64. Others are not counted: neither negative ones, for
/// which NumPy throws, nor those from n on. The elements have one axis and any integer dtype. One launch, or two where
/// several blocks count together; what the elements are computed of is stored first. Throws for n < 0.
///
/// A block counts up to 8192 bins in shared memory; more bins are counted by atomics on global memory.
template <operand I>
[[nodiscard]] auto bincount(const I& elements, std::int64_t n) {
    static_assert(is_integer(I::type), "sinter: bincount counts integers: write astype<int>(x)");
    static_assert(I::rank == 1, "sinter: bincount takes one axis: write ravel(x)");
    if (n < 0) detail::throw_bad_count("bincount", n);
    const std::int64_t integers[] = {n};
    (void)detail::checked_size("bincount", integers, 1, sizeof(std::int64_t));
    return detail::call_of<detail::calls::bincount, 0, dtype::int64, 1>(integers, elements);
}

/// How many elements lie between neighbouring `edges`, which ascend: edge(i) <= x < edge(i + 1), and for the last two
/// x == edge(i + 1), too, as in NumPy; as int64. NaN lies nowhere. Elements and edges are compared in the dtype that
/// they have together. Launches as bincount's. Edges that do not ascend give any counts; fewer than two throw.
///
/// Up to 2048 bins, the edges lie in shared memory, and most elements find theirs by one multiplication, whatever the
/// widths of the bins (number/bins.hpp); of more bins, by a binary search.
template <operand A, operand E>
[[nodiscard]] auto histogram(const A& a, const E& edges) {
    detail::check_histogram<A, E>();
    if (edges.shape().extent[0] < 2) detail::throw_bad_edges(edges.shape().extent[0]);
    constexpr dtype type = detail::edges_dtype(A::type, E::type);
    return detail::call_of<detail::calls::histogram, 0, dtype::int64, 1>(
        nullptr, detail::to_dtype<type>(a, "histogram"), detail::to_dtype<type>(edges, "histogram"));
}

}  // namespace sinter
