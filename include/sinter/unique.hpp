// Distinct elements, and arrays as sets. How many there are only their values tell: these functions evaluate, wait for
// the number, and return arrays.
//
//     const auto u = unique_all(x);
//     array<float, 1> common = intersect1d(x, y);
#pragma once

#include <sinter/at.hpp>
#include <sinter/create.hpp>
#include <sinter/join.hpp>
#include <sinter/pack.hpp>
#include <sinter/scan.hpp>
#include <sinter/searchsorted.hpp>
#include <sinter/tie.hpp>
#include <sinter/transfer.hpp>

namespace sinter {

/// What unique_all finds. `inverse` is of the operand's elements in row-major order.
template <element_type T>
struct unique_elements {
    array<T, 1> values;              ///< the distinct elements in ascending order
    array<std::int64_t, 1> indices;  ///< where each of them comes first, in row-major order
    array<std::int64_t, 1> inverse;  ///< for each element of the operand: which of `values` it is
    array<std::int64_t, 1> counts;   ///< how often each of them comes
};

namespace detail {

/// The operand's elements in row-major order.
template <operand A>
auto flattened(const A& a) {
    return reshape(a, shape<1>(a.shape().size()));
}

/// The elements of an expression of one axis of which a mask is true. Waits for their number.
template <class X, class M>
auto chosen(const X& x, const M& mask) {
    using T = element_t<X::type>;
    const array<std::int64_t, 1> behind = cumsum(astype<std::int64_t>(mask), axis=0);
    const std::int64_t n = behind.shape().extent[0];
    const std::int64_t count = n == 0 ? 0 : item(behind(n - 1));
    array<T, 1> all = zeros<T>(shape<1>(count));
    if (count > 0) at(all, where(mask, behind - 1, count)) = x;
    return all;
}

}  // namespace detail

/// The distinct elements of an array of any shape in ascending order, where each comes first, which of them each
/// element is, and how often each comes. NaNs are one element, and so are -0.0 and 0.0. Waits.
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
    const array<T, 1> x = detail::flattened(a);
    tie(sorted, order) = pack(sort(x), argsort(x));
    const auto position = arange<std::int64_t>(n);
    const auto before = take(sorted, maximum(position - 1, 0), axis=0);
    const auto same = sorted == before || (sorted != sorted && before != before);
    const array<bool, 1> begins = position == 0 || !same;
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
    return unique_all(a).values;
}

/// unique, by the name that the array API standard has for it.
template <operand A>
[[nodiscard]] auto unique_values(const A& a) {
    return unique_all(a).values;
}
/// unique_all, by the standard's name for it where values and counts are wanted.
template <operand A>
[[nodiscard]] auto unique_counts(const A& a) {
    return unique_all(a);
}
/// unique_all, by the standard's name for it where values and the inverse are wanted.
template <operand A>
[[nodiscard]] auto unique_inverse(const A& a) {
    return unique_all(a);
}

/// The elements, each once and in ascending order, that are in either array. Waits.
template <operand A, operand B>
[[nodiscard]] auto union1d(const A& a, const B& b) {
    return unique(concat(detail::flattened(a), detail::flattened(b), axis=0));
}

/// The elements, each once and in ascending order, that are in both arrays. Waits.
template <operand A, operand B>
[[nodiscard]] auto intersect1d(const A& a, const B& b) {
    const auto u = unique(a);
    return detail::chosen(u, isin(u, b));
}

/// The elements of `a`, each once and in ascending order, that are not in `b`. Waits.
template <operand A, operand B>
[[nodiscard]] auto setdiff1d(const A& a, const B& b) {
    const auto u = unique(a);
    return detail::chosen(u, !isin(u, b));
}

/// The elements, each once and in ascending order, that are in one of the arrays and not in the other. Waits.
template <operand A, operand B>
[[nodiscard]] auto setxor1d(const A& a, const B& b) {
    return unique(concat(setdiff1d(a, b), setdiff1d(b, a), axis=0));
}

}  // namespace sinter
