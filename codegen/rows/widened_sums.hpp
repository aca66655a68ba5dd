// Sums of bools and short integers that are widened while they are added, rather than stored as wide ones before.
#pragma once

#include <codegen/rows/dispatch.hpp>

namespace sinter::codegen {

/// The fold of elements of `from` by a sum: the table's into 64 bits, or one that narrow_index_types has put in its
/// place into 32. Null if there is none.
detail::fold_loop widened_sum_of(const op_row& row, dtype accumulator, dtype from, instruction_set isa);

// Defined by widened_sums.cpp, once per instruction set.
detail::fold_loop widened_sum_loop_baseline(dtype accumulator, dtype from);
detail::fold_loop widened_sum_loop_v3(dtype accumulator, dtype from);
detail::fold_loop widened_sum_loop_v4(dtype accumulator, dtype from);

}  // namespace sinter::codegen
