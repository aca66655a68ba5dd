// Dead-code elimination: removes the nodes that no root depends on.
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {

void eliminate_dead_code(graph& g) {
    std::vector<char> needed(g.nodes.size(), 0);
    for (const graph_root& r : g.roots) needed[r.node] = 1;
    for (std::size_t i = g.nodes.size(); i-- > 0;)
        if (needed[i])
            for (int in : g.nodes[i].in)
                if (in >= 0) needed[in] = 1;
    if (std::find(needed.begin(), needed.end(), 0) == needed.end()) return;

    std::vector<int> now(g.nodes.size(), -1);
    std::vector<graph_node> kept;
    kept.reserve(g.nodes.size());
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (!needed[i]) continue;
        graph_node n = g.nodes[i];
        for (int& in : n.in)
            if (in >= 0) in = now[in];
        now[i] = static_cast<int>(kept.size());
        kept.push_back(n);
    }
    for (graph_root& r : g.roots) r.node = now[r.node];
    g.nodes = std::move(kept);
}

}  // namespace sinter::codegen
