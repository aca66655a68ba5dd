// Finds values of a loop that an earlier loop has computed, as softmax's exponentials, which are summed and then
// divided. A device keeps them in registers; the host may leave them in the cache for the later loop.
#pragma once

#include <codegen/ir/loop_nest.hpp>

namespace sinter::codegen::blocked {

/// By value: the equivalent value of the earliest loop, or itself. Equivalent values are equal element for element, and
/// their loops have axes of the same extents.
std::vector<int> find_equivalent_values(const loop_nest& k);

}  // namespace sinter::codegen::blocked
