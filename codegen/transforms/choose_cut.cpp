// The cut of a graph in which values are told apart that a type cannot tell apart: equal nodes are one, so what several
// readers need is seen to be one value. The rule's cut of this graph is changed as long as that helps: one more value
// is stored before its readers, where that takes no more launches than the type tells of, and less time. So no single
// assignment of a part of an expression to an array could make it cost less.
#include <codegen/transforms/cut.hpp>
#include <codegen/transforms/flatten.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace sinter::codegen {
namespace {

/// At most so many values are tried at once, and of large graphs fewer: planning takes time, too.
constexpr std::size_t max_candidates = 16, max_nodes_tried = 500;

struct attempt {
    kernel_cut cut;
    double seconds = 0;

    bool improves(const attempt& other, std::size_t max_launches) const {
        constexpr double noticeable = 1 - 1e-9;
        if (cut.kernels.size() > std::max(max_launches, other.cut.kernels.size())) return false;
        return seconds < other.seconds * noticeable;
    }
};

attempt attempt_on(graph whole, weight by = weight::elements) {
    const flat_program flat(whole);
    attempt a;
    a.cut.kernels = kernels_of(flat.view(), flat.integers.data(), whole, by, fusion::on);
    a.seconds = estimated_seconds(whole, a.cut.kernels);
    a.cut.whole = std::move(whole);
    return a;
}

/// The node that stores another one, if there is one.
std::optional<int> store_of(const graph& g, int node) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        if (g.nodes[i].what == ir::kind::store && g.nodes[i].bits == 0 && g.nodes[i].in[0] == node)
            return static_cast<int>(i);
    return std::nullopt;
}

/// The graph in which all who read a node read it from where it is stored.
graph with_store(const graph& g, int node) {
    const std::optional<int> known = store_of(g, node);
    graph changed = g;
    changed.nodes.clear();
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
            now[i] = stored;  // it stands behind the node already
            continue;
        }
        add(i);
        if (static_cast<int>(i) != node) continue;
        graph_node store;
        if (known) store = g.nodes[*known];
        store.what = ir::kind::store;
        store.type = g.nodes[i].type;
        store.rank = g.nodes[i].rank;
        store.shape = g.nodes[i].shape;
        store.in[0] = now[i];
        stored = static_cast<int>(changed.nodes.size());
        changed.nodes.push_back(store);
    }
    for (graph_root& r : changed.roots) r.node = r.node == node ? stored : now[r.node];
    return changed;
}

/// In how many kernels each node is computed, and in how many it is stored.
struct places {
    std::vector<int> computed, stored;

