// What all groups of a kernel fold into: one accumulator a thread, then one a block, then one.
#pragma once

#include <codegen/lower/split.hpp>

namespace sinter::codegen::lower {

class all_groups_lowering {
public:
    explicit all_groups_lowering(lowering& shared);

    /// Declares a thread's accumulators: before the loop over the block's groups.
    void open();
    /// Folds the results of the group at hand and of its neighbours. `counts`: true for one thread of a group that
    /// exists; empty: for all.
    void add(const scalar& counts);
    /// Behind the loop: the fold over the block's threads, over the blocks, and what is computed and stored once.
    void close();

private:
    scalar value_of(int v);

    lowering& c;
    std::vector<int> folds;
};

}  // namespace sinter::codegen::lower
