// The stages of an expression of sharded arrays: programs that each member runs on its own parts, in sequence. All but
// the last end in reductions or scans over the split axis, whose combined results are leaves of later programs. A stage
// is divided into pieces: those that need no elements of other members run first, while data for the others is in
// flight.
#pragma once

#include <codegen/transforms/flatten.hpp>
#include <runtime/distributed/mesh_device.hpp>
#include <runtime/distributed/relocation.hpp>
#include <sinter/evaluate.hpp>

#include <memory>
#include <vector>

namespace sinter::codegen {

/// A range of a leaf along its split axis that a member needs but does not have.
struct window {
    int leaf;
    int member;
    interval range;
};

/// An input of a piece's program: a leaf as the member has it, or a window.
struct piece_input {
    int leaf;
    int window;  ///< index into the stage's windows; -1 for the member's own part
};

/// A part of a stage's results that a member computes with one program.
struct piece {
    explicit piece(const graph& g) : flat(g), program(flat.view()) {
        for (const graph_root& r : g.roots) {
            const graph_node& n = g.nodes[as_size(r.node)];
            results.push_back({n.type, n.rank, n.shape, -1});
        }
    }

    const flat_program flat;
    ir::program program;                ///< of `flat`
    std::vector<array_layout> results;  ///< of the program
    detail::plan_slot slot;
    std::vector<piece_input> inputs;
    interval rows;       ///< range of the results along their split axes
    bool waits = false;  ///< for windows
    bool whole = false;  ///< a block in fixed order: only the member's own rows are kept
};

/// How a stage's results are used.
enum class stage_kind {
    results,     ///< they are the expression's results
    reductions,  ///< the members' partial results are reduced
    scan,        ///< each member's scan of its part, and its total, which later members add
};

/// A result of a stage.
struct stage_result {
    array_layout array;          ///< the combined array; if split, each member receives its part of the reduction
    const op_row* op = nullptr;  ///< of a reduction or scan
    std::vector<int> holders;    ///< reductions: the members that had elements
    bool reverse = false;        ///< of a scan
};

struct stage {
    stage_kind kind = stage_kind::results;
    std::vector<int> blocks;  ///< reductions in fixed order: number of blocks per member; else empty
    std::vector<stage_result> results;
    std::vector<window> windows;                              ///< of all members
    std::vector<std::vector<std::unique_ptr<piece>>> pieces;  ///< per local member
};

struct stages {
    std::vector<std::unique_ptr<stage>> all;
    std::vector<array_layout> leaves;  ///< the program's, and those added by stages
    bool communicates = false;         ///< whether members need each other's data
};

/// Requirements on an evaluation besides its values.
struct evaluation_wish {
    int axis = -1;             ///< the axis to split otherwise replicated results along
    bool fixed_order = false;  ///< results must not depend on the number of members
};

/// The stages of a program whose leaves are on the mesh. Cached by shapes. Throws if members would need elements of
/// other parts at data-dependent indices.
const stages& stages_of(const mesh_device& mesh, const ir::program& program, const detail::arguments_view& arguments,
                        const evaluation_wish& wish);

/// The extents of a member's part of an array.
extents local_shape(const array_layout& array, int member, int members);

}  // namespace sinter::codegen
