// A device program as a translation unit of CUDA C++ that includes nothing. Its kernel has the program's name, and is
// extern "C".
#pragma once

#include <codegen/device/program.hpp>

#include <string>

namespace sinter::codegen::cuda_source {

/// `heading` is the comment at the top: the expression, the schedule.
std::string print(const device_ir::program& p, const std::string& heading);

}  // namespace sinter::codegen::cuda_source
