// A group's stages, for row and column reductions: each loop, the fold of its reductions over the group's threads and
// over the blocks that share the group, then the values that depend on them.
#pragma once

#include <codegen/lower/grid_barrier.hpp>
#include <codegen/lower/group.hpp>
#include <codegen/lower/split.hpp>

#include <functional>
#include <vector>

namespace sinter::codegen::lower {

struct stage_walk {
    std::function<void(const std::vector<int>& reductions)> fold;  ///< over the block's threads of the group
    std::function<loop_part(int l)> range;
    bool with_tail = false;                         ///< see group_lowering::loop
    std::function<split_partials()> partials = {};  ///< of a split group; empty: not split
    scalar parts = {};                              ///< if split: how many blocks share the group
    block_group_lowering* synced = nullptr;         ///< the blocks that share the group by a grid barrier; null: none
};

void lower_stages(lowering& c, group_lowering& group, const stage_walk& walk);

}  // namespace sinter::codegen::lower
