// Stores values before the views through which they are read: the permutations of their axes and the reshapes.
//
// A matrix and its transpose are then one array. A product that is converted after it was split into heads,
// matmul(x, w) as (batch, head, row, column), is converted where it is computed, and its readers see the split in
// their strides. So do readers of a value whose permuted axes are reshaped, as heads are that become one row again: the
// value is stored in the order of the permuted axes (strides_for_readers), in which the reshape changes nothing.
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {

bool is_permutation(const graph& g, int node) {
    const graph_node& n = g.nodes[node];
    if (n.what != ir::kind::index_map || n.in[1] >= 0) return false;
    const graph_node& operand = g.nodes[n.in[0]];
    std::uint32_t met = 0;
    for (int a = 0; a < operand.rank; ++a) {
        if (operand.shape[a] == 1) continue;
        const mapped_axis& m = n.map[a];
        if (m.from < 0 || m.start != 0 || m.step != 1 || n.shape[m.from] != operand.shape[a] || (met >> m.from & 1))
            return false;
        met |= 1u << m.from;
    }
    for (int a = 0; a < n.rank; ++a)
        if (n.shape[a] != 1 && !(met >> a & 1)) return false;
    return true;
}

std::vector<int> uses_of(const graph& g) {
    std::vector<int> uses(g.nodes.size(), 0);
    for (const graph_node& n : g.nodes)
        for (const int in : n.in)
            if (in >= 0) ++uses[in];
    for (const graph_root& r : g.roots) ++uses[r.node];
    return uses;
}

namespace {

bool is_computed(const graph_node& n) {
    return n.what == ir::kind::elementwise || n.what == ir::kind::cast || n.what == ir::kind::reduction ||
           n.what == ir::kind::scan || is_matrix_product(n);
}

/// The views between a stored value and what computes it, from the last one to the first.
std::vector<int> views_below(const graph& g, const graph_node& store, const std::vector<int>& uses) {
    const graph_node& stored = g.nodes[store.in[0]];
    std::vector<int> views;
    bool reshapes = false;
    int at = stored.what == ir::kind::cast ? stored.in[0] : store.in[0];
    for (; g.nodes[at].what == ir::kind::reshape || is_permutation(g, at); at = g.nodes[at].in[0]) {
        views.push_back(at);
        reshapes = reshapes || g.nodes[at].what == ir::kind::reshape;
    }
    if (!reshapes || views.empty()) return views;
    // An array can be read through reshapes in the order in which it lies in memory alone. What is computed can be
    // stored in the order of the first permutation, if all its readers want that.
    const bool permutes_first = g.nodes[views.back()].what != ir::kind::reshape;
    if (!is_computed(g.nodes[at]) || (permutes_first && (uses[at] > 1 || uses[views.back()] > 1))) return {};
    return views;
}

/// Appends to a graph, in place of a store, a store of the operand of the first view, and the views of that.
class store_mover {
public:
    store_mover(const graph& g, std::vector<graph_node>& made, const std::vector<int>& now)
        : g_(g), made_(made), now_(now) {}

    int move(const graph_node& store, const std::vector<int>& views) {
        const graph_node& first = g_.nodes[views.back()];
        const graph_node& base = g_.nodes[first.in[0]];
        int operand = now_[first.in[0]];
        const graph_node& stored = g_.nodes[store.in[0]];
        if (stored.what == ir::kind::cast) operand = push(stored, base, operand);
        operand = push(store, base, operand);
        for (auto view = views.rbegin(); view != views.rend(); ++view) {
            graph_node n = g_.nodes[*view];
            n.type = store.type;
            operand = push(n, n, operand);
        }
        return operand;
    }

private:
    int push(graph_node n, const graph_node& shaped_as, int operand) {
        n.rank = shaped_as.rank;
        n.shape = shaped_as.shape;
        n.in[0] = operand;
        made_.push_back(n);
        return static_cast<int>(made_.size()) - 1;
    }

    const graph& g_;
    std::vector<graph_node>& made_;
    const std::vector<int>& now_;
};

}  // namespace

void store_before_views(graph& g) {
    const std::vector<int> uses = uses_of(g);
    std::vector<graph_node> made;
    std::vector<int> now(g.nodes.size());
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        graph_node n = g.nodes[i];
        const bool stores = n.what == ir::kind::materialize && n.bits == 0;
        const std::vector<int> views = stores ? views_below(g, n, uses) : std::vector<int>();
        if (!views.empty()) {
            now[i] = store_mover(g, made, now).move(n, views);
            continue;
        }
        for (int& in : n.in)
            if (in >= 0) in = now[in];
        now[i] = static_cast<int>(made.size());
        made.push_back(n);
    }
    for (graph_root& r : g.roots) r.node = now[r.node];
    g.nodes = std::move(made);
}

extents strides_for_readers(const graph& g, int node) {
    const graph_node& n = g.nodes[node];
    const extents in_order = row_major(n.shape, n.rank);
    if (n.what == ir::kind::call) return in_order;  // functions of whole arrays write no other
    const auto reads = [&g](int reader, int operand) {
        const std::array<int, ir::max_operands>& in = g.nodes[reader].in;
        return std::find(in.begin(), in.end(), operand) != in.end();
    };
    const auto count = static_cast<int>(g.nodes.size());
    int permuted = -1;
    for (int i = 0; i < count; ++i) {
        if (!reads(i, node)) continue;
        if (permuted >= 0 || !is_permutation(g, i)) return in_order;
        permuted = i;
    }
    bool reshapes = false;
    for (int i = 0; i < count && permuted >= 0; ++i) {
        if (!reads(i, permuted)) continue;
        if (g.nodes[i].what != ir::kind::reshape) return in_order;
        reshapes = true;
    }
    if (!reshapes) return in_order;
    const graph_node& reader = g.nodes[permuted];
    const extents of_reader = row_major(reader.shape, reader.rank);
    extents strides{};
    for (int a = 0; a < n.rank; ++a) strides[a] = n.shape[a] == 1 ? 0 : of_reader[reader.map[a].from];
    return strides;
}

}  // namespace sinter::codegen
