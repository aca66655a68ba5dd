// Counting elements by bin. bincount: operand 0 is integers of any shape, integer 0 the number of bins n; the result is
// how often each of 0, 1 ... n - 1 comes. histogram: operand 0 is elements, operand 1 ascending edges of the same real
// dtype; the result is how many elements lie between neighbouring edges, of which the last bin has both. int64.
#pragma once

#include <codegen/functions/launches.hpp>

namespace sinter::codegen {

/// The elements are read once each; the edges are not.
element_access counted_by_element(const call_site& call);

call_array bincount_array(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_launches bincount_on_device(const call_site& call, const device_properties& m);

call_array histogram_array(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_launches histogram_on_device(const call_site& call, const device_properties& m);

}  // namespace sinter::codegen
