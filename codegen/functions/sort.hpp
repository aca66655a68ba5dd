// Sorting along the last axis: result 0 is the elements in order, result 1 where each stood along the axis. Its integer
// is 1 where it begins with the greatest element.
#pragma once

#include <codegen/autodiff/terms.hpp>
#include <codegen/cuda/sort.hpp>
#include <codegen/functions/launches.hpp>
#include <codegen/ir/sort_order.hpp>

namespace sinter::codegen {

call_array sorted_array(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_launches sort_on_device(const call_site& call, const machine& m);
gradient::term gradient_of_sort(gradient::builder& b, int call, int operand, gradient::term g);

/// The launch of a kernel of codegen/cuda/sort.hpp.
call_launch launch_of(sort_kernel which, const sort_order& order, bool last, std::int64_t blocks,
                      std::vector<call_argument> arguments);

/// The rows that a call sorts.
struct sorted_rows {
    std::int64_t rows = 0, length = 0;
};
inline sorted_rows rows_of(const call_array& a) {
    const std::int64_t length = a.shape[static_cast<std::size_t>(a.rank - 1)];
    return {length == 0 ? 0 : a.elements() / length, length};
}

}  // namespace sinter::codegen
