// The schedules that a kernel could have: what choosing by cost ranks, and what an exhaustive measurement times.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <vector>

namespace sinter::codegen {

/// At most this many for one kernel.
inline constexpr int max_points = 200;

/// Schedules of all forms that fit the kernel, choose_schedule's first. None of them is in the list twice.
std::vector<schedule> schedule_points(const loop_nest& k, const device_properties& m,
                                      const std::vector<int>& alignment);

}  // namespace sinter::codegen
