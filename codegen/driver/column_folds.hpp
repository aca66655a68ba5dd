// Kernels of columns that become a part of kernels of rows, where that is predicted to take less time.
#pragma once

#include <codegen/ir/loop_nest.hpp>
#include <codegen/schedule/merge.hpp>

#include <functional>
#include <vector>

namespace sinter::codegen {

/// Lets the blocks of kernels of rows fold columns for later kernels, which then read the blocks' results instead of
/// all rows (transforms/fold_columns.cpp). `leaves` is the number of the program's leaves; `chosen` gives a
/// kernel's schedule, and `seconds` predicts its time.
void fold_columns_in_rows(std::vector<loop_nest>& kernels, int leaves, const device_properties& m,
                          const unaligned_schedule& chosen, const std::function<double(const loop_nest&)>& seconds);

}  // namespace sinter::codegen
