// Steps that make arrays of their own, of the shapes at which a kernel is shared by several blocks.
#pragma once

#include <tests/fuzz/grow.hpp>

namespace sinter::fuzz {

int step_stencil(grower& g);           ///< an array beside itself a few rows and columns apart, over long rows
int step_long_rows(grower& g);         ///< x op reduction(x), once or twice, along a few long rows
int step_long_columns(grower& g);      ///< the same down a few long columns
int step_rows_and_columns(grower& g);  ///< x op reduction(x) along rows, often a result too, and its columns reduced
int step_long_scan(grower& g);         ///< scans along long rows or columns
int step_large_transpose(grower& g);   ///< x op transpose(y), also in extents that wide accesses need

}  // namespace sinter::fuzz
