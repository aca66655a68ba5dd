// Splits the graph into one graph per launch.
#include <codegen/transforms/cut.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter/op/builtin.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// Extracts the graph of one kernel: all that its roots depend on, down to leaves and stored nodes.
class extractor {
public:
    extractor(const graph& whole, const std::vector<int>& leaf_of_node) : whole_(whole), leaf_of_node_(leaf_of_node) {}

    graph extract(const std::vector<graph_leaf>& leaves, const std::vector<graph_root>& roots) {
        copied_.assign(whole_.nodes.size(), -1);
        part_ = {};
        part_.leaves = leaves;
        part_.nodes.reserve(whole_.nodes.size());
        own_.clear();
        for (const graph_root& r : roots)
            if (r.is_read()) own_.push_back(r.node);  // a result that an earlier kernel also stores is loaded
        for (const graph_root& r : roots) {
            const graph_node& n = whole_.nodes[r.node];
            if (n.what == ir::kind::materialize && roots.size() == 1) part_.product = static_cast<ir::product>(n.bits);
            const int node = copy(r.node);
            const bool keeps = r.is_read() && stored_type(whole_, r.node) != n.type;
            part_.roots.push_back(
                {keeps ? unrounded(node) : node, r.outer, r.strides, r.result, r.placed, r.read_later});
            if (n.what == ir::kind::materialize && n.bits == 0) name_zeros();
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
        } else if (n.what == ir::kind::materialize) {
            return copied_[i] = copy(n.in[0]);
        } else {
            for (int& in : n.in)
                if (in >= 0) in = copy(in);
        }
        n.alone = false;
        part_.nodes.push_back(n);
        return copied_[i] = static_cast<int>(part_.nodes.size()) - 1;
    }

    /// The value for later kernels, in the dtype it was computed in: a storage type would round it.
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

    /// Makes constants of the selected scalars that are 0: what a product reads may be multiplied before it is divided,
    /// as the weights of a softmax after a dropout, where all that it selects in their place is 0.
    void name_zeros() {
        for (const graph_node& n : part_.nodes) {
            if (n.op == nullptr || n.op->builtin != static_cast<int>(builtin_op::where)) continue;
            for (const int selected : {n.in[1], n.in[2]}) {
                graph_node& of = part_.nodes[selected];
                if (of.what != ir::kind::scalar || !of.zero) continue;
                of.what = ir::kind::constant;
                of.argument = -1;
                of.zero = false;
            }
        }
    }

    const graph& whole_;
    const std::vector<int>& leaf_of_node_;
    std::vector<int> own_;  ///< stored nodes that this kernel computes, not loads
    std::vector<int> copied_;
    graph part_;
};

/// Whether a function of whole arrays reads a node: it requires its operands' dtypes.
bool is_operand_of_call(const graph& whole, int node) {
    return std::any_of(whole.nodes.begin(), whole.nodes.end(), [node](const graph_node& n) {
        return n.what == ir::kind::call && std::find(n.in.begin(), n.in.end(), node) != n.in.end();
    });
}

}  // namespace

dtype stored_type(const graph& whole, int node) {
    const graph_node& n = whole.nodes[node];
    if (n.what == ir::kind::call || (is_storage_only(n.type) && is_operand_of_call(whole, node))) return n.type;
    const bool rounded = n.what == ir::kind::materialize && whole.nodes[n.in[0]].what == ir::kind::cast;
    return rounded || n.what == ir::kind::leaf ? n.type : computed_in(n.type);
}

std::vector<graph> partition(const kernel_cut& cut) {
    std::vector<kernel_roots> all = cut.kernels;
    std::vector<graph_leaf> leaves = cut.whole.leaves;
    std::vector<int> leaf_of_node(cut.whole.nodes.size(), -1);
    int temporaries = 0;
    for (kernel_roots& of_kernel : all)
        for (graph_root& r : of_kernel) {
            if (!r.is_read()) continue;
            const graph_node& n = cut.whole.nodes[r.node];
            if (r.result < 0) r.strides = strides_for_readers(cut.whole, r.node);
            leaf_of_node[r.node] = static_cast<int>(leaves.size());
            leaves.push_back({stored_type(cut.whole, r.node), n.rank, n.shape, r.strides, nullptr, temporaries++});
        }
    extractor parts(cut.whole, leaf_of_node);
    std::vector<graph> kernels;
    kernels.reserve(all.size());
    for (const kernel_roots& of_kernel : all) kernels.push_back(parts.extract(leaves, of_kernel));
    return kernels;
}

}  // namespace sinter::codegen
