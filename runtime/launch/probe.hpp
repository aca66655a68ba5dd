// Values of single nodes of a program: checks recompute them to report the origin of a value.
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
    /// The node of a result.
    int root(int result) const { return graph_.roots[static_cast<std::size_t>(result)].node; }

    /// Whether a node is `earlier` or depends on it.
    bool needs(int node, int earlier) const;

    /// The elements of a node along the axes in `along`, at the indices `at` along the others, as dense storage on one
    /// device. Half types are returned as float32, the type that they are computed in. Evaluates a view of the node, so
    /// only what these elements need is computed.
    detail::storage_ref read(int node, const extents& at, std::uint32_t along = 0) const;

private:
    detail::storage_ref leaf(int i) const;

    const detail::arguments_view& arguments_;
    const int scalars_;
    const graph graph_;
    const flat_program flat_;
};

/// The index of an element of a row-major array.
extents index_of_element(std::int64_t element, const extents& shape, int rank);

}  // namespace sinter::codegen
