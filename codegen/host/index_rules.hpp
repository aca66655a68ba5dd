// Rules of the ops that indices and masks are usually computed with: each gives the result's formula from those of the
// operands. A reader says what formulas are, and decides the comparisons within an op (or remembers that it cannot):
//
//   formula operator+, operator-; a formula from an integer; a product, quotient and remainder, if they are formulas
//   is_less(a, b), is_negative(f), is_zero(f); smaller(a, b) and larger(a, b), which may choose either of equal ones
#pragma once

#include <codegen/transforms/index_rows.hpp>
#include <sinter/gather.hpp>
#include <sinter/op/builtin.hpp>
#include <sinter/sliding_window.hpp>

#include <optional>

namespace sinter::codegen::blocked {

template <class Reader, class Formula = typename Reader::formula>
std::optional<Formula> by_builtin_rule(Reader& r, builtin_op op, const Formula& x, const Formula& y, const Formula& z) {
    switch (op) {
        case builtin_op::add: return x + y;
        case builtin_op::subtract: return x - y;
        case builtin_op::negative: return Formula{} - x;
        case builtin_op::multiply: return r.product(x, y);
        case builtin_op::abs: return r.is_negative(x) ? Formula{} - x : x;
        case builtin_op::maximum: return r.larger(x, y);
        case builtin_op::minimum: return r.smaller(x, y);
        case builtin_op::clip: return r.smaller(r.larger(x, y), z);
        case builtin_op::remainder: return r.remainder(x, y);
        case builtin_op::floor_divide: return r.quotient(x, y);
        case builtin_op::less: return Formula{r.is_less(x, y)};
        case builtin_op::less_equal: return Formula{!r.is_less(y, x)};
        case builtin_op::greater: return Formula{r.is_less(y, x)};
        case builtin_op::greater_equal: return Formula{!r.is_less(x, y)};
        case builtin_op::equal: return Formula{r.is_zero(x - y)};
        case builtin_op::not_equal: return Formula{!r.is_zero(x - y)};
        default: return std::nullopt;
    }
}

template <class Reader, class Formula = typename Reader::formula>
std::optional<Formula> by_index_rule(Reader& r, const op_row* row, const Formula& x, const Formula& y,
                                     const Formula& z) {
    namespace rows = sinter::detail;
    const Formula one{1}, none{};
    if (row == &index_plus || row == &rows::index_in_window_row::row) return x + y;
    if (row == &index_scaled) return r.product(x, y);
    if (row == &index_quotient && !r.is_negative(x)) return r.quotient(x, y);
    if (row == &index_remainder && !r.is_negative(x)) return r.remainder(x, y);
    if (row == &index_clamped) return r.is_less(x, y) ? y : r.smaller(x, z);
    if (row == &rows::index_of_part_row::row) return r.is_less(x, y) ? none : r.smaller(x - y, z - one);
    if (row == &rows::index_rolled_row::row) return r.is_less(x, y) ? x + (z - y) : x - y;
    if (row != &rows::index_within_row::row) return std::nullopt;
    return r.is_less(x, none) ? r.larger(x + y, none) : r.smaller(x, y - one);
}

/// The formula of an op of integers that are not all constant; nothing if the op has no rule.
template <class Reader, class Formula = typename Reader::formula>
std::optional<Formula> by_rule(Reader& r, const op_row& op, const Formula& x, const Formula& y, const Formula& z) {
    return op.builtin >= 0 ? by_builtin_rule(r, static_cast<builtin_op>(op.builtin), x, y, z)
                           : by_index_rule(r, &op, x, y, z);
}

}  // namespace sinter::codegen::blocked
