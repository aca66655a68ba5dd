// Counts bytes from shapes; nothing is measured here.
#include <codegen/explain/traffic.hpp>

#include <algorithm>
#include <map>

namespace sinter::codegen {
namespace {

/// The number of elements that a load touches: the extents along which its address moves.
std::int64_t elements_touched(const kernel& k, const layout& l) {
    std::int64_t n = 1;
    for (std::size_t a = 0; a < k.extents.size(); ++a)
        if (l.stride[a] != 0) n *= k.extents[a];
    return n;
}

std::int64_t bytes_of(const graph_node& n) {
    return size_of_shape(n.shape, n.rank) * static_cast<std::int64_t>(size_of(n.type));
}

}  // namespace

std::int64_t bytes_moved(const kernel& k) {
    // An input loaded in several loops, or at several offsets, counts once: the fullest of its loads.
    std::map<int, std::int64_t> read;
    for (const value& v : k.values) {
        if (v.what != value_kind::load) continue;
        std::int64_t& most = read[k.inputs[static_cast<std::size_t>(v.input)].leaf];
        most = std::max(most, elements_touched(k, k.layouts[static_cast<std::size_t>(v.at)]) *
                                  static_cast<std::int64_t>(size_of(v.type)));
    }
    std::int64_t bytes = 0;
    for (const auto& [leaf, most] : read) bytes += most;
    for (std::size_t o = 0; o < k.outputs.size(); ++o)
        bytes += size_of_shape(k.output_shapes[o].shape, k.output_shapes[o].rank) *
                 static_cast<std::int64_t>(size_of(k.outputs[o]));
    return bytes;
}

unfused_cost cost_unfused(const graph& whole) {
    unfused_cost cost;
    for (const graph_node& n : whole.nodes) {
        if (n.what != ir::kind::elementwise && n.what != ir::kind::cast && n.what != ir::kind::reduction) continue;
        ++cost.operations;
        cost.bytes += bytes_of(n);
        for (std::size_t i = 0; i < n.in.size() && n.in[i] >= 0; ++i) {
            const bool read_already = std::find(n.in.begin(), n.in.begin() + static_cast<std::ptrdiff_t>(i), n.in[i]) !=
                                      n.in.begin() + static_cast<std::ptrdiff_t>(i);
            const graph_node* operand = &whole.nodes[static_cast<std::size_t>(n.in[i])];
            while (operand->what == ir::kind::index_map)
                operand = &whole.nodes[static_cast<std::size_t>(operand->in[0])];
            if (!read_already && operand->what != ir::kind::scalar && operand->what != ir::kind::constant)
                cost.bytes += bytes_of(*operand);
        }
    }
    return cost;
}

}  // namespace sinter::codegen
