// Scalar arguments that indices are computed with, as a roll's shift: they may change from one evaluation to the next,
// and regions with them.
#pragma once

#include <codegen/ir/kernel.hpp>

#include <vector>

namespace sinter::codegen::blocked {

/// The integer scalars without which a value that varies would be decided by indices and shapes alone; none of a kernel
/// that is not cut into regions anyway.
std::vector<int> find_index_scalars(const kernel& k);

/// The kernel for given values of some of its scalars.
kernel with_scalars(kernel k, const std::vector<int>& which, const std::vector<std::int64_t>& values);

}  // namespace sinter::codegen::blocked
