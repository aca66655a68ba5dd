// Decides which elementwise kernels become element functions of calls.
#pragma once

#include <codegen/driver/compile.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// Fuses calls with the kernels that store their operands and that read their results, where the call's kernels access
/// these by elements, no library computes the call, and it is predicted to take less time. `leaves`: of the program.
/// Appends what it fuses to `trace`, if given.
void fuse_calls(std::vector<loop_nest>& kernels, int leaves, const target& to, bool fast_math, std::string* trace);

}  // namespace sinter::codegen
