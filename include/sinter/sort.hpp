// Sorting along an axis. The order is NumPy's: NaN is last, -0.0 equals 0.0, and complex numbers are compared by their
// real parts, then by their imaginary ones. Equal elements keep their order.
//
//     array<float, 2> sorted = sort(exp(x), axis=1);
//     array<std::int64_t, 2> order = argsort(x, axis=1, descending);
#pragma once

#include <sinter/call.hpp>
#include <sinter/gather.hpp>
#include <sinter/let.hpp>
#include <sinter/options.hpp>

namespace sinter {
namespace detail {

struct descending_tag {};

/// What every function that sorts takes, besides axis=.
template <class T>
concept sort_option = option_among<T, descending_tag>;

/// The operand with one axis after all others.
template <operand A>
auto with_axis_last(A&& a, int axis) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    int to[rank];
    for (int source = 0; source < rank; ++source)
        to[source] = source < axis ? source : source == axis ? rank - 1 : source - 1;
    return spread<rank>(std::forward<A>(a), to);
}

/// The operand with its last axis where with_axis_last took it from.
template <operand A>
auto with_axis_back(A&& a, int axis) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    int to[rank];
    for (int source = 0; source < rank; ++source)
        to[source] = source == rank - 1 ? axis : source < axis ? source : source + 1;
    return spread<rank>(std::forward<A>(a), to);
}

/// Result number `Result` of sorting along the axis among the options.
template <int Result, dtype D, class A, class... Options>
auto sort_along(const char* name, A&& a, const Options&... options) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(rank > 0, "sinter: a single number is sorted already: sort takes an array of at least one axis");
    static_assert(!keeps_dims<Options...>,
                  "sinter: a function that sorts has the shape of its operand: it takes axis= and descending");
    const auto named = find_axes(without<descending_tag>(options)...);
    using axes = std::remove_const_t<decltype(named)>;
    using set = axes_of<axes, rank>;
    static_assert(std::is_same_v<axes, all_axes> || set::count == 1,
                  "sinter: sorting goes along one axis: sort(x, axis=1)");
    constexpr bool is_last = std::is_same_v<axes, all_axes> || (set::known && set::mask == 1u << (rank - 1));
    const std::int64_t flags[] = {has_option<descending_tag, Options...>};
    if constexpr (rank == 0) {
        return expr_of<A>(as_expr(std::forward<A>(a)));  // no further errors after the one above
    } else if constexpr (is_last) {
        return call_of<calls::sort, Result, D, rank>(flags, std::forward<A>(a));
    } else {
        const int along = __builtin_ctz(mask_of_axes<rank>(name, named));
        return with_axis_back(call_of<calls::sort, Result, D, rank>(flags, with_axis_last(std::forward<A>(a), along)),
                              along);
    }
}

}  // namespace detail

/// Lets a function that sorts begin with the greatest element; NaN comes first, then.
inline constexpr detail::option<detail::descending_tag, detail::no_value> descending{};

/// The elements in ascending order along an axis: the last one where none is named. Has the operand's shape and dtype.
/// NaN is last; equal elements, as -0.0 and 0.0, keep their order. An axis without elements stays as it is. What is
/// computed of each element before and after fuses with what else reads and writes it; sorting itself is a launch of
/// its own. Options: axis=; descending. The gradient goes to where each element came from.
template <operand A, detail::sort_option... Options>
[[nodiscard]] auto sort(A&& a, const Options&... options) {
    return detail::sort_along<0, detail::expr_of<A>::type>("sort", std::forward<A>(a), options...);
}

/// The indices along an axis that sort it: take_along_axis of them is sort(a). int64. Equal elements keep their order.
/// Options as sort's. Beside sort(a) in one expression the array is sorted once.
template <operand A, detail::sort_option... Options>
[[nodiscard]] auto argsort(A&& a, const Options&... options) {
    return detail::sort_along<1, dtype::int64>("argsort", std::forward<A>(a), options...);
}

namespace detail {

[[noreturn]] void throw_bad_topk(const char* function, std::int64_t count, const std::int64_t* extents, int rank,
                                 int axis);

/// `count` elements along an axis, from the first one on.
template <operand A>
auto first_along(A&& a, int axis, std::int64_t count) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    auto v = make_view<rank>(std::forward<A>(a));
    for (int source = 0; source < rank; ++source) {
        set_axis(own_integers(v), source, source, 0, 1);
        v.shape_.extent[source] = source == axis ? count : a.shape().extent[source];
    }
    set_extents(v, rank);
    return v;
}

/// The axis that is named among the options, the last one where none is.
template <int Rank, class... Options>
int sorted_axis(const char* name, const Options&... options) {
    const auto named = find_axes(options...);
    if constexpr (std::is_same_v<std::remove_const_t<decltype(named)>, all_axes>)
        return Rank - 1;
    else
        return __builtin_ctz(mask_of_axes<Rank>(name, named));
}

template <class S, class... Options>
auto top_of(const char* name, S&& sorted, std::int64_t count, const Options&... options) {
    constexpr int rank = std::remove_cvref_t<S>::rank;
    const int axis = sorted_axis<rank>(name, options...);
    const auto extents = sorted.shape();
    if (count < 0 || count > extents.extent[axis]) throw_bad_topk(name, count, extents.extent, rank, axis);
    return first_along(std::forward<S>(sorted), axis, count);
}

/// An order, sorted by the other keys in turn.
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

/// The `count` greatest elements along an axis (the last one where none is named), the greatest first; NaN counts as
/// the greatest. Throws where the axis has fewer. Options: axis=.
template <operand A, detail::integer N, detail::option_among<>... Options>
[[nodiscard]] auto topk(A&& a, N count, const Options&... options) {
    return detail::top_of("topk", sort(std::forward<A>(a), options..., descending), count, options...);
}

/// Where the elements of topk are along the axis. int64; of equal elements the first ones.
template <operand A, detail::integer N, detail::option_among<>... Options>
[[nodiscard]] auto argtopk(A&& a, N count, const Options&... options) {
    return detail::top_of("argtopk", argsort(std::forward<A>(a), options..., descending), count, options...);
}

/// The place of each element among those along an axis, from 0: argsort of argsort. Of equal elements the first one has
/// the lower place. int64. Options: axis=; descending.
template <operand A, detail::sort_option... Options>
[[nodiscard]] auto rank_of(A&& a, const Options&... options) {
    return argsort(argsort(std::forward<A>(a), options...), detail::without<detail::descending_tag>(options)...);
}

/// The indices that sort by several keys of one axis, the last key first, as NumPy's lexsort: of elements that are
/// equal in it, the key before decides. int64. Each key is sorted by a step of its own.
template <operand Key>
[[nodiscard]] auto lexsort(const Key& key) {
    static_assert(Key::rank == 1, "sinter: lexsort takes keys of one axis");
    return argsort(key);
}
template <operand First, operand... Keys>
[[nodiscard]] auto lexsort(const First& first, const Keys&... keys) {
    static_assert(First::rank == 1, "sinter: lexsort takes keys of one axis");
    return detail::sorted_again(argsort(first), keys...);
}

}  // namespace sinter
