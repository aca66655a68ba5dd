// From a scheduled loop nest to a device program, a function of the kernel's class alone. It makes no decisions.
#pragma once

#include <codegen/device/program.hpp>
#include <codegen/lower/kernel_class.hpp>

namespace sinter::codegen::lower {

/// The device program of the class, verified.
device_ir::program lower(const kernel_class& c);

}  // namespace sinter::codegen::lower
