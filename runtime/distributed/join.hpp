// Combines the members' partial reductions and scans.
#pragma once

#include <runtime/distributed/stages.hpp>

#include <vector>

namespace sinter::codegen {

/// One array per local member.
using local_arrays = std::vector<detail::storage_ref>;

/// Stacks a member's results of several pieces as the rows of a matrix.
detail::storage_ref stack_pieces(device& where, const stage_result& what,
                                 const std::vector<detail::storage_ref>& pieces);
/// As above, reduced to one array.
detail::storage_ref fold_pieces(const stage_result& what, const std::vector<detail::storage_ref>& pieces);

/// Completes reductions over the members: sums by a joint all-reduce if the link supports their dtype; others by
/// reducing all partial results in member order, so that all members have the same bits.
void join_reductions(mesh_device& mesh, const stage& s, std::vector<local_arrays>& made);

/// Completes a scan over all members from each member's scan of its own part and that part's total.
local_arrays join_scan(mesh_device& mesh, const stage_result& what, const local_arrays& own,
                       const local_arrays& totals);

/// The row that combines two elements like the reduction; null if the op table has none.
const op_row* combining_row(const op_row& reduction);

}  // namespace sinter::codegen
