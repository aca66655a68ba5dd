// Invariants of device programs, checked after lowering.
#pragma once

#include <codegen/device/program.hpp>
#include <codegen/verify/launch_promises.hpp>

#include <string>
#include <vector>

namespace sinter::codegen::device_ir {

/// Throws sinter::error, naming the statement, if the program is malformed (well_formed.hpp), reads what is not written
/// (initialised.hpp), has a barrier that not all threads reach (uniform.hpp) or a register index out of bounds
/// (bounds.hpp). Returns, one per line, the memory indices that are not proved to be in bounds.
std::vector<std::string> verify(const program& p, const launch_promises& given);

}  // namespace sinter::codegen::device_ir
