// A kernel of values that earlier kernels have folded or scanned has the axes of the cut that made it: of
// y = cumsum(x); y - roll(y, 1), what reads the stored scan would still have one group, whose loop only stores. Where
// nothing is folded, no element needs another one, so all axes are outer ones.
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {

bool open_axes(graph& g) {
    const auto folds = [](const graph_node& n) {
        return n.what == ir::kind::reduction || n.what == ir::kind::scan || n.what == ir::kind::call;
    };
    if (std::any_of(g.nodes.begin(), g.nodes.end(), folds)) return false;
    const graph_node& first = g.nodes[static_cast<std::size_t>(g.roots[0].node)];
    const auto is_like_first = [&](const graph_root& r) {
        const graph_node& n = g.nodes[static_cast<std::size_t>(r.node)];
        return n.rank == first.rank && std::equal(n.shape.begin(), n.shape.begin() + n.rank, first.shape.begin());
    };
    if (!std::all_of(g.roots.begin(), g.roots.end(), is_like_first)) return false;
    const auto all = first.rank == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << first.rank) - 1;
    bool changed = false;
    for (graph_root& r : g.roots) {
        changed = changed || (r.outer & all) != all;
        r.outer = all;
    }
    return changed;
}

}  // namespace sinter::codegen
