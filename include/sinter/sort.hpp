// Sorting along an axis, in NumPy's order: NaN is last, -0.0 equals 0.0, and complex numbers compare by real parts,
// then by imaginary parts. Stable: equal elements keep their order.
//
//     array<float, 2> sorted = sort(exp(x), axis=1);
//     array<std::int64_t, 2> order = argsort(x, axis=1, descending);
#pragma once

#include <sinter/call.hpp>
#include <sinter/gather.hpp>
#include <sinter/let.hpp>
#include <sinter/options.hpp>
#include <sinter/rearrange.hpp>
#include <sinter/split.hpp>

namespace sinter {
namespace detail {

struct descending_tag {};

/// The options of every sorting function, besides axis=.
template <class T>
concept sort_option = option_among<T, descending_tag>;

/// Result number `Result` of sorting along the axis among the options.
template <int Result, dtype D, class A, class... Options>
auto sort_along(const char* name, A&& a, const Options&... options) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(rank > 0, "sinter: sort takes an array of at least one axis");
    static_assert(!keeps_dims<Options...>,
                  "sinter: a function that sorts keeps its operand's shape: its options are axis= and descending");
    const auto named = find_axes(without<descending_tag>(options)...);
    using axes = std::remove_const_t<decltype(named)>;
    using set = axes_of<axes, rank>;
    static_assert(std::is_same_v<axes, all_axes> || set::count == 1,
                  "sinter: sorting works along one axis: sort(x, axis=1)");
    constexpr bool is_last = std::is_same_v<axes, all_axes> || (set::known && set::mask == 1u << (rank - 1));
    const std::int64_t flags[] = {has_option<descending_tag, Options...>};
    if constexpr (rank == 0) {
        return expr_of<A>(as_expr(std::forward<A>(a)));  // no follow-up errors
    } else if constexpr (is_last) {
        return call_of<calls::sort, Result, D, rank>(flags, std::forward<A>(a));
    } else {
        const int along = __builtin_ctz(mask_of_axes<rank>(name, named));
        return moveaxis(call_of<calls::sort, Result, D, rank>(flags, moveaxis(std::forward<A>(a), along, -1)), -1,
                        along);
    }
}

}  // namespace detail

/// Sorts in descending order, with NaN first.
inline constexpr detail::option<detail::descending_tag, detail::no_value> descending{};

/// The elements sorted in ascending order along an axis (default: last), with the operand's shape and dtype. NaN is
/// last; the sort is stable, also for -0.0 and 0.0. An empty axis is allowed. Sorting is a separate launch; elementwise
/// work before and after fuses into the kernels that produce and consume its data. Differentiable: the gradient is
/// permuted back. Options: axis=; descending.
template <operand A, detail::sort_option... Options>
[[nodiscard]] auto sort(A&& a, const Options&... options) {
    return detail::sort_along<0, detail::expr_of<A>::type>("sort", std::forward<A>(a), options...);
}

/// The indices that sort along an axis: take_along_axis with them gives sort(a). int64. Stable. Options as sort. With
/// sort(a) in the same expression, the array is sorted once.
template <operand A, detail::sort_option... Options>
[[nodiscard]] auto argsort(A&& a, const Options&... options) {
    return detail::sort_along<1, dtype::int64>("argsort", std::forward<A>(a), options...);
}

