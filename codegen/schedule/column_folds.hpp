// Kernels of rows whose blocks also fold columns (transforms/fold_columns.cpp).
#pragma once

#include <codegen/schedule/features.hpp>

#include <vector>

namespace sinter::codegen {

/// Whether there is a schedule, however operands are aligned.
bool has_column_folds_schedule(const loop_nest& k, const device_properties& m);
schedule schedule_column_folds(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment);

/// The number of blocks that run at once, each of them over as many rows.
int blocks_for_column_folds(const loop_nest& k, const device_properties& m);

/// Adds what blocks do to store their folds; `rows` is how many rows a block has at once.
void count_column_folds(const loop_nest& k, const schedule& s, int rows, schedule_features& made);

}  // namespace sinter::codegen
