// Merges leaves that are the same array. This is known only at run time: x * y is x * x if y was copied from x.
#include <codegen/transforms/pass.hpp>

namespace sinter::codegen {

void unify_inputs(graph& g) {
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
