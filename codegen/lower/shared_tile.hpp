// Tiles of results that several blocks share: each block has some of the steps of the reductions.
#pragma once

#include <codegen/lower/split.hpp>
#include <codegen/schedule/contraction.hpp>

#include <functional>
#include <vector>

namespace sinter::codegen::lower {

/// One reduction's partial results in the registers of a thread.
struct thread_results {
    using element = std::function<scalar(const scalar& e)>;
    using body = std::function<void(const element& result, const scalar& number)>;

    int reduction = -1;
    int count = 1;  ///< per thread
    int run = 1;    ///< consecutive results that one access moves
    /// Calls it for each run, with the number of its first result, inside loops that it opens and closes.
    std::function<void(const body&)> each{};
};

/// A tile, this block's share of its steps, and the threads that have its results.
struct shared_tile {
    scalar number;
    block_part share;
    scalar thread{};  ///< of `threads`
    int threads = 0;
    scalar has_results{};  ///< empty: all threads have some
};

/// The tile of this block, and its share of the steps of loop 0: a multiple of `step` of them, or none.
shared_tile divide_steps(lowering& c, int step);

/// Publishes the block's partial results in the workspace, which has tickets for each block, then the results of all
/// threads. The last block of each set of shares folds these, and the last one of these blocks what the sets come to:
/// hundreds of shares, one after the other, would take longer than their sums. Only that block continues. Its results
/// then are the folds of all shares, in an order that does not depend on which blocks were last.
void fold_shares(lowering& c, const shared_tile& of, const std::vector<thread_results>& all);

}  // namespace sinter::codegen::lower
