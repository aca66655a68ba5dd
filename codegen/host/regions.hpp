// Cuts an elementwise kernel into regions in which index-dependent choices are constant: the parts of a concat, a pad's
// border, the two ends of a roll.
#pragma once

#include <codegen/host/specialise.hpp>

#include <vector>

namespace sinter::codegen::blocked {

/// Regions that cover the kernel; a single one if cutting does not pay. A kernel with loops is cut along its outer
/// axes: where windows reach beyond an array, and between.
std::vector<region> cut_into_regions(const loop_nest& k, instruction_set isa);

}  // namespace sinter::codegen::blocked
