// Why an expression is more than one kernel, in words.
#pragma once

#include <codegen/transforms/cut.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::codegen {

/// A sentence for each thing that keeps kernels apart: what an earlier one stores for others, and results that cannot
/// share one. `folded_results`: bit r: another kernel than the cut's own folds result r of what its groups come to.
std::vector<std::string> why_not_fused(const kernel_cut& cut, std::uint32_t folded_results = 0);

}  // namespace sinter::codegen
