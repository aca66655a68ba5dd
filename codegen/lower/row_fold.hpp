// Folds the partial results of a row's threads into one, which every thread of the row receives.
#pragma once

#include <codegen/lower/lowering.hpp>

#include <map>
#include <vector>

namespace sinter::codegen::lower {

class row_fold {
public:
    explicit row_fold(lowering& shared) : row_fold(shared, shared.s.threads_per_output) {}
    /// For groups of `threads`: a power of two; from a warp upwards it divides the block.
    row_fold(lowering& shared, int threads) : c(shared), group(threads) {}

    /// Folds over the lanes of a warp, then over the row's warps, then over the cluster's blocks.
    void operator()(const std::vector<int>& reductions);

private:
    void butterfly(const std::vector<int>& reductions, int lanes);
    void across_warps(const std::vector<int>& reductions);
    void across_blocks(const std::vector<int>& reductions);

    lowering& c;
    int group;
    std::map<int, device_ir::id> of_warps;  ///< shared arrays, declared once
};

}  // namespace sinter::codegen::lower
