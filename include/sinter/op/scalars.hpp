// The op table's functions for C++ scalars: abs(-1.5) is 1.5, maximum(1, 2.5f) a float. The dtype follows the row's
// rule, and the value equals an array's on the host bit for bit: rows without <cmath> functions use their tokens, the
// others the host's loops.
//
// Without them `using namespace sinter; abs(-1.5)` would call C's int abs. Overloads with exact types, such as C's
// double sqrt(double), and the user's templates take precedence, because these are templates of packs.
#pragma once

#include <sinter/number/arithmetic.hpp>
#include <sinter/op/functions.hpp>

namespace sinter::detail {

/// out = row(in[0], in[1], in[2]) by the host's loop for the dtype that the row computes in.
void compute_on_host(const op_row& row, dtype type, void* out, const void* const* in);

/// Whether a row takes scalars alone. Functions that return complex parts are in op/complex.hpp.
template <class Op, class... A>
concept row_of_scalars =
    sizeof...(A) == Op::row.arity && (scalar<A> && ...) && Op::row.rule != dtype_rule::part &&
    Op::row.rule != dtype_rule::complex_ && !(refuses_complex(Op::row.rule) && (is_complex(scalar_dtype<A>) || ...));

/// Whether a row's tokens compute without <cmath>, and without signed overflow that only the loops define.
constexpr bool is_inline(dtype_rule rule, dtype type) {
    if (is_complex(type) || rule == dtype_rule::floating || rule == dtype_rule::analytic) return false;
    return (rule != dtype_rule::field && rule != dtype_rule::ring) || is_floating(type);
}

/// The result of a row for scalars. `Tokens` are its own, or void if only its loops are available.
template <class Op, class Tokens, class... A>
constexpr auto of_scalars(const A&... a) {
    constexpr operand_info operands[] = {info_of<A>()...};
    constexpr dtype common = compute_dtype(Op::row.rule, operands), type = computed_in(common);
    constexpr bool computes = computes_in(Op::row.rule, type);
    static_assert(computes,
                  "sinter: this function takes no operands of this kind (bools, or floating numbers in a function of "
                  "integers): convert them first");
    if constexpr (computes) {
        using T = element_t<type>;
        const T in[] = {scalar_value<type>(number_of_scalar(a))..., T(), T()};
        using R = element_t<result_of(Op::row.rule, common)>;
        if constexpr (!std::is_void_v<Tokens> && is_inline(Op::row.rule, type)) {
            return static_cast<R>(Tokens::template call<T>(in[0], in[1], in[2]));
        } else {
            element_t<result_of(Op::row.rule, type)> out{};
            const void* const at[] = {&in[0], &in[1], &in[2]};
            compute_on_host(Op::row, type, &out, at);
            return static_cast<R>(out);
        }
    }
}

}  // namespace sinter::detail

/// A scalar overload next to the array function.
#define SINTER_DETAIL_OF_SCALARS(name, op, tokens)             \
    template <class... A>                                      \
        requires(::sinter::detail::row_of_scalars<op, A...>)   \
    [[nodiscard]] constexpr auto name(A... a) {                \
        return ::sinter::detail::of_scalars<op, tokens>(a...); \
    }

#define SINTER_DETAIL_BY_LOOPS(name, ...) SINTER_DETAIL_OF_SCALARS(name, op::name, void)
#define SINTER_DETAIL_BY_TOKENS(name, ...)                                                             \
    namespace detail::tokens {                                                                         \
    struct name##_tokens {                                                                             \
        template <class T>                                                                             \
        static constexpr auto call([[maybe_unused]] T x, [[maybe_unused]] T y, [[maybe_unused]] T z) { \
            using namespace ::sinter::detail::number;                                                  \
            return __VA_ARGS__;                                                                        \
        }                                                                                              \
    };                                                                                                 \
    }                                                                                                  \
    SINTER_DETAIL_OF_SCALARS(name, op::name, detail::tokens::name##_tokens)
#define SINTER_DETAIL_SCALARS_same SINTER_DETAIL_BY_TOKENS
#define SINTER_DETAIL_SCALARS_numeric SINTER_DETAIL_BY_TOKENS
#define SINTER_DETAIL_SCALARS_field SINTER_DETAIL_BY_TOKENS
#define SINTER_DETAIL_SCALARS_ring SINTER_DETAIL_BY_TOKENS
#define SINTER_DETAIL_SCALARS_floating SINTER_DETAIL_BY_LOOPS
#define SINTER_DETAIL_SCALARS_analytic SINTER_DETAIL_BY_LOOPS
#define SINTER_DETAIL_SCALARS_compare SINTER_DETAIL_BY_TOKENS
#define SINTER_DETAIL_SCALARS_equality SINTER_DETAIL_BY_TOKENS
#define SINTER_DETAIL_SCALARS_logical SINTER_DETAIL_BY_TOKENS
#define SINTER_DETAIL_SCALARS_integral SINTER_DETAIL_BY_TOKENS
#define SINTER_DETAIL_SCALARS_integer SINTER_DETAIL_BY_TOKENS
#define SINTER_DETAIL_SCALARS_to_bits SINTER_DETAIL_BY_TOKENS
#define SINTER_DETAIL_SCALARS_of_bits SINTER_DETAIL_BY_TOKENS
#define SINTER_DETAIL_SCALARS_select(...)
#define SINTER_DETAIL_SCALARS_part(...)
#define SINTER_DETAIL_SCALARS_complex_(...)

#define SINTER_ROW_UNARY(name, rule, ...) SINTER_DETAIL_SCALARS_##rule(name, __VA_ARGS__)
#define SINTER_ROW_BINARY(name, rule, ...) SINTER_DETAIL_SCALARS_##rule(name, __VA_ARGS__)
#define SINTER_ROW_TERNARY(name, rule, ...) SINTER_DETAIL_SCALARS_##rule(name, __VA_ARGS__)
#define SINTER_ROW_PREFIX(name, symbol, rule, ...)
#define SINTER_ROW_INFIX(name, symbol, rule, ...)
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...)

namespace sinter {
#include <sinter/op/table.def>

// NumPy's function names for operators.
SINTER_DETAIL_OF_SCALARS(negative, op::negative, void)
SINTER_DETAIL_OF_SCALARS(remainder, op::remainder, void)
SINTER_DETAIL_OF_SCALARS(logical_and, op::logical_and, void)
SINTER_DETAIL_OF_SCALARS(logical_or, op::logical_or, void)
SINTER_DETAIL_OF_SCALARS(logical_not, op::logical_not, void)
}  // namespace sinter
