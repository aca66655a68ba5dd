// Scatter as expressions: put(x, indices, values) and scatter_add(x, indices, values). Each result element searches the
// indices for its own, so the result does not depend on execution order, and scatters fuse.
#pragma once

#include <sinter/generate.hpp>
#include <sinter/slice.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_values(const char* function, const std::int64_t* values, int values_rank,
                                   const std::int64_t* places, int rank);

/// Normalises an index for an axis of y elements: negative ones count from the end. Out of range: no element.
SINTER_BINARY(index_from_end, integral, x < T(0) ? x + y : x)

/// The same for uint64, of which int64 does not hold the largest values. Out of range: y.
SINTER_BINARY(index_from_end_unsigned, integral, x < y ? x : y)

/// The elements that indices name along an axis of this extent; out of range: -1 or less, or the extent or more.
template <operand I>
auto indices_from_end(I&& indices, std::int64_t extent) {
    if constexpr (expr_of<I>::type == dtype::uint64)
        return to_dtype<dtype::int64>(index_from_end_unsigned(std::forward<I>(indices), extent));
    else
        return index_from_end(to_dtype<dtype::int64>(std::forward<I>(indices)), extent);
}

/// Among `Rank` axes: whether the index at a position along `axis + 1` equals the element's index along `axis`.
template <int Rank, class Index>
auto names_element(int axis, std::int64_t extent, Index&& indices) {
    const int along[] = {axis + 1};
    auto named = indices_from_end(std::forward<Index>(indices), extent);
    return index_along<Rank>(axis, extent) == spread<Rank>(std::move(named), along);
}

/// The axis of the indices, which follows the chosen one, as a reduction option; a constant if it must be one.
template <int Rank>
constexpr auto index_axis_of(int chosen) {
    if constexpr (Rank == 2)
        return static_axes<1>{};
    else
        return runtime_axes<1>{{chosen + 1}};
}

/// The common checks for scatters along an axis of `A`.
template <class A, class I, class V>
constexpr void check_scatter() {
    using index = expr_of<I>;
    static_assert(A::rank > 0, "sinter: there is no axis to write along: the operand has rank 0");
    static_assert(A::rank < max_rank, "sinter: writing at indices takes operands of at most 7 axes");
    static_assert(index::rank == 1,
                  "sinter: the indices of put and scatter_add must have one axis: write ravel(indices)");
    static_assert(is_integer(index::type), "sinter: indices must have an integer dtype: write astype<int>(i)");
    static_assert(
        assignable(A::type, info_of<V>().type),
        "sinter: values do not convert to a lower kind (bool < integer < floating < complex): write astype<T>(...)");
}

/// One value per index: broadcast to the target's shape, with the axis as long as the indices.
template <dtype D, int Rank, class V>
auto values_at(const char* function, const shape<Rank>& of, int axis, std::int64_t count, V&& values) {
    shape<Rank> places = of;
    places.extent[axis] = count;
    if constexpr (operand<V>) {
        constexpr int rank = std::remove_cvref_t<V>::rank;
        static_assert(rank <= Rank, "sinter: the values have more axes than the operand that they are written to");
        const shape<rank> from = values.shape();
        for (int a = 0; a < rank; ++a)
            if (const std::int64_t to = places.extent[Rank - rank + a]; from.extent[a] != 1 && from.extent[a] != to)
                throw_bad_values(function, from.extent, rank, places.extent, Rank);
    }
    return broadcast_to(to_dtype<D>(std::forward<V>(values), function), places);
}

}  // namespace detail

/// `a` with the elements at `indices` along one axis replaced: put(a, i, v)(i[k]) is v(k). Values broadcast to the
/// shape of take(a, indices, axis), and convert as in an assignment. Of equal indices the last one wins, as in NumPy. A
/// negative index counts from the end; an index out of range writes nothing (take, by contrast, must return a value).
/// The indices have one axis and any integer dtype.
///
/// One kernel without sorting: each element along the axis searches all indices, which costs extent times indices
/// comparisons and suits short index lists and short axes. at(a, indices) = values, which writes in place, takes about
/// one step per value.
template <operand A, operand I, operand_or_scalar V>
[[nodiscard]] auto put(const A& a, const I& indices, const V& values, detail::runtime_axes<1> which) {
    detail::check_scatter<A, I, V>();
    const int chosen = __builtin_ctz(detail::axis_mask("put", which, A::rank));
    const shape<A::rank> to = a.shape();
    const std::int64_t extent = to.extent[chosen], count = indices.shape().extent[0];
    const auto v = detail::values_at<A::type>("put", to, chosen, count, values);

    // position among the indices of the last one that names this element; -1 if none does
    constexpr int wide = A::rank + 1;
    const auto found = detail::names_element<wide>(chosen, extent, indices);
    const auto place = where(found, detail::index_along<wide>(chosen + 1, count), std::int64_t{-1});
    const auto last = max(place, detail::index_axis_of<wide>(chosen), initial=-1);
    return where(last >= std::int64_t{0}, detail::along(v, chosen, extent, maximum(last, std::int64_t{0})), a);
}

/// `a` with values added at `indices` along one axis; repeated indices add repeatedly. Indices, values and axis as in
/// put. Sums accumulate in the accumulator's dtype, as in sum, and convert to a's; their order is fixed, so results are
/// bit-for-bit reproducible.
///
/// One kernel, with extent times indices steps per element of the other axes: suits short index lists and short axes.
/// at(a, indices) += values, which writes in place, takes about one step per value.
template <operand A, operand I, operand_or_scalar V>
[[nodiscard]] auto scatter_add(const A& a, const I& indices, const V& values, detail::runtime_axes<1> which) {
    detail::check_scatter<A, I, V>();
    static_assert(A::type != dtype::bool_,
                  "sinter: bools cannot be added: convert them to an integer dtype by astype<T>(...)");
    using T = element_t<A::type>;
    const int chosen = __builtin_ctz(detail::axis_mask("scatter_add", which, A::rank));
    const shape<A::rank> to = a.shape();
    const std::int64_t extent = to.extent[chosen], count = indices.shape().extent[0];
    const auto v = detail::with_axis(detail::values_at<A::type>("scatter_add", to, chosen, count, values), chosen);
    constexpr int wide = A::rank + 1;
    const auto found = detail::names_element<wide>(chosen, extent, indices);
    return detail::to_dtype<A::type>(a + sum(where(found, v, T(0)), detail::index_axis_of<wide>(chosen)));
}

/// As above for an operand of rank 1.
template <operand A, operand I, operand_or_scalar V>
[[nodiscard]] auto put(const A& a, const I& indices, const V& values) {
    static_assert(A::rank == 1, "sinter: put needs an axis for an operand of several axes: put(x, i, v, axis=0)");
    return put(a, indices, values, axis=0);
}
template <operand A, operand I, operand_or_scalar V>
[[nodiscard]] auto scatter_add(const A& a, const I& indices, const V& values) {
    static_assert(A::rank == 1,
                  "sinter: scatter_add needs an axis for an operand of several axes: scatter_add(x, i, v, axis=0)");
    return scatter_add(a, indices, values, axis=0);
}

}  // namespace sinter
