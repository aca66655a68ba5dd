// Selection by masks, where the data determine the element count: x(mask), nonzero, argwhere, compress, extract. With a
// given size the result is a lazy expression that fuses; without one it is an array, and the host waits for its size.
//
// Such an array is stored while its elements are counted, in memory for as many elements as the mask has. It keeps
// this memory if it fills at least a third of it, and is copied otherwise. Where there is not that much memory, the
// elements are counted first.
#pragma once

#include <sinter/assign.hpp>
#include <sinter/chosen.hpp>
#include <sinter/generate.hpp>
#include <sinter/pack.hpp>
#include <sinter/tie.hpp>

#include <array>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_mask_length(const char* function, std::int64_t mask, std::int64_t extent, int axis);

/// Whether each element is nonzero.
template <class A>
auto truth(const A& a) {
    if constexpr (A::type == dtype::bool_)
        return a;
    else
        return a != element_t<A::type>(0);
}

/// The index along one axis for row-major positions; the axis's extent for positions past the last element.
template <int Rank, class P>
auto index_of_position(const P& position, const shape<Rank>& of, int axis) {
    std::int64_t below = 1;
    for (int a = axis + 1; a < Rank; ++a) below *= of.extent[a];
    const std::int64_t extent = of.extent[axis];
    return where(position < of.size(), floor_divide(position, below > 0 ? below : 1) % (extent > 0 ? extent : 1),
                 extent);
}

/// Where the repetitions of each element end, and how many there are.
struct repetitions {
    array<std::int64_t, 1> ends;
    std::int64_t total = 0;
};

/// Negative counts are treated as 0. Throws if the sum exceeds an int64.
template <class I>
repetitions repetitions_of(const I& counts) {
    const auto used = [&] {
        if constexpr (I::type == dtype::uint64)
            return to_dtype<dtype::int64>(minimum(counts, std::uint64_t{max_int64}));
        else
            return maximum(to_dtype<dtype::int64>(counts), 0);
    }();
    repetitions all{cumsum(used)};
    if (all.ends.size() == 0) return all;
    std::int64_t least = 0;
    tie(all.total, least) = pack(max(all.ends), min(all.ends));
    if (least < 0) {  // the first sum that wraps around is negative, as both of its terms are below 2^63
        std::int64_t sum = 0;
        for (const std::int64_t count : to_host(used)) sum = checked_sum("repeat", sum, count);
    }
    return all;
}

template <class A>
void check_mask_length(const char* function, const shape<1>& mask, const A& a, int axis) {
    const std::int64_t extent = a.shape().extent[axis];
    if (mask.extent[0] != extent) throw_bad_mask_length(function, mask.extent[0], extent, axis);
}

}  // namespace detail

/// The indices of the nonzero elements, in row-major order, as one int64 array per axis: auto [i, j] = nonzero(x > 0).
/// Evaluates, and waits for the count.
template <operand A>
[[nodiscard]] auto nonzero(const A& a) {
    static_assert(A::rank > 0, "sinter: an operand of rank 0 has no indices: at least one axis is needed");
    array<std::int64_t, 1> position = detail::all_trues(detail::truth(a));
    std::array<array<std::int64_t, 1>, A::rank> indices;
    if constexpr (A::rank == 1)
        indices[0] = std::move(position);
    else
        for (int i = 0; i < A::rank; ++i)
            indices[static_cast<std::size_t>(i)] = detail::index_of_position(position, a.shape(), i);
    return indices;
}
/// The first `size` of them, as expressions, without waiting. If there are fewer, the rest is filled with the axes'
/// extents, at which scatters write nothing. The cost is four searches per index, each with (number of elements)^(1/4)
/// comparisons; nonzero(x) takes one step per element.
template <operand A>
[[nodiscard]] auto nonzero(const A& a, std::int64_t size) {
    static_assert(A::rank > 0, "sinter: an operand of rank 0 has no indices: at least one axis is needed");
    if (size < 0) detail::throw_bad_count("nonzero", size);
    const auto position = detail::first_trues(ravel(detail::truth(a)), size);
    using index = decltype(detail::index_of_position(position, a.shape(), 0));
    std::array<index, A::rank> indices;
    for (int i = 0; i < A::rank; ++i)
        indices[static_cast<std::size_t>(i)] = detail::index_of_position(position, a.shape(), i);
    return indices;
}

/// As one matrix, with one row per nonzero element. Evaluates, and waits for the count.
template <operand A>
[[nodiscard]] array<std::int64_t, 2> argwhere(const A& a) {
    static_assert(A::rank > 0, "sinter: an operand of rank 0 has no indices: at least one axis is needed");
    const auto indices = nonzero(a);
    array<std::int64_t, 2> rows(shape<2>(indices[0].size(), A::rank));
    for (int i = 0; i < A::rank; ++i) rows(all, i) = indices[static_cast<std::size_t>(i)];
    return rows;
}
/// The row-major positions of the nonzero elements. Evaluates, and waits for the count.
template <operand A>
[[nodiscard]] array<std::int64_t, 1> flatnonzero(const A& a) {
    return detail::all_trues(detail::truth(a));
}

