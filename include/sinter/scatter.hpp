// Writing at computed places: put(x, indices, values) and scatter_add(x, indices, values). Expressions like any other:
// an element of the result looks for its place among the indices, so that what order things happen in makes no
// difference, and they fuse.
#pragma once

#include <sinter/generate.hpp>
#include <sinter/slice.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_values(const char* function, const std::int64_t* values, int values_rank,
                                   const std::int64_t* places, int rank);
[[noreturn]] void throw_bad_edges(std::int64_t count);

/// An index as an element of an axis of y elements: counted from the end if it is negative. Beyond the axis, none.
SINTER_BINARY(index_from_end, integral, x < T(0) ? x + y : x)

/// Among `Rank` axes: whether the index that stands at a place along `axis + 1` names the element along `axis`.
template <int Rank, class Index>
auto names_element(int axis, std::int64_t extent, Index&& indices) {
    const int along[] = {axis + 1};
    auto named = index_from_end(to_dtype<dtype::int64>(std::forward<Index>(indices)), extent);
    return index_along<Rank>(axis, extent) == spread<Rank>(std::move(named), along);
}

/// The axis behind the chosen one, that of the indices, as an option of a reduction; a constant where it must be one.
template <int Rank>
constexpr auto index_axis_of(int chosen) {
    if constexpr (Rank == 2)
        return static_axes<1>{};
    else
        return runtime_axes<1>{{chosen + 1}};
}

/// The checks that writing at places along an axis of `A` takes, whatever is done there.
template <class A, class I, class V>
constexpr void check_scatter() {
    using index = expr_of<I>;
    static_assert(A::rank > 0, "sinter: there is no axis to write along: the operand has rank 0");
    static_assert(A::rank < max_rank, "sinter: writing at places takes operands of at most 7 axes");
    static_assert(index::rank == 1, "sinter: the indices of put and scatter_add have one axis: say ravel(indices)");
    static_assert(is_integer(index::type), "sinter: indices are of an integer dtype: astype<int>");
    static_assert(assignable(A::type, info_of<V>().type),
                  "sinter: values convert within a kind and upwards (bool, integer, floating), not down: say "
                  "astype<T>(...) to convert");
}

/// The values, one for each index: broadcast to the shape of what they are for, with the axis as long as the indices.
template <dtype D, int Rank, class V>
auto values_at(const char* function, const shape<Rank>& of, int axis, std::int64_t count, V&& values) {
    shape<Rank> places = of;
    places.extent[axis] = count;
    if constexpr (operand<V>) {
        constexpr int rank = std::remove_cvref_t<V>::rank;
        static_assert(rank <= Rank, "sinter: the values have more axes than what they are written to");
        const shape<rank> from = values.shape();
        for (int a = 0; a < rank; ++a)
            if (const std::int64_t to = places.extent[Rank - rank + a]; from.extent[a] != 1 && from.extent[a] != to)
                throw_bad_values(function, from.extent, rank, places.extent, Rank);
    }
    return broadcast_to(to_dtype<D>(std::forward<V>(values), function), places);
}

}  // namespace detail

/// `a` with the elements at `indices` along one axis replaced: put(a, i, v)(i[k]) is v(k). The values broadcast to the
/// shape that take(a, indices, axis) has, and convert as in an assignment. An index that comes twice: the last one
/// counts, as in NumPy. A negative index counts from the end; one beyond the axis writes nothing, unlike take, which
/// must give something. The indices have one axis and any integer dtype.
///
/// One kernel, and nothing is sorted: each element along the axis looks for itself among all the indices. That is
/// extent times indices comparisons: good for short lists and for short axes. at(a, indices) = values,
/// which writes in place, takes about as many steps as there are values.
template <operand A, operand I, operand_or_scalar V>
[[nodiscard]] auto put(const A& a, const I& indices, const V& values, detail::runtime_axes<1> which) {
    detail::check_scatter<A, I, V>();
    const int chosen = __builtin_ctz(detail::axis_mask("put", which, A::rank));
    const shape<A::rank> to = a.shape();
    const std::int64_t extent = to.extent[chosen], count = indices.shape().extent[0];
    const auto v = detail::values_at<A::type>("put", to, chosen, count, values);

    // the place among the indices of the last one that names an element; -1 for none
    constexpr int wide = A::rank + 1;
    const auto found = detail::names_element<wide>(chosen, extent, indices);
    const auto place = where(found, detail::index_along<wide>(chosen + 1, count), std::int64_t{-1});
    const auto last = max(place, detail::index_axis_of<wide>(chosen), initial=-1);
    return where(last >= std::int64_t{0}, detail::along(v, chosen, extent, maximum(last, std::int64_t{0})), a);
}

