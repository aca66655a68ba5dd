// Prints a device program as a translation unit of CUDA C++ without includes. The kernel has the program's name and is
// extern "C".
#pragma once

#include <codegen/device/program.hpp>

#include <string>

namespace sinter::codegen::cuda_source {

/// `heading`: the comment at the top, with the expression and the schedule.
std::string print(const device_ir::program& p, const std::string& heading);

}  // namespace sinter::codegen::cuda_source
