// Values of one group of a tile: what is computed outside the loop that the tile's groups share.
#pragma once

#include <codegen/lower/lowering.hpp>

#include <vector>

namespace sinter::codegen::lower {

/// The values outside loop 0 that `wanted` depend on, including themselves, operands first. Reductions, scalars and
/// constants are left out: they are defined already.
std::vector<int> group_values_needed(const lowering& c, std::vector<int> wanted);

/// The group's values that stores are computed of after reductions, operands first: those of all stores given.
std::vector<int> values_stored(const lowering& c, const std::vector<int>& stores);

/// Computes them at the current indices of `axes`.
void let_group_values(lowering& c, const std::vector<int>& values, const std::vector<int>& axes);

}  // namespace sinter::codegen::lower
