// The exponential of softmax's inner loop.
#pragma once

#include <sinter/op/row.hpp>

namespace sinter::codegen::lower {

/// 2 to the power of x * y + z.
extern const op_row shifted_exp2;

}  // namespace sinter::codegen::lower
