// Sums of products over named axes: einsum<"ij,jk->ik">(a, b). Subscripts are parsed and checked at compile time.
#pragma once

#include <sinter/contract.hpp>
#include <sinter/reduce.hpp>

#include <cstddef>

namespace sinter {
namespace detail {

/// The axes of an operand or of the result, one letter per axis.
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

/// Parsed subscripts.
struct subscripts {
    static constexpr int max_operands = 8;
    axis_letters operand[max_operands];
    axis_letters result;
    int operands = 1;
    subscript_fault fault = subscript_fault::none;
};

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Without an arrow, the result's axes are the letters that occur once, in alphabetical order.
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
        if (*text == ',' && to != &s.result && s.operands < subscripts::max_operands) {
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

/// Throws unless all axes with the same letter have the same extent.
template <int Rank>
void check_extents(const axis_letters& letters, const shape<Rank>& extents, std::int64_t (&known)[128]) {
    for (int i = 0; i < Rank; ++i) {
        std::int64_t& extent = known[static_cast<int>(letters.at[i])];
        if (extent >= 0 && extent != extents.extent[i])
            throw_bad_einsum("einsum", letters.at[i], extent, extents.extent[i]);
        extent = extents.extent[i];
    }
}

/// The position of each of an operand's axes in another order of letters.
struct axis_places {
    int at[max_rank] = {};
    constexpr axis_places(const axis_letters& own, const axis_letters& order) {
        for (int i = 0; i < own.count; ++i) at[i] = order.position(own.at[i]);
    }
};

/// The loop axes of a result: its own, then the operand's that the result lacks.
constexpr axis_letters loop_letters(axis_letters result, const axis_letters& operand) {
    for (int i = 0; i < operand.count; ++i) result.add_once(operand.at[i]);
    return result;
}

/// A single operand: permuted to the result's axes, with all others summed.
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

/// The letters of one operand that the other operand or the result also has, in order, without repetition.
constexpr axis_letters needed(const axis_letters& of, const axis_letters& other, const axis_letters& result) {
    axis_letters kept;
    for (int i = 0; i < of.count; ++i)
        if (other.has(of.at[i]) || result.has(of.at[i])) kept.add_once(of.at[i]);
    return kept;
}

/// Whether an operand has an axis that the other lacks.
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

/// Contracts two operands without repeated axes, each of whose axes occurs in the other operand or the result.
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

/// The axes of the product of two operands that the result or the operands from `next` on still need.
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

/// Contracts `a`, with axes A, with the operands from number Next on: pairwise, from left to right.
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

/// Einstein summation, as NumPy's einsum: one letter per axis of each operand; einsum<"ij,jk->ik">(a, b) is matmul(a,
/// b). Axes with the same letter are aligned, and those not in the result are summed. A repeated letter in one operand
/// takes its diagonal. Without "->" the result has the letters that occur once, in alphabetical order. Two operands
/// that share summed axes and both have axes of their own form a product, as in matmul; everything else fuses. Several
/// operands are multiplied from left to right. Throws if axes with the same letter differ in extent.
template <detail::subscript_text Text, operand... Operands>
    requires(sizeof...(Operands) > 0)
[[nodiscard]] auto einsum(Operands&&... operands) {
    using fault = detail::subscript_fault;
    constexpr detail::subscripts s = detail::parse_subscripts(Text.characters);
    static_assert(
        s.fault != fault::character,
        "sinter: subscripts are letters, with commas between operands and -> before the result: \"ij,jk->ik\"");
    static_assert(s.fault != fault::too_many, "sinter: an operand or result of einsum has at most 8 axes");
    static_assert(s.fault != fault::result_repeats,
                  "sinter: the result of einsum names an axis twice: name each axis once");
    static_assert(s.fault != fault::result_unknown, "sinter: the result of einsum names an axis that no operand has");
    if constexpr (s.fault == fault::none) {
        constexpr bool counted = s.operands == sizeof...(Operands);
        static_assert(counted,
                      "sinter: einsum takes as many operands as its subscripts name, with commas between them");
        if constexpr (counted) {
            constexpr bool fits = detail::ranks_fit<s, std::remove_cvref_t<Operands>::rank...>();
            static_assert(fits, "sinter: einsum needs one letter per axis of an operand");
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

// Catches invalid calls and explains how to call einsum.
template <subscript_text Text>
nothing einsum(...) {
    static_assert(never<integral_constant<sizeof(Text)>>,
                  "sinter: einsum does not take these arguments: write einsum<\"ij,jk->ik\">(x, y), of arrays and "
                  "expressions; from_host(v) makes an array from a container");
    return {};
}
SINTER_DETAIL_USAGE(einsum, "einsum<\"ij,jk->ik\">(x, y), with the subscripts in angle brackets")

}  // namespace detail

using detail::einsum;

}  // namespace sinter
