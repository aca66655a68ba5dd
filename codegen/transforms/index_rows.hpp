// The ops that indices are computed with, as rows like any other: what a kernel works out of places is an int64, or an
// int32 where that is wide enough (pass/narrow.cpp).
#pragma once

#include <sinter/op/row.hpp>

namespace sinter::codegen {

extern const op_row index_plus;       ///< x + y
extern const op_row index_scaled;     ///< x * y
extern const op_row index_quotient;   ///< x / y, neither of them negative
extern const op_row index_remainder;  ///< x % y, neither of them negative

}  // namespace sinter::codegen
