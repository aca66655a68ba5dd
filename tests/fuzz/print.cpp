// Nodes, leaves and buffers in words.
#include <tests/fuzz/print.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::fuzz {
namespace {

constexpr std::size_t max_elements = 24;

std::string list(const std::int64_t* items, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += fmt::format("{}{}", i > 0 ? ", " : "", items[i]);
    return "(" + text + (n == 1 ? ",)" : ")");
}

std::string axes_text(std::uint32_t mask) {
    std::string text;
    for (int a = 0; a < 32; ++a)
        if (mask >> a & 1) text += fmt::format("{}{}", text.empty() ? "" : ", ", a);
    return "{" + text + "}";
}

std::string map_text(const fuzz_case& c, const ir::node& n) {
    const int source_rank = c.nodes[static_cast<std::size_t>(n.in[0])].rank;
    std::string text;
    for (int a = 0; a < source_rank; ++a) {
        const std::int64_t* m = c.integers.data() + n.argument + 3 * a;
        text += a > 0 ? ", " : "";
        if (m[0] == ir::from_operand)
            text += "at";
        else
            text += m[0] < 0 ? fmt::format("{}", m[1]) : fmt::format("{} + {} * i{}", m[1], m[2], m[0]);
    }
    return "[" + text + "]";
}

std::string what_text(const fuzz_case& c, const ir::node& n) {
    const auto argument = static_cast<std::size_t>(n.argument);
    switch (n.what) {
        case ir::kind::leaf: return fmt::format("leaf {}", n.argument);
        case ir::kind::scalar: return "scalar " + text(n.type, c.scalars[argument]);
        case ir::kind::constant: return "constant " + text(n.type, word{n.bits});
        case ir::kind::elementwise: return n.op->name;
        case ir::kind::cast: return "cast";
        case ir::kind::reduction:
            return fmt::format("{} over {}{}{}", n.op->name,
                               axes_text(n.axes_known ? n.axes : static_cast<std::uint32_t>(c.integers[argument])),
                               n.axes_known ? "" : " known at run time", n.keepdims ? ", keepdims," : "");
        case ir::kind::scan:
            return fmt::format("running {} along {}{}{}{}", n.op->name,
                               axes_text(n.axes_known ? n.axes : static_cast<std::uint32_t>(c.integers[argument])),
                               n.axes_known ? "" : " known at run time", n.exclusive ? ", exclusive," : "",
                               n.reverse ? ", reverse," : "");
        case ir::kind::index_map: return "view " + map_text(c, n) + " of";
        case ir::kind::reshape: return "reshape";
        case ir::kind::iota: return "iota";
        case ir::kind::gradient: return "gradient";
        case ir::kind::stop_gradient: return "held";
        case ir::kind::materialize: return "stored";
        case ir::kind::call: return fmt::format("{}, result {}, of", n.callee->name, n.bits);
    }
    return "?";
}

}  // namespace

std::string print(const fuzz_case& c, const std::vector<node_values>& values) {
    std::string all;
    for (std::size_t i = 0; i < c.nodes.size(); ++i) {
        const ir::node& n = c.nodes[i];
        all += fmt::format("  %{} = {}", i, what_text(c, n));
        for (int in : n.in)
            if (in >= 0) all += fmt::format(" %{}", in);
        all += fmt::format(" : {}", name(n.type));
        if (i < values.size()) all += " " + list(values[i].shape.data(), values[i].rank);
        all += '\n';
    }
    for (std::size_t i = 0; i < c.leaves.size(); ++i) {
        const leaf& l = c.leaves[i];
        all += fmt::format("  leaf {} = buffer {}, shape {}", i, l.buffer, list(l.shape.data(), l.rank));
        if (!l.owned) all += fmt::format(", strides {}, from element {}", list(l.strides.data(), l.rank), l.offset);
        all += '\n';
    }
    for (std::size_t i = 0; i < c.buffers.size(); ++i) {
        const buffer& b = c.buffers[i];
        all += fmt::format("  buffer {} : {}, {} elements:", i, name(b.type), b.elements.size());
        for (std::size_t e = 0; e < std::min(b.elements.size(), max_elements); ++e)
            all += (e > 0 ? ", " : " ") + text(b.type, b.elements[e]);
        all += b.elements.size() > max_elements ? ", ...\n" : "\n";
    }
    if (c.roots.size() > 1) {
        all += "  results:";
        for (int root : c.roots) all += fmt::format(" %{}", root);
        all += '\n';
    }
    if (c.into.buffer >= 0)
        all += fmt::format("  the last result goes to buffer {}, strides {}, from element {}\n", c.into.buffer,
                           list(c.into.strides.data(), c.nodes[static_cast<std::size_t>(c.roots.back())].rank),
                           c.into.offset);
    all += c.as_tree ? "  lowered as a tree" : "  lowered as a graph";
    if (c.unfused) all += ", without fusion";
    if (c.target >= 0) all += fmt::format(", target: leaf {}", c.target);
    if (c.target == fresh_target) all += ", target: an array of the result's shape";
    return all + '\n';
}

}  // namespace sinter::fuzz
