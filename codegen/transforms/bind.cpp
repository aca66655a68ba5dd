// Binds a program to its arguments: copies the nodes into a graph and infers every extent.
#include <codegen/ir/print.hpp>
#include <codegen/ir/scalar_identity.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter/ir/partition.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

void broadcast_shape(graph_node& n, const graph& g) {
    n.shape.fill(1);
    for (int in : n.in) {
        if (in < 0) continue;
        const graph_node& operand = g.nodes[in];
        for (int a = 0; a < operand.rank; ++a) {
            std::int64_t& extent = n.shape[aligned_axis(a, n.rank, operand.rank)];
            if (extent == 1) extent = operand.shape[a];
        }
    }
}

void reduced_shape(graph_node& n, const graph_node& operand) {
    int out = 0;
    for (int a = 0; a < operand.rank; ++a) {
        if (!(n.axes >> a & 1))
            n.shape[out++] = operand.shape[a];
        else if (n.keepdims)
            n.shape[out++] = 1;
    }
}

void read_index_map(graph_node& n, const graph_node& operand, const std::int64_t* integers) {
    for (int a = 0; a < operand.rank; ++a)
        n.map[a] = {static_cast<int>(integers[3 * a]), integers[3 * a + 1], integers[3 * a + 2]};
    for (int a = 0; a < n.rank; ++a) n.shape[a] = integers[3 * operand.rank + a];
}

void read_extents(graph_node& n, const std::int64_t* integers) {
    for (int a = 0; a < n.rank; ++a) n.shape[a] = integers[a];
}

void read_call(graph_node& n, const graph& g, const ir::node& from, const std::int64_t* integers) {
    n.callee = from.callee;
    n.bits = from.bits;
    if (from.callee->integers > 0) std::copy_n(integers + from.argument, from.callee->integers, n.integers.begin());
    n.shape = from.callee->body->result(operands_of(g, n), n.integers, static_cast<int>(n.bits)).shape;
    n.argument = -1;
}

/// Throws if int64 cannot count the node's elements, stored or not. Functions that take extents check those; a
/// broadcast depends on all operands, so it is checked here. Allocation checks the bytes of stored results.
void check_size(const graph_node& n) {
    if (detail::product_of(n.shape.data(), n.rank) < 0)
        detail::throw_bad_extents(label(n).c_str(), n.shape.data(), n.rank, 1);
}

/// The op row of a node. A run-time op's row is given by the node's last integer; a scalar operand may replace the row
/// by its own.
const op_row* row_of(const ir::node& n, const ir::node* nodes, const detail::arguments_view& arguments) {
    if (n.what == ir::kind::elementwise)
        for (int in : n.in)
            if (in >= 0 && nodes[in].what == ir::kind::scalar)
                if (const op_row* other = arguments.scalars[nodes[in].argument].reader) return other;
    if (n.op == nullptr || n.op->builtin != text_row) return n.op;
    const int own = n.what == ir::kind::reduction && !n.axes_known ? 1 : 0;  // the reduced axes come first
    return reinterpret_cast<const op_row*>(arguments.integers[n.argument + own]);
}

graph_leaf leaf_of(const detail::storage& s) {
    graph_leaf leaf;
    leaf.type = s.type;
    leaf.rank = s.rank;
    leaf.data = s.data;
    std::copy_n(s.extents, ir::max_rank, leaf.shape.begin());
    std::copy_n(s.strides, ir::max_rank, leaf.strides.begin());
    return leaf;
}

/// Sets the members of a node that depend on its kind.
void read_kind(graph_node& n, const graph& g, const ir::node& from, const std::int64_t* integers) {
    // Arguments of a view or of a generator; null for a view of rank 0.
    const auto own_integers = [&] { return from.argument < 0 ? nullptr : integers + from.argument; };
    switch (from.what) {
        case ir::kind::leaf: n.shape = g.leaves[n.argument].shape; return;
        case ir::kind::scalar: return;
        case ir::kind::constant: n.bits = from.bits; return;
        case ir::kind::elementwise:
        case ir::kind::cast:
        case ir::kind::materialize:
        case ir::kind::stop_gradient:
            n.bits = from.bits;
            broadcast_shape(n, g);
            break;
        case ir::kind::reduction:
            n.axes = ir::reduced_axes(from, integers);
            n.keepdims = from.keepdims;
            reduced_shape(n, g.nodes[n.in[0]]);
            break;
        case ir::kind::scan:
            n.axes = ir::reduced_axes(from, integers);
            n.exclusive = from.exclusive;
            n.reverse = from.reverse;
            n.shape = g.nodes[n.in[0]].shape;
            break;
        case ir::kind::call: read_call(n, g, from, integers); return;
        case ir::kind::gradient: n.shape = g.nodes[n.in[1]].shape; return;
        case ir::kind::reshape:
        case ir::kind::iota: read_extents(n, own_integers()); break;
        case ir::kind::index_map: read_index_map(n, g.nodes[n.in[0]], own_integers()); break;
    }
    n.argument = -1;
}

}  // namespace

graph bind(const ir::program& program, const detail::arguments_view& arguments) {
    graph g;
    for (int i = 0; i < program.leaves; ++i) g.leaves.push_back(leaf_of(*arguments.leaves[i].get()));
    std::vector<int> identities;
    identical_scalars(arguments.scalars, program.scalars, identities);
    g.nodes.reserve(program.node_count);
    for (int i = 0; i < program.node_count; ++i) {
        const ir::node& from = program.nodes[i];
        graph_node n;
        n.what = from.what;
        n.type = from.type;
        n.op = row_of(from, program.nodes, arguments);
        n.rank = from.rank;
        n.argument = from.what == ir::kind::scalar ? identities[from.argument] : from.argument;
        n.zero = from.what == ir::kind::scalar && is_zero(arguments.scalars[from.argument]);
        for (int k = 0; k < ir::max_operands; ++k) n.in[k] = from.in[k];
        read_kind(n, g, from, arguments.integers);
        for (int a = n.rank; a < ir::max_rank; ++a) n.shape[a] = 0;
        check_size(n);
        g.nodes.push_back(n);
    }
    for (int r = 0; r < program.root_count; ++r) {
        const graph_node& n = g.nodes[program.roots[r]];
        g.roots.push_back({program.roots[r], (1u << n.rank) - 1, row_major(n.shape, n.rank), r});
    }
    return g;
}

}  // namespace sinter::codegen
