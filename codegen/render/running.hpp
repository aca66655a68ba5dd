// Scans: how the threads of a group run along the elements of one step. Every thread holds the step's elements in
// "running_sum_1_at[u][e]", the identity where the group has no more; they become the running values. What has been
// folded in the steps before is in "running_sum_1", and so is what comes of this one.
//
// All threads of a group take part, in the same number of steps: what they tell each other is told at barriers and by
// shuffles. The order in which values are folded hangs on the schedule alone.
#pragma once

#include <codegen/render/context.hpp>

namespace sinter::codegen {

/// Rows: access u of a warp's threads stands behind its access u - 1, and the next warp's behind them all. `again`:
/// more steps may follow.
void run_along_row(context& c, int scan, bool again);

/// Columns: a thread's accesses are neighbours down the column, and thread rows stand below each other.
void run_along_columns(context& c, int scan, bool again);

}  // namespace sinter::codegen
