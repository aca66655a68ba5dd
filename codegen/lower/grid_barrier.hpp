// Blocks that share a group and meet at a barrier after each of its reduction loops, all in one launch. Which blocks
// may do so, and why none waits for ever: codegen/schedule/grid_barrier.cpp.
#pragma once

#include <codegen/lower/split.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sinter::codegen::lower {

/// How a strategy deals rows or tiles to groups of blocks, and these keep their results.
struct block_group_walk {
    std::string noun;                ///< "row" or "tile": what a group of blocks shares; also the name of its number
    scalar groups;                   ///< how many there are; empty for one
    int step = 1;                    ///< a block's part is a whole number of them
    int slots = 1;                   ///< results per block
    std::function<scalar()> column;  ///< of this thread's result among the slots
    scalar writer;                   ///< true for the threads that leave a result; empty: all
    scalar first;                    ///< the first part that this thread folds
    int distance = 1;                ///< between the parts that one thread folds
};

class block_group_lowering {
public:
    block_group_lowering(lowering& shared, const block_group_walk& walked) : c(shared), walk(walked) {}

    /// Which group of blocks the block is in and which part is its own; then, if there are several rows or tiles, the
    /// loop over the group's, whose number it gives.
    scalar open();
    void close();

    const scalar& part() const { return of.part; }
    const loop_part& range(int l) const { return ranges.size() > 1 ? ranges[static_cast<std::size_t>(l)] : ranges[0]; }

    /// After loop l, whose results the block's threads hold: publishes them, waits for the group's other blocks,
    /// and folds the results of all parts, some in each thread.
    void sync(int l);

private:
    lowering& c;
    block_group_walk walk;
    block_part of;
    std::vector<loop_part> ranges;  ///< of each loop, or of all
    scalar block_group, parity;
    device_ir::id arrived = device_ir::none, results = device_ir::none;
    int left = 0;  ///< reductions that have been left so far
};

/// Bytes of workspace: barriers, then two sets of results, for blocks that are one row ahead of the slowest.
std::size_t grid_barrier_bytes(const kernel& k, const schedule& s, std::size_t slots);

}  // namespace sinter::codegen::lower
