// Ops of index arithmetic, as rows like any other op, computed in int64, or in int32 where that suffices
// (transforms/narrow_index_types.cpp). And the table's sum with 32-bit accumulators.
#pragma once

#include <sinter/op/row.hpp>

namespace sinter::codegen {

extern const op_row index_plus;       ///< x + y
extern const op_row index_scaled;     ///< x * y
extern const op_row index_quotient;   ///< x / y, neither is negative
extern const op_row index_divided;    ///< x / d for int32, by d's multiplier y and shift z (analysis/division.hpp)
extern const op_row index_clamped;    ///< x clamped to [y, z]
extern const op_row index_remainder;  ///< x % y, neither is negative
extern const op_row index_aligned;    ///< the greatest multiple of y, a power of two, that is not above x
extern const op_row index_neighbour;  ///< x + y, computed as x | y: x is a multiple of a power of two greater than y

/// The table's sum with accumulators of any integer dtype; the table's own are 64 bits wide.
const op_row& narrow_sum(const op_row& wide);

// Packs the sort key of a keyed_index and the complement of its index into one uint64; max finds the largest key.
extern const op_row packed_key;           ///< of an element x and an int32 index y
extern const op_row packed_key_reversed;  ///< likewise, where the smallest element has the largest key

}  // namespace sinter::codegen
