// Whether indices are within their arrays.
#pragma once

#include <codegen/verify/launch_promises.hpp>

#include <string>
#include <vector>

namespace sinter::codegen::device_ir {

/// Goes through the program with what is known where a statement stands: the ranges of counters, the conditions of the
/// branches around it, what the launch promises. That the grid is no larger than needed is known only where it is
/// promised.
///
/// Throws sinter::error where an index of registers is not constant once loops are unrolled, or beyond the array.
/// Returns, a line each, the indices of shared and global memory for which it finds no proof. A gather's is the
/// program's own, and not among them.
std::vector<std::string> check_bounds(const program& p, const launch_promises& given);

}  // namespace sinter::codegen::device_ir
