// The run-time form of the IR: a program bound to its arguments, with every extent known. The passes rewrite it.
#pragma once

#include <codegen/ir/call.hpp>
#include <sinter/expr.hpp>

#include <array>
#include <string>
#include <vector>

namespace sinter::codegen {

using extents = std::array<std::int64_t, ir::max_rank>;

/// One source axis of an index map: source index = start + step * (index along result axis `from`); from = -1: start;
/// from = ir::from_operand: the value of the map's second operand.
struct mapped_axis {
    int from = -1;
    std::int64_t start = 0;
    std::int64_t step = 0;
    bool operator==(const mapped_axis&) const = default;
};

struct graph_node {
    ir::kind what{};
    dtype type{};
    const op_row* op = nullptr;
    int rank = 0;
    extents shape{};
    std::array<int, ir::max_operands> in{-1, -1, -1};
    int argument = -1;                            ///< leaf: position in graph::leaves; scalar: in the program's scalars
    std::uint64_t bits = 0;                       ///< constant, store; call: the number of the result
    std::uint32_t axes = 0;                       ///< the operand's axes: that a reduction folds, or a scan goes along
    bool keepdims = false;                        ///< reduction
    bool exclusive = false;                       ///< scan: without each element's own
    bool reverse = false;                         ///< scan: from the end on
    bool alone = false;                           ///< what is stored: the kernel that does so stores nothing else
    std::array<mapped_axis, ir::max_rank> map{};  ///< index_map: one for each axis of the operand
    const ir::call_row* callee = nullptr;         ///< call
    call_integers integers{};                     ///< call

    bool operator==(const graph_node&) const = default;
};

/// An array that the graph reads: an argument of the program, or what an earlier kernel stored.
struct graph_leaf {
    dtype type{};
    int rank = 0;
    extents shape{};
    extents strides{};
    const void* data = nullptr;  ///< arguments: where the elements are, to tell equal arrays
    int temporary = -1;          ///< its number among what earlier kernels store, or -1 for an argument
};

/// A result: a node, and where its elements are stored.
struct graph_root {
    int node = -1;
    std::uint32_t outer = 0;  ///< the axes of the node that are the kernel's outer axes
    extents strides{};        ///< of the array that is written
    int result = -1;          ///< which of the program's results it is; -1: what a later kernel reads
    bool placed = false;      ///< a result that goes to a place in memory that its reader cannot be told
    bool read_later = false;  ///< a result that a later kernel reads, too

    bool is_read() const { return result < 0 || read_later; }
};

struct graph {
    std::vector<graph_node> nodes;  ///< SSA order
    std::vector<graph_root> roots;
    std::vector<graph_leaf> leaves;
    ir::product product = ir::product::none;  ///< of a kernel's graph: what its reduction is
};

inline std::int64_t size_of_shape(const extents& shape, int rank) {
    std::int64_t n = 1;
    for (int a = 0; a < rank; ++a) n *= shape[a];
    return n;
}

/// Row-major strides in elements.
inline extents row_major(const extents& shape, int rank) {
    extents strides{};
    std::int64_t step = 1;
    for (int a = rank - 1; a >= 0; --a) {
        strides[a] = step;
        step *= shape[a];
    }
    return strides;
}

/// What a call, or another node, reads or gives, as an array in memory.
inline call_array array_of(const graph_node& n) { return {n.type, n.rank, n.shape}; }
inline std::vector<call_array> operands_of(const graph& g, const graph_node& call) {
    std::vector<call_array> all;
    for (const int in : call.in)
        if (in >= 0) all.push_back(array_of(g.nodes[static_cast<std::size_t>(in)]));
    return all;
}

/// The axes of the operand that a node of rank `rank` reads along: operands align at the last axis.
inline int aligned_axis(int operand_axis, int rank, int operand_rank) { return operand_axis + rank - operand_rank; }

}  // namespace sinter::codegen
