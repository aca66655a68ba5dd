// The operand elements from which a range of a node is computed.
#include <runtime/distributed/split_graph.hpp>

namespace sinter::codegen {
namespace {

std::int64_t divide_up(std::int64_t x, std::int64_t y) { return x >= 0 ? (x + y - 1) / y : -(-x / y); }

/// The i in `all` for which start + step * i is in `range`.
interval preimage(const mapped_axis& m, const interval& range, const interval& all) {
    const interval found =
        m.step > 0
            ? interval{divide_up(range.begin - m.start, m.step), divide_up(range.end - m.start, m.step)}
            : interval{divide_up(m.start - range.end + 1, -m.step), divide_up(m.start - range.begin + 1, -m.step)};
    return intersection(found, all);
}

}  // namespace

interval affine_indices(const mapped_axis& m, const interval& range) {
    if (range.empty()) return {};
    const std::int64_t first = m.start + m.step * range.begin, last = m.start + m.step * (range.end - 1);
    return {std::min(first, last), std::max(first, last) + 1};
}

interval split_graph::operand_range(int node, int k, const interval& range) const {
    const graph_node& n = (*this)[node];
    const int in = n.in[as_size(k)];
    if (in < 0 || !is_split(in)) return {};
    if (n.what == ir::kind::index_map && k == 0) {
        const mapped_axis& m = n.map[as_size(axis(in))];
        if (m.from == ir::from_operand) {
            if (is_split(node) && range.empty()) return {};
            const graph_node& index = (*this)[n.in[1]];
            const int along = is_split(node) ? axis(node) - (n.rank - index.rank) : -1;
            return index_values(n.in[1], along >= 0 && index.shape[as_size(along)] != 1 ? along : -1, range, node);
        }
        return m.from < 0 || m.step == 0 ? interval{m.start, m.start + 1} : affine_indices(m, range);
    }
    const bool broadcasts = extent(in) == 1 && (!is_split(node) || extent(node) != 1);
    return broadcasts ? interval{0, 1} : range;
}

interval split_graph::natural_range(int node, int member) const {
    const graph_node& n = (*this)[node];
    const interval all{0, extent(node)};
    if (n.what == ir::kind::index_map && n.in[0] >= 0 && is_split(n.in[0])) {
        const mapped_axis& m = n.map[as_size(axis(n.in[0]))];
        if (m.from == axis(node) && m.step != 0) return preimage(m, natural_range(n.in[0], member), all);
    } else {
        for (int in : n.in)
            if (in >= 0 && is_split(in) && extent(in) == extent(node)) return natural_range(in, member);
    }
    return part_of(extent(node), member, members_);
}

}  // namespace sinter::codegen