    explicit places(const kernel_cut& cut) : computed(cut.whole.nodes.size(), 0), stored(cut.whole.nodes.size(), 0) {
        for (const kernel_roots& roots : cut.kernels)
            for (const graph_root& r : roots) stored[r.node] += r.is_read();
        std::vector<int> kernel(cut.whole.nodes.size(), -1);  // the last in which a node was met
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

/// The values that are worth storing: what several kernels compute, what is stored but may have been taken for computed
/// when the kernels that load it were formed, and, of few kernels, each reduction, since it may have decided the axes.
std::vector<int> candidates(const kernel_cut& cut) {
    constexpr std::size_t few_kernels = 3;
    const graph& g = cut.whole;
    const places at(cut);
    std::vector<int> found;
    for (std::size_t i = 0; i < g.nodes.size() && found.size() < max_candidates; ++i) {
        const graph_node& n = g.nodes[i];
        const bool reduces = n.what == ir::kind::reduction || n.what == ir::kind::scan;
        const bool computes = reduces || n.what == ir::kind::elementwise || n.what == ir::kind::cast;
        if (computes && (at.computed[i] > 1 || at.stored[i] > 0 || (reduces && cut.kernels.size() <= few_kernels)))
            found.push_back(static_cast<int>(i));
    }
    return found;
}

bool is_whole_axis(const graph_node& view, const graph_node& operand, int a) {
    const mapped_axis& m = view.map[a];
    return m.from >= 0 && m.start == 0 && m.step == 1 && view.shape[m.from] == operand.shape[a];
}

/// Whether a node is another order of its operand's axes, and no more.
bool is_permuted(const graph& g, const graph_node& n) {
    if (n.what != ir::kind::index_map || n.in[1] >= 0 || n.rank != g.nodes[n.in[0]].rank) return false;
    std::uint32_t met = 0;
    for (int a = 0; a < n.rank; ++a) {
        if (!is_whole_axis(n, g.nodes[n.in[0]], a)) return false;
        met |= 1u << n.map[a].from;
    }
    return met == (1u << n.rank) - 1;
}

/// What is stored with its axes in another order is stored as it is computed, and read in that order: so a matrix and
/// its transpose are one array.
void store_before_views(graph& g) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const graph_node store = g.nodes[i];
        if (store.what != ir::kind::store || store.bits != 0) continue;
        const bool converts = g.nodes[store.in[0]].what == ir::kind::cast;
        const int at = converts ? g.nodes[store.in[0]].in[0] : store.in[0];
        const graph_node view = g.nodes[at];
        if (!is_permuted(g, view)) continue;
        const graph_node of = g.nodes[view.in[0]];
        std::vector<graph_node> made;
        int operand = view.in[0];
        const auto begin = static_cast<int>(i);
        for (const bool is_cast : {true, false}) {
            if (is_cast && !converts) continue;
            graph_node n = is_cast ? g.nodes[store.in[0]] : store;
            n.rank = of.rank;
            n.shape = of.shape;
            n.in[0] = operand;
            operand = begin + static_cast<int>(made.size());
            made.push_back(n);
        }
        for (graph_node& n : g.nodes)
            for (int& in : n.in)
                if (in > begin || (in == begin && &n - g.nodes.data() > begin)) in += static_cast<int>(made.size());
        for (graph_root& r : g.roots)
            if (r.node >= begin) r.node += static_cast<int>(made.size());
        g.nodes.insert(g.nodes.begin() + begin, made.begin(), made.end());
        i += made.size();
        g.nodes[i] = view;
        g.nodes[i].type = store.type;
        g.nodes[i].in[0] = operand;
    }
}

/// Equal values become one node.
graph with_distinct_nodes(graph g) {
    alias(g);
    simplify(g);
    store_before_views(g);
    cse(g);
    sweep(g);
    return g;
}

}  // namespace

kernel_cut choose_cut(const ir::program& program, const std::int64_t* integers, const graph& whole, fusion mode) {
    if (mode == fusion::off) return {whole, kernels_of(program, integers, whole, weight::ranks, mode)};
    attempt best;
    best.cut = {whole, kernels_of(program, integers, whole, weight::ranks, mode)};
    const std::size_t of_type = best.cut.kernels.size();
    if (of_type == 1) return std::move(best.cut);
    graph aliased = whole;
    alias(aliased);
    const double seconds_of_type = estimated_seconds(aliased, best.cut.kernels);
    kernel_cut cut_of_type = std::exchange(best, attempt_on(with_distinct_nodes(whole))).cut;
    if (best.cut.kernels.size() > of_type) best = attempt_on(std::move(best.cut.whole), weight::ranks);
    for (std::size_t tried = 0;;) {
        std::optional<attempt> better;
        for (const int node : candidates(best.cut)) {
            tried += best.cut.whole.nodes.size();
            if (tried > max_nodes_tried) break;
            attempt next = attempt_on(with_store(best.cut.whole, node));
            if (next.improves(better ? *better : best, of_type)) better = std::move(next);
        }
        if (!better) break;
        best = std::move(*better);
    }
    const bool worse = best.cut.kernels.size() > of_type || best.seconds > seconds_of_type;
    return worse ? std::move(cut_of_type) : std::move(best.cut);
}

}  // namespace sinter::codegen
