// Checks that threads read only what has been written.
#pragma once

#include <codegen/device/program.hpp>

namespace sinter::codegen::device_ir {

/// Throws sinter::error if a variable, a register array or shared memory is read before any path has written it. Arrays
/// are tracked as a whole, not by element.
void check_initialised(const program& p);

}  // namespace sinter::codegen::device_ir
