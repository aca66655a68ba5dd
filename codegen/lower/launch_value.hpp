// The parameters of a kernel that follow from extents, strides and the schedule.
#pragma once

#include <codegen/device/parameter.hpp>
#include <codegen/schedule/schedule.hpp>

#include <cstdint>

namespace sinter::codegen {

/// The value that a launch passes for such a parameter; 0 for other kinds.
std::int64_t launch_value(const loop_nest& k, const schedule& s, const parameter& p);

}  // namespace sinter::codegen