namespace detail {

[[noreturn]] void throw_bad_topk(const char* function, std::int64_t count, const std::int64_t* extents, int rank,
                                 int axis);
[[noreturn]] void throw_bad_keys(std::int64_t first, std::int64_t other);

/// The axis among the options (default: last).
template <int Rank, class... Options>
int sorted_axis(const char* name, const Options&... options) {
    const auto named = find_axes(options...);
    if constexpr (std::is_same_v<std::remove_const_t<decltype(named)>, all_axes>)
        return Rank - 1;
    else
        return __builtin_ctz(mask_of_axes<Rank>(name, named));
}

/// Result number `Result` of selecting `count` ranks from `first` on along the last axis.
template <int Result, dtype D, class A>
auto selected(A&& a, bool descends, std::int64_t first, std::int64_t count, bool nan_spoils) {
    const std::int64_t integers[] = {descends, first, count, nan_spoils};
    return call_of<calls::select, Result, D, std::remove_cvref_t<A>::rank>(integers, std::forward<A>(a));
}

/// The first `count` elements in descending order along an axis.
template <int Result, dtype D, class A, class... Options>
auto top_of(const char* name, A&& a, std::int64_t count, const Options&... options) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(rank > 0, "sinter: topk takes an array of at least one axis");
    if constexpr (rank == 0) {
        return expr_of<A>(as_expr(std::forward<A>(a)));  // no follow-up errors
    } else {
        const auto named = find_axes(options...);
        const int along = sorted_axis<rank>(name, options...);
        const auto extents = a.shape();
        if (count < 0 || count > extents.extent[along]) throw_bad_topk(name, count, extents.extent, rank, along);
        if constexpr (std::is_same_v<std::remove_const_t<decltype(named)>, all_axes>)
            return selected<Result, D>(std::forward<A>(a), true, 0, count, false);
        else
            return moveaxis(selected<Result, D>(moveaxis(std::forward<A>(a), along, -1), true, 0, count, false), -1,
                            along);
    }
}

/// An order refined by the other keys in turn.
template <class Order>
auto sorted_again(Order&& order) {
    return std::forward<Order>(order);
}
template <class Order, class Key, class... Keys>
auto sorted_again(Order&& order, const Key& key, const Keys&... keys) {
    auto next = let(std::forward<Order>(order),
                    [&](const auto& before) { return take(before, argsort(take(key, before, axis=0)), axis=0); });
    return sorted_again(std::move(next), keys...);
}

}  // namespace detail

/// The `count` greatest elements along an axis (default: last), in descending order; NaN counts as the greatest. The
/// other elements are not sorted. Throws if the axis has fewer. Differentiable: the gradient goes to the selected
/// elements. Options: axis=.
template <operand A, detail::integer N, detail::option_among<>... Options>
[[nodiscard]] auto topk(A&& a, N count, const Options&... options) {
    return detail::top_of<0, detail::expr_of<A>::type>("topk", std::forward<A>(a), detail::as_int64(count), options...);
}

/// The indices of topk's elements along the axis. int64; the first ones of equal elements.
template <operand A, detail::integer N, detail::option_among<>... Options>
[[nodiscard]] auto argtopk(A&& a, N count, const Options&... options) {
    return detail::top_of<1, dtype::int64>("argtopk", std::forward<A>(a), detail::as_int64(count), options...);
}

/// The rank of each element along an axis, from 0: argsort of argsort. The first of equal elements has the lower rank.
/// int64. Options: axis=; descending.
template <operand A, detail::sort_option... Options>
[[nodiscard]] auto rank_of(A&& a, const Options&... options) {
    return argsort(argsort(std::forward<A>(a), options...), detail::without<detail::descending_tag>(options)...);
}

/// The indices that sort by several rank-1 keys, as NumPy's lexsort: the last key is the primary one, and the key
/// before it breaks ties. int64. Each key is sorted by a separate step. Throws unless all keys have one length.
template <operand Key>
[[nodiscard]] auto lexsort(const Key& key) {
    static_assert(Key::rank == 1, "sinter: the keys of lexsort must have one axis");
    return argsort(key);
}
template <operand First, operand... Keys>
[[nodiscard]] auto lexsort(const First& first, const Keys&... keys) {
    static_assert(First::rank == 1 && ((Keys::rank == 1) && ...), "sinter: the keys of lexsort must have one axis");
    const std::int64_t count = first.shape().extent[0];
    for (const std::int64_t other : {keys.shape().extent[0]...})
        if (other != count) detail::throw_bad_keys(count, other);
    return detail::sorted_again(argsort(first), keys...);
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(sort, "sort(x, axis=-1, descending)")
SINTER_DETAIL_USAGE(argsort, "argsort(x, axis=-1, descending)")
SINTER_DETAIL_USAGE(topk, "topk(x, count, axis=-1)")
SINTER_DETAIL_USAGE(argtopk, "argtopk(x, count, axis=-1)")
SINTER_DETAIL_USAGE(rank_of, "rank_of(x, axis=-1)")
SINTER_DETAIL_USAGE(lexsort, "lexsort(first, last)")

}  // namespace sinter
