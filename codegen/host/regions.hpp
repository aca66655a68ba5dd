// Cuts an elementwise kernel into regions in which what indices decide does not change: the parts that concat joins, a
// pad's border, the two ends of a roll.
#pragma once

#include <codegen/host/specialise.hpp>

#include <vector>

namespace sinter::codegen::blocked {

/// The regions make up the kernel. One region where cutting would not pay, or where the kernel has loops.
std::vector<region> cut_into_regions(const kernel& k, instruction_set isa);

}  // namespace sinter::codegen::blocked
