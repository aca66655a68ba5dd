// Divisions of integers by a divisor that all elements of a block have in common, such as `positions % columns`.
#pragma once

#include <codegen/rows/dispatch.hpp>

namespace sinter::codegen {

/// The loop of a row with two operands whose second is one number, repeated: in[1] holds it. It gives what the row's
/// own loop gives. Null if there is none: the table's floor_divide and remainder of integers have one, but not of
/// uint32 and uint64, whose products have more bits than a word.
detail::map_loop division_by_one_number(const op_row& row, dtype type, instruction_set isa);

// Defined by divisions.cpp, once per instruction set.
detail::map_loop division_loop_baseline(bool remainder, dtype type);
detail::map_loop division_loop_v3(bool remainder, dtype type);
detail::map_loop division_loop_v4(bool remainder, dtype type);

}  // namespace sinter::codegen
