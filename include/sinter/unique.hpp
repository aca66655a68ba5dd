// Distinct elements and set operations. The result size depends on the values, so these functions evaluate, wait for
// the count, and return arrays.
//
//     const auto u = unique_all(x);
//     array<float, 1> common = intersect1d(x, y);
#pragma once

#include <sinter/at.hpp>
#include <sinter/create.hpp>
#include <sinter/join.hpp>
#include <sinter/masks.hpp>
#include <sinter/pack.hpp>
#include <sinter/scan.hpp>
#include <sinter/searchsorted.hpp>
#include <sinter/tie.hpp>
#include <sinter/transfer.hpp>

namespace sinter {

/// The result of unique_all. `inverse` follows the operand's row-major order.
template <element_type T>
struct unique_elements {
    array<T, 1> values;              ///< the distinct elements in ascending order
    array<std::int64_t, 1> indices;  ///< the row-major index of each one's first occurrence
    array<std::int64_t, 1> inverse;  ///< for each element of the operand: its index in `values`
    array<std::int64_t, 1> counts;   ///< the number of occurrences of each
};

namespace detail {

/// Whether each element of a sorted array, which is not empty, differs from the one before it. NaNs do not differ.
template <class T>
auto begins_of_runs(const array<T, 1>& sorted) {
    const std::int64_t n = sorted.shape().size();
    const auto here = sorted(range(1, n)), before = sorted(range(0, n - 1));
    const auto same = here == before || (here != here && before != before);
    return concat(full<bool>(sinter::shape<1>(1), true), !same, axis=0);
}

}  // namespace detail

/// The distinct elements of an array of any shape in ascending order, with first occurrences, inverse and counts. NaNs
/// count as one element, as do -0.0 and 0.0. Waits.
template <operand A>
[[nodiscard]] auto unique_all(const A& a) {
    using T = element_t<detail::expr_of<A>::type>;
    unique_elements<T> u;
    const std::int64_t n = a.shape().size();
    if (n == 0) {
        u.values = array<T, 1>(shape<1>(0));
        u.indices = u.inverse = u.counts = array<std::int64_t, 1>(shape<1>(0));
        return u;
    }
    array<T, 1> sorted;
    array<std::int64_t, 1> order;
    const array<T, 1> x = ravel(a);
    tie(sorted, order) = pack(sort(x), argsort(x));
    const auto position = arange<std::int64_t>(n);
    const array<bool, 1> begins = detail::begins_of_runs(sorted);
    const array<std::int64_t, 1> number = cumsum(astype<std::int64_t>(begins), axis=0) - 1;
    const std::int64_t count = item(number(n - 1)) + 1;
    array<std::int64_t, 1> starts = zeros<std::int64_t>(shape<1>(count));
    at(starts, where(begins, number, count)) = position;
    u.values = take(sorted, starts, axis=0);
    u.indices = take(order, starts, axis=0);
    u.inverse = zeros<std::int64_t>(shape<1>(n));
    at(u.inverse, order) = number;
    const auto next = arange<std::int64_t>(count) + 1;
    u.counts = where(next == count, n, take(starts, minimum(next, count - 1), axis=0)) - starts;
    return u;
}

/// The distinct elements of an array of any shape, in ascending order. Waits.
template <operand A>
[[nodiscard]] auto unique(const A& a) {
    using T = element_t<detail::expr_of<A>::type>;
    if (a.shape().size() == 0) return array<T, 1>(shape<1>(0));
    const array<T, 1> sorted = sort(ravel(a));
    return array<T, 1>(extract(detail::begins_of_runs(sorted), sorted));
}

/// unique under the Array API's name.
template <operand A>
[[nodiscard]] auto unique_values(const A& a) {
    return unique(a);
}
/// unique_all under the Array API's name for values and counts.
template <operand A>
[[nodiscard]] auto unique_counts(const A& a) {
    return unique_all(a);
}
/// unique_all under the Array API's name for values and inverse.
template <operand A>
[[nodiscard]] auto unique_inverse(const A& a) {
    return unique_all(a);
}

/// The distinct elements in either array, in ascending order. Waits.
template <operand A, operand B>
[[nodiscard]] auto union1d(const A& a, const B& b) {
    return unique(concat(ravel(a), ravel(b), axis=0));
}

/// The distinct elements in both arrays, in ascending order. Waits.
template <operand A, operand B>
[[nodiscard]] auto intersect1d(const A& a, const B& b) {
    const auto u = unique(a);
    return extract(isin(u, b), u);
}

/// The distinct elements of `a` that are not in `b`, in ascending order. Waits.
template <operand A, operand B>
[[nodiscard]] auto setdiff1d(const A& a, const B& b) {
    const auto u = unique(a);
    return extract(!isin(u, b), u);
}

/// The distinct elements in exactly one of the arrays, in ascending order. Waits.
template <operand A, operand B>
[[nodiscard]] auto setxor1d(const A& a, const B& b) {
    return unique(concat(setdiff1d(a, b), setdiff1d(b, a), axis=0));
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(unique, "unique(x)")
SINTER_DETAIL_USAGE(unique_all, "unique_all(x)")
SINTER_DETAIL_USAGE(unique_values, "unique_values(x)")
SINTER_DETAIL_USAGE(unique_counts, "unique_counts(x)")
SINTER_DETAIL_USAGE(unique_inverse, "unique_inverse(x)")
SINTER_DETAIL_USAGE(union1d, "union1d(x, y)")
SINTER_DETAIL_USAGE(intersect1d, "intersect1d(x, y)")
SINTER_DETAIL_USAGE(setdiff1d, "setdiff1d(x, y)")
SINTER_DETAIL_USAGE(setxor1d, "setxor1d(x, y)")

}  // namespace sinter
