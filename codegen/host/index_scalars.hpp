// Scalar arguments that indices depend on, such as a roll's shift: they may change between evaluations, and the regions
// with them.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <vector>

namespace sinter::codegen::blocked {

/// The integer scalars that keep varying values from being decided by indices and shapes; none for kernels with loops,
/// which are not cut into regions.
std::vector<int> find_index_scalars(const loop_nest& k);

/// The kernel with some of its scalars fixed to given values.
loop_nest with_scalars(loop_nest k, const std::vector<int>& which, const std::vector<std::int64_t>& values);

}  // namespace sinter::codegen::blocked
