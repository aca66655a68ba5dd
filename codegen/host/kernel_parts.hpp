// What cuts of a kernel share: kernels with some of its values, and arrays between them.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <vector>

namespace sinter::codegen::blocked {

/// Which values are computed to compute others; neither what `last` nor what reductions are computed from.
std::vector<char> needed_values(const loop_nest& k, const std::vector<int>& others, int last = -1);

/// Removes the other values; stores and reductions must be among the kept. Returns the new positions, or -1. Inputs and
/// scalars remain, since their order is that of the arguments.
std::vector<int> keep_values(loop_nest& k, const std::vector<char>& kept);

/// Removes the values that neither stores nor reductions are computed from.
void drop_unneeded_values(loop_nest& k);

/// A kernel with the needed values alone, all of them at group level, and without stores. `now`: the new positions.
loop_nest without_loops(const loop_nest& k, const std::vector<char>& needed, std::vector<int>& now);

/// A kernel without stores that overwrites nothing, to be given outputs of its own.
loop_nest without_outputs(loop_nest k);

/// The layout of a row-major array over some axes, slowest first.
int add_dense_layout(loop_nest& k, const std::vector<int>& axes);

/// Stores `value` for each point of the outer axes, row-major.
void store_densely(loop_nest& k, int value, dtype type);

}  // namespace sinter::codegen::blocked
