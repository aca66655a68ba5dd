// Sums of products: inner products, weighted means, traces.
#pragma once

#include <sinter/contract.hpp>
#include <sinter/op/composite/statistics.hpp>
#include <sinter/reshape.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_vecdot(const char* function, const std::int64_t* a, int rank_a, const std::int64_t* b,
                                   int rank_b);

/// The sums of products along common axes of equal extents.
template <class A, class B, class... Options>
auto products_along(const char* name, const A& a, const B& b, const Options&... options) {
    constexpr int rank = A::rank > B::rank ? A::rank : B::rank;
    constexpr operand_info operands[] = {info_of<A>(), info_of<B>()};
    constexpr dtype type = common_dtype(operands, 0);
    const std::uint32_t mask = mask_of<rank>(name, options...);
    const auto of_a = a.shape();
    const auto of_b = b.shape();
    for (int i = 1; i <= rank; ++i) {
        const bool both = i <= A::rank && i <= B::rank && of_a.extent[A::rank - i] == of_b.extent[B::rank - i];
        if (mask >> (rank - i) & 1 && !both) throw_bad_vecdot(name, of_a.extent, A::rank, of_b.extent, B::rank);
    }
    return sum_of_products<type>(to_dtype<type>(a), to_dtype<type>(b), options...);
}

/// Broadcasts weights to an operand of rank `Rank`: with as many axes as are named, they run along those.
template <int Rank, class W, int Count>
auto weights_along(const W& weights, const runtime_axes<Count>& axes) {
    if constexpr (W::rank == Count && W::rank < Rank) {
        (void)axis_mask("average", axes, Rank);
        int to[Count];
        for (int i = 0; i < Count; ++i) to[i] = axes.value[i] < 0 ? axes.value[i] + Rank : axes.value[i];
        return spread<Rank>(weights, to);
    } else {
        return expr_of<const W&>(as_expr(weights));
    }
}
template <int Rank, class W, int... Axis>
auto weights_along(const W& weights, static_axes<Axis...> axes) {
    return weights_along<Rank>(weights, runtime_axes<static_cast<int>(sizeof...(Axis))>(axes));
}
template <int Rank, class W>
auto weights_along(const W& weights, all_axes) {
    return expr_of<const W&>(as_expr(weights));
}

}  // namespace detail

/// The inner products of vectors along an axis (default: last); the other axes broadcast. The first operand is
/// conjugated if complex, as in NumPy and the Array API; dot and matmul do not conjugate. The dtype is the common one:
/// integers wrap around; for bools the result is whether any pair is true. Throws if the extents along the axis differ.
/// Options: axis= (one axis of the broadcast result), keepdims.
template <operand A, operand B, detail::option_among<>... Options>
[[nodiscard]] auto vecdot(const A& a, const B& b, const Options&... options) {
    static_assert(A::rank > 0 && B::rank > 0,
                  "sinter: vecdot takes operands of at least one axis; multiply numbers with *");
    if constexpr (A::rank > 0 && B::rank > 0) {
        constexpr bool named =
            !std::is_same_v<std::remove_const_t<decltype(detail::find_axes(options...))>, detail::all_axes>;
        if constexpr (named)
            return detail::products_along("vecdot", conj(a), b, options...);
        else
            return detail::products_along("vecdot", conj(a), b, detail::static_axes<-1>{}, options...);
    }
}

/// The inner product of two vectors in one kernel: matmul(a, b). The dtype is the common one, as in vecdot; nothing is
/// conjugated. For matrices use matmul.
template <operand A, operand B>
[[nodiscard]] auto dot(const A& a, const B& b) {
    static_assert(A::rank == 1 && B::rank == 1, "sinter: dot takes two vectors; for matrices write matmul(a, b)");
    if constexpr (A::rank == 1 && B::rank == 1) return detail::products_along("dot", a, b);
}
/// An alias of dot.
template <operand A, operand B>
[[nodiscard]] auto inner(const A& a, const B& b) {
    static_assert(A::rank == 1 && B::rank == 1,
                  "sinter: inner takes two vectors; for matrices write matmul(a, transpose(b)), for more axes einsum");
    if constexpr (A::rank == 1 && B::rank == 1) return detail::products_along("inner", a, b);
}

/// The sum of the diagonal of the last two axes; `offset` moves the diagonal up and right.
template <operand A>
[[nodiscard]] auto trace(A&& a, std::int64_t offset = 0) {
    return sum(diagonal(std::forward<A>(a), offset), axis=detail::integral_constant<-1>{});
}

/// sum(x * weights) / sum(weights) over the given axes; NaN if the weights sum to 0 (NumPy throws). Weights with one
/// axis per named axis run along those, as in NumPy: average(x, w, axis=0) uses w[i] for row i. Otherwise they
/// broadcast to x's shape. Options: axis=, keepdims.
template <operand A, operand W, detail::option_among<>... Options>
[[nodiscard]] auto average(const A& a, const W& weights, const Options&... options) {
    const detail::called_as self(__func__);
    constexpr dtype type = detail::floating_dtype<decltype(a * weights)>;
    const auto along = detail::weights_along<A::rank>(weights, detail::find_axes(options...));
    const auto w = broadcast_to(detail::to_dtype<type>(along), a.shape());
    const auto total = sum(w, options...);
    return sum(a * w, options...) / where(total == 0, std::numeric_limits<double>::quiet_NaN(), total);
}
/// Without weights: the mean.
template <operand A, class... Options>
    requires(!operand<Options> && ...)
[[nodiscard]] auto average(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return mean(a, options...);
}

}  // namespace sinter
