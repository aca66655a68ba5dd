// Uniform control flow: all threads of a block reach each of its barriers, and all lanes of an exchange reach it.
#pragma once

#include <codegen/device/program.hpp>

namespace sinter::codegen::device_ir {

/// Throws sinter::error if only some threads may reach a barrier or an exchange: in a branch or loop, or after `leave`.
void check_uniform(const program& p);

}  // namespace sinter::codegen::device_ir
