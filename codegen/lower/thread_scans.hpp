// How the threads of a group scan the elements of one step. Every thread holds the step's elements in
// "running_sum_1_at[u][e]", with the identity past the end of the group; they become the scan's values. "running_sum_1"
// carries the fold from one step to the next.
//
// All threads of a group take part, in the same number of steps, since they communicate by barriers and shuffles. The
// order of the folds depends on the schedule alone.
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

/// Rows: access u of a warp's threads follows its access u - 1, and the next warp's accesses follow them all.
void scan_along_row(lowering& c, int scan, device_ir::id elements, const row_scan& how);

struct column_scan {
    scalar thread_row, thread_column;
    acquired_tile tile;
    bool again = false;
};

/// Columns: a thread's accesses are consecutive down the column, and thread rows follow each other.
void scan_along_columns(lowering& c, int scan, device_ir::id elements, const column_scan& how);

}  // namespace sinter::codegen::lower
