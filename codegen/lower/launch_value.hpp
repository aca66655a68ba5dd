// The parameters of a kernel that follow from extents, strides and the schedule.
#pragma once

#include <codegen/device/parameter.hpp>
#include <codegen/schedule/schedule.hpp>

#include <cstdint>

namespace sinter::codegen {

/// What a launch passes for a parameter that follows from extents, strides and schedule; 0 for the others.
std::int64_t launch_value(const kernel& k, const schedule& s, const parameter& p);

}  // namespace sinter::codegen
