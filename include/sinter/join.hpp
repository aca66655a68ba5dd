// Several operands as one: concat, stack, pad. Made of reads at computed places and choices, so they fuse.
#pragma once

#include <sinter/gather.hpp>

#include <tuple>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_concat(const std::int64_t* first, const std::int64_t* other, int rank, int axis);
[[noreturn]] void throw_bad_padding(std::int64_t before, std::int64_t after, int axis);

template <int Rank, class A, class... Rest>
auto concat_from(int axis, std::int64_t start, std::int64_t total, A&& first, Rest&&... rest) {
    const auto i = index_along<Rank>(axis, total);
    const std::int64_t n = first.shape().extent[axis];
    // Places outside of this operand's share read its nearest element, whose value is then not chosen. The operand
    // keeps its own extent for the other axes, and so does a read from an operand without elements.
    auto mine =
        along(std::forward<A>(first), axis, total, index_of_part(i, fixed_index(start), fixed_index(n > 0 ? n : 1)));
    if constexpr (sizeof...(Rest) == 0) {
        return mine;
    } else {
        auto others = concat_from<Rank>(axis, start + n, total, std::forward<Rest>(rest)...);
        return where(i < fixed_index(start + n), std::move(mine), std::move(others));
    }
}

}  // namespace detail

/// The operands one after the other along an existing axis; all other extents must agree, dtypes promote.
/// concat(axis=0, a, b, c).
template <operand A, operand... Rest>
[[nodiscard]] auto concat(detail::runtime_axes<1> which, A&& first, Rest&&... rest) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(((std::remove_cvref_t<Rest>::rank == rank) && ...), "sinter: concat joins operands of one rank");
    const int chosen = __builtin_ctz(detail::axis_mask("concat", which, rank));
    const auto expected = first.shape();
    std::int64_t total = expected.extent[chosen];
    const auto add = [&](const shape<rank>& other) {
        for (int a = 0; a < rank; ++a)
            if (a != chosen && other.extent[a] != expected.extent[a])
                detail::throw_bad_concat(expected.extent, other.extent, rank, chosen);
        total = detail::checked_sum("concat", total, other.extent[chosen]);
    };
    (add(rest.shape()), ...);
    shape<rank> to = expected;
    to.extent[chosen] = total;
    detail::checked_size("concat", to.extent, rank, detail::bytes_of<A>);
    return detail::concat_from<rank>(chosen, 0, total, std::forward<A>(first), std::forward<Rest>(rest)...);
}

/// Operands of one shape along a new axis: stack(axis=0, a, b) of two vectors has two rows.
template <operand A, operand... Rest>
[[nodiscard]] auto stack(detail::runtime_axes<1> which, A&& first, Rest&&... rest) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    const int chosen = __builtin_ctz(detail::axis_mask("stack", which, rank + 1));
    return concat(detail::runtime_axes<1>{{chosen}}, detail::with_axis(std::forward<A>(first), chosen),
                  detail::with_axis(std::forward<Rest>(rest), chosen)...);
}

/// The operand with elements of one value before and after it: pad(x, {{1, 1}, {0, 2}}) adds a row above and below and
/// two columns behind; as many pairs as axes.
template <operand A, int N, detail::scalar T = element_t<std::remove_cvref_t<A>::type>>
[[nodiscard]] auto pad(A&& a, const detail::any_integer (&widths)[N][2], T value = T()) {
    constexpr int rank = std::remove_cvref_t<A>::rank;
    static_assert(N == rank, "sinter: pad names {before, after} for every axis of its operand");
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
