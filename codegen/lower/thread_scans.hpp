// Scans: how the threads of a group scan the elements of one step. Every thread holds the step's elements in
// "running_sum_1_at[u][e]", the identity where the group has no more; they become the scan's values. What has been
// folded in the steps before is in "running_sum_1", and so is what comes of this one.
//
// All threads of a group take part, in the same number of steps: what they tell each other is told at barriers and by
// shuffles. The order in which values are folded depends on the schedule alone.
#pragma once

#include <codegen/lower/look_back.hpp>
#include <codegen/lower/lowering.hpp>

namespace sinter::codegen::lower {

/// `again`: more steps may follow.
struct row_scan {
    scalar lane;
    acquired_tile tile;
    bool again = false;
};

/// Rows: access u of a warp's threads stands behind its access u - 1, and the next warp's behind them all.
void scan_along_row(lowering& c, int scan, device_ir::id elements, const row_scan& how);

struct column_scan {
    scalar thread_row, thread_column;
    acquired_tile tile;
    bool again = false;
};

/// Columns: a thread's accesses are neighbours down the column, and thread rows stand below each other.
void scan_along_columns(lowering& c, int scan, device_ir::id elements, const column_scan& how);

}  // namespace sinter::codegen::lower
