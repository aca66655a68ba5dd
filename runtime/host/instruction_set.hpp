// The instruction set that this process computes with on the host.
#pragma once

#include <codegen/rows/dispatch.hpp>

namespace sinter::codegen {

/// The widest that both the machine and the build support, or a narrower one named by the environment variable
/// SINTER_ISA (baseline, v3 or v4). Read once per process.
instruction_set host_instruction_set();

}  // namespace sinter::codegen
