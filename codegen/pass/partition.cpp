// Cuts the graph into one graph a launch, as the algorithm in include/sinter/ir/partition.hpp decides.
#include <codegen/pass/pass.hpp>
#include <sinter/error.hpp>
#include <sinter/ir/partition.hpp>

#include <algorithm>
#include <memory>
#include <numeric>

namespace sinter::codegen {
namespace {

/// The dtype in which a node is kept for other kernels: as it is computed, unless the program rounds it.
dtype stored_type(const graph& whole, int node) {
    const graph_node& n = whole.nodes[node];
    const bool rounded = n.what == ir::kind::store && whole.nodes[n.in[0]].what == ir::kind::cast;
    return rounded ? n.type : computed_in(n.type);
}

/// For each store node the first launch's that stores the same, and for other nodes themselves. An expression that
/// mentions a product twice, as softmax(matmul(x, y)) does, has it as two nodes of its type.
std::vector<int> first_stores(const graph& whole, const bool* materialised) {
    graph united = whole;
    alias(united);
    std::vector<int> first = first_equals(united);
    for (std::size_t i = 0; i < first.size(); ++i)
        if (whole.nodes[i].what != ir::kind::store || !materialised[first[i]]) first[i] = static_cast<int>(i);
    return first;
}

/// The part of `whole` that one kernel computes: what its roots need, down to the leaves and to stored nodes.
class extractor {
public:
    extractor(const graph& whole, const std::vector<int>& leaf_of_node) : whole_(whole), leaf_of_node_(leaf_of_node) {}

    graph extract(const std::vector<graph_leaf>& leaves, const std::vector<graph_root>& roots,
                  bool for_another_kernel) {
        copied_.assign(whole_.nodes.size(), -1);
        part_ = {};
        part_.leaves = leaves;
        for (const graph_root& r : roots) {
            root_ = for_another_kernel ? r.node : -1;  // a result that earlier kernels needed too is stored already
            const graph_node& n = whole_.nodes[r.node];
            if (n.what == ir::kind::store && roots.size() == 1) part_.product = static_cast<ir::product>(n.bits);
            const int node = copy(r.node);
            const bool keeps = for_another_kernel && stored_type(whole_, r.node) != n.type;
            part_.roots.push_back({keeps ? unrounded(node) : node, r.outer, r.strides});
        }
        return std::move(part_);
    }

private:
    int copy(int i) {
        if (copied_[i] >= 0) return copied_[i];
        graph_node n = whole_.nodes[i];
        if (i != root_ && leaf_of_node_[i] >= 0) {
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
    int root_ = -1;  ///< what the kernel stores for others: the one stored node that it does not load
    std::vector<int> copied_;
    graph part_;
};

/// The extents of a root's outer axes.
std::vector<std::int64_t> outer_extents(const graph& whole, const graph_root& r) {
    std::vector<std::int64_t> all;
    const graph_node& n = whole.nodes[r.node];
    for (int a = 0; a < n.rank; ++a)
        if (r.outer >> a & 1) all.push_back(n.shape[a]);
    return all;
}

}  // namespace

std::vector<graph> partition(const ir::program& program, const std::int64_t* integers, const graph& whole,
                             fusion mode) {
    const bool unfused = mode == fusion::off;
    const auto cut = std::make_unique<ir::partition_result>(
        ir::partitioner(program.nodes, program.node_count, integers, true, unfused)
            .run(program.roots, program.root_count));

    std::vector<graph_root> roots = whole.roots;
    for (std::size_t r = 0; r < roots.size(); ++r) {
        roots[r].outer = cut->root_outer[r];
        if (unfused) continue;
        if (!cut->shares || outer_extents(whole, roots[r]) != outer_extents(whole, roots[0]))
            throw error(
                "pack: the results cannot share one kernel, since they do not run over the same axes of the same "
                "extents; assign those that differ by themselves");
    }

    // A node stands behind its operands: kernels in the order of what they store read nothing that is not stored yet.
    const int of_roots = result_kernels(program, mode);
    std::vector<int> earlier(cut->launches - of_roots);
    std::iota(earlier.begin(), earlier.end(), of_roots);
    std::sort(earlier.begin(), earlier.end(), [&](int a, int b) { return cut->stored[a] < cut->stored[b]; });
    const std::vector<int> first = first_stores(whole, cut->materialised);
    std::erase_if(earlier, [&](int k) { return first[cut->stored[k]] != cut->stored[k]; });
    std::vector<graph_leaf> leaves = whole.leaves;
    std::vector<int> leaf_of_node(whole.nodes.size(), -1);
    for (std::size_t k = 0; k < earlier.size(); ++k) {
        const int node = cut->stored[earlier[k]];
        const graph_node& n = whole.nodes[node];
        leaf_of_node[node] = static_cast<int>(leaves.size());
        leaves.push_back(
            {stored_type(whole, node), n.rank, n.shape, row_major(n.shape, n.rank), nullptr, static_cast<int>(k)});
    }
    for (std::size_t i = 0; i < first.size(); ++i)
        if (first[i] != static_cast<int>(i)) leaf_of_node[i] = leaf_of_node[first[i]];
    extractor parts(whole, leaf_of_node);
    std::vector<graph> kernels;
    for (int found : earlier) {
        const int node = cut->stored[found];
        const graph_leaf& stored = leaves[leaf_of_node[node]];
        kernels.push_back(parts.extract(leaves, {{node, cut->outer[found], stored.strides}}, true));
    }
    if (unfused)
        for (const graph_root& r : roots) kernels.push_back(parts.extract(leaves, {r}, false));
    else
        kernels.push_back(parts.extract(leaves, roots, false));
    return kernels;
}

}  // namespace sinter::codegen
