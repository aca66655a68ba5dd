// A kernel's program, for those that only pass it on: they need not know what it is.
#pragma once

#include <codegen/device/program.hpp>

namespace sinter::codegen {

struct kernel_program {
    device::program body;
};

}  // namespace sinter::codegen
