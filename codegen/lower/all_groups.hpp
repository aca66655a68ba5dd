// The fold of all groups of a kernel: one accumulator per thread, then one per block, then one.
#pragma once

#include <codegen/lower/split.hpp>

namespace sinter::codegen::lower {

class all_groups_lowering {
public:
    explicit all_groups_lowering(lowering& shared);

    /// Declares a thread's accumulators; call before the loop over the block's groups.
    void open();
    /// Folds in the results of the current group and of its neighbours. `counts` is true for exactly one thread of each
    /// existing group; empty: for all threads.
    void add(const scalar& counts);
    /// Call after the loop: folds over the block's threads and blocks, then computes and stores what exists once.
    void close();

private:
    scalar value_of(int v);

    lowering& c;
    std::vector<int> folds;
};

}  // namespace sinter::codegen::lower
