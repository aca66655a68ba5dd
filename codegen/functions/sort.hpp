// Sorts along the last axis: result 0 is the sorted elements, result 1 their original indices along the axis. Integer:
// 1 for descending order.
#pragma once

#include <codegen/autodiff/terms.hpp>
#include <codegen/cuda/sort.hpp>
#include <codegen/functions/launches.hpp>
#include <codegen/ir/sort_order.hpp>

namespace sinter::codegen {

call_array sorted_array(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_launches sort_on_device(const call_site& call, const device_properties& m);
element_access sorted_by_element(const call_site& call);
gradient::term gradient_of_sort(gradient::builder& b, int call, int operand, gradient::term g);

/// Selects the elements of ranks first, ..., first + count - 1 of each row, in order: result 0 the elements, result 1
/// their indices. Integers: 1 for descending order; first; count; 1 if a NaN makes all results of its row NaN.
call_array selected_array(const std::vector<call_array>& operands, const call_integers& integers, int result);
call_launches select_on_device(const call_site& call, const device_properties& m);
gradient::term gradient_of_select(gradient::builder& b, int call, int operand, gradient::term g);

/// The launch of a kernel of codegen/cuda/sort.hpp.
call_launch launch_of(const sort_source& source, const sort_order& order, std::int64_t blocks,
                      std::vector<call_argument> arguments);

/// The rows that a call sorts.
struct sorted_rows {
    std::int64_t rows = 0, length = 0;
};
inline sorted_rows rows_of(const call_array& a) {
    const std::int64_t length = a.shape[static_cast<std::size_t>(a.rank - 1)];
    return {length == 0 ? 0 : a.elements() / length, length};
}

/// Buffers of elements and of their positions: results, or parts of the workspace.
struct sort_buffer {
    call_argument values, indices;
};

/// Appends the launches that sort rows into `results`, or into the workspace if that is null; returns the destination.
/// In the workspace, positions have 32 bits, and exist only if `tracked`.
sort_buffer append_sorting(call_launches& made, const call_array& x, const sort_order& order,
                           const sort_buffer* results, bool tracked, const device_properties& m);

}  // namespace sinter::codegen
