// Cuts the graph into one graph a launch, as the algorithm in include/sinter/ir/partition.hpp decides.
#include <codegen/transforms/pass.hpp>
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

    graph extract(const std::vector<graph_leaf>& leaves, const std::vector<graph_root>& roots) {
        copied_.assign(whole_.nodes.size(), -1);
        part_ = {};
        part_.leaves = leaves;
        own_.clear();
        for (const graph_root& r : roots)
            if (r.result < 0) own_.push_back(r.node);  // a result that earlier kernels store, too, is read from there
        for (const graph_root& r : roots) {
            const graph_node& n = whole_.nodes[r.node];
            if (n.what == ir::kind::store && roots.size() == 1) part_.product = static_cast<ir::product>(n.bits);
            const int node = copy(r.node);
            const bool keeps = r.result < 0 && stored_type(whole_, r.node) != n.type;
            part_.roots.push_back({keeps ? unrounded(node) : node, r.outer, r.strides, r.result});
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

/// The extents of a root's outer axes.
std::vector<std::int64_t> outer_extents(const graph& whole, const graph_root& r) {
    std::vector<std::int64_t> all;
    const graph_node& n = whole.nodes[r.node];
    for (int a = 0; a < n.rank; ++a)
        if (r.outer >> a & 1) all.push_back(n.shape[a]);
    return all;
}

/// The program's roots, those together that run over outer axes of the same extents: one kernel stores them. Without
/// fusion each is by itself.
std::vector<std::vector<graph_root>> roots_by_kernel(const graph& whole, const ir::partition_result& cut, fusion mode) {
    std::vector<std::vector<graph_root>> groups;
    for (std::size_t r = 0; r < whole.roots.size(); ++r) {
        graph_root root = whole.roots[r];
        root.outer = cut.root_outer[r];
        const auto shares = [&](const std::vector<graph_root>& group) {
            return mode == fusion::on && outer_extents(whole, group[0]) == outer_extents(whole, root);
        };
        auto found = std::find_if(groups.begin(), groups.end(), shares);
        if (found == groups.end() && mode == fusion::on &&
            !cut.root_decides[r]) {  // it need not run as the reductions do
            root.outer = (1u << whole.nodes[root.node].rank) - 1;
            found = std::find_if(groups.begin(), groups.end(), shares);
        }
        if (found == groups.end()) found = groups.emplace(groups.end());
        found->push_back(root);
    }
    return groups;
}

/// The kernels that store what later ones need, in their order: those of the cut, less those that need not be. What the
/// first kernel that would load it can as well compute on its way, that kernel stores: the maxima of rows beside the
/// sums of exp(x - maximum). Trees have no such pair of nodes; what is differentiated has.
class earlier_kernels {
public:
    earlier_kernels(const ir::program& program, const std::int64_t* integers, const graph& whole,
                    const ir::partition_result& cut, const std::vector<int>& first, fusion mode)
        : program_(program), integers_(integers), whole_(whole), first_(first), stored_(whole.nodes.size(), 0) {
        // A node stands behind its operands: in the order of nodes, kernels read nothing that is not stored yet.
        const int of_roots = mode == fusion::off ? program.root_count : 1;
        std::vector<int> order(cut.launches - of_roots);
        std::iota(order.begin(), order.end(), of_roots);
        std::sort(order.begin(), order.end(), [&](int a, int b) { return cut.stored[a] < cut.stored[b]; });
        for (int k : order) {
            stored_[cut.stored[k]] = 1;
            if (first[cut.stored[k]] == cut.stored[k]) all_.push_back({{cut.stored[k], cut.outer[k], {}}});
        }
        for (std::size_t i = 0; mode == fusion::on && i + 1 < all_.size();) {
            if (!leave_to_later(i)) ++i;
        }
    }

    std::vector<std::vector<graph_root>> all() && { return std::move(all_); }

private:
    /// Joins a kernel with the first that reads what it stores.
    bool leave_to_later(std::size_t i) {
        std::size_t reader = i + 1;
        while (reader < all_.size() && !loads_from(all_[reader], all_[i])) ++reader;
        if (reader == all_.size() || all_[i].size() + all_[reader].size() > ir::max_roots) return false;
        if (is_by_itself(all_[i]) || is_by_itself(all_[reader])) return false;
        std::vector<graph_root> both = all_[i];
        both.insert(both.end(), all_[reader].begin(), all_[reader].end());
        if (!share_a_kernel(both)) return false;
        all_[reader] = std::move(both);
        all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
    }

    bool loads_from(const std::vector<graph_root>& reader, const std::vector<graph_root>& from) const {
        std::vector<char> met(whole_.nodes.size(), 0);
        const auto visit = [&](const auto& self, int i, bool own) -> bool {
            if (std::exchange(met[i], 1)) return false;
            if (!own && stored_[i]) return is_one_of(first_[i], from);
            return std::any_of(whole_.nodes[i].in.begin(), whole_.nodes[i].in.end(),
                               [&](int in) { return in >= 0 && self(self, in, is_one_of(in, reader)); });
        };
        return std::any_of(reader.begin(), reader.end(),
                           [&](const graph_root& r) { return visit(visit, r.node, true); });
    }

    /// Whether the kernel's one result is a product, which a library may compute: it does nothing else.
    bool is_by_itself(const std::vector<graph_root>& roots) const {
        const graph_node& n = whole_.nodes[roots[0].node];
        return n.what == ir::kind::store && n.bits != 0;
    }

    static bool is_one_of(int node, const std::vector<graph_root>& roots) {
        return std::any_of(roots.begin(), roots.end(), [node](const graph_root& r) { return r.node == node; });
    }

    /// Whether one kernel can store them all and computes on its way those that others of them need.
    bool share_a_kernel(std::vector<graph_root>& roots) const {
        std::vector<int> nodes;
        for (const graph_root& r : roots) nodes.push_back(r.node);
        const auto cut =
            std::make_unique<ir::partition_result>(ir::partitioner(program_.nodes, program_.node_count, integers_, true)
                                                       .run(nodes.data(), static_cast<int>(nodes.size())));
        if (!cut->shares) return false;
        for (int i = 0; i < program_.node_count; ++i)
            if (cut->materialised[i] && (!stored_[i] || is_one_of(i, roots))) return false;
        for (std::size_t r = 0; r < roots.size(); ++r) roots[r].outer = cut->root_outer[r];
        return std::all_of(roots.begin(), roots.end(), [&](const graph_root& r) {
            return outer_extents(whole_, r) == outer_extents(whole_, roots[0]);
        });
    }

    const ir::program& program_;
    const std::int64_t* integers_;
    const graph& whole_;
    const std::vector<int>& first_;  ///< of each node: the one that stores the same
    std::vector<char> stored_;       ///< the nodes that some kernel stores for others
    std::vector<std::vector<graph_root>> all_;
};

}  // namespace

std::vector<graph> partition(const ir::program& program, const std::int64_t* integers, const graph& whole,
                             fusion mode) {
    const bool unfused = mode == fusion::off;
    const auto cut = std::make_unique<ir::partition_result>(
        ir::partitioner(program.nodes, program.node_count, integers, true, unfused)
            .run(program.roots, program.root_count));
    const std::vector<int> first = first_stores(whole, cut->materialised);
    std::vector<std::vector<graph_root>> roots = earlier_kernels(program, integers, whole, *cut, first, mode).all();
    std::vector<graph_leaf> leaves = whole.leaves;
    std::vector<int> leaf_of_node(whole.nodes.size(), -1);
    int temporaries = 0;
    for (std::vector<graph_root>& of_kernel : roots)
        for (graph_root& r : of_kernel) {
            const graph_node& n = whole.nodes[r.node];
            r.strides = row_major(n.shape, n.rank);
            leaf_of_node[r.node] = static_cast<int>(leaves.size());
            leaves.push_back({stored_type(whole, r.node), n.rank, n.shape, r.strides, nullptr, temporaries++});
        }
    for (std::size_t i = 0; i < first.size(); ++i)
        if (first[i] != static_cast<int>(i)) leaf_of_node[i] = leaf_of_node[first[i]];
    for (std::vector<graph_root>& of_kernel : roots_by_kernel(whole, *cut, mode)) roots.push_back(std::move(of_kernel));
    extractor parts(whole, leaf_of_node);
    std::vector<graph> kernels;
    for (const std::vector<graph_root>& of_kernel : roots) kernels.push_back(parts.extract(leaves, of_kernel));
    return kernels;
}

}  // namespace sinter::codegen
