// Rewrites that preserve values: composes views of views; replaces identity views, reshapes to the same extents, casts
// to the same dtype and stop_gradient (gradients are expanded by now) by their operands. A cast of computed values to
// their own storage type stays, since it rounds.
#include <codegen/transforms/pass.hpp>

namespace sinter::codegen {
namespace {

/// Composes the view `outer` with the view `inner` into one view of inner's operand.
void compose(graph_node& outer, const graph_node& inner, int source_rank) {
    std::array<mapped_axis, ir::max_rank> map{};
    for (int a = 0; a < source_rank; ++a) {
        const mapped_axis& in = inner.map[a];
        if (in.from < 0) {
            map[a] = in;
            continue;
        }
        const mapped_axis& out = outer.map[in.from];
        map[a] = {out.from, in.start + in.step * out.start, out.from < 0 ? 0 : in.step * out.step};
    }
    outer.map = map;
    outer.in[0] = inner.in[0];
}

bool is_identity(const graph_node& n, const graph_node& operand) {
    if (n.rank != operand.rank || n.shape != operand.shape) return false;
    for (int a = 0; a < n.rank; ++a)
        if (!(n.map[a] == mapped_axis{a, 0, 1}) && n.shape[a] != 1) return false;
    return true;
}

/// Whether a node is a view without a gather.
bool is_affine(const graph_node& n) { return n.what == ir::kind::index_map && n.in[1] < 0; }

/// Whether a cast to its operand's dtype changes values: storage types are computed in float32, so it rounds results.
bool rounds(const graph& g, const graph_node& cast) {
    if (!is_storage_only(cast.type)) return false;
    int of = cast.in[0];
    while (g.nodes[of].what == ir::kind::index_map || g.nodes[of].what == ir::kind::reshape) of = g.nodes[of].in[0];
    const graph_node& n = g.nodes[of];
    return n.what != ir::kind::cast && !(n.what == ir::kind::leaf && g.leaves[n.argument].type == n.type);
}

}  // namespace

void simplify(graph& g) {
    std::vector<int> now(g.nodes.size());
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        graph_node& n = g.nodes[i];
        for (int& in : n.in)
            if (in >= 0) in = now[in];
        now[i] = static_cast<int>(i);
        if (n.what == ir::kind::index_map && n.in[1] < 0) {
            while (is_affine(g.nodes[n.in[0]])) compose(n, g.nodes[n.in[0]], g.nodes[g.nodes[n.in[0]].in[0]].rank);
            if (is_identity(n, g.nodes[n.in[0]])) now[i] = n.in[0];
        } else if (n.what == ir::kind::stop_gradient) {
            now[i] = n.in[0];
        } else if (n.what == ir::kind::cast && g.nodes[n.in[0]].type == n.type && !rounds(g, n)) {
            now[i] = n.in[0];
        } else if (n.what == ir::kind::reshape) {
            if (g.nodes[n.in[0]].what == ir::kind::reshape) n.in[0] = g.nodes[n.in[0]].in[0];
            const graph_node& operand = g.nodes[n.in[0]];
            if (operand.rank == n.rank && operand.shape == n.shape) now[i] = n.in[0];
        }
    }
    for (graph_root& r : g.roots) r.node = now[r.node];
}

}  // namespace sinter::codegen
