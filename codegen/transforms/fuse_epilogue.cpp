// Fuses a matrix product with the elementwise kernel that reads it, so that bias, scale, activation or conversion of
// the product needs no launch. Fuses computed operands too, such as int8 weights times their scales, if computing them
// again for each tile costs less than storing them. The type decided where to cut; here shapes and readers are known as
// well.
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

bool is_leaf(const graph_node& n, int leaf) { return n.what == ir::kind::leaf && n.argument == leaf; }

/// Whether the only root reads each element of the leaf once, for one element of its own, and reduces nothing.
bool reads_each_once(const graph& reader, int leaf) {
    if (reader.roots.size() != 1) return false;
    const graph_node& root = reader.nodes[reader.roots[0].node];
    std::vector<char> reads(reader.nodes.size(), 0), reorders(reader.nodes.size(), 0);
    int read_as = -1;  // the leaf, or a permutation of it, whose elements are computed with
    for (std::size_t i = 0; i < reader.nodes.size(); ++i) {
        const graph_node& n = reader.nodes[i];
        if (n.what == ir::kind::reduction || n.what == ir::kind::scan) return false;
        reads[i] = is_leaf(n, leaf);
        for (int in : n.in) reads[i] = reads[i] || (in >= 0 && reads[in]);
        if (!reads[i]) continue;
        reorders[i] = is_leaf(n, leaf) || (is_permutation(reader, static_cast<int>(i)) && reorders[n.in[0]]);
        if (reorders[i]) continue;
        const bool elementwise = n.what == ir::kind::elementwise || n.what == ir::kind::cast;
        if (!elementwise || n.rank != root.rank || n.shape != root.shape) return false;
        for (int in : n.in) {
            if (in < 0 || !reorders[in] || in == read_as) continue;
            if (read_as >= 0) return false;
            read_as = in;
        }
    }
    if (read_as < 0) return reorders[reader.roots[0].node];
    return reader.nodes[read_as].rank == root.rank && reader.nodes[read_as].shape == root.shape;
}

}  // namespace

bool reads(const graph& part, int leaf) {
    return std::any_of(part.nodes.begin(), part.nodes.end(), [&](const graph_node& n) { return is_leaf(n, leaf); });
}

std::optional<graph> fuse_epilogue(const graph& product, const graph& reader, int leaf) {
    if (product.product == ir::product::none || !reads_each_once(reader, leaf)) return std::nullopt;
    graph joined = product;
    joined.roots = reader.roots;
    const auto offset = static_cast<int>(product.nodes.size());
    const auto joined_node = [&](int of_reader) {
        if (!is_leaf(reader.nodes[of_reader], leaf)) return of_reader + offset;
        // The product itself, before its cast to the stored dtype.
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
    // the reader's outer axes may have been chosen for a value that another kernel stores; a product keeps all its axes
    joined.roots[0].outer = (1u << joined.nodes[joined.roots[0].node].rank) - 1;
    return joined;
}

std::optional<graph> join_operand(const graph& operand, const graph& product, int leaf) {
    const bool is_product = product.product != ir::product::none && operand.product == ir::product::none;
    if (!is_product || operand.roots.size() != 1 || operand.roots[0].result >= 0) return std::nullopt;
    for (const graph_node& n : operand.nodes) {
        const bool is_view = n.what == ir::kind::index_map && n.in[1] < 0;
        const bool is_plain = n.what == ir::kind::elementwise || n.what == ir::kind::cast || n.what == ir::kind::leaf ||
                              n.what == ir::kind::scalar || n.what == ir::kind::constant || is_view;
        if (!is_plain) return std::nullopt;
    }
    const graph_node& root = operand.nodes[static_cast<std::size_t>(operand.roots[0].node)];
    for (const graph_node& n : product.nodes)
        if (is_leaf(n, leaf) && n.type != root.type) return std::nullopt;  // stored in the computed dtype, unrounded
    graph joined = operand;
    joined.product = product.product;
    joined.leaves = product.leaves;
    joined.roots = product.roots;
    const auto offset = static_cast<int>(operand.nodes.size());
    const auto joined_node = [&](int of_product) {
        const bool is_operand = is_leaf(product.nodes[static_cast<std::size_t>(of_product)], leaf);
        return is_operand ? operand.roots[0].node : of_product + offset;
    };
    for (const graph_node& of_product : product.nodes) {
        graph_node n = of_product;
        for (int& in : n.in)
            if (in >= 0) in = joined_node(in);
        joined.nodes.push_back(n);
    }
    for (graph_root& r : joined.roots) r.node = joined_node(r.node);
    return joined;
}

}  // namespace sinter::codegen
