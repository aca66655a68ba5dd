// Choosing a schedule by measuring.
#pragma once

#include <codegen/launch/plan.hpp>

namespace sinter::codegen {

/// The fastest of the sensible schedules for a kernel of an evaluation, timed on its operands, or remembered. Results
/// and what other kernels would store go to memory of their own. `alignment` is choose_schedule's.
schedule tuned_schedule(const kernel& k, const evaluation& e, kernel_device& where, const std::vector<int>& alignment);

/// The one that an earlier measurement found the fastest, where the disk cache has kept it.
std::optional<schedule> kept_schedule(const kernel& k, kernel_device& where, const std::vector<int>& alignment);

}  // namespace sinter::codegen
