// Cuts the graph into one graph a launch, as the algorithm in include/sinter/ir/partition.hpp decides.
#include <codegen/pass/pass.hpp>
#include <sinter/ir/partition.hpp>

#include <memory>

namespace sinter::codegen {
namespace {

/// The part of `whole` that one kernel computes: what `root` needs, down to the leaves and to stored nodes.
class extractor {
public:
    extractor(const graph& whole, const std::vector<int>& leaf_of_node, int root)
        : whole_(whole), leaf_of_node_(leaf_of_node), root_(root), copied_(whole.nodes.size(), -1) {}

    graph extract(const std::vector<graph_leaf>& leaves, std::uint32_t outer) {
        part_.leaves = leaves;
        part_.outer = outer;
        part_.root = copy(root_);
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
        } else {
            for (int& in : n.in)
                if (in >= 0) in = copy(in);
        }
        part_.nodes.push_back(n);
        return copied_[i] = static_cast<int>(part_.nodes.size()) - 1;
    }

    const graph& whole_;
    const std::vector<int>& leaf_of_node_;
    int root_;
    std::vector<int> copied_;
    graph part_;
};

}  // namespace

std::vector<graph> partition(const ir::program& program, const std::int64_t* integers, const graph& whole) {
    const auto cut = std::make_unique<ir::partition_result>(
        ir::partitioner(program.nodes, program.node_count, integers, true).run(whole.root));

    // The kernels were found from the root down, so they run in the reverse order.
    const int launches = cut->launches;
    std::vector<graph_leaf> leaves = whole.leaves;
    std::vector<int> leaf_of_node(whole.nodes.size(), -1);
    for (int k = 0; k + 1 < launches; ++k) {
        const int node = cut->roots[launches - 1 - k];
        const graph_node& n = whole.nodes[node];
        leaf_of_node[node] = static_cast<int>(leaves.size());
        leaves.push_back({n.type, n.rank, n.shape, row_major(n.shape, n.rank), nullptr, k});
    }
    std::vector<graph> parts;
    for (int k = 0; k < launches; ++k) {
        const int found = launches - 1 - k;
        parts.push_back(extractor(whole, leaf_of_node, cut->roots[found]).extract(leaves, cut->outer[found]));
    }
    return parts;
}

}  // namespace sinter::codegen
