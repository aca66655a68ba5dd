// Propagation of the split axis through a graph: along which axis each node is split, and which operand elements a
// range of a node needs.
#pragma once

#include <codegen/ir/graph.hpp>
#include <runtime/distributed/interval.hpp>
#include <sinter/ir/node.hpp>

#include <vector>

namespace sinter::codegen {

/// Not split: every member has all elements.
inline constexpr int unsplit = -1;

/// The range from the least to the greatest index start + step * i for i in `range`.
interval affine_indices(const mapped_axis& m, const interval& range);

/// A graph over whole arrays. All ranges are along split axes, in whole-array indices.
class split_graph {
public:
    /// `leaf_axis`: the split axis of each leaf.
    split_graph(graph whole, std::vector<int> leaf_axis, const ir::scalar_bits* scalars, int members);

    const graph_node& operator[](int node) const { return g_.nodes[static_cast<std::size_t>(node)]; }
    int size() const { return static_cast<int>(g_.nodes.size()); }
    const std::vector<graph_root>& roots() const { return g_.roots; }
    int members() const { return members_; }
    const std::vector<int>& leaf_axis() const { return leaf_axis_; }
    int axis(int node) const { return axis_[static_cast<std::size_t>(node)]; }
    bool is_split(int node) const { return axis(node) >= 0; }
    std::int64_t extent(int node) const { return (*this)[node].shape[static_cast<std::size_t>(axis(node))]; }

    /// Determines the axis of each node that can be computed now. Returns the reductions and scans over the split axis,
    /// which no member can compute alone; nodes that depend on them have no axis yet. Throws if operands are split
    /// along different axes, and for unsupported operations.
    std::vector<int> place();
    /// Replaces a node, and its materialize node, by a leaf. Returns the leaf's number.
    int replace_by_leaf(int node, int axis);
    /// The materialize node that marks a reduction as a contraction, for a library; -1 for none.
    int store_of(int reduction) const;

    /// The range of operand k that node `node` reads to compute `range` of itself; empty if the operand is not split.
    interval operand_range(int node, int k, const interval& range) const;
    /// The range of a split node that a member can compute from its own part of the deciding operand. The ranges of all
    /// members cover the whole axis.
    interval natural_range(int node, int member) const;
    [[noreturn]] void refuse(int node, const char* why) const;
    /// Legalizes storage types: computes in float32, and keeps them only for loads, stores and explicit casts.
    void widen_halves();

private:
    enum class state { ready, cut, later };

    int axis_of(int node);
    int common_axis(int node) const;
    int reduced_axis(int node, int source);
    int reshaped_axis(int node, int source) const;
    int mapped_axis_of(int node, int source) const;
    int varying_axis(int node) const;
    /// The values of an index for `range` along axis `along`. Throws if they depend on data.
    interval index_values(int node, int along, const interval& range, int reader) const;

    graph g_;
    std::vector<int> leaf_axis_;
    const ir::scalar_bits* scalars_;
    const int members_;
    std::vector<int> axis_;
    std::vector<state> state_;
};

}  // namespace sinter::codegen
