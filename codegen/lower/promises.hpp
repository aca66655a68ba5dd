// What a launch guarantees to the program of a kernel's class.
#pragma once

#include <codegen/lower/kernel_class.hpp>
#include <codegen/verify/launch_promises.hpp>

namespace sinter::codegen::lower {

/// `p` is the program that the class is lowered to.
device_ir::launch_promises promises_of(const kernel_class& c, const device_ir::program& p);

}  // namespace sinter::codegen::lower
