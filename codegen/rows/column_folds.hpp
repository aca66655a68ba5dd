// Folds of columns whose elements are read where they lie, several rows at a time.
#pragma once

#include <codegen/rows/dispatch.hpp>

#include <cstddef>

namespace sinter::codegen {

/// Folds `rows` rows of neighbouring elements, `stride` bytes apart, into one accumulator per column. Elements have the
/// accumulators' dtype, or that of their parts if they are moments.
using column_fold = void (*)(void* to, const void* from, std::size_t columns, std::size_t rows, std::ptrdiff_t stride);
/// The fold of one of the table's reductions with accumulators of `type`. Null if there is none.
column_fold column_fold_of(int builtin, dtype type, instruction_set isa);

// Defined by column_folds.cpp, once per instruction set.
column_fold column_fold_loop_baseline(int builtin, dtype type);
column_fold column_fold_loop_v3(int builtin, dtype type);
column_fold column_fold_loop_v4(int builtin, dtype type);

}  // namespace sinter::codegen
