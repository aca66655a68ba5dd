// Leaves that are the same array become one. Only run time can tell: x * y is x * x when y was copied from x.
#include <codegen/transforms/pass.hpp>

namespace sinter::codegen {

void alias(graph& g) {
    const auto same = [&](int a, int b) {
        const graph_leaf &l = g.leaves[a], &r = g.leaves[b];
        return l.data == r.data && l.temporary == r.temporary && l.type == r.type && l.rank == r.rank &&
               l.shape == r.shape && l.strides == r.strides;
    };
    for (graph_node& n : g.nodes) {
        if (n.what != ir::kind::leaf) continue;
        for (int first = 0; first < n.argument; ++first)
            if (same(first, n.argument)) n.argument = first;
    }
}

}  // namespace sinter::codegen
