// The affine form of an op's result in a box, where the ranges of its operands decide the comparisons within the op: in
// the middle of an array, the index of a window's element is within the array for all elements of the window.
#pragma once

#include <codegen/host/index_form.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen::blocked {

/// `type`: in which the op computes, int32 or int64; `result`: of its result, or bool. `in`: the forms of its operands;
/// missing ones are not read.
std::optional<index_form> form_in_box(const op_row& op, dtype type, dtype result,
                                      const std::array<const index_form*, ir::max_operands>& in,
                                      const std::vector<std::int64_t>& extents);

}  // namespace sinter::codegen::blocked
