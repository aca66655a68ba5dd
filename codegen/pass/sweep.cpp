// Removes the nodes that the root does not need.
#include <codegen/pass/pass.hpp>

namespace sinter::codegen {

void sweep(graph& g) {
    std::vector<char> needed(g.nodes.size(), 0);
    needed[g.root] = 1;
    for (int i = g.root; i >= 0; --i)
        if (needed[i])
            for (int in : g.nodes[i].in)
                if (in >= 0) needed[in] = 1;

    std::vector<int> now(g.nodes.size(), -1);
    std::vector<graph_node> kept;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (!needed[i]) continue;
        graph_node n = g.nodes[i];
        for (int& in : n.in)
            if (in >= 0) in = now[in];
        now[i] = static_cast<int>(kept.size());
        kept.push_back(n);
    }
    g.root = now[g.root];
    g.nodes = std::move(kept);
}

}  // namespace sinter::codegen
