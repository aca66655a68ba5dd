// The graph that a member evaluates for ranges of some nodes of a graph over whole arrays.
#pragma once

#include <runtime/distributed/split_graph.hpp>
#include <runtime/distributed/stages.hpp>

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace sinter::codegen {

/// A node and the range of it to compute; for a reduction or scan over the split axis, the range of its operand to
/// reduce.
struct wanted_range {
    int node;
    interval range;
    bool folds = false;
};

/// The leaf ranges that a member lacks for the wanted nodes: per leaf disjoint and ascending. With `copies`, also those
/// that it has, so that results do not depend on what else the member has.
std::map<int, std::vector<interval>> missing_ranges(const split_graph& g, int member,
                                                    const std::vector<wanted_range>& wanted, bool copies = false);
/// Whether all wanted nodes have split axes of the same extent.
bool same_extents(const split_graph& g, const std::vector<wanted_range>& wanted);

/// Builds the graph of the wanted nodes. Its leaves are numbered as in `inputs`.
class piece_graph {
public:
    /// `windows`: the stage's; the piece's own are [first, end). A wanted scan has a second root: its total.
    piece_graph(const split_graph& whole, int member, const std::vector<window>& windows, std::size_t first,
                std::size_t end, bool copies)
        : whole_(whole), member_(member), windows_(windows), first_(first), end_(end), copies_(copies) {}

    graph write(const std::vector<wanted_range>& wanted);
    const std::vector<piece_input>& inputs() const { return inputs_; }

private:
    int node(int i, interval range);
    int leaf(int i, const interval& range);
    int operand(int i, int k, const interval& range);
    int root(const wanted_range& w);
    int total_of(int scan);
    void add_root(int made);
    void shift_map(graph_node& made, int i, const interval& range);
    int index_from(int index, std::int64_t base);
    int slice(int made, int axis, std::int64_t first, std::int64_t count);
    int push(const graph_node& n);

    const split_graph& whole_;
    const int member_;
    const std::vector<window>& windows_;
    const std::size_t first_, end_;
    const bool copies_;  ///< see missing_ranges
    graph made_;
    std::vector<piece_input> inputs_;
    std::map<std::tuple<int, std::int64_t, std::int64_t>, int> known_;
};

}  // namespace sinter::codegen