/// `a` with the values added to the elements at `indices` along one axis; an index that comes twice adds twice.
/// Indices, values and axis are those of put. The sum is made in the accumulator's dtype, as by sum, and converted to
/// a's; its order is fixed, so that the bits are the same every time.
///
/// One kernel of extent times indices steps, for each element of the other axes: good for short lists and short axes.
/// at(a, indices) += values, which writes in place, takes about as many steps as there are values.
template <operand A, operand I, operand_or_scalar V>
[[nodiscard]] auto scatter_add(const A& a, const I& indices, const V& values, detail::runtime_axes<1> which) {
    detail::check_scatter<A, I, V>();
    static_assert(A::type != dtype::bool_, "sinter: bools do not add up: convert to an integer by astype<T>(...)");
    using T = element_t<A::type>;
    const int chosen = __builtin_ctz(detail::axis_mask("scatter_add", which, A::rank));
    const shape<A::rank> to = a.shape();
    const std::int64_t extent = to.extent[chosen], count = indices.shape().extent[0];
    const auto v = detail::with_axis(detail::values_at<A::type>("scatter_add", to, chosen, count, values), chosen);
    constexpr int wide = A::rank + 1;
    const auto found = detail::names_element<wide>(chosen, extent, indices);
    return detail::to_dtype<A::type>(a + sum(where(found, v, T(0)), detail::index_axis_of<wide>(chosen)));
}

/// The same of an operand of rank 1.
template <operand A, operand I, operand_or_scalar V>
[[nodiscard]] auto put(const A& a, const I& indices, const V& values) {
    static_assert(A::rank == 1, "sinter: put into an operand of several axes needs the axis: put(x, i, v, axis=0)");
    return put(a, indices, values, axis=0);
}
template <operand A, operand I, operand_or_scalar V>
[[nodiscard]] auto scatter_add(const A& a, const I& indices, const V& values) {
    static_assert(A::rank == 1,
                  "sinter: scatter_add to an operand of several axes needs the axis: scatter_add(x, i, v, axis=0)");
    return scatter_add(a, indices, values, axis=0);
}

/// How often each of 0, 1 ... n - 1 is among the elements, as int64. Others are not counted. One kernel, of n times as
/// many comparisons as there are elements.
template <operand I>
[[nodiscard]] auto bincount(const I& elements, std::int64_t n) {
    static_assert(is_integer(I::type), "sinter: bincount counts integers: astype<int>");
    static_assert(I::rank == 1, "sinter: bincount takes one axis: say ravel(x)");
    if (n < 0) detail::throw_bad_count("bincount", n);
    const auto number = detail::index_along<2>(0, n);
    return sum(detail::to_dtype<dtype::int64>(detail::with_axis(elements, 0)) == number,
               axis=detail::integral_constant<1>{});
}

/// How many elements lie between neighbouring `edges`, which ascend: edge(i) <= x < edge(i + 1), and for the last two
/// x == edge(i + 1), too, as in NumPy; as int64. One kernel, of as many comparisons as there are elements times edges.
template <operand A, operand E>
[[nodiscard]] auto histogram(const A& a, const E& edges) {
    static_assert(A::rank == 1, "sinter: histogram takes one axis: say ravel(x)");
    static_assert(E::rank == 1, "sinter: the edges of a histogram have one axis");
    const std::int64_t bins = edges.shape().extent[0] - 1;
    if (bins < 1) detail::throw_bad_edges(bins + 1);
    const auto low = detail::with_axis(edges(range(0, -1)), 1), high = detail::with_axis(edges(range(1, end)), 1);
    const auto is_last = detail::index_along<2>(0, bins) == bins - 1;
    const auto x = detail::with_axis(a, 0);
    return sum(x >= low && (x < high || (is_last && x == high)), axis=detail::integral_constant<1>{});
}

}  // namespace sinter
