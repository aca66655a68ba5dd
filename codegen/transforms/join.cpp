// A product and the elementwise kernel that reads it to one kernel: bias, scale, activation or conversion of what a
// matrix product gives need no launch of their own. Where to cut was decided on the type; here shapes and readers are
// known, too.
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

bool is_leaf(const graph_node& n, int leaf) { return n.what == ir::kind::leaf && n.argument == leaf; }

/// Whether the one root has each element of the leaf at its own place, and folds nothing.
bool reads_in_place(const graph& reader, int leaf) {
    if (reader.roots.size() != 1) return false;
    const graph_node& root = reader.nodes[reader.roots[0].node];
    std::vector<char> reads(reader.nodes.size(), 0);
    for (std::size_t i = 0; i < reader.nodes.size(); ++i) {
        const graph_node& n = reader.nodes[i];
        if (n.what == ir::kind::reduction || n.what == ir::kind::scan) return false;
        reads[i] = is_leaf(n, leaf);
        for (int in : n.in) reads[i] = reads[i] || (in >= 0 && reads[in]);
        if (!reads[i]) continue;
        const bool elementwise = n.what == ir::kind::elementwise || n.what == ir::kind::cast || is_leaf(n, leaf);
        if (!elementwise || n.rank != root.rank || n.shape != root.shape) return false;
    }
    return true;
}

}  // namespace

bool reads(const graph& part, int leaf) {
    return std::any_of(part.nodes.begin(), part.nodes.end(), [&](const graph_node& n) { return is_leaf(n, leaf); });
}

std::optional<graph> join(const graph& product, const graph& reader, int leaf) {
    if (product.product == ir::product::none || !reads_in_place(reader, leaf)) return std::nullopt;
    graph joined = product;
    joined.roots = reader.roots;
    const auto offset = static_cast<int>(product.nodes.size());
    const auto joined_node = [&](int of_reader) {
        if (!is_leaf(reader.nodes[of_reader], leaf)) return of_reader + offset;
        // The product itself, before what made it fit to be stored.
        const int made = product.roots[0].node;
        return product.nodes[made].type != reader.nodes[of_reader].type ? product.nodes[made].in[0] : made;
    };
    for (const graph_node& of_reader : reader.nodes) {
        graph_node n = of_reader;
        for (int& in : n.in)
            if (in >= 0) in = joined_node(in);
        joined.nodes.push_back(n);
    }
    joined.roots[0].node = joined_node(reader.roots[0].node);
    // what the reader's axes were decided for may be stored by another kernel: the product's sums keep all of them
    joined.roots[0].outer = (1u << joined.nodes[joined.roots[0].node].rank) - 1;
    return joined;
}

}  // namespace sinter::codegen
