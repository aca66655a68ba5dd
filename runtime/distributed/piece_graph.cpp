// Rewrites nodes over whole arrays as nodes over ranges.
#include <runtime/distributed/piece_graph.hpp>

#include <codegen/autodiff/terms.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// Collects the leaf ranges from which node ranges are computed.
class leaf_ranges {
public:
    leaf_ranges(const split_graph& g, int member, bool copies) : g_(g), member_(member), copies_(copies) {}

    void visit(int node, const interval& range) {
        if (!seen_.insert({node, range}).second) return;
        const graph_node& n = g_[node];
        if (n.what == ir::kind::leaf) {
            const bool reads = g_.is_split(node) && !range.empty();
            if (reads && (copies_ || !part_of(g_.extent(node), member_, g_.members()).contains(range)))
                missing[n.argument].push_back(range);
            return;
        }
        for (int k = 0; k < ir::max_operands; ++k)
            if (n.in[as_size(k)] >= 0) visit(n.in[as_size(k)], g_.operand_range(node, k, range));
    }

    std::map<int, std::vector<interval>> missing;

private:
    const split_graph& g_;
    const int member_;
    const bool copies_;
    std::set<std::pair<int, interval>> seen_;
};

/// Merges adjacent and overlapping ranges.
void merge_ranges(std::vector<interval>& ranges) {
    std::sort(ranges.begin(), ranges.end());
    std::vector<interval> all;
    for (const interval& r : ranges) {
        if (all.empty() || all.back().end < r.begin)
            all.push_back(r);
        else
            all.back().end = std::max(all.back().end, r.end);
    }
    ranges = std::move(all);
}

}  // namespace

std::map<int, std::vector<interval>> missing_ranges(const split_graph& g, int member,
                                                    const std::vector<wanted_range>& wanted, bool copies) {
    leaf_ranges all(g, member, copies);
    for (const wanted_range& w : wanted) all.visit(w.folds ? g[w.node].in[0] : w.node, w.range);
    for (auto& [leaf, ranges] : all.missing) merge_ranges(ranges);
    return std::move(all.missing);
}

bool same_extents(const split_graph& g, const std::vector<wanted_range>& wanted) {
    const auto split = [&](const wanted_range& w) { return w.folds ? g[w.node].in[0] : w.node; };
    const int first = split(wanted.front());
    return g.is_split(first) && std::all_of(wanted.begin(), wanted.end(), [&](const wanted_range& w) {
               return g.is_split(split(w)) && g.extent(split(w)) == g.extent(first);
           });
}

graph piece_graph::write(const std::vector<wanted_range>& wanted) {
    for (const wanted_range& w : wanted) {
        const int made = root(w);
        add_root(made);
        if (w.folds && whole_[w.node].what == ir::kind::scan) add_root(total_of(made));
    }
    return std::move(made_);
}

void piece_graph::add_root(int made) {
    const graph_node& n = made_.nodes[as_size(made)];
    made_.roots.push_back({made, (1u << n.rank) - 1, row_major(n.shape, n.rank), static_cast<int>(made_.roots.size())});
}

/// The total of a scan's operand, as a reduction that keeps the axis with extent 1.
int piece_graph::total_of(int scan) {
    graph_node n = made_.nodes[as_size(scan)];
    n.what = ir::kind::reduction;
    n.keepdims = true;
    n.exclusive = n.reverse = false;
    for (int a = 0; a < n.rank; ++a)
        if (n.axes >> a & 1) n.shape[as_size(a)] = 1;
    return push(n);
}

int piece_graph::push(const graph_node& n) {
    made_.nodes.push_back(n);
    return static_cast<int>(made_.nodes.size()) - 1;
}

int piece_graph::root(const wanted_range& w) {
    if (!w.folds) return node(w.node, w.range);
    graph_node n = whole_[w.node];
    const int from = n.in[0];
    n.in[0] = node(from, w.range);
    if (n.what == ir::kind::scan) n.shape[as_size(whole_.axis(from))] = w.range.size();
    const int made = push(n);
    const int stored = whole_.store_of(w.node);
    if (stored < 0) return made;
    graph_node mark = whole_[stored];
    mark.in[0] = made;
    return push(mark);
}

