// Stream compaction: the elements that a mask chooses, one after the other, in two calls, because the host must know
// their number before it makes room for them.
//
// mask_offsets: operand 0 is a mask: bools, or uint32 of 32 elements each, the first in the lowest bit; the result,
// int64, is how many trues stand before each tile of compact_tile elements, and in the end how many there are.
// mask_positions: operands are the mask and its offsets, integer 0 the number of trues; the result is where they stand,
// as int64. mask_elements: operand 2 is values, of which it gives those at the trues.
#pragma once

#include <codegen/functions/launches.hpp>

namespace sinter::codegen {

/// The elements of a mask, counting those of whole words.
inline std::int64_t elements_of_mask(const call_array& mask) {
    return mask.type == dtype::uint32 ? 32 * mask.elements() : mask.elements();
}

call_array mask_offsets_array(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_launches mask_offsets_on_device(const call_site& call, const machine& m);

call_array mask_positions_array(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_array mask_elements_array(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_launches compact_on_device(const call_site& call, const machine& m);

}  // namespace sinter::codegen
