// Bounds checks of array indices.
#pragma once

#include <codegen/verify/launch_promises.hpp>

#include <string>
#include <vector>

namespace sinter::codegen::device_ir {

/// Walks the program with the facts that hold at each statement: ranges of counters, conditions of enclosing branches,
/// promises of the launch. The grid may be larger than needed unless the launch promises otherwise.
///
/// Throws sinter::error if an index into registers is out of bounds or is not constant after unrolling. Returns, one
/// per line, the indices into shared and global memory that it cannot prove to be in bounds. Indices of gathers are the
/// user's and are not checked.
std::vector<std::string> check_bounds(const program& p, const launch_promises& given);

}  // namespace sinter::codegen::device_ir
