// Uniform control flow: all threads of a block come to each of its barriers, and all lanes that exchange a value to the
// exchange.
#pragma once

#include <codegen/device/program.hpp>

namespace sinter::codegen::device_ir {

/// Throws sinter::error where some threads may reach a barrier or an exchange and others not: in a branch or a loop, or
/// after a `leave`.
void check_uniform(const program& p);

}  // namespace sinter::codegen::device_ir
