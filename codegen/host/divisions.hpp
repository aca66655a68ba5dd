// Divisions of integers by a divisor that all elements of a block have in common, such as `positions % columns`.
#pragma once

#include <codegen/rows/dispatch.hpp>

namespace sinter::codegen::blocked {

/// The loop of a row with two operands whose second is one number, repeated: in[1] holds it. It gives what the row's
/// own loop gives. Null if there is none: the table's floor_divide and remainder of int32 and int64 have one.
detail::map_loop division_by_one_number(const op_row& row, dtype type);

}  // namespace sinter::codegen::blocked
