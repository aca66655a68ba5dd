// Common subexpression elimination: replaces each node by the first equal one, found by a hash of its fields. Graphs
// are small, so one pass suffices.
#include <codegen/ir/hash.hpp>
#include <codegen/transforms/pass.hpp>

#include <unordered_map>

namespace sinter::codegen {

std::vector<int> number_values(graph& g) {
    std::unordered_map<graph_node, int, node_hash> first;
    std::vector<int> now(g.nodes.size());
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        for (int& in : g.nodes[i].in)
            if (in >= 0) in = now[in];
        now[i] = first.emplace(g.nodes[i], static_cast<int>(i)).first->second;
    }
    return now;
}

void cse(graph& g) {
    const std::vector<int> now = number_values(g);
    for (graph_root& r : g.roots) r.node = now[r.node];
}

}  // namespace sinter::codegen
