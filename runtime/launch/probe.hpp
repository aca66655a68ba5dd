// Values of single nodes of a program: a check computes them again to say where something comes from.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/transforms/flatten.hpp>
#include <sinter/evaluate.hpp>

#include <string>

namespace sinter::codegen {

/// Refers to the arguments.
class probe {
public:
    probe(const ir::program& program, const detail::arguments_view& arguments);

    /// The program, with gradients expanded.
    const graph& nodes() const { return graph_; }
    const graph_node& node(int i) const { return graph_.nodes[static_cast<std::size_t>(i)]; }
    /// Its node of a result.
    int root(int result) const { return graph_.roots[static_cast<std::size_t>(result)].node; }

    /// Whether a node is computed of an earlier one, or is it.
    bool needs(int node, int earlier) const;

    /// The elements of a node along the axes of the set `along`, at the indices `at` along the others, as dense storage
    /// on one device. Half types come as float32, as they are computed. It is an evaluation of a view of the node: it
    /// computes what these elements need.
    detail::storage_ref read(int node, const extents& at, std::uint32_t along = 0) const;

private:
    detail::storage_ref leaf(int i) const;

    const detail::arguments_view& arguments_;
    const int scalars_;
    const graph graph_;
    const flat_program flat_;
};

/// The index of an element of a row-major array.
extents index_of(std::int64_t element, const extents& shape, int rank);

}  // namespace sinter::codegen
