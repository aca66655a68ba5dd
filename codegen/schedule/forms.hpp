// One function per form of schedule. schedule.cpp decides which of them is taken.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen {

/// The schedule of an element function: one element at a time.
schedule element_schedule(const loop_nest& k);
schedule schedule_elementwise(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment);
/// Whether a thread of an elementwise kernel computes all of its elements op by op: see lower/op_by_op.cpp.
bool goes_op_by_op(const loop_nest& k);
/// The schedules of columns of which schedule_columns takes the cheapest.
std::vector<schedule> column_candidates(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment);
/// Empty if no load is transposed with respect to the results, or if tiles would not pay.
std::optional<schedule> schedule_tiled(const loop_nest& k, const device_properties& m,
                                       const std::vector<int>& alignment);
/// Empty if no short axis lies across others, or if accesses would not be wide.
std::optional<schedule> schedule_channels(const loop_nest& k, const device_properties& m,
                                          const std::vector<int>& alignment);
/// Empty if no array is read at indices a few rows apart, or if windows would not pay.
std::optional<schedule> schedule_stencil(const loop_nest& k, const device_properties& m,
                                         const std::vector<int>& alignment);
/// Nothing where loops are long, or where neighbouring groups share nothing that they read.
std::optional<schedule> schedule_windows(const loop_nest& k, const device_properties& m,
                                         const std::vector<int>& alignment);
schedule schedule_rows(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment);
schedule schedule_columns(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment);
/// Nothing when the kernel's loops are not those of a product, or when a tile would not pay.
std::optional<schedule> schedule_contraction(const loop_nest& k, const device_properties& m,
                                             const std::vector<int>& alignment);

/// Nothing when the kernel is no product of factors of a half type, or on a device without tensor cores for them.
std::optional<schedule> schedule_tensor(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment);

/// rows: the widest access that suits every loop; a loop without accesses suits any width that divides it.
int rows_vector(const loop_nest& k, const std::vector<int>& alignment);

/// columns: the most neighbouring columns that an access can move and a thread can have; `calls` are those of functions
/// in the kernel's loops.
int columns_vector(const loop_nest& k, const std::vector<int>& alignment, int calls);

/// Whether the threads of a row fold elements past its end, too, into copies of their accumulators that they drop.
bool folds_past_the_end(const loop_nest& k, const schedule& s, int loop);

}  // namespace sinter::codegen
