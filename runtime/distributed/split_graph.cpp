// Propagates the split axis from the leaves to the results.
#include <runtime/distributed/split_graph.hpp>

#include <codegen/ir/print.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace sinter::codegen {
split_graph::split_graph(graph whole, std::vector<int> leaf_axis, const ir::scalar_bits* scalars, int members)
    : g_(std::move(whole)),
      leaf_axis_(std::move(leaf_axis)),
      scalars_(scalars),
      members_(members),
      axis_(g_.nodes.size(), unsplit),
      state_(g_.nodes.size(), state::ready) {}

std::vector<int> split_graph::place() {
    std::vector<int> cuts;
    for (int i = 0; i < size(); ++i) {
        const graph_node& n = (*this)[i];
        state_[as_size(i)] = state::ready;
        for (int in : n.in)
            if (in >= 0 && state_[as_size(in)] != state::ready) state_[as_size(i)] = state::later;
        if (state_[as_size(i)] == state::later) continue;
        axis_[as_size(i)] = axis_of(i);
        if (state_[as_size(i)] == state::cut) cuts.push_back(i);
    }
    return cuts;
}

int split_graph::replace_by_leaf(int node, int axis) {
    graph_node leaf;
    leaf.what = ir::kind::leaf;
    leaf.type = (*this)[node].type;
    leaf.rank = (*this)[node].rank;
    leaf.shape = (*this)[node].shape;
    leaf.argument = static_cast<int>(leaf_axis_.size());
    leaf_axis_.push_back(axis);
    graph_leaf made;
    made.type = leaf.type;
    made.rank = leaf.rank;
    made.shape = leaf.shape;
    made.temporary = leaf.argument;
    g_.leaves.push_back(made);
    if (const int stored = store_of(node); stored >= 0) g_.nodes[as_size(stored)] = leaf;
    g_.nodes[as_size(node)] = leaf;
    return leaf.argument;
}

int split_graph::store_of(int reduction) const {
    for (int i = reduction + 1; i < size(); ++i)
        if ((*this)[i].what == ir::kind::materialize && (*this)[i].in[0] == reduction) return i;
    return -1;
}

void split_graph::widen_halves() {
    for (const graph_node& n : g_.nodes) {
        if (!is_storage_only(n.type)) continue;
        legalize_storage(g_);
        axis_.assign(g_.nodes.size(), unsplit);
        state_.assign(g_.nodes.size(), state::ready);
        return;
    }
}

int split_graph::axis_of(int node) {
    const graph_node& n = (*this)[node];
    const int source = n.in[0] < 0 ? unsplit : axis(n.in[0]);
    switch (n.what) {
        case ir::kind::leaf: return leaf_axis_[as_size(n.argument)];
        case ir::kind::scalar:
        case ir::kind::constant:
        case ir::kind::iota: return unsplit;
        case ir::kind::elementwise:
        case ir::kind::cast:
        case ir::kind::materialize:
        case ir::kind::stop_gradient: return common_axis(node);
        case ir::kind::reduction: return reduced_axis(node, source);
        case ir::kind::scan:
            if (source >= 0 && (n.axes >> source & 1)) state_[as_size(node)] = state::cut;
            return source;
        case ir::kind::reshape: return reshaped_axis(node, source);
        case ir::kind::index_map: return mapped_axis_of(node, source);
        case ir::kind::call: refuse(node, "is a function of whole arrays, and no member has a whole array");
        case ir::kind::gradient: break;
    }
    refuse(node, "is not supported for sharded arrays");
}

/// An operand whose split axis has one element is read by all members: it decides only if no other does.
int split_graph::common_axis(int node) const {
    int axis = unsplit, of_one = unsplit;
    for (int in : (*this)[node].in) {
        if (in < 0 || !is_split(in)) continue;
        const int aligned = aligned_axis(this->axis(in), (*this)[node].rank, (*this)[in].rank);
        if (extent(in) == 1 && (*this)[node].shape[as_size(aligned)] != 1) continue;
        if (extent(in) == 1) {
            of_one = aligned;
            continue;
        }
        if (axis >= 0 && axis != aligned) refuse(node, "has operands that are split along different axes");
        axis = aligned;
    }
    return axis >= 0 ? axis : of_one;
}

int split_graph::reduced_axis(int node, int source) {
    const graph_node& n = (*this)[node];
    if (source < 0) return unsplit;
    if (n.axes >> source & 1) {
        state_[as_size(node)] = state::cut;
        return unsplit;
    }
    return n.keepdims ? source : source - std::popcount(n.axes & ((1u << source) - 1));
}

int split_graph::reshaped_axis(int node, int source) const {
    if (source < 0) return unsplit;
    const graph_node &to = (*this)[node], &from = (*this)[to.in[0]];
    std::int64_t before = 1, now = 1;
    for (int a = 0; a < source; ++a) before *= from.shape[as_size(a)];
    for (int a = 0; a < to.rank && now <= before; now *= to.shape[as_size(a++)])
        if (now == before && to.shape[as_size(a)] == from.shape[as_size(source)]) return a;
    refuse(node, "merges or divides the split axis");
}

int split_graph::mapped_axis_of(int node, int source) const {
    const graph_node& n = (*this)[node];
    int axis = unsplit;
    if (source >= 0) {
        const mapped_axis& m = n.map[as_size(source)];
        if (m.from == ir::from_operand)
            axis = varying_axis(node);
        else if (m.from >= 0 && m.step != 0)
            axis = m.from;
    }
    if (n.in[1] >= 0 && is_split(n.in[1])) {
        if (source >= 0 && n.map[as_size(source)].from == ir::from_operand)
            refuse(node, "reads the split axis at indices that only the data determine");
        const int aligned = aligned_axis(this->axis(n.in[1]), n.rank, (*this)[n.in[1]].rank);
        if (axis >= 0 && axis != aligned) refuse(node, "has operands that are split along different axes");
        axis = aligned;
    }
    return axis;
}

/// For a view whose split source axis is gathered: the longest axis along which the index varies.
int split_graph::varying_axis(int node) const {
    const graph_node &n = (*this)[node], &index = (*this)[n.in[1]];
    int longest = unsplit;
    for (int a = 0; a < index.rank; ++a) {
        const int aligned = aligned_axis(a, n.rank, index.rank);
        if (index.shape[as_size(a)] > 1 && (longest < 0 || n.shape[as_size(aligned)] > n.shape[as_size(longest)]))
            longest = aligned;
    }
    index_values(n.in[1], -1, {}, node);  // throws if the index depends on data
    return longest;
}

void split_graph::refuse(int node, const char* why) const {
    throw error(
        fmt::format("sharded: {} {}; reshard(x, axis=...) splits an array along another axis, replicate(x) and "
                    "gather(x) make it whole",
                    label((*this)[node]), why));
}

}  // namespace sinter::codegen
