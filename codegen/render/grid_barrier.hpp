// Blocks that share a group and meet at a barrier after each of its reduction loops, all in one launch. Which blocks
// may do so, and why none waits for ever: codegen/schedule/grid_barrier.cpp.
#pragma once

#include <codegen/render/context.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// How a form deals its groups to teams, and a team's blocks keep their results.
struct team_walk {
    std::string noun;    ///< "row" or "tile": what a team shares; also the name of its number in the text
    std::string groups;  ///< how many there are, or empty for one
    int step = 1;        ///< a block's part is a whole number of them
    int slots = 1;       ///< results a block
    std::string column;  ///< of this thread among the slots, or empty where there is one
    std::string writer;  ///< true for the threads that leave a result
    std::string first;   ///< the first part that this thread folds
    int distance = 1;    ///< between the parts that one thread folds
};

class team_renderer {
public:
    team_renderer(context& shared, const team_walk& walked);

    /// Which team and which part the block is; then, if there are several groups, the loop over the team's.
    void open();
    void close();

    std::string begin(int l) const { return "begin" + suffix(l); }
    std::string end(int l) const { return "end" + suffix(l); }

    /// After loop l, whose results the block's threads hold: leaves them for the team, meets it, and folds the results
    /// of all parts, some in each thread.
    void meet(int l);

private:
    std::string suffix(int l) const;

    context& c;
    team_walk walk;
    int results = 0;  ///< reductions that have met so far
};

/// The barrier's function.
void write_grid_barrier(writer& w);

/// Bytes of workspace: barriers, then two sets of results, for teams that are one group ahead of their slowest block.
std::size_t grid_barrier_bytes(const kernel& k, const schedule& s, std::size_t slots);

}  // namespace sinter::codegen
