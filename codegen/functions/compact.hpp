// Stream compaction: the elements that a mask chooses, one after the other, in one call.
//
// chosen_positions: operand 0 is a mask, bools of any shape; result 0, int64, is where its trues stand in row-major
// order. chosen_elements: operand 1 is values of that shape; result 0 is the values at the trues. Result 1, one int64,
// is how many trues there are. Integer 0 is the elements of result 0, at least as many as the trues: what is beyond
// them is unspecified.
#pragma once

#include <codegen/functions/launches.hpp>

namespace sinter::codegen {

call_array compacted_array(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_launches compact_on_device(const call_site& call, const device_properties& m);
element_access compacted_by_element(const call_site& call);

}  // namespace sinter::codegen
