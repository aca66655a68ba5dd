// Tree layout: one row per distance from the root; leaves side by side; each node centred above the operands that it
// was the first to reach.
#include <codegen/explain/picture.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

constexpr int row_height = 64, box_height = 36, gap = 14, margin = 8;

int width_of(const tree_node& n) {
    const auto letters = static_cast<int>(std::max(n.label.size(), n.type.size()));
    return std::max(48, 8 * letters + 14);
}

class layout_of_tree {
public:
    layout_of_tree(const std::vector<tree_node>& nodes, const std::vector<int>& roots)
        : nodes_(nodes), depth_(nodes.size(), -1), x_(nodes.size(), -1) {
        for (const int r : roots) depth_[static_cast<std::size_t>(r)] = 0;
        for (std::size_t i = nodes.size(); i-- > 0;) sink_operands(i);
        for (const int r : roots) place(r);
    }

    bool shown(std::size_t i) const { return x_[i] >= 0; }
    /// The centre of a box, and its upper edge.
    int x(std::size_t i) const { return x_[i]; }
    int y(std::size_t i) const { return margin + depth_[i] * row_height; }
    int width() const { return right_ + margin; }
    int height() const {
        return margin * 2 + box_height + row_height * std::max(0, *std::max_element(depth_.begin(), depth_.end()));
    }

private:
    /// Puts a node's operands at least one row below it. Users come later in the node order.
    void sink_operands(std::size_t i) {
        if (depth_[i] < 0) return;  // no root depends on it
        for (const int in : nodes_[i].operands) {
            int& depth = depth_[static_cast<std::size_t>(in)];
            depth = std::max(depth, depth_[i] + 1);
        }
    }

    void place(int i) {
        const auto at = static_cast<std::size_t>(i);
        if (x_[at] >= 0) return;
        x_[at] = 0;  // visited
        const std::size_t placed_before = order_.size();
        int first = -1, last = -1;
        for (const int in : nodes_[at].operands) {
            const auto operand = static_cast<std::size_t>(in);
            const bool fresh = x_[operand] < 0;
            place(in);
            if (!fresh) continue;
            first = first < 0 ? x_[operand] : std::min(first, x_[operand]);
            last = std::max(last, x_[operand]);
        }
        const int half = width_of(nodes_[at]) / 2;
        const auto row = static_cast<std::size_t>(depth_[at]);
        if (row >= free_.size()) free_.resize(row + 1, margin);
        const int centre = first < 0 ? free_[row] + half : (first + last) / 2;
        move_right(placed_before, free_[row] + half - centre);
        x_[at] = std::max(centre, free_[row] + half);
        occupy(at);
        order_.push_back(at);
    }

    /// Moves the boxes placed from number `from` on, which are the operands of a node that has no room above them.
    void move_right(std::size_t from, int by) {
        if (by <= 0) return;
        for (std::size_t n = from; n < order_.size(); ++n) {
            x_[order_[n]] += by;
            occupy(order_[n]);
        }
    }

    void occupy(std::size_t i) {
        const int edge = x_[i] + width_of(nodes_[i]) / 2;
        int& row = free_[static_cast<std::size_t>(depth_[i])];
        row = std::max(row, edge + gap);
        right_ = std::max(right_, edge);
    }

    const std::vector<tree_node>& nodes_;
    std::vector<int> depth_, x_;
    std::vector<std::size_t> order_;  ///< in which nodes were placed: operands before their users
    std::vector<int> free_;           ///< per row: where the next box may begin
    int right_ = 0;
};

}  // namespace

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string tree_picture(const std::vector<tree_node>& nodes, const std::vector<int>& roots, const std::string& prefix,
                         const std::string& title, const std::vector<std::string>& links) {
    const layout_of_tree at(nodes, roots);
    std::string svg =
        fmt::format("<svg role=\"group\" aria-label=\"{0}\" width=\"{1}\" height=\"{2}\" viewBox=\"0 0 {1} {2}\">\n",
                    escaped(title), at.width(), at.height());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (const int in : nodes[i].operands)
            if (at.shown(i))
                svg += fmt::format("<line class=\"edge\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", at.x(i),
                                   at.y(i) + box_height, at.x(static_cast<std::size_t>(in)),
                                   at.y(static_cast<std::size_t>(in)));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!at.shown(i)) continue;
        const bool links_on = i < links.size() && !links[i].empty();
        const int width = width_of(nodes[i]);
        const std::string box = fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\"/><text x=\"{}\" y=\"{}\">{}</text>"
            "<text class=\"type\" x=\"{}\" y=\"{}\">{}</text>",
            at.x(i) - width / 2, at.y(i), width, box_height, at.x(i), at.y(i) + 15, escaped(nodes[i].label), at.x(i),
            at.y(i) + 29, escaped(nodes[i].type));
        const std::string name = escaped(nodes[i].label + ", " + nodes[i].type);
        if (links_on)
            svg += fmt::format("<a id=\"{}{}\" class=\"node\" href=\"#{}\" aria-label=\"{}\">{}</a>\n", prefix, i,
                               links[i], name, box);
        else
            svg += fmt::format("<g id=\"{}{}\" class=\"node\">{}</g>\n", prefix, i, box);
    }
    return svg + "</svg>\n";
}

}  // namespace sinter::codegen
