// Why an expression is more than one kernel, in words.
#pragma once

#include <codegen/transforms/cut.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// A sentence for each thing that keeps kernels apart: what an earlier one stores for others, and results that cannot
/// share one.
std::vector<std::string> why_not_fused(const kernel_cut& cut);

}  // namespace sinter::codegen
