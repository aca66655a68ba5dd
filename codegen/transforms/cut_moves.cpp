// Changes that choose_cut tries: merging equal values, and storing a value before it is read.
#include <codegen/transforms/cut_moves.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <optional>

namespace sinter::codegen {
namespace {

/// The materialize node of another node, if any.
std::optional<int> store_of(const graph& g, int node) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        if (g.nodes[i].what == ir::kind::materialize && g.nodes[i].bits == 0 && g.nodes[i].in[0] == node)
            return static_cast<int>(i);
    return std::nullopt;
}

/// Per node: the number of kernels that compute it and that store it.
struct places {
    std::vector<int> computed, stored;

    explicit places(const kernel_cut& cut) : computed(cut.whole.nodes.size(), 0), stored(cut.whole.nodes.size(), 0) {
        for (const kernel_roots& roots : cut.kernels)
            for (const graph_root& r : roots) stored[r.node] += r.is_read();
        std::vector<int> kernel(cut.whole.nodes.size(), -1);  // the last kernel that visited a node
        for (std::size_t k = 0; k < cut.kernels.size(); ++k) {
            const auto visit = [&](const auto& self, int i, bool own) -> void {
                if (kernel[i] == static_cast<int>(k) || (stored[i] != 0 && !own)) return;
                kernel[i] = static_cast<int>(k);
                ++computed[i];
                for (int in : cut.whole.nodes[i].in)
                    if (in >= 0) self(self, in, false);
            };
            for (const graph_root& r : cut.kernels[k]) visit(visit, r.node, true);
        }
    }
};

/// A materialize node for node `at`, with the type and shape of `of`.
graph_node store_for(const graph_node& of, int at, bool alone) {
    graph_node store;
    store.what = ir::kind::materialize;
    store.alone = alone;
    store.type = of.type;
    store.rank = of.rank;
    store.shape = of.shape;
    store.in[0] = at;
    return store;
}

graph without_nodes(const graph& g) { return {{}, g.roots, g.leaves, g.product}; }

/// A mask of a node and all nodes that it depends on.
std::vector<char> needed_by(const graph& g, int node) {
    std::vector<char> needed(g.nodes.size(), 0);
    needed[node] = 1;
    for (int i = node; i >= 0; --i)
        for (const int in : g.nodes[i].in)
            if (in >= 0 && needed[i] != 0) needed[in] = 1;
    return needed;
}

}  // namespace

graph with_store(const graph& g, int node, bool alone) {
    const std::optional<int> known = store_of(g, node);
    graph changed = without_nodes(g);
    changed.nodes.reserve(g.nodes.size() + 1);
    std::vector<int> now(g.nodes.size());
    int stored = -1;
    const auto add = [&](std::size_t i) {
        graph_node n = g.nodes[i];
        const bool stores = known && *known == static_cast<int>(i);
        for (int& in : n.in)
            if (in >= 0) in = in == node && stored >= 0 && !stores ? stored : now[in];
        now[i] = static_cast<int>(changed.nodes.size());
        changed.nodes.push_back(n);
    };
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (known && *known == static_cast<int>(i)) {
            now[i] = stored;  // it follows the node directly
            continue;
        }
        add(i);
        if (static_cast<int>(i) != node) continue;
        stored = static_cast<int>(changed.nodes.size());
        changed.nodes.push_back(store_for(g.nodes[i], now[i], alone));
    }
    for (graph_root& r : changed.roots) r.node = r.node == node ? stored : now[r.node];
    return changed;
}

graph with_assigned(const graph& g, int node) {
    graph merged = g;
    const std::vector<int> first = number_values(merged);
    graph changed = without_nodes(g);
    changed.nodes.reserve(2 * g.nodes.size() + 1);
    std::vector<int> now(g.nodes.size());
    const auto add = [&](std::size_t i) {
        graph_node n = g.nodes[i];
        for (int& in : n.in)
            if (in >= 0) in = now[in];
        now[i] = static_cast<int>(changed.nodes.size());
        changed.nodes.push_back(n);
    };
    const std::vector<char> needed = needed_by(g, node);
    for (int i = 0; i <= node; ++i)
        if (needed[i] != 0) add(static_cast<std::size_t>(i));
    changed.nodes.push_back(store_for(g.nodes[node], now[node], true));
    const int stored = static_cast<int>(changed.nodes.size()) - 1;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (first[i] == first[node])
            now[i] = stored;
        else
            add(i);
    }
    for (graph_root& r : changed.roots) r.node = now[r.node];
    eliminate_dead_code(changed);
    return changed;
}

