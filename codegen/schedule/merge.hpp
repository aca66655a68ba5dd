// Merging kernels with the help of schedules that are known already.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <functional>
#include <vector>

namespace sinter::codegen {

/// The schedule of a kernel on a device whose pointers may have any alignment. Cuts that a search compares share most
/// of their kernels, so it may be one that remembers.
using unaligned_schedule = std::function<schedule(const loop_nest&)>;

/// merge_kernels of schedule.hpp; `chosen` gives what choose_schedule does.
std::vector<loop_nest> merge_kernels(std::vector<loop_nest> kernels, int leaves, const device_properties& m,
                                     const unaligned_schedule& chosen);

}  // namespace sinter::codegen
