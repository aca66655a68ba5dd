// Blocks that share a group and synchronise at a barrier after each of its reduction loops, all in one launch.
// codegen/schedule/grid_barrier.cpp says which blocks may do so, and why none waits forever.
#pragma once

#include <codegen/lower/split.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sinter::codegen::lower {

/// How a strategy distributes rows or tiles over groups of blocks, and where these put their results.
struct block_group_walk {
    std::string noun;                ///< "row" or "tile": what a group of blocks shares; also the name of its index
    scalar groups;                   ///< number of rows or tiles; empty: one
    int step = 1;                    ///< a block's part is a multiple of this
    int slots = 1;                   ///< results per block
    std::function<scalar()> column;  ///< index of this thread's result among the slots
    scalar writer;                   ///< true in the threads that publish a result; empty: in all
    scalar first;                    ///< first part that this thread folds
    int distance = 1;                ///< between consecutive parts that one thread folds
};

class block_group_lowering {
public:
    block_group_lowering(lowering& shared, const block_group_walk& walked) : c(shared), walk(walked) {}

    /// Computes the block's group of blocks and its part. With several rows or tiles, opens the loop over those of the
    /// group and returns the loop's index.
    scalar open();
    void close();

    const scalar& part() const { return of.part; }
    const loop_part& range(int l) const { return ranges.size() > 1 ? ranges[static_cast<std::size_t>(l)] : ranges[0]; }

    /// After loop l: publishes its results, which the block's threads hold, waits for the other blocks of the group,
    /// and folds the results of all parts, divided among the threads.
    void sync(int l);

private:
    lowering& c;
    block_group_walk walk;
    block_part of;
    std::vector<loop_part> ranges;  ///< of each loop, or one for all
    scalar block_group, parity;
    device_ir::id arrived = device_ir::none, results = device_ir::none;
    int left = 0;  ///< reductions published so far
};

/// Bytes of workspace: barriers, then two sets of results, since blocks may be one row ahead of the slowest.
std::size_t grid_barrier_bytes(const loop_nest& k, const schedule& s, std::size_t slots);

}  // namespace sinter::codegen::lower