std::vector<int> worth_assigning(const graph& g, std::size_t max) {
    graph merged = g;
    const std::vector<int> first = number_values(merged);
    const int only_result = g.roots.size() == 1 ? first[g.roots[0].node] : -1;
    std::vector<int> found;
    for (int i = 0; i < static_cast<int>(g.nodes.size()) && found.size() < max; ++i) {
        const ir::kind what = g.nodes[i].what;
        const bool computes = what == ir::kind::reduction || what == ir::kind::scan || what == ir::kind::elementwise;
        if (computes && first[i] == i && i != only_result) found.push_back(i);
    }
    return found;
}

std::vector<int> worth_storing(const kernel_cut& cut, std::size_t max) {
    constexpr std::size_t few_kernels = 4;
    const graph& g = cut.whole;
    const places at(cut);
    const bool are_few = cut.kernels.size() <= few_kernels;
    const auto is_stored = [&](int i) { return i >= 0 && at.stored[i] > 0; };
    std::vector<int> found;
    for (std::size_t i = 0; i < g.nodes.size() && found.size() < max; ++i) {
        const graph_node& n = g.nodes[i];
        const bool reduces = n.what == ir::kind::reduction || n.what == ir::kind::scan;
        const bool maps = n.what == ir::kind::elementwise || n.what == ir::kind::cast;
        const bool is_epilogue = maps && std::any_of(n.in.begin(), n.in.end(), is_stored);
        if (((reduces || maps) && (at.computed[i] > 1 || at.stored[i] > 0)) || (are_few && (reduces || is_epilogue)))
            found.push_back(static_cast<int>(i));
    }
    return found;
}

namespace {

/// The axis along which a node's elements lie side by side in memory, or where its operand's do that it permutes; -1
/// where that is not known.
int contiguous_axis(const graph& g, int node) {
    const graph_node& n = g.nodes[node];
    if (n.what == ir::kind::leaf) {
        const graph_leaf& leaf = g.leaves[n.argument];
        for (int a = 0; a < n.rank; ++a)
            if (n.shape[a] > 1 && std::abs(leaf.strides[a]) == 1) return a;
        return -1;
    }
    if (!is_permutation(g, node)) return -1;
    const graph_node& operand = g.nodes[n.in[0]];
    for (int a = operand.rank; a-- > 0;)
        if (operand.shape[a] > 1) return n.map[a].from;
    return -1;
}

/// Whether neighbours along the last axis lie apart in memory, and those along another one side by side.
bool is_reordered(const graph& g, int node) {
    int last = g.nodes[node].rank - 1;
    while (last >= 0 && g.nodes[node].shape[last] == 1) --last;
    const int contiguous = contiguous_axis(g, node);
    return contiguous >= 0 && contiguous != last;
}

}  // namespace

std::vector<int> worth_a_launch(const kernel_cut& cut, std::size_t max) {
    const graph& g = cut.whole;
    const places at(cut);
    // by a node of more elements, or through indices: then it is computed more than once for each element
    std::vector<char> is_repeated(g.nodes.size(), 0);
    const auto elements = [&g](int i) { return size_of_shape(g.nodes[i].shape, g.nodes[i].rank); };
    for (int i = 0; i < static_cast<int>(g.nodes.size()); ++i) {
        const graph_node& n = g.nodes[i];
        const bool gathers = n.what == ir::kind::index_map && n.in[1] >= 0;
        for (const int in : n.in)
            if (in >= 0 && (elements(i) > elements(in) || (gathers && in == n.in[0]))) is_repeated[in] = 1;
    }
    std::vector<int> found;
    for (int i = 0; i < static_cast<int>(g.nodes.size()) && found.size() < max; ++i) {
        if (at.computed[i] == 0 || at.stored[i] > 0) continue;
        const ir::kind what = g.nodes[i].what;
        const bool computes = what == ir::kind::elementwise || what == ir::kind::cast || what == ir::kind::reduction;
        if ((computes && is_repeated[i] != 0) || what == ir::kind::scan || is_reordered(g, i)) found.push_back(i);
    }
    return found;
}

graph with_distinct_nodes(graph g) {
    unify_inputs(g);
    simplify(g);
    cse(g);
    eliminate_dead_code(g);  // store_before_views counts readers
    store_before_views(g);
    cse(g);
    eliminate_dead_code(g);
    return g;
}

}  // namespace sinter::codegen
