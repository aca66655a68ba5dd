// Which of the host's instruction sets this process computes with.
#pragma once

#include <codegen/rows/dispatch.hpp>

namespace sinter::codegen {

/// The widest one that both the machine and the build have, or a narrower one named by the environment variable
/// SINTER_ISA (baseline, v3 or v4). Read once per process.
instruction_set host_instruction_set();

}  // namespace sinter::codegen
