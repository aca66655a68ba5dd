// Sums of products over named axes: einsum<"ij,jk->ik">(a, b). The subscripts are read by the C++ compiler, and so are
// their mistakes found.
#pragma once

#include <sinter/contract.hpp>
#include <sinter/reduce.hpp>

#include <cstddef>

namespace sinter {
namespace detail {

/// The axes of an operand or of the result, a letter each.
struct axis_letters {
    char at[max_rank] = {};
    int count = 0;

    constexpr bool has(char c) const {
        for (int i = 0; i < count; ++i)
            if (at[i] == c) return true;
        return false;
    }
    constexpr int position(char c) const {
        int i = 0;
        while (at[i] != c) ++i;
        return i;
    }
    constexpr void add(char c) { at[count++] = c; }
    constexpr void add_once(char c) {
        if (!has(c)) add(c);
    }
};

enum class subscript_fault { none, character, too_many, result_repeats, result_unknown };

/// Subscripts taken apart.
struct subscripts {
    static constexpr int most_operands = 8;
    axis_letters operand[most_operands];
    axis_letters result;
    int operands = 1;
    subscript_fault fault = subscript_fault::none;
};

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Without an arrow the result's axes are the letters that occur once, in the order of the alphabet.
constexpr void imply_result(subscripts& s) {
    for (int c = 'A'; c <= 'z'; ++c) {
        int times = 0;
        for (int o = 0; o < s.operands; ++o)
            for (int i = 0; i < s.operand[o].count; ++i) times += s.operand[o].at[i] == c;
        if (times == 1 && s.result.count == max_rank) s.fault = subscript_fault::too_many;
        if (times == 1 && s.result.count < max_rank) s.result.add(static_cast<char>(c));
    }
}

constexpr subscripts parse_subscripts(const char* text) {
    subscripts s;
    axis_letters* to = &s.operand[0];
    for (; *text != 0 && s.fault == subscript_fault::none; ++text) {
        if (*text == ' ') continue;
        if (*text == ',' && to != &s.result && s.operands < subscripts::most_operands) {
            to = &s.operand[s.operands++];
        } else if (*text == '-' && text[1] == '>' && to != &s.result) {
            to = &s.result;
            ++text;
        } else if (!is_letter(*text)) {
            s.fault = subscript_fault::character;
        } else if (to->count == max_rank) {
            s.fault = subscript_fault::too_many;
        } else {
            if (to == &s.result && to->has(*text)) s.fault = subscript_fault::result_repeats;
            to->add(*text);
        }
    }
    if (to != &s.result) imply_result(s);
    for (int i = 0; i < s.result.count; ++i) {
        bool known = false;
        for (int o = 0; o < s.operands; ++o) known = known || s.operand[o].has(s.result.at[i]);
        if (!known && s.fault == subscript_fault::none) s.fault = subscript_fault::result_unknown;
    }
    return s;
}

/// Subscripts as a template argument.
template <std::size_t N>
struct subscript_text {
    char characters[N] = {};
    consteval subscript_text(const char (&text)[N]) {
        for (std::size_t i = 0; i < N; ++i) characters[i] = text[i];
    }
};

[[noreturn]] void throw_bad_einsum(const char* function, char axis, std::int64_t one, std::int64_t other);

/// Throws unless axes of one letter have one extent.
template <int Rank>
void check_extents(const axis_letters& letters, const shape<Rank>& extents, std::int64_t (&known)[128]) {
    for (int i = 0; i < Rank; ++i) {
        std::int64_t& extent = known[static_cast<int>(letters.at[i])];
        if (extent >= 0 && extent != extents.extent[i])
            throw_bad_einsum("einsum", letters.at[i], extent, extents.extent[i]);
        extent = extents.extent[i];
    }
}

/// The axes of an operand in the order that somebody else has.
struct axis_places {
    int at[max_rank] = {};
    constexpr axis_places(const axis_letters& own, const axis_letters& order) {
        for (int i = 0; i < own.count; ++i) at[i] = order.position(own.at[i]);
    }
};

/// The axes of the loops that make a result: its own, then those of an operand that it has not.
constexpr axis_letters loop_letters(axis_letters result, const axis_letters& operand) {
    for (int i = 0; i < operand.count; ++i) result.add_once(operand.at[i]);
    return result;
}

/// One operand: its axes in the result's order, those that the result has not summed.
template <axis_letters From, axis_letters To, class E>
auto summed_alone(E&& e) {
    constexpr axis_letters loops = loop_letters(To, From);
    constexpr axis_places places(From, loops);
    constexpr int sums = loops.count - To.count;
    auto seen = spread<loops.count>(std::forward<E>(e), places.at);
    if constexpr (sums == 0)
        return seen;
    else
        return to_dtype<std::remove_cvref_t<E>::type>(reduce<op::sum>(std::move(seen), last_axes<loops.count, sums>()));
}

/// The letters of one operand of which the other or the result has some: in order, without repetition.
constexpr axis_letters needed(const axis_letters& of, const axis_letters& other, const axis_letters& result) {
    axis_letters kept;
    for (int i = 0; i < of.count; ++i)
        if (other.has(of.at[i]) || result.has(of.at[i])) kept.add_once(of.at[i]);
    return kept;
}

/// Whether one operand has an axis that the other has not.
constexpr bool has_own(const axis_letters& of, const axis_letters& other) {
    for (int i = 0; i < of.count; ++i)
        if (!other.has(of.at[i])) return true;
    return false;
}

constexpr bool same(const axis_letters& a, const axis_letters& b) {
    for (int i = 0; i < a.count || i < b.count; ++i)
        if (i >= a.count || i >= b.count || a.at[i] != b.at[i]) return false;
    return true;
}

template <axis_letters From, axis_letters To, class E>
auto reduced_to(E&& e) {
    if constexpr (same(From, To))
        return std::remove_cvref_t<E>(std::forward<E>(e));
    else
        return summed_alone<From, To>(std::forward<E>(e));
}

/// Two operands without repeated axes, whose axes are the other's or the result's.
template <axis_letters A, axis_letters B, axis_letters To, class E, class F>
auto contract_letters(E&& a, F&& b) {
    constexpr axis_letters loops = loop_letters(To, A);
    constexpr int sums = loops.count - To.count;
    constexpr bool is_product = sums > 0 && has_own(A, B) && has_own(B, A);
    constexpr axis_places of_a(A, loops), of_b(B, loops);
    return contract < To.count, sums,
           is_product ? ir::product::exact
                      : ir::product::none > (std::forward<E>(a), of_a.at, std::forward<F>(b), of_b.at);
}

/// The axes that operands from `next` on and the result still need of the product of two.
constexpr axis_letters between(const subscripts& s, const axis_letters& a, const axis_letters& b, int next) {
    axis_letters kept;
    const auto add = [&](const axis_letters& of) {
        for (int i = 0; i < of.count; ++i) {
            bool wanted = s.result.has(of.at[i]);
            for (int o = next; o < s.operands; ++o) wanted = wanted || s.operand[o].has(of.at[i]);
            if (wanted) kept.add_once(of.at[i]);
        }
    };
    add(a);
    add(b);
    return kept;
}

/// `a`, which has axes A, times the operands from number Next on: two at a time, from left to right.
template <subscripts S, axis_letters A, int Next, class E, class F, class... Rest>
auto contract_all(E&& a, F&& b, Rest&&... rest) {
    constexpr axis_letters B = S.operand[Next];
    constexpr axis_letters to = sizeof...(Rest) == 0 ? S.result : between(S, A, B, Next + 1);
    constexpr axis_letters kept_a = needed(A, B, to), kept_b = needed(B, A, to);
    auto both = contract_letters<kept_a, kept_b, to>(reduced_to<A, kept_a>(std::forward<E>(a)),
                                                     reduced_to<B, kept_b>(std::forward<F>(b)));
    if constexpr (sizeof...(Rest) == 0)
        return both;
    else
        return contract_all<S, to, Next + 1>(std::move(both), std::forward<Rest>(rest)...);
}

template <subscripts S, int... Rank>
constexpr bool ranks_fit() {
    int o = 0;
    bool good = true;
    ((good = good && S.operand[o++].count == Rank), ...);
    return good;
}

}  // namespace detail

/// Einstein's sum, as NumPy's einsum: a letter an axis of each operand, einsum<"ij,jk->ik">(a, b) being matmul(a, b).
/// Axes with one letter go together, and those that the result does not name are summed; a letter twice in one operand
/// is its diagonal; without "->" the result has the letters that occur once, in the order of the alphabet. Two operands
/// that both have axes of their own beside summed ones make a product, as matmul does; all else fuses. Of several
/// operands the first two are multiplied first, and so on. Axes of one letter have equal extents, or it throws.
template <detail::subscript_text Text, operand... Operands>
    requires(sizeof...(Operands) > 0)
[[nodiscard]] auto einsum(Operands&&... operands) {
    using fault = detail::subscript_fault;
    constexpr detail::subscripts s = detail::parse_subscripts(Text.characters);
    static_assert(
        s.fault != fault::character,
        "sinter: subscripts are letters, with commas between operands and -> before the result: \"ij,jk->ik\"");
    static_assert(s.fault != fault::too_many, "sinter: an operand or result of einsum has at most 8 axes");
    static_assert(s.fault != fault::result_repeats, "sinter: einsum's result names an axis twice");
    static_assert(s.fault != fault::result_unknown, "sinter: einsum's result names an axis that no operand has");
    if constexpr (s.fault == fault::none) {
        constexpr bool counted = s.operands == sizeof...(Operands);
        static_assert(counted,
                      "sinter: einsum takes as many operands as its subscripts name, with commas between them");
        if constexpr (counted) {
            constexpr bool fits = detail::ranks_fit<s, std::remove_cvref_t<Operands>::rank...>();
            static_assert(fits, "sinter: einsum needs one letter for each axis of an operand");
            if constexpr (fits) {
                std::int64_t known[128];
                for (std::int64_t& extent : known) extent = -1;
                int o = 0;
                (detail::check_extents(s.operand[o++], operands.shape(), known), ...);
                if constexpr (s.operands == 1)
                    return (
                        detail::summed_alone<s.operand[0], s.result>(detail::as_expr(std::forward<Operands>(operands))),
                        ...);
                else
                    return detail::contract_all<s, s.operand[0], 1>(
                        detail::as_expr(std::forward<Operands>(operands))...);
            }
        }
    }
}

namespace detail {

// How einsum is called, to who calls it otherwise.
template <subscript_text Text>
nothing einsum(...) {
    static_assert(
        never<integral_constant<sizeof(Text)>>,
        "sinter: einsum is written einsum<\"ij,jk->ik\">(x, y), of arrays and expressions; from_host(v) makes "
        "an array of a container");
    return {};
}
SINTER_DETAIL_USAGE(einsum, "einsum<\"ij,jk->ik\">(x, y), with the subscripts in angle brackets")

}  // namespace detail

using detail::einsum;

}  // namespace sinter
