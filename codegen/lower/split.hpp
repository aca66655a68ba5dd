// One reduction shared by several blocks and finished by the last of them, in one launch.
#pragma once

#include <codegen/lower/group.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen::lower {

/// How many blocks share a loop, which part is this block's, and its range.
struct block_part {
    scalar parts, part;
    loop_part range;
};

/// For a split group or a cluster. `group`: the name for the group's index, which is assigned to `number`; empty for
/// one group. `parts`: how many blocks share it. A part is a multiple of `step` elements.
block_part split_range(lowering& c, const std::string& group, const scalar& parts, const scalar& trips, int step,
                       scalar& number);

/// The range of part `of.part` of a loop. Names get the suffix.
loop_part part_range(lowering& c, const block_part& of, const std::string& suffix, const scalar& trips, int step);

/// Results that blocks publish for each other: one array per reduction.
struct partial_results {
    std::vector<int> reductions;
    std::vector<device_ir::id> arrays;
};

/// Folds the results of the parts first, first + distance, ... into the reductions' values. Part p is at index
/// `place(p)`.
void fold_parts(lowering& c, const partial_results& all, const scalar& parts, const scalar& first, int distance,
                const std::function<scalar(const scalar&)>& place);

/// Where a strategy puts its partial results.
struct split_partials {
    std::vector<int> reductions;
    std::string noun;                            ///< "row" or "tile": what shares a ticket
    scalar group;                                ///< its index; empty: there is one
    std::function<scalar()> slot;                ///< index at which this thread writes
    int slots = 1;                               ///< per block
    scalar writer;                               ///< true in the threads that write; empty: in all
    scalar first;                                ///< first part that this thread folds
    int distance = 1;                            ///< between consecutive parts that one thread folds
    std::function<scalar(const scalar&)> place;  ///< index of part p
    bool ticket_per_block = false;               ///< room for as many tickets as there are blocks, not max_tickets
    scalar before = {};                          ///< bytes of the workspace before the tickets; empty: none
    scalar room = {};                            ///< blocks for which there is room; empty: those of the grid
    int threads = 0;                             ///< the first of the block, which do this; 0: all
};

/// Publishes the block's results in the workspace. Only the last block continues: its reductions' values then are what
/// this thread folded of all parts. Returns the group's ticket. Where `threads` do this, it opens a branch for the last
/// block, which the caller closes.
device_ir::id publish_partials(lowering& c, const split_partials& p, const scalar& parts);

/// Draws a ticket for a part that all threads have stored, with a fence after it. Only the last block continues, and
/// sees what the others stored. `threads_apart`: other threads than the first one store, too. `threads`: as above.
void continue_in_last_block(lowering& c, device_ir::id ticket, const scalar& parts, bool threads_apart,
                            int threads = 0);

/// After the last fold: resets the ticket for the next launch.
void reset_ticket(lowering& c, device_ir::id ticket);

}  // namespace sinter::codegen::lower
