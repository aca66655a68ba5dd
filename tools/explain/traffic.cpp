// Walks the bound graph to find what reads each operand, and how much of it.
#include <codegen/transforms/pass.hpp>
#include <tools/explain/traffic.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace sinter::spoken {
namespace {

using codegen::graph;
using codegen::graph_node;

double bytes_of(const graph_node& n) {
    return static_cast<double>(codegen::size_of_shape(n.shape, n.rank)) * static_cast<double>(size_of(n.type));
}

/// The nodes that results depend on; others are never read.
std::vector<bool> needed(const graph& g) {
    std::vector<bool> is(g.nodes.size());
    for (const codegen::graph_root& r : g.roots) is[static_cast<std::size_t>(r.node)] = true;
    for (std::size_t i = g.nodes.size(); i-- > 0;)
        if (is[i])
            for (const int in : g.nodes[i].in)
                if (in >= 0) is[static_cast<std::size_t>(in)] = true;
    return is;
}

}  // namespace

double compulsory_bytes(const lowered& expression) {
    const graph g = codegen::bind(expression.program(), expression.arguments());
    const std::vector<bool> is_needed = needed(g);
    struct reading {
        double whole = 0, read = 0;
    };
    std::map<const void*, reading> operands;
    std::set<int> results;
    const auto read = [&](int leaf, double bytes) {
        const graph_node& n = g.nodes[static_cast<std::size_t>(leaf)];
        reading& r = operands[g.leaves[static_cast<std::size_t>(n.argument)].data];
        r.whole = std::max(r.whole, bytes_of(n));
        r.read += bytes;
    };
    const auto is_leaf = [&](int node) {
        return node >= 0 && g.nodes[static_cast<std::size_t>(node)].what == ir::kind::leaf;
    };
    double all = 0;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (!is_needed[i]) continue;
        const graph_node& n = g.nodes[i];
        for (const int in : n.in)
            if (is_leaf(in)) {
                const bool is_view = n.what == ir::kind::index_map && in == n.in[0];
                read(in, is_view ? bytes_of(n) : bytes_of(g.nodes[static_cast<std::size_t>(in)]));
            }
    }
    for (const codegen::graph_root& r : g.roots) {
        if (!results.insert(r.node).second) continue;
        all += bytes_of(g.nodes[static_cast<std::size_t>(r.node)]);
        if (is_leaf(r.node)) read(r.node, bytes_of(g.nodes[static_cast<std::size_t>(r.node)]));
    }
    for (const auto& [data, r] : operands) all += std::min(r.whole, r.read);
    return all;
}

}  // namespace sinter::spoken