/// The elements where a mask of the same shape is true, in row-major order, as a vector. Evaluates, and waits for the
/// count; reductions take where=mask instead, without waiting.
template <operand M, operand A>
[[nodiscard]] auto extract(const M& mask, const A& a) {
    static_assert(M::rank == A::rank, "sinter: a mask must have the shape of the array it selects from");
    detail::check_mask("extract", detail::as_expr(mask), a.shape());
    return detail::elements_where(detail::as_expr(mask), detail::as_expr(a));
}
/// The first `size` of them, as an expression, without waiting. If there are fewer, the rest is filled with
/// `otherwise`. The cost is that of nonzero with a size.
template <operand M, operand A, detail::scalar V = element_t<A::type>>
[[nodiscard]] auto extract(const M& mask, const A& a, std::int64_t size, V otherwise = {}) {
    static_assert(M::rank == A::rank, "sinter: a mask must have the shape of the array it selects from");
    detail::check_mask("extract", detail::as_expr(mask), a.shape());
    if (size < 0) detail::throw_bad_count("extract", size);
    if constexpr (promote_weak(detail::scalar_dtype<V>, A::type) == A::type)
        (void)detail::scalar_value<A::type>(detail::number_of_scalar(otherwise), "extract");
    return detail::elements_or(a, detail::first_trues(ravel(broadcast_to(mask, a.shape())), size), otherwise);
}

/// The slices along one axis where a one-axis mask is true: compress(x(all, 0) > 0, x, axis=0) selects the rows that
/// begin with a positive number. Evaluates, and waits for the count. Throws unless the mask is as long as the axis.
template <operand M, operand A>
[[nodiscard]] auto compress(const M& mask, const A& a, detail::runtime_axes<1> which) {
    static_assert(M::rank == 1 && M::type == dtype::bool_, "sinter: the mask of compress must be a vector of bools");
    detail::check_mask_length("compress", mask.shape(), a,
                              __builtin_ctz(detail::axis_mask("compress", which, A::rank)));
    using result = array<element_t<A::type>, A::rank>;
    if constexpr (A::rank == 1) {
        return detail::elements_where(detail::as_expr(mask), detail::as_expr(a));
    } else {
        const array<std::int64_t, 1> position = detail::all_trues(mask);
        if (position.size() > 0) return result(take(a, position, which));
        shape<A::rank> none = a.shape();
        none.extent[__builtin_ctz(detail::axis_mask("compress", which, A::rank))] = 0;
        return result(none);
    }
}
/// The first `size` of them, as an expression, without waiting. If there are fewer, the last slice fills the rest. The
/// cost is that of nonzero with a size. Throws if the axis has no elements.
template <operand M, operand A>
[[nodiscard]] auto compress(const M& mask, const A& a, std::int64_t size, detail::runtime_axes<1> which) {
    static_assert(M::rank == 1 && M::type == dtype::bool_, "sinter: the mask of compress must be a vector of bools");
    detail::check_mask_length("compress", mask.shape(), a,
                              __builtin_ctz(detail::axis_mask("compress", which, A::rank)));
    if (size < 0) detail::throw_bad_count("compress", size);
    const std::int64_t extent = mask.shape().extent[0];
    return take(a, minimum(detail::first_trues(mask, size), extent > 0 ? extent - 1 : 0), which);
}

/// Repeats each slice along one axis by its own count: repeat(x, counts, axis=0), or repeat(x, counts) for a vector.
/// Evaluates, and waits for the sum of the counts. Negative counts are treated as 0. Throws for a sum above 2^63 - 1.
template <operand A, operand I>
[[nodiscard]] auto repeat(A&& a, I counts, detail::runtime_axes<1> which) {
    static_assert(I::rank == 1 && is_integer(I::type), "sinter: repeat takes a count, or a vector of integers");
    constexpr int rank = std::remove_cvref_t<A>::rank;
    const int chosen = __builtin_ctz(detail::axis_mask("repeat", which, rank));
    detail::check_mask_length("repeat", counts.shape(), a, chosen);
    const auto [ends, total] = detail::repetitions_of(counts);
    using result = array<element_t<std::remove_cvref_t<A>::type>, rank>;
    if (total > 0) return result(take(a, detail::count_not_above(ends, detail::index_along<1>(0, total)), which));
    shape<rank> none = a.shape();
    none.extent[chosen] = 0;
    return result(none);
}
template <operand A, operand I>
[[nodiscard]] auto repeat(A&& a, I counts) {
    return repeat(ravel(std::forward<A>(a)), counts, axis=0);
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(nonzero, "nonzero(x > 0)")
SINTER_DETAIL_USAGE(argwhere, "argwhere(x > 0)")
SINTER_DETAIL_USAGE(flatnonzero, "flatnonzero(x > 0)")
SINTER_DETAIL_USAGE(extract, "extract(x > 0, x)")
SINTER_DETAIL_USAGE(compress, "compress(mask, x, axis=0)")

}  // namespace sinter
