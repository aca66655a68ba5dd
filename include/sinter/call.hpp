// Whole-array functions as expression nodes. Each function of call/table.def has its own public header, such as
// sort.hpp; this file holds what they share.
#pragma once

#include <sinter/expr.hpp>

#include <initializer_list>

namespace sinter {

namespace codegen::calls {
#define SINTER_CALL(name, ...) extern const call_implementation name;
#include <sinter/call/table.def>
#undef SINTER_CALL
}  // namespace codegen::calls

namespace tree {

/// Result number `Result` of a whole-array function.
template <const ir::call_row& Row, int Result, dtype D, int Rank, class... In>
struct call {
    static_assert(sizeof...(In) == Row.operands && Row.operands <= ir::max_operands && Result < Row.results);
    static constexpr dtype type = D;
    static constexpr int rank = Rank;
    static constexpr counts size = (In::size + ... + counts{1, 0, 0, Row.integers});
    template <class B>
    static constexpr int emit(B& b) {
        ir::node n{.what = ir::kind::call, .type = D, .rank = Rank, .bits = Result, .callee = &Row};
        int i = 0;
        ((n.in[i++] = static_cast<std::int16_t>(In::emit(b))), ...);
        if (Row.integers > 0) n.argument = take(&B::integers, b, Row.integers);
        return b.add(n);
    }
};

}  // namespace tree

namespace detail {

namespace calls {
#define SINTER_CALL(name, operands, results, integers) \
    inline constexpr ir::call_row name{#name, operands, results, integers, &codegen::calls::name};
#include <sinter/call/table.def>
#undef SINTER_CALL
}  // namespace calls

/// The dtype, rank and extents of an operand of a call.
struct call_operand {
    dtype type;
    int rank;
    const std::int64_t* extents;
};

/// Computes the extents of a call's result by the function's rule. Throws for operands that the function rejects.
void call_extents(const ir::call_row& row, int result, std::initializer_list<call_operand> operands,
                  const std::int64_t* integers, std::int64_t* extents);

/// Result number `Result`, of dtype D and rank `Rank`, of a whole-array function. `integers` has the count given in the
/// row.
template <const ir::call_row& Row, int Result, dtype D, int Rank, operand... A>
auto call_of(const std::int64_t* integers, A&&... operands) {
    expr<tree::call<Row, Result, D, Rank, typename expr_of<A>::tree_type...>> called;
    call_extents(Row, Result, {{expr_of<A>::type, expr_of<A>::rank, operands.shape().extent}...}, integers,
                 called.shape_.extent);
    tree::counts at{};
    (called.append(at, as_expr(std::forward<A>(operands))), ...);
    for (int i = 0; i < Row.integers; ++i) called.integers_.item[at.integers + i] = integers[i];
    return called;
}
}  // namespace detail
}  // namespace sinter
