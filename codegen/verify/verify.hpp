// The invariants of device programs, checked when lowering has written one.
#pragma once

#include <codegen/device/program.hpp>
#include <codegen/verify/launch_promises.hpp>

#include <string>
#include <vector>

namespace sinter::codegen::device_ir {

/// Throws sinter::error, naming the statement, where the program is not well formed (well_formed.hpp), reads what is
/// not written (initialised.hpp), has a barrier that not all threads reach (uniform.hpp) or an index beyond its
/// registers (bounds.hpp). Returns, a line each, the indices of memory for which there is no proof.
std::vector<std::string> verify(const program& p, const launch_promises& given);

}  // namespace sinter::codegen::device_ir
