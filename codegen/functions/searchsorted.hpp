// Search in a sorted array of one axis: the number of its elements that precede each value. Operand 0 is the sorted
// array, operand 1 the values, of the same dtype. Integer: 1 if equal elements count as preceding.
#pragma once

#include <codegen/autodiff/terms.hpp>
#include <codegen/functions/launches.hpp>

namespace sinter::codegen {

call_array array_of_places(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_launches search_on_device(const call_site& call, const device_properties& m);

/// Piecewise linear interpolation, of operand 2 between points: operands 0 and 1 are their coordinates. The result has
/// the dtype, float32 or float64, and the shape of operand 2.
call_array interpolated_array(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_launches interpolate_on_device(const call_site& call, const device_properties& m);
gradient::term gradient_of_interp(gradient::builder& b, int call, int operand, gradient::term g);

}  // namespace sinter::codegen
