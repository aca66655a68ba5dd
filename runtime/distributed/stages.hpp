// What members do for an expression of sharded arrays: programs that each runs on its own parts, one after the other.
// All but the last end in reductions over the split axis; their results, of all members together, are leaves of the
// programs that follow.
#pragma once

#include <codegen/ir/graph.hpp>
#include <runtime/distributed/mesh_device.hpp>
#include <sinter/evaluate.hpp>

#include <memory>
#include <vector>

namespace sinter::codegen {

/// A result of a stage.
struct stage_result {
    dtype type{};
    int rank = 0;
    extents shape{};                 ///< of the whole
    int axis = -1;                   ///< the split axis; -1: every member has the whole
    const op_row* joined = nullptr;  ///< not null: what members have is to be folded by this reduction
    int holders = 0;                 ///< then: how many members, the first ones, had elements to reduce
};

struct stage {
    std::vector<ir::node> nodes;
    std::vector<int> roots;
    ir::program program;  ///< of the two above
    detail::plan_slot slot;
    std::vector<std::vector<std::int64_t>> integers;  ///< of each local member
    std::vector<stage_result> results;
};

using stages = std::vector<std::unique_ptr<stage>>;

/// The stages of a program whose leaves are on the mesh. Made once for given shapes, and kept. Throws where members
/// would need elements of each other's parts otherwise than by a reduction.
const stages& stages_of(const mesh_device& mesh, const ir::program& program, const detail::arguments_view& arguments);

/// The extents that member `member` has of an array that is split along `axis`.
extents local_shape(const extents& whole, int axis, int member, int members);

}  // namespace sinter::codegen
