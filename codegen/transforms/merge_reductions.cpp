// Merges a reduction of a reduction by the same op into one over the axes of both: sum(sum(x, axis=1)) reads x once and
// stores no partial results. If another node needs those, the cut is between the two and they stay separate.
#include <codegen/transforms/pass.hpp>
#include <sinter/ir/partition.hpp>

namespace sinter::codegen {
namespace {

/// Maps a mask of the inner reduction's result axes to its operand's axes.
std::uint32_t axes_below(std::uint32_t axes, const graph_node& inner, int rank) {
    std::uint32_t below = 0;
    for (int a = 0, out = 0; a < rank; ++a) {
        const bool folded = inner.axes >> a & 1;
        if (folded && !inner.keepdims) continue;
        below |= (axes >> out++ & 1) << a;
    }
    return below;
}

}  // namespace

bool merge_reductions(graph& g) {
    bool any = false;
    for (graph_node& n : g.nodes) {
        if (n.what != ir::kind::reduction) continue;
        const graph_node& inner = g.nodes[n.in[0]];
        const bool same = inner.what == ir::kind::reduction && inner.op == n.op && inner.type == n.type &&
                          g.nodes[inner.in[0]].type == n.type;
        if (!same || !ir::folds_as_one(n.axes, n.keepdims, inner.axes, inner.keepdims)) continue;
        n.axes = inner.axes | axes_below(n.axes, inner, g.nodes[inner.in[0]].rank);
        n.keepdims = n.keepdims && inner.keepdims;
        n.in[0] = inner.in[0];
        any = true;
    }
    return any;
}

}  // namespace sinter::codegen
