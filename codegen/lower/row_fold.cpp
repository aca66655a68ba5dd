// Butterfly shuffles within warps, shared memory between warps, distributed shared memory between a cluster's blocks.
#include <codegen/lower/row_fold.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

void row_fold::operator()(const std::vector<int>& reductions) {
    const int lanes = std::min(group, warp);
    if (lanes > 1) {
        c.b.comment(
            "Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have "
            "the result of all.");
        butterfly(reductions, lanes);
    }
    if (group > warp) across_warps(reductions);
    if (c.s.cluster > 1) across_blocks(reductions);
}

void row_fold::butterfly(const std::vector<int>& reductions, int lanes) {
    const scalar offset = c.b.open_halving("offset", lanes / 2, 0);
    for (int r : reductions) {
        const scalar own = c.operand(r);
        c.b.assign(own, c.combine(r, own, c.b.exchange(exchange_pattern::butterfly, own, offset)));
    }
    c.b.close();
}

void row_fold::across_warps(const std::vector<int>& reductions) {
    const int warps = group / warp;
    const scalar thread = c.b.thread();
    c.b.comment("Partial results of the row's warps, in shared memory. Every warp then folds all of them.");
    for (int r : reductions) {
        if (of_warps.count(r) == 0)
            of_warps[r] =
                c.b.declare({c.name(r) + "_of_warp", space::shared, c.at(r).type, {c.s.block_threads / warp}});
        c.b.open_branch(thread % warp == 0);
        c.b.assign(c.b.element(of_warps.at(r), {thread / warp}), c.operand(r));
        c.b.close();
    }
    c.b.barrier(barrier_scope::block);
    // a warp's own lanes repeat the results of the row's warps, so that the butterfly needs no special cases
    const scalar own = thread % warps;
    const scalar from = c.s.block_threads == group ? own : thread / group * warps + own;
    for (int r : reductions) c.b.assign(c.operand(r), c.b.element(of_warps.at(r), {from}));
    butterfly(reductions, warps);
}

void row_fold::across_blocks(const std::vector<int>& reductions) {
    c.b.comment("Partial results of the cluster's blocks, in their shared memory. Every warp then folds all of them.");
    std::map<int, scalar> of_block;
    for (int r : reductions) {
        of_block[r] = c.b.element(c.b.declare({c.name(r) + "_of_block", space::shared, c.at(r).type, {}}), {});
        c.b.open_branch(c.b.thread() == 0);
        c.b.assign(of_block.at(r), c.operand(r));
        c.b.close();
    }
    c.b.barrier(barrier_scope::cluster);
    for (int r : reductions) c.b.assign(c.operand(r), c.b.peer(of_block.at(r), c.b.thread() % c.s.cluster));
    butterfly(reductions, c.s.cluster);
}

}  // namespace sinter::codegen::lower
