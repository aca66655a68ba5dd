// Takes products apart.
#include <codegen/transforms/factors.hpp>
#include <sinter/op/functions.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

bool is_op(const graph_node& n, const op_row& row) { return n.what == ir::kind::elementwise && n.op == &row; }

bool is_zero_node(const graph& g, int node) {
    const graph_node& n = g.nodes[static_cast<std::size_t>(node)];
    if (n.what == ir::kind::cast) return is_zero_node(g, n.in[0]);
    return (n.what == ir::kind::constant && n.bits == 0) || (n.what == ir::kind::scalar && n.zero);
}

void add_factors(const graph& g, int node, std::vector<factor>& all) {
    const graph_node& n = g.nodes[static_cast<std::size_t>(node)];
    const auto type_of = [&](int i) { return g.nodes[static_cast<std::size_t>(i)].type; };
    if (n.what == ir::kind::cast && is_floating(n.type) && is_floating(type_of(n.in[0])))
        return add_factors(g, n.in[0], all);
    if (is_op(n, op::multiply::row)) {
        add_factors(g, n.in[0], all);
        return add_factors(g, n.in[1], all);
    }
    if (is_op(n, op::divide::row)) {
        all.push_back({factor::kind::divided_by, n.in[1]});
        return add_factors(g, n.in[0], all);
    }
    if (is_op(n, op::negative::row)) {
        all.push_back({factor::kind::negated, -1});
        return add_factors(g, n.in[0], all);
    }
    if (is_op(n, op::where::row) && (is_zero_node(g, n.in[1]) || is_zero_node(g, n.in[2]))) {
        const bool inverted = is_zero_node(g, n.in[1]);
        all.push_back({inverted ? factor::kind::where_not : factor::kind::where, n.in[0]});
        return add_factors(g, n.in[inverted ? 2 : 1], all);
    }
    all.push_back({factor::kind::times, node});
}

}  // namespace

std::vector<factor> factors_of(const graph& g, int node) {
    std::vector<factor> all;
    add_factors(g, node, all);
    return all;
}

std::optional<std::vector<factor>> without_factors(std::vector<factor> all, const std::vector<factor>& others) {
    for (const factor& one : others) {
        const auto found = std::find(all.begin(), all.end(), one);
        if (found == all.end()) return std::nullopt;
        all.erase(found);
    }
    return all;
}

}  // namespace sinter::codegen
