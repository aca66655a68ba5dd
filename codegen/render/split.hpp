// One reduction shared by several blocks and finished by the last of them, all in one launch.
#pragma once

#include <codegen/render/context.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// Which part of the loop a block takes, of a split group or of a cluster's: defines parts, part, begin and end.
/// `group` is the group's (or tile's) number, defined too, or empty for one; `parts` how many blocks share it. A share
/// is a whole number of `step`s.
void split_range(context& c, const std::string& group, const std::string& parts, const std::string& trips, int step);

/// Where part `part` of a loop begins and ends: the names are those, and share, with `suffix`.
void part_range(context& c, const std::string& suffix, const std::string& trips, int step);

/// Folds the parts' results from part `first` on, those that are `distance` apart. Part p lies at `from`.
void fold_parts(context& c, const std::vector<int>& reductions, const std::string& first, int distance,
                const std::string& from);

/// How a form keeps its partial results.
struct split_partials {
    std::string noun;    ///< "row" or "tile": what shares a ticket
    std::string group;   ///< its number in the text
    std::string slot;    ///< where this thread writes: "blockIdx.x"
    int slots = 1;       ///< a block
    std::string writer;  ///< true for the threads that write
    std::string first;   ///< the first part that this thread folds
    int distance = 1;    ///< between the parts that one thread folds
    std::string from;    ///< where part p lies: "row * parts + p"
};

/// Leaves the block's results in the workspace; only the last block of the group goes on, with "sum_2" holding what
/// this thread folded of all parts.
void leave_partials(context& c, const split_partials& p);

/// After the last combination: the ticket is ready for the next launch.
void reset_ticket(context& c, const split_partials& p);

}  // namespace sinter::codegen
