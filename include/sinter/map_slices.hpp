// Maps a function of slices over all other axes: NumPy's generalised universal functions, Numba's guvectorize.
//
//     // the nearest of the points (n, d) to each of (m, d), for any batch of such pairs, in one kernel
//     auto least = map_slices<"(m,d),(n,d)->(m)">([](auto x, auto y) {
//         return min(sum(square(x - y), axis=-2_c, keepdims), axis=-1_c);   // the axes are m, d, n: -3, -2, -1
//     }, points, centres);
#pragma once

#include <sinter/einsum.hpp>
#include <sinter/slice.hpp>

namespace sinter {
namespace detail {

/// Parses "(m,n),(n,p)->(m,p)": parentheses enclose an operand's axes.
constexpr subscripts parse_signature(const char* text) {
    subscripts s;
    s.operands = 0;
    axis_letters* to = nullptr;
    bool inside = false, arrow = false, closed = false;
    for (; *text != 0 && s.fault == subscript_fault::none; ++text) {
        if (*text == ' ') continue;
        if (*text == '(' && !inside && (arrow ? !closed : s.operands < subscripts::max_operands)) {
            to = arrow ? &s.result : &s.operand[s.operands++];
            inside = true;
        } else if (*text == ')' && inside) {
            inside = false;
            closed = arrow;
        } else if (*text == '-' && text[1] == '>' && !inside && !arrow && s.operands > 0) {
            arrow = true;
            ++text;
        } else if (is_letter(*text) && inside) {
            if (to->has(*text)) s.fault = subscript_fault::result_repeats;
            if (to->count == max_rank) s.fault = subscript_fault::too_many;
            if (s.fault == subscript_fault::none) to->add(*text);
        } else if (*text != ',') {
            s.fault = subscript_fault::character;
        }
    }
    if (inside || !closed) s.fault = subscript_fault::character;
    for (int i = 0; i < s.result.count; ++i) {
        bool known = false;
        for (int o = 0; o < s.operands; ++o) known = known || s.operand[o].has(s.result.at[i]);
        if (!known && s.fault == subscript_fault::none) s.fault = subscript_fault::result_unknown;
    }
    return s;
}

/// The letters of all operands, in order of first occurrence.
constexpr axis_letters all_letters(const subscripts& s) {
    axis_letters all;
    for (int o = 0; o < s.operands; ++o)
        for (int i = 0; i < s.operand[o].count; ++i)
            if (all.count < max_rank) all.add_once(s.operand[o].at[i]);
    return all;
}

/// The largest number of axes that an operand has before its slices; -1 if an operand lacks slice axes.
template <subscripts S, int... Rank>
constexpr int leading_axes() {
    int o = 0, most = 0;
    const auto meet = [&](int rank) {
        const int leading = rank - S.operand[o++].count;
        most = most < 0 || leading < 0 ? -1 : leading > most ? leading : most;
    };
    (meet(Rank), ...);
    return most;
}

/// The positions of an operand's axes among `batch` leading axes followed by all letters.
struct slice_places {
    int at[max_rank] = {};
    constexpr slice_places(int rank, const axis_letters& own, const axis_letters& all, int batch) {
        const int leading = rank - own.count;
        for (int i = 0; i < rank; ++i)
            at[i] = i < leading ? batch - leading + i : batch + all.position(own.at[i - leading]);
    }
};

template <axis_letters Own, axis_letters All, int Batch, class E>
auto see_slices(E&& e) {
    constexpr slice_places places(std::remove_cvref_t<E>::rank, Own, All, Batch);
    return spread<Batch + All.count>(std::forward<E>(e), places.at);
}

[[noreturn]] void throw_unreduced_slices(char axis, std::int64_t extent);

/// Extracts the axes that the result names, in its order, with the operands' extents, to which extents of 1 broadcast.
/// The others have been reduced or have extent 1.
template <axis_letters All, axis_letters Result, int Batch, class E>
auto result_slices(E&& e, const std::int64_t (&known)[128]) {
    constexpr int rank = std::remove_cvref_t<E>::rank;
    constexpr bool kept = rank == Batch + All.count;
    static_assert(kept || rank == Batch + Result.count,
                  "sinter: the function of map_slices must return all axes of its operands, or those of the result");
    constexpr axis_letters own = kept ? All : needed(All, {}, Result);
    const shape<rank> from = e.shape_;
    auto v = make_view<Batch + Result.count>(std::forward<E>(e));
    for (int i = 0; i < rank; ++i) {
        const bool stays = i < Batch || Result.has(own.at[i - Batch]);
        const int to = !stays ? -1 : i < Batch ? i : Batch + Result.position(own.at[i - Batch]);
        if (!stays && from.extent[i] != 1) throw_unreduced_slices(own.at[i - Batch], from.extent[i]);
        const std::int64_t extent = !stays || i < Batch ? from.extent[i] : known[static_cast<int>(own.at[i - Batch])];
        if (stays && from.extent[i] != extent && from.extent[i] != 1)
            throw_bad_einsum("map_slices", own.at[i - Batch], extent, from.extent[i]);
        const bool stretches = from.extent[i] != extent;
        set_axis(own_integers(v), i, stretches ? -1 : to, 0, stays && !stretches ? 1 : 0);
        if (stays) v.shape_.extent[to] = extent;
    }
    set_extents(v, rank);
    return v;
}

/// Throws unless each axis name has the same extent everywhere.
template <class E>
void check_slices(const axis_letters& letters, const E& e, std::int64_t (&known)[128]) {
    for (int i = 0; i < letters.count; ++i) {
        std::int64_t& extent = known[static_cast<int>(letters.at[i])];
        const std::int64_t own = e.shape().extent[E::rank - letters.count + i];
        if (extent >= 0 && extent != own) throw_bad_einsum("map_slices", letters.at[i], extent, own);
        extent = own;
    }
}

}  // namespace detail

/// Applies a function of slices to all slices at once. The signature names the last axes of each operand, which form a
/// slice, and of the result: "(m,n),(n,p)->(m,p)" for a matrix product, "(n)->()" for a norm. Axes before them
/// broadcast, as in NumPy. `f` is called once, with expressions whose axes are the leading ones, then one per name in
/// order of first occurrence. Counted from the end (axis=-1_c), these do not depend on the number of leading axes. An
/// operand has extent 1 along names that it lacks, so operands combine elementwise. f returns an expression of the same
/// axes (reductions with keepdims), or of the result's alone. Only views and f's own functions are involved, so it
/// fuses like written-out code.
template <detail::subscript_text Signature, class F, operand... Operands>
[[nodiscard]] auto map_slices(F&& f, Operands&&... operands) {
    using fault = detail::subscript_fault;
    constexpr detail::subscripts s = detail::parse_signature(Signature.characters);
    static_assert(s.fault != fault::character && s.fault != fault::too_many,
                  "sinter: the signature of map_slices names axes by letters: \"(m,n),(n,p)->(m,p)\"");
    static_assert(s.fault != fault::result_repeats,
                  "sinter: the signature of map_slices names an axis twice in one operand");
    static_assert(s.fault != fault::result_unknown,
                  "sinter: the signature of map_slices names an axis in the result that no operand has");
    if constexpr (s.fault == fault::none) {
        constexpr bool counted = s.operands == sizeof...(Operands);
        static_assert(counted, "sinter: map_slices takes as many operands as its signature names");
        if constexpr (counted) {
            constexpr detail::axis_letters letters = detail::all_letters(s);
            constexpr int batch = detail::leading_axes<s, std::remove_cvref_t<Operands>::rank...>();
            static_assert(batch >= 0,
                          "sinter: an operand of map_slices has fewer axes than its slices in the signature");
            static_assert(batch + letters.count <= max_rank,
                          "sinter: the slices and leading axes of map_slices together have more than 8 axes");
            if constexpr (batch >= 0 && batch + letters.count <= max_rank) {
                std::int64_t known[128];
                for (std::int64_t& extent : known) extent = -1;
                int o = 0;
                (detail::check_slices(s.operand[o++], operands, known), ...);
                return [&]<std::size_t... I>(std::index_sequence<I...>) {
                    return detail::result_slices<letters, s.result, batch>(
                        detail::as_expr(f(detail::see_slices<s.operand[I], letters, batch>(
                            detail::as_expr(std::forward<Operands>(operands)))...)),
                        known);
                }(std::index_sequence_for<Operands...>());
            }
        }
    }
}

}  // namespace sinter
