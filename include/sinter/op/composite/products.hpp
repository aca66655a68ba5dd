// Sums of products: norms, inner products, weighted means, traces.
#pragma once

#include <sinter/op/composite/statistics.hpp>
#include <sinter/reshape.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_ord(double ord);

}  // namespace detail

/// The norm of the elements over the given axes, of the order ord=: 2 (the root of the sum of squares) if not given,
/// 1_c (the sum of absolute values), inf (the greatest one), or any other p > 0 (the p-th root of the sum of p-th
/// powers). Real; integers and bool give the default float. Options: axis=, keepdims, ord=.
template <operand A, detail::option_among<detail::ord_tag>... Options>
[[nodiscard]] auto norm(const A& a, const Options&... options) {
    using detail::without;
    const auto x = detail::to_dtype<detail::floating_dtype<A>>(a);
    const auto order = detail::option_or<detail::ord_tag>(detail::integral_constant<2>{}, options...);
    using order_type = std::remove_const_t<decltype(order)>;
    if constexpr (std::is_same_v<order_type, detail::infinity_t>) {
        return max(abs(x), without<detail::ord_tag>(options)...);
    } else if constexpr (detail::integral_constant_like<order_type>) {
        static_assert(order_type::value > 0, "sinter: the order of a norm is positive: ord=1_c, ord=2_c, ord=inf ...");
        if constexpr (order_type::value == 1)
            return sum(abs(x), without<detail::ord_tag>(options)...);
        else if constexpr (order_type::value == 2)
            return sqrt(sum(abs2(x), without<detail::ord_tag>(options)...));
        else
            return norm(a, without<detail::ord_tag>(options)..., ord=static_cast<int>(order_type::value));
    } else {
        const auto p = static_cast<double>(order);
        if (!(p > 0) || p - p != 0) detail::throw_bad_ord(p);
        return pow(sum(pow(abs(x), p), without<detail::ord_tag>(options)...), 1 / p);
    }
}

/// The sums of products along an axis, the last one by default; the others broadcast. Options: axis= (one axis).
template <operand A, operand B, detail::option_among<>... Options>
[[nodiscard]] auto vecdot(const A& a, const B& b, const Options&... options) {
    if constexpr (sizeof...(Options) == 0)
        return sum(a * b, axis=-1);
    else
        return sum(a * b, options...);
}

/// The inner product of two vectors. Matrices are multiplied by matmul.
template <operand A, operand B>
[[nodiscard]] auto dot(const A& a, const B& b) {
    static_assert(A::rank == 1 && B::rank == 1, "sinter: dot takes two vectors; matmul multiplies matrices");
    return sum(a * b);
}
/// The same as dot.
template <operand A, operand B>
[[nodiscard]] auto inner(const A& a, const B& b) {
    return dot(a, b);
}

/// The sum of the diagonal of the last two axes; `offset` counts diagonals up and to the right.
template <operand A>
[[nodiscard]] auto trace(A&& a, std::int64_t offset = 0) {
    return sum(diagonal(std::forward<A>(a), offset), axis=detail::integral_constant<-1>{});
}

/// sum(x * weights) / sum(weights) over the given axes; the weights broadcast to x's shape. A vector of weights along
/// an axis that is not the last is w(all, newaxis). Options: axis=, keepdims.
template <operand A, operand W, detail::option_among<>... Options>
[[nodiscard]] auto average(const A& a, const W& weights, const Options&... options) {
    constexpr dtype type = detail::floating_dtype<decltype(a * weights)>;
    const auto w = broadcast_to(detail::to_dtype<type>(weights), a.shape());
    return sum(a * w, options...) / sum(w, options...);
}
/// Without weights it is the mean.
template <operand A, class... Options>
    requires(!operand<Options> && ...)
[[nodiscard]] auto average(const A& a, const Options&... options) {
    return mean(a, options...);
}

}  // namespace sinter
