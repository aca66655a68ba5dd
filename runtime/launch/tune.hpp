// Chooses a schedule, or a library's algorithm, by measurement.
#pragma once

#include <runtime/launch/plan.hpp>

namespace sinter::codegen {

/// The fastest of the candidate schedules for a kernel of an evaluation, timed on its operands, or remembered. Results
/// and temporaries go to memory of their own. `alignment` is choose_schedule's.
schedule tuned_schedule(const loop_nest& k, const evaluation& e, kernel_device& where,
                        const std::vector<int>& alignment);

/// The fastest schedule of an earlier measurement, if the disk cache has it.
std::optional<schedule> kept_schedule(const loop_nest& k, kernel_device& where, const std::vector<int>& alignment);

/// The fastest of the library's algorithms for a step, measured and remembered likewise.
std::shared_ptr<const library_call> tuned_call(const plan_step& step, const evaluation& e, kernel_device& where);

/// The fastest known algorithm for the kernel that `call` computes; null if none is cached.
std::shared_ptr<const library_call> kept_call(const loop_nest& k, std::shared_ptr<const library_call> call,
                                              kernel_device& where);

}  // namespace sinter::codegen
