// Common subexpression elimination: replaces each node by the first equal one, found by a hash of its fields. Graphs
// are small, so one pass suffices.
#include <codegen/transforms/pass.hpp>

#include <unordered_map>

namespace sinter::codegen {
namespace {

struct node_hash {
    std::size_t operator()(const graph_node& n) const {
        std::size_t h = static_cast<std::size_t>(n.what) * 31 + static_cast<std::size_t>(n.type);
        for (int in : n.in) h = h * 1000003 + static_cast<std::size_t>(in + 1);
        h = h * 1000003 + static_cast<std::size_t>(n.argument + 1);
        h = h * 1000003 + static_cast<std::size_t>(n.bits);
        h = h * 1000003 + n.axes;
        h = h * 1000003 + reinterpret_cast<std::size_t>(n.callee);
        return h * 1000003 + reinterpret_cast<std::size_t>(n.op);
    }
};

}  // namespace

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
