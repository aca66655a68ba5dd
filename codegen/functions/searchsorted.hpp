// Search in a sorted array of one axis: the number of its elements that precede each value. Operand 0 is the sorted
// array, operand 1 the values, of the same dtype. Integer: 1 if equal elements count as preceding.
#pragma once

#include <codegen/functions/launches.hpp>

namespace sinter::codegen {

call_array array_of_places(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_launches search_on_device(const call_site& call, const machine& m);

}  // namespace sinter::codegen
