// A device program as a translation unit of CUDA C++ that includes nothing.
#pragma once

#include <codegen/device/program.hpp>

#include <string>

namespace sinter::codegen::cuda_source {

/// The kernel's name, extern "C".
inline constexpr const char* entry_name = "sinter_kernel";

/// `heading` is the comment at the top: the expression, the schedule.
std::string print(const device_ir::program& p, const std::string& heading);

}  // namespace sinter::codegen::cuda_source
