// One reduction shared by several blocks and finished by the last of them, all in one launch.
#pragma once

#include <codegen/lower/group.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen::lower {

/// Which blocks share a loop, which of its parts this block takes.
struct block_part {
    scalar parts, part;
    loop_part range;
};

/// Of a split group or of a cluster's. `group`: the name of its number, which is defined, too, or empty for one group;
/// `parts`: how many blocks share it. A share is a whole number of `step`s.
block_part split_range(lowering& c, const std::string& group, const scalar& parts, const scalar& trips, int step,
                       scalar& number);

/// Where part `of.part` of a loop begins and ends; names have the suffix.
loop_part part_range(lowering& c, const block_part& of, const std::string& suffix, const scalar& trips, int step);

/// Results that blocks leave for each other: of each reduction, an array of them.
struct partial_results {
    std::vector<int> reductions;
    std::vector<device_ir::id> arrays;
};

/// Folds the parts' results from part `first` on, those that are `distance` apart, into the reductions' values. Part p
/// is at `place(p)`.
void fold_parts(lowering& c, const partial_results& all, const scalar& parts, const scalar& first, int distance,
                const std::function<scalar(const scalar&)>& place);

/// How a strategy keeps its partial results.
struct split_partials {
    std::vector<int> reductions;
    std::string noun;                            ///< "row" or "tile": what shares a ticket
    scalar group;                                ///< its number; empty for one
    std::function<scalar()> slot;                ///< where this thread writes
    int slots = 1;                               ///< per block
    scalar writer;                               ///< true for the threads that write; empty: all
    scalar first;                                ///< the first part that this thread folds
    int distance = 1;                            ///< between the parts that one thread folds
    std::function<scalar(const scalar&)> place;  ///< where part p lies
};

/// Leaves the block's results in the workspace; only the last of the blocks goes on, its reductions' values being
/// what this thread folded of all parts. Gives the group's ticket.
device_ir::id publish_partials(lowering& c, const split_partials& p, const scalar& parts);

/// After the last fold: the ticket is ready for the next launch.
void reset_ticket(lowering& c, device_ir::id ticket);

}  // namespace sinter::codegen::lower
