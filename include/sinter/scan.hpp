// Cumulative functions: a reduction row scanned along one axis.
//
//     array<float, 2> c = cumsum(x, axis=1);
//     array<float, 2> s = cumsum(x, axis=1) / sum(x, axis=1, keepdims);     // one kernel
// any reduction, also user-defined
#pragma once

#include <sinter/op/functions.hpp>

namespace sinter {
namespace tree {

/// A scan of a reduction row along one axis: that of `Mask` if `Known`, else given by an integer argument.
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

/// The options of every cumulative function, besides axis=.
template <class T>
concept scan_option = option_among<T, exclusive_tag, reverse_tag>;

template <class Op, class A, class... Options>
auto scan_along(const char* name, A&& a, const Options&... options) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    constexpr bool excludes = has_option<exclusive_tag, Options...>;
    static_assert(
        !keeps_dims<Options...>,
        "sinter: a cumulative function keeps its operand's shape: its options are axis=, exclusive and reverse");
    static_assert(!excludes || Op::row.has_identity,
                  "sinter: exclusive begins with the reduction of no elements, and this function has no value for it "
                  "(cumsum and cumprod have)");
    const auto along = find_axes(without<exclusive_tag, reverse_tag>(options)...);
    using axes = std::remove_const_t<decltype(along)>;
    using set = axes_of<axes, rank>;
    static_assert(!std::is_same_v<axes, all_axes> || rank == 1,
                  "sinter: a cumulative function needs an axis if the operand has several: cumsum(x, axis=0); NumPy's "
                  "flattened result is cumsum(reshape(x, {x.size()}))");
    static_assert(std::is_same_v<axes, all_axes> || set::count == 1,
                  "sinter: a cumulative function works along one axis: cumsum(x, axis=1)");
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

/// The inclusive scan of a reduction along one axis: scan(max, x, axis=1) is cummax(x, axis=1), and scan(bits_of_all,
/// x, axis=0) scans a user-defined reduction. The result has x's shape and the reduction's dtype: sums and products of
/// integers and bool have 64 bits; storage types accumulate in float32 and round once. NaN behaves as in the reduction.
/// Options: axis=, optional for a single axis; exclusive, which excludes each element from its own result (for
/// reductions that have an identity); reverse, which starts at the end of the axis.
template <class Op, operand A, detail::scan_option... Options>
[[nodiscard]] auto scan(const detail::reduction<Op>&, A&& a, const Options&... options) {
    return detail::scan_along<Op>("scan", std::forward<A>(a), options...);
}

/// The sums of the elements up to each one. Options as scan.
template <operand A, detail::scan_option... Options>
[[nodiscard]] auto cumsum(A&& a, const Options&... options) {
    return detail::scan_along<op::sum>("cumsum", std::forward<A>(a), options...);
}

/// The products of the elements up to each one. Options as scan.
template <operand A, detail::scan_option... Options>
[[nodiscard]] auto cumprod(A&& a, const Options&... options) {
    return detail::scan_along<op::prod>("cumprod", std::forward<A>(a), options...);
}

/// The maxima of the elements up to each one; NaN from the first NaN on. Options as scan, without exclusive.
template <operand A, detail::scan_option... Options>
[[nodiscard]] auto cummax(A&& a, const Options&... options) {
    return detail::scan_along<op::max>("cummax", std::forward<A>(a), options...);
}

/// The minima of the elements up to each one; NaN from the first NaN on. Options as scan, without exclusive.
template <operand A, detail::scan_option... Options>
[[nodiscard]] auto cummin(A&& a, const Options&... options) {
    return detail::scan_along<op::min>("cummin", std::forward<A>(a), options...);
}

}  // namespace sinter
