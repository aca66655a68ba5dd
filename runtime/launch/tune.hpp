// Choosing a schedule, or a library's algorithm, by measuring.
#pragma once

#include <runtime/launch/plan.hpp>

namespace sinter::codegen {

/// The fastest of the sensible schedules for a kernel of an evaluation, timed on its operands, or remembered. Results
/// and what other kernels would store go to memory of their own. `alignment` is choose_schedule's.
schedule tuned_schedule(const kernel& k, const evaluation& e, kernel_device& where, const std::vector<int>& alignment);

/// The one that an earlier measurement found the fastest, where the disk cache has kept it.
std::optional<schedule> kept_schedule(const kernel& k, kernel_device& where, const std::vector<int>& alignment);

/// The fastest of the algorithms that the library has for a step that it does, measured and remembered likewise.
std::shared_ptr<const library_call> tuned_call(const plan_step& step, const evaluation& e, kernel_device& where);

/// The one that was found the fastest for a kernel that `call` does; null where none is kept.
std::shared_ptr<const library_call> kept_call(const kernel& k, std::shared_ptr<const library_call> call,
                                              kernel_device& where);

}  // namespace sinter::codegen
