// The numbers of the built-in rows: their positions in the op table.
#pragma once

namespace sinter {

/// The value of op_row::builtin for each row, in the table's order.
enum class builtin_op : int {
#define SINTER_ROW_UNARY(name, rule, ...) name,
#define SINTER_ROW_BINARY(name, rule, ...) name,
#define SINTER_ROW_TERNARY(name, rule, ...) name,
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) name,
#define SINTER_ROW_INFIX(name, symbol, rule, ...) name,
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) name,
#define SINTER_INNER_ROWS
#include <sinter/op/table.def>
    count
};

inline constexpr int builtin_count = static_cast<int>(builtin_op::count);

}  // namespace sinter
