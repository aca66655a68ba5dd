// The name of a kernel, as profilers and launch logs show it.
#pragma once

#include <codegen/lower/kernel_class.hpp>

#include <string>

namespace sinter::codegen {

/// The functions that the kernel computes, in order, the dtype of its first result, and the form of its schedule:
/// "max_exp_sum_float32_rows" for softmax, "multiply_add_float32_elementwise" for s * x + y. Operators are named only
/// if there is nothing else; functions that would exceed about 60 characters are left out.
std::string kernel_name(const kernel_class& c);

}  // namespace sinter::codegen