int piece_graph::node(int i, interval range) {
    if (!whole_.is_split(i)) range = {};
    const auto key = std::tuple(i, range.begin, range.end);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    int made = -1;
    if (whole_[i].what == ir::kind::leaf) {
        made = leaf(i, range);
    } else {
        graph_node n = whole_[i];
        if (whole_.is_split(i)) n.shape[as_size(whole_.axis(i))] = range.size();
        for (int k = 0; k < ir::max_operands; ++k)
            if (n.in[as_size(k)] >= 0) n.in[as_size(k)] = operand(i, k, range);
        if (n.what == ir::kind::index_map) shift_map(n, i, range);
        made = push(n);
    }
    known_.emplace(key, made);
    return made;
}

/// The leaf or the requested range of it, from the member's part or from a window.
int piece_graph::leaf(int i, const interval& range) {
    graph_node n = whole_[i];
    const int axis = whole_.axis(i);
    piece_input from{n.argument, -1};
    interval has{};
    if (axis >= 0) {
        if (!copies_ || range.empty()) has = part_of(whole_.extent(i), member_, whole_.members());
        for (std::size_t w = first_; !has.contains(range) && w < end_; ++w) {
            if (windows_[w].leaf != n.argument || !windows_[w].range.contains(range)) continue;
            has = windows_[w].range;
            from.window = static_cast<int>(w);
        }
        n.shape[as_size(axis)] = has.size();
    }
    const auto same = [&](const piece_input& p) { return p.leaf == from.leaf && p.window == from.window; };
    const auto known = std::find_if(inputs_.begin(), inputs_.end(), same);
    n.argument = static_cast<int>(known - inputs_.begin());
    if (known == inputs_.end()) inputs_.push_back(from);
    const int made = push(n);
    return axis < 0 || has == range ? made
                                    : slice(made, axis, range.empty() ? 0 : range.begin - has.begin, range.size());
}

/// Operand k of node i. If the node is split and the operand replicated, the node's range of it.
int piece_graph::operand(int i, int k, const interval& range) {
    const graph_node& n = whole_[i];
    const int in = n.in[as_size(k)], made = node(in, whole_.operand_range(i, k, range));
    const bool broadcasts = n.what == ir::kind::elementwise || (n.what == ir::kind::index_map && k == 1);
    if (!broadcasts || !whole_.is_split(i)) return made;
    const graph_node& o = whole_[in];
    const int axis = whole_.axis(i) - (n.rank - o.rank);
    if (axis < 0 || o.shape[as_size(axis)] == 1 || whole_.axis(in) == axis) return made;
    return slice(made, axis, range.begin, range.size());
}

/// Shifts a view's index map to the beginnings of its operand's range and its own.
void piece_graph::shift_map(graph_node& made, int i, const interval& range) {
    const graph_node& n = whole_[i];
    const int in = n.in[0], split = whole_.axis(in);
    const interval source = whole_.operand_range(i, 0, range);
    for (int a = 0; a < whole_[in].rank; ++a) {
        mapped_axis& m = made.map[as_size(a)];
        if (whole_.is_split(i) && m.from == whole_.axis(i)) m.start += m.step * range.begin;
        if (a != split) continue;
        if (m.from == ir::from_operand)
            made.in[1] = index_from(made.in[1], source.begin);
        else
            m.start = range.empty() && m.from >= 0 ? 0 : m.start - source.begin;
    }
}

/// An index relative to the beginning of the range that it addresses.
int piece_graph::index_from(int index, std::int64_t base) {
    if (base == 0) return index;
    gradient::builder b(made_);
    return (b.at(index) - b.number(base)).node;
}

int piece_graph::slice(int made, int axis, std::int64_t first, std::int64_t count) {
    graph_node view;
    const graph_node& from = made_.nodes[as_size(made)];
    view.what = ir::kind::index_map;
    view.type = from.type;
    view.rank = from.rank;
    view.shape = from.shape;
    view.shape[as_size(axis)] = count;
    view.in[0] = made;
    for (int a = 0; a < view.rank; ++a) view.map[as_size(a)] = {a, a == axis ? first : 0, 1};
    return push(view);
}

}  // namespace sinter::codegen
