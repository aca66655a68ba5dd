// Which values a loop computes that an earlier loop has computed: softmax's exponentials, say, which are summed and
// then divided. On a device they stay in registers; here a later loop may find them in the cache.
#pragma once

#include <codegen/ir/kernel.hpp>

namespace sinter::codegen::blocked {

/// Of each value of a kernel the one of the earliest loop that is equal to it element for element: itself, where no
/// earlier loop has one. The loops of two such values go over axes of the same extents.
std::vector<int> find_equivalent_values(const kernel& k);

}  // namespace sinter::codegen::blocked
