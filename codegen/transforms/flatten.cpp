// Converts a graph to a program.
#include <codegen/transforms/flatten.hpp>
#include <sinter/error.hpp>

#include <limits>

namespace sinter::codegen {

flat_program::flat_program(const graph& g) {
    if (g.nodes.size() > ir::max_nodes)
        throw error("grad: the derivative has more than 1024 nodes; assign an intermediate result to an array");
    nodes.reserve(g.nodes.size());
    for (const graph_node& n : g.nodes) {
        ir::node flat{.what = n.what,
                      .type = n.type,
                      .rank = static_cast<std::int8_t>(n.rank),
                      .keepdims = n.keepdims,
                      .exclusive = n.exclusive,
                      .reverse = n.reverse,
                      .argument = static_cast<std::int16_t>(n.argument),
                      .axes = n.axes,
                      .bits = n.bits,
                      .op = n.op};
        for (int o = 0; o < ir::max_operands; ++o) flat.in[o] = static_cast<std::int16_t>(n.in[o]);
        if (n.what == ir::kind::index_map) {
            flat.argument = static_cast<std::int16_t>(integers.size());
            for (int a = 0; a < g.nodes[n.in[0]].rank; ++a)
                integers.insert(integers.end(), {n.map[a].from, n.map[a].start, n.map[a].step});
            integers.insert(integers.end(), n.shape.begin(), n.shape.begin() + n.rank);
        } else if (n.what == ir::kind::reshape || n.what == ir::kind::iota) {
            flat.argument = static_cast<std::int16_t>(integers.size());
            integers.insert(integers.end(), n.shape.begin(), n.shape.begin() + n.rank);
        } else if (n.what == ir::kind::call) {
            flat.callee = n.callee;
            flat.argument = static_cast<std::int16_t>(integers.size());
            integers.insert(integers.end(), n.integers.begin(), n.integers.begin() + n.callee->integers);
        }
        nodes.push_back(flat);
    }
    for (const graph_root& r : g.roots) roots.push_back(r.node);
    if (integers.size() > std::numeric_limits<std::int16_t>::max())
        throw error("grad: the derivative has too many views; assign an intermediate result to an array");
}

ir::program flat_program::view() const {
    ir::program p;
    p.nodes = nodes.data();
    p.node_count = static_cast<int>(nodes.size());
    p.roots = roots.data();
    p.root_count = static_cast<int>(roots.size());
    p.integers = static_cast<int>(integers.size());
    return p;
}

}  // namespace sinter::codegen
