// Cumulative functions: a reduction row folded along one axis, up to each element.
//
//     array<float, 2> c = cumsum(x, axis=1);
//     array<float, 2> s = cumsum(x, axis=1) / sum(x, axis=1, keepdims);     // one kernel
//     array<bool, 1> seen = scan(any, x > 3, axis=0);                       // any reduction, also one of your own
#pragma once

#include <sinter/op/functions.hpp>

namespace sinter {
namespace tree {

/// A reduction row folded along one axis: that of `Mask` when `Known`, else an integer argument tells it.
template <class Op, class In, bool Known, std::uint32_t Mask, bool Exclusive, bool Reverse>
struct scan {
    static constexpr dtype type = In::type;
    static constexpr int rank = In::rank;
    static constexpr counts size = In::size + counts{1, 0, 0, Known ? 0 : 1};
    template <class B>
    static constexpr int emit(B& b) {
        const auto in = static_cast<std::int16_t>(In::emit(b));
        ir::node n{.what = ir::kind::scan,
                   .type = type,
                   .rank = rank,
                   .axes_known = Known,
                   .exclusive = Exclusive,
                   .reverse = Reverse,
                   .in = {in, -1, -1},
                   .axes = Mask,
                   .bits = 1,
                   .op = &Op::row};
        if (!Known) n.argument = take(&B::integers, b);
        return b.add(n);
    }
};

}  // namespace tree

namespace detail {

/// What every cumulative function takes, besides axis=.
template <class T>
concept scan_option = option_among<T, exclusive_tag, reverse_tag>;

template <class Op, class A, class... Options>
auto scan_along(const char* name, A&& a, const Options&... options) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    constexpr bool excludes = has_option<exclusive_tag, Options...>;
    static_assert(!keeps_dims<Options...>,
                  "sinter: a cumulative function has the shape of its operand: it takes axis=, exclusive and reverse");
    static_assert(!excludes || Op::row.has_identity,
                  "sinter: exclusive begins with the value of no elements, and this function has none (sum and prod "
                  "have)");
    const auto along = find_axes(without<exclusive_tag, reverse_tag>(options)...);
    using axes = std::remove_const_t<decltype(along)>;
    using set = axes_of<axes, rank>;
    static_assert(!std::is_same_v<axes, all_axes> || rank == 1,
                  "sinter: which axis it goes along must be said, unless there is just one: cumsum(x, axis=0); NumPy's "
                  "flattened result is cumsum(reshape(x, {x.size()}))");
    static_assert(std::is_same_v<axes, all_axes> || set::count == 1,
                  "sinter: a cumulative function goes along one axis: cumsum(x, axis=1)");
    constexpr dtype accumulator = compute_dtype(Op::row.rule, info_of<A>());
    check_kind<Op, accumulator>();

    auto&& operand = to_dtype<accumulator>(std::forward<A>(a));
    using in = typename std::remove_cvref_t<decltype(operand)>::tree_type;
    expr<tree::scan<Op, in, set::known, set::mask, excludes, has_option<reverse_tag, Options...>>> running;
    const std::uint32_t mask = mask_of<rank>(name, along);
    running.shape_ = operand.shape_;
    tree::counts at{};
    running.append(at, std::forward<decltype(operand)>(operand));
    if constexpr (!set::known) running.integers_.item[at.integers] = mask;
    return running;
}

}  // namespace detail

/// A reduction folded along one axis, up to and with each element: scan(max, x, axis=1) is cummax(x, axis=1), and
/// scan(bits_of_all, x, axis=0) a cumulative form of a reduction of your own. The result has the shape of x and the
/// dtype of the reduction: the sum and product of integers and bool have 64 bits, half types are accumulated in float32
/// and rounded once. NaN is as the reduction has it. Options: axis=, which may be left out for a single axis;
/// exclusive, which takes an element's own value out of its result (for reductions of which no elements have a value);
/// reverse, which begins at the end of the axis.
template <class Op, operand A, detail::scan_option... Options>
[[nodiscard]] auto scan(const detail::reduction<Op>&, A&& a, const Options&... options) {
    return detail::scan_along<Op>("scan", std::forward<A>(a), options...);
}

/// The sums of the elements up to each one. Options as scan's.
template <operand A, detail::scan_option... Options>
[[nodiscard]] auto cumsum(A&& a, const Options&... options) {
    return detail::scan_along<op::sum>("cumsum", std::forward<A>(a), options...);
}

/// The products of the elements up to each one. Options as scan's.
template <operand A, detail::scan_option... Options>
[[nodiscard]] auto cumprod(A&& a, const Options&... options) {
    return detail::scan_along<op::prod>("cumprod", std::forward<A>(a), options...);
}

/// The greatest of the elements up to each one; NaN from the first NaN on. Options as scan's, without exclusive.
template <operand A, detail::scan_option... Options>
[[nodiscard]] auto cummax(A&& a, const Options&... options) {
    return detail::scan_along<op::max>("cummax", std::forward<A>(a), options...);
}

/// The least of the elements up to each one; NaN from the first NaN on. Options as scan's, without exclusive.
template <operand A, detail::scan_option... Options>
[[nodiscard]] auto cummin(A&& a, const Options&... options) {
    return detail::scan_along<op::min>("cummin", std::forward<A>(a), options...);
}

}  // namespace sinter
