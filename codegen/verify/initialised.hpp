// Whether what a thread reads has been written before.
#pragma once

#include <codegen/device/program.hpp>

namespace sinter::codegen::device_ir {

/// Throws sinter::error where a variable, a register array or shared memory is read that nothing has written yet on any
/// path. An array counts as one: of its elements no one asks.
void check_initialised(const program& p);

}  // namespace sinter::codegen::device_ir
