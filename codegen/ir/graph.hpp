// The run-time form of the IR: a program bound to its arguments, with every extent known. Passes rewrite it.
#pragma once

#include <codegen/ir/call.hpp>
#include <codegen/ir/rarely_set.hpp>
#include <sinter/expr.hpp>

#include <array>
#include <string>
#include <vector>

namespace sinter::codegen {

using extents = std::array<std::int64_t, ir::max_rank>;

/// One source axis of an index map: source index = start + step * (index along result axis `from`). from = -1: start
/// alone; from = ir::from_operand: the value of the map's second operand.
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
    int argument = -1;       ///< leaf: index into leaves; scalar: into the program's scalars
    std::uint64_t bits = 0;  ///< constant: bytes; materialize: ir::product; call: result number
    std::uint32_t axes = 0;  ///< reduction, scan: a mask of the operand's axes that it goes over
    bool keepdims = false;   ///< reduction
    bool exclusive = false;  ///< scan: excludes each element's own value
    bool reverse = false;    ///< scan: from the last element to the first
    bool zero = false;       ///< scalar: it is 0, which the plan's signature records
    bool alone = false;      ///< the kernel that stores this node stores nothing else
    rarely_set<std::array<mapped_axis, ir::max_rank>> map;  ///< index_map: one entry per axis of the operand
    const ir::call_row* callee = nullptr;                   ///< call
    rarely_set<call_integers> integers;                     ///< call

    bool operator==(const graph_node&) const = default;
};

/// Whether a node stores a matrix product: see ir::product.
inline bool is_matrix_product(const graph_node& n) { return n.what == ir::kind::materialize && n.bits != 0; }

/// An array that the graph reads: an argument of the program, or a result of an earlier kernel.
struct graph_leaf {
    dtype type{};
    int rank = 0;
    extents shape{};
    extents strides{};
    const void* data = nullptr;  ///< arguments: address of the elements, to detect equal arrays
    int temporary = -1;          ///< its number among the arrays stored by earlier kernels; -1: an argument
    bool operator==(const graph_leaf&) const = default;
};

/// A result: a node and the destination of its elements.
struct graph_root {
    int node = -1;
    std::uint32_t outer = 0;  ///< mask of the node's axes that are the kernel's outer axes
    extents strides{};        ///< of the destination array
    int result = -1;          ///< index of the program's result; -1: only later kernels read it
    bool placed = false;      ///< the destination gives the strides: later kernels cannot read this result
    bool read_later = false;  ///< a result that later kernels also read

    bool operator==(const graph_root&) const = default;

    bool is_read() const { return result < 0 || read_later; }
};

struct graph {
    std::vector<graph_node> nodes;  ///< SSA order: operands first
    std::vector<graph_root> roots;
    std::vector<graph_leaf> leaves;
    ir::product product = ir::product::none;  ///< the product that a kernel's graph computes, if any
    bool operator==(const graph&) const = default;
};

inline std::int64_t size_of_shape(const extents& shape, int rank) {
    std::int64_t n = 1;
    for (int a = 0; a < rank; ++a) n *= shape[a];
    return n;
}

/// Row-major strides, in elements.
inline extents row_major(const extents& shape, int rank) {
    extents strides{};
    std::int64_t step = 1;
    for (int a = rank - 1; a >= 0; --a) {
        strides[a] = step;
        step *= shape[a];
    }
    return strides;
}

/// The operand or result that a node is to a call: an array in memory.
inline call_array array_of(const graph_node& n) { return {n.type, n.rank, n.shape}; }
inline std::vector<call_array> operands_of(const graph& g, const graph_node& call) {
    std::vector<call_array> all;
    for (const int in : call.in)
        if (in >= 0) all.push_back(array_of(g.nodes[static_cast<std::size_t>(in)]));
    return all;
}

/// The axis of a node of rank `rank` that an operand's axis aligns with. Shapes are aligned at the last axis.
inline int aligned_axis(int operand_axis, int rank, int operand_rank) { return operand_axis + rank - operand_rank; }

}  // namespace sinter::codegen
