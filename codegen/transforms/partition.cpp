// Cuts the graph into one graph a launch.
#include <codegen/transforms/cut.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// The part of `whole` that one kernel computes: what its roots need, down to the leaves and to stored nodes.
class extractor {
public:
    extractor(const graph& whole, const std::vector<int>& leaf_of_node) : whole_(whole), leaf_of_node_(leaf_of_node) {}

    graph extract(const std::vector<graph_leaf>& leaves, const std::vector<graph_root>& roots) {
        copied_.assign(whole_.nodes.size(), -1);
        part_ = {};
        part_.leaves = leaves;
        own_.clear();
        for (const graph_root& r : roots)
            if (r.is_read()) own_.push_back(r.node);  // a result that earlier kernels store, too, is read from there
        for (const graph_root& r : roots) {
            const graph_node& n = whole_.nodes[r.node];
            if (n.what == ir::kind::store && roots.size() == 1) part_.product = static_cast<ir::product>(n.bits);
            const int node = copy(r.node);
            const bool keeps = r.is_read() && stored_type(whole_, r.node) != n.type;
            part_.roots.push_back(
                {keeps ? unrounded(node) : node, r.outer, r.strides, r.result, r.placed, r.read_later});
        }
        return std::move(part_);
    }

private:
    int copy(int i) {
        if (copied_[i] >= 0) return copied_[i];
        graph_node n = whole_.nodes[i];
        if (leaf_of_node_[i] >= 0 && std::find(own_.begin(), own_.end(), i) == own_.end()) {
            graph_node stored;
            stored.what = ir::kind::leaf;
            stored.type = n.type;
            stored.rank = n.rank;
            stored.shape = n.shape;
            stored.argument = leaf_of_node_[i];
            n = stored;
        } else if (n.what == ir::kind::store) {
            return copied_[i] = copy(n.in[0]);
        } else {
            for (int& in : n.in)
                if (in >= 0) in = copy(in);
        }
        n.alone = false;
        part_.nodes.push_back(n);
        return copied_[i] = static_cast<int>(part_.nodes.size()) - 1;
    }

    /// What another kernel goes on computing with is kept as it was computed: a half type would round it.
    int unrounded(int node) {
        const graph_node& of = part_.nodes[node];
        graph_node n;
        n.what = ir::kind::cast;
        n.type = computed_in(of.type);
        n.rank = of.rank;
        n.shape = of.shape;
        n.in[0] = node;
        part_.nodes.push_back(n);
        return static_cast<int>(part_.nodes.size()) - 1;
    }

    const graph& whole_;
    const std::vector<int>& leaf_of_node_;
    std::vector<int> own_;  ///< what the kernel stores for others: the stored nodes that it does not load
    std::vector<int> copied_;
    graph part_;
};

/// Whether a function of whole arrays reads a node: it takes arrays of the dtypes that its operands have.
bool is_operand_of_call(const graph& whole, int node) {
    return std::any_of(whole.nodes.begin(), whole.nodes.end(), [node](const graph_node& n) {
        return n.what == ir::kind::call && std::find(n.in.begin(), n.in.end(), node) != n.in.end();
    });
}

}  // namespace

dtype stored_type(const graph& whole, int node) {
    const graph_node& n = whole.nodes[node];
    if (n.what == ir::kind::call || (is_half(n.type) && is_operand_of_call(whole, node))) return n.type;
    const bool rounded = n.what == ir::kind::store && whole.nodes[n.in[0]].what == ir::kind::cast;
    return rounded || n.what == ir::kind::leaf ? n.type : computed_in(n.type);
}

std::vector<graph> partition(kernel_cut cut) {
    std::vector<graph_leaf> leaves = cut.whole.leaves;
    std::vector<int> leaf_of_node(cut.whole.nodes.size(), -1);
    int temporaries = 0;
    for (kernel_roots& of_kernel : cut.kernels)
        for (graph_root& r : of_kernel) {
            if (!r.is_read()) continue;
            const graph_node& n = cut.whole.nodes[r.node];
            if (r.result < 0) r.strides = row_major(n.shape, n.rank);
            leaf_of_node[r.node] = static_cast<int>(leaves.size());
            leaves.push_back({stored_type(cut.whole, r.node), n.rank, n.shape, r.strides, nullptr, temporaries++});
        }
    extractor parts(cut.whole, leaf_of_node);
    std::vector<graph> kernels;
    for (const kernel_roots& of_kernel : cut.kernels) kernels.push_back(parts.extract(leaves, of_kernel));
    return kernels;
}

}  // namespace sinter::codegen
