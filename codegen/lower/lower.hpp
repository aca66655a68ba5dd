// From a scheduled loop nest to a device program. It depends on the kernel's class alone and decides nothing.
#pragma once

#include <codegen/device/program.hpp>
#include <codegen/lower/kernel_class.hpp>

namespace sinter::codegen::lower {

/// What each thread of the kernel does.
device_ir::program lower(const kernel_class& c);

}  // namespace sinter::codegen::lower
