// Common subexpression elimination: replaces each node by the first equal one, found by a hash of its fields. Graphs
// are small, so one pass suffices.
#include <codegen/ir/hash.hpp>
#include <codegen/transforms/pass.hpp>

#include <bit>

namespace sinter::codegen {

std::vector<int> number_values(graph& g) {
    // a table with open addressing: the search for a cut numbers the values of hundreds of graphs
    const std::size_t slots = std::bit_ceil(2 * g.nodes.size() + 1);
    std::vector<int> first(slots, -1), now(g.nodes.size());
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        graph_node& n = g.nodes[i];
        for (int& in : n.in)
            if (in >= 0) in = now[in];
        const std::size_t hash = node_hash()(n);
        std::size_t at = (hash ^ hash >> 32) & (slots - 1);
        while (first[at] >= 0 && g.nodes[first[at]] != n) at = (at + 1) & (slots - 1);
        if (first[at] < 0) first[at] = static_cast<int>(i);
        now[i] = first[at];
    }
    return now;
}

void cse(graph& g) {
    const std::vector<int> now = number_values(g);
    for (graph_root& r : g.roots) r.node = now[r.node];
}

}  // namespace sinter::codegen
