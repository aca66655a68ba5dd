// Joining operands: concat, stack, pad. Composed of gathers and selections, so they fuse.
#pragma once

#include <sinter/gather.hpp>

#include <initializer_list>
#include <tuple>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_concat(const std::int64_t* first, const std::int64_t* other, int rank, int axis);
[[noreturn]] void throw_bad_stack(const std::int64_t* first, const std::int64_t* other, int rank);
[[noreturn]] void throw_bad_padding(std::int64_t before, std::int64_t after, int axis);

template <int Rank, class A, class... Rest>
auto concat_from(int axis, std::int64_t start, std::int64_t total, A&& first, Rest&&... rest) {
    const auto i = index_along<Rank>(axis, total);
    const std::int64_t n = first.shape().extent[axis];
    // Indices outside this operand's range read its nearest element, whose value is then not selected. The operand
    // keeps its own extent along the other axes, and so does an operand without elements.
    auto mine =
        along(std::forward<A>(first), axis, total, index_of_part(i, fixed_index(start), fixed_index(n > 0 ? n : 1)));
    if constexpr (sizeof...(Rest) == 0) {
        return mine;
    } else {
        auto others = concat_from<Rank>(axis, start + n, total, std::forward<Rest>(rest)...);
        return where(i < fixed_index(start + n), std::move(mine), std::move(others));
    }
}

/// The operands concatenated along an existing axis.
template <class First, class... Rest>
auto concat_along(runtime_axes<1> which, First&& first, Rest&&... rest) {
    constexpr int rank = std::remove_cvref_t<First>::rank;
    const int chosen = __builtin_ctz(axis_mask("concat", which, rank));
    const auto expected = first.shape();
    std::int64_t total = expected.extent[chosen];
    [[maybe_unused]] const auto add = [&](const shape<rank>& other) {
        for (int a = 0; a < rank; ++a)
            if (a != chosen && other.extent[a] != expected.extent[a])
                throw_bad_concat(expected.extent, other.extent, rank, chosen);
        total = checked_sum("concat", total, other.extent[chosen]);
    };
    (add(rest.shape()), ...);
    shape<rank> to = expected;
    to.extent[chosen] = total;
    checked_size("concat", to.extent, rank, bytes_of<First>);
    return concat_from<rank>(chosen, 0, total, std::forward<First>(first), std::forward<Rest>(rest)...);
}

/// An operand to join: unchanged, or a number as a rank-0 operand of the common dtype.
template <dtype D, class A>
decltype(auto) joinable(A&& a) {
    if constexpr (operand<A>)
        return std::forward<A>(a);
    else
        return to_dtype<D>(a, "stack");
}

template <class A>
constexpr int rank_of_joined() {
    if constexpr (operand<A>)
        return std::remove_cvref_t<A>::rank;
    else
        return 0;
}

/// Stacks operands along a new axis.
template <class... In>
auto stack_along(runtime_axes<1> which, In&&... in) {
    constexpr int ranks[] = {rank_of_joined<In>()...}, rank = ranks[0];
    constexpr operand_info operands[] = {info_of<In>()...};
    constexpr dtype common = common_dtype(operands, 0);
    const called_as self("stack");
    const int chosen = __builtin_ctz(axis_mask("stack", which, rank + 1));
    if constexpr (rank > 0) {
        const shape<rank> shapes[] = {in.shape()...};
        for (const shape<rank>& s : shapes)
            if (!(s == shapes[0])) throw_bad_stack(shapes[0].extent, s.extent, rank);
    }
    return concat_along({{chosen}}, with_axis(joinable<common>(std::forward<In>(in)), chosen)...);
}

/// The position of the axes among a join's arguments: 0 first, 1 last, -1 absent.
template <class... Args>
constexpr int axes_position() {
    constexpr bool axes[] = {is_axes<std::remove_cvref_t<Args>>::value...};
    return axes[0] ? 0 : axes[sizeof...(Args) - 1] ? 1 : -1;
}

/// Calls f with the axis (default 0), followed by the operands.
template <class F, class... Args>
auto axes_first(F f, Args&&... args) {
    constexpr int position = axes_position<Args...>();
    if constexpr (position == 0) {
        return f(std::forward<Args>(args)...);
    } else if constexpr (position < 0) {
        return f(runtime_axes<1>{{0}}, std::forward<Args>(args)...);
    } else {
        auto all = std::forward_as_tuple(std::forward<Args>(args)...);
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return f(std::get<sizeof...(I)>(all), std::get<I>(std::move(all))...);
        }(std::make_index_sequence<sizeof...(Args) - 1>());
    }
}

template <class First, class... Rest>
constexpr const auto& first_operand(const First& first, const Rest&... rest) {
    if constexpr (operand<First>)
        return first;
    else
        return first_operand(rest...);
}

