// The values of an axis's indices, as far as one formula gives them: what is computed of an index by the usual
// arithmetic, comparisons and choices is affine in it on a few sections of the axis, however long the axis is.
#pragma once

#include <codegen/ir/loop_nest.hpp>
#include <codegen/rows/dispatch.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen::blocked {

/// By axis: an index. Where there is none: 0.
using axis_indices = std::vector<std::int64_t>;

/// What the indices along all axes but one add to a layout's offset.
inline std::int64_t offset_of(const layout& l, std::size_t but, const axis_indices& at) {
    std::int64_t sum = 0;
    for (std::size_t a = 0; a < at.size(); ++a)
        if (a != but) sum += l.stride[a] * at[a];
    return sum;
}

/// Up to index `end`, the value is base + step * (index - begin), where `begin` is the index that was asked for.
struct affine_section {
    std::int64_t end = 0, base = 0, step = 0;
};

/// The section of the last of `needed` from index `begin` of an axis on. `needed` are decided values (index_pieces.hpp)
/// that vary along that axis alone, or are wanted at the indices `at` of the others; operands first. Nothing where one
/// is computed by an op without a rule, or may overflow.
std::optional<affine_section> affine_section_from(const loop_nest& k, const std::vector<int>& needed, int axis,
                                                  std::int64_t begin, const axis_indices& at, instruction_set isa);

}  // namespace sinter::codegen::blocked
