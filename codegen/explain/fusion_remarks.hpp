// Explains why an expression takes more than one kernel.
#pragma once

#include <codegen/transforms/cut.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::codegen {

/// One sentence per reason that keeps kernels apart: values stored for later kernels, and results that cannot share
/// one. `folded_results`: bit r: another kernel than the cut's computes result r by a reduction over its groups.
/// `calls`: those with element functions in place of operands or results of the cut's.
std::vector<std::string> why_not_fused(const kernel_cut& cut, std::uint32_t folded_results = 0,
                                       const std::vector<call_site>& calls = {});

}  // namespace sinter::codegen
