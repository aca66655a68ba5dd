// The invariants of device programs, checked when lowering has written one.
#pragma once

#include <codegen/device/program.hpp>

namespace sinter::codegen::device {

/// Throws sinter::error, naming the statement, where the program is not well formed (well_formed.hpp), reads what is
/// not written (initialised.hpp) or has a barrier that not all threads reach (uniform.hpp).
void verify(const program& p);

}  // namespace sinter::codegen::device
