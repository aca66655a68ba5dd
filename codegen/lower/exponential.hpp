// The exponential of softmax's inner loop.
#pragma once

#include <sinter/op/row.hpp>

namespace sinter::codegen::lower {

/// 2 to the power of a float32. Results below 2^-126 are 0 on devices: beside the largest exponential of a softmax,
/// which is 1, they do not count, and CUDA's exp2 takes three more instructions for them.
extern const op_row power_of_two;

}  // namespace sinter::codegen::lower
