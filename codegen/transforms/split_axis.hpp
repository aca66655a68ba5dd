// Splits axes that were coalesced, so that two kernels have the same ones.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <cstdint>

namespace sinter::codegen {

/// Makes two axes of one, of which the inner, new one has `inner` indices: the extent is a multiple of that. Returns
/// the new axis, or -1 where a kernel cannot have more axes.
int split_axis(loop_nest& k, int axis, std::int64_t inner);

/// Splits outer axes of `k` where an array lies along several outer axes of `other`. The array's layouts are `at` and
/// `at_other`.
void split_outer_axes_like(loop_nest& k, int at, const loop_nest& other, int at_other);

}  // namespace sinter::codegen