/// Whether the arguments are operands of one rank, at least `Least`, optionally with an axis first or last.
template <int Least, class... Args>
constexpr bool can_join() {
    constexpr bool axes[] = {is_axes<std::remove_cvref_t<Args>>::value...};
    constexpr bool known[] = {operand_or_scalar<Args>...};
    constexpr int ranks[] = {rank_of_joined<Args>()...}, last = sizeof...(Args) - 1,
                  position = axes_position<Args...>();
    for (int i = 0; i <= last; ++i) {
        const bool named = position >= 0 && i == position * last;
        const bool fits = known[i] && ranks[i] == ranks[position == 0] && ranks[i] >= Least;
        if (axes[i] ? !named : !fits) return false;
    }
    return true;
}

}  // namespace detail

/// Concatenates operands along an existing axis (default: the first). All other extents must agree; dtypes promote.
/// concat(a, b, c, axis=1), or the axis first.
template <class... Args>
    requires(operand<Args> || ...)
[[nodiscard]] auto concat(Args&&... args) {
    constexpr bool fits = detail::can_join<1, Args...>();
    static_assert(fits,
                  "sinter: concat takes operands of equal rank, at least 1, and an axis by name: concat(x, y, axis=1); "
                  "for numbers write stack(x, y)");
    if constexpr (fits)
        return detail::axes_first([](auto&&... in) { return detail::concat_along(std::forward<decltype(in)>(in)...); },
                                  std::forward<Args>(args)...);
    else
        return detail::expr_of<decltype(detail::first_operand(args...))>();
}
template <class T, int Rank, class... Wrong>
auto concat(std::initializer_list<array<T, Rank>>, const Wrong&...) {
    static_assert(detail::never<T>, "sinter: operands are separate arguments, not a list: concat(x, y, axis=1)");
}

/// Stacks operands of one shape along a new axis (default: the first): stack(a, b) of two vectors has two rows,
/// stack(a, b, axis=-1) two columns. Numbers have rank 0, and are weak next to an operand of that rank.
template <class... Args>
    requires(operand<Args> || ...)
[[nodiscard]] auto stack(Args&&... args) {
    constexpr bool fits = detail::can_join<0, Args...>();
    static_assert(fits,
                  "sinter: stack takes operands of equal rank (a number has rank 0) and an axis by name: stack(x, y, "
                  "axis=1); broadcast_to(2.0, x.shape()) makes an operand from a number");
    if constexpr (fits)
        return detail::axes_first([](auto&&... in) { return detail::stack_along(std::forward<decltype(in)>(in)...); },
                                  std::forward<Args>(args)...);
    else
        return detail::with_axis(detail::expr_of<decltype(detail::first_operand(args...))>(), 0);
}
template <class T, int Rank, class... Wrong>
auto stack(std::initializer_list<array<T, Rank>>, const Wrong&...) {
    static_assert(detail::never<T>, "sinter: operands are separate arguments, not a list: stack(x, y, axis=1)");
}

/// Pads the operand with a value, with one (before, after) pair per axis: pad(x, {{1, 1}, {0, 2}}) adds a row above and
/// below and two columns on the right.
template <operand A, int N, detail::scalar T = element_t<std::remove_cvref_t<A>::type>>
[[nodiscard]] auto pad(A&& a, const detail::any_integer (&widths)[N][2], T value = T()) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(N == rank, "sinter: pad takes one pair {before, after} per axis of the operand");
    constexpr dtype type = std::remove_cvref_t<A>::type;
    if constexpr (promote_weak(detail::scalar_dtype<T>, type) == type)
        (void)detail::scalar_value<type>(detail::number_of_scalar(value), "pad");
    const auto from = a.shape();
    shape<rank> to = from;
    for (int i = 0; i < rank; ++i) {
        const std::int64_t before = detail::as_int64(widths[i][0]), after = detail::as_int64(widths[i][1]);
        if (before < 0 || after < 0) detail::throw_bad_padding(before, after, i);
        to.extent[i] = detail::checked_sum("pad", detail::checked_sum("pad", from.extent[i], before), after);
    }
    detail::checked_size("pad", to.extent, rank, detail::bytes_of<A>);
    const auto pad_axis = [&](auto&& inner, int i) {
        const auto place = detail::index_along<rank>(i, to.extent[i]);
        const auto before = static_cast<std::int64_t>(widths[i][0]), n = from.extent[i];
        const auto first = detail::fixed_index(before);
        auto read = detail::along(std::move(inner), i, to.extent[i],
                                  detail::index_of_part(place, first, detail::fixed_index(n > 0 ? n : 1)));
        return where(place >= first && place < detail::fixed_index(before + n), std::move(read), value);
    };
    const auto pad_from = [&]<int Axis>(const auto& self, auto&& inner, std::integral_constant<int, Axis>) {
        if constexpr (Axis == rank)
            return std::move(inner);
        else
            return self(self, pad_axis(std::move(inner), Axis), std::integral_constant<int, Axis + 1>{});
    };
    return pad_from(pad_from, detail::expr_of<A>(detail::as_expr(std::forward<A>(a))),
                    std::integral_constant<int, 0>{});
}

}  // namespace sinter
