// Ops that divide by one value many times: correctly rounded, as the table's `divide`.
#pragma once

#include <sinter/op/row.hpp>

namespace sinter::codegen {

extern const op_row common_reciprocal;  ///< 1 / x, for common_quotient; NaN where that divides
extern const op_row common_quotient;    ///< x / y, by y's reciprocal z

}  // namespace sinter::codegen
