// The values of an axis's indices, as far as one formula gives them: what is computed of an index by the usual
// arithmetic, comparisons and choices is affine in it on a few sections of the axis, however long the axis is.
#pragma once

#include <codegen/ir/loop_nest.hpp>
#include <codegen/rows/dispatch.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen::blocked {

/// Up to index `end`, the value is base + step * (index - begin), where `begin` is the index that was asked for.
struct affine_section {
    std::int64_t end = 0, base = 0, step = 0;
};

/// The section of the last of `needed` from index `begin` of an axis on. `needed` are decided values (index_pieces.hpp)
/// that vary along that axis alone, operands first. Nothing where one is computed by an op without a rule, or may
/// overflow.
std::optional<affine_section> affine_section_from(const loop_nest& k, const std::vector<int>& needed, int axis,
                                                  std::int64_t begin, instruction_set isa);

}  // namespace sinter::codegen::blocked
