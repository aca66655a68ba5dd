// Computes the indices that a program reads and writes at, and compares them with the extents of their axes.
#include <runtime/launch/checks.hpp>

#include <codegen/ir/expression.hpp>
#include <codegen/ir/print.hpp>
#include <runtime/launch/elements.hpp>
#include <runtime/launch/probe.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sinter::codegen {
namespace {

/// The rows that convert users' indices to element indices (include/sinter/gather.hpp and scatter.hpp): both take an
/// index and the extent of its axis.
bool is_index_of_take(const op_row* row) { return std::string_view(row->name).starts_with("index_within"); }
bool is_index_of_put(const op_row* row) { return std::string_view(row->name).starts_with("index_from_end"); }

template <class Node>
bool is_index(const Node& n) {
    return n.what == ir::kind::elementwise && n.op->builtin < 0 && (is_index_of_take(n.op) || is_index_of_put(n.op));
}

class index_check {
public:
    index_check(const ir::program& program, const detail::arguments_view& arguments)
        : p_(program, arguments), scalars_(arguments.scalars) {}

    void run() const {
        for (int i = 0; i < count(); ++i)
            if (is_index(p_.node(i))) check(i);
    }

private:
    int count() const { return static_cast<int>(p_.nodes().nodes.size()); }

    void check(int i) const {
        const graph_node& n = p_.node(i);
        const graph_node &indices = p_.node(n.in[0]), &last = p_.node(n.in[1]);
        if (last.what != ir::kind::scalar || size_of_shape(indices.shape, indices.rank) == 0) return;
        const auto extent = static_cast<std::int64_t>(scalars_[last.argument].bits);
        const detail::storage_ref values = p_.read(n.in[0], {}, (1u << indices.rank) - 1);
        const std::optional<std::int64_t> found = first_beyond(*values.get(), extent);
        if (!found) return;
        const extents at = index_of_element(*found, indices.shape, indices.rank);
        const std::string element = indices.rank == 0
                                        ? "the index"
                                        : fmt::format("element {} of the indices", shape_text(at.data(), indices.rank));
        const std::string cure =
            extent == 0 ? "no index is valid" : fmt::format("indices are from {} to {}", -extent, extent - 1);
        throw error(fmt::format("bounds check: {} {} is {}, which is beyond {} with {} elements, in {}; {}", element,
                                expression_text(p_.nodes(), without_cast(n.in[0])), text_at(*values.get(), *found),
                                axis_text(i), extent, expression_text(p_.nodes(), root_of(i)), cure));
    }

    /// The first result that depends on a node.
    int root_of(int node) const {
        const auto& roots = p_.nodes().roots;
        const auto found =
            std::find_if(roots.begin(), roots.end(), [&](const graph_root& r) { return p_.needs(r.node, node); });
        return found == roots.end() ? p_.root(0) : found->node;
    }

    int without_cast(int i) const { return p_.node(i).what == ir::kind::cast ? p_.node(i).in[0] : i; }

    /// Whether a node is `of` or a chain of views and conversions of it.
    bool shows(int node, int of) const {
        const auto passes_on = [](const graph_node& n) {
            return n.what == ir::kind::cast || (n.what == ir::kind::index_map && n.in[1] < 0);
        };
        while (node > of && passes_on(p_.node(node))) node = p_.node(node).in[0];
        return node == of;
    }

    /// "axis 1 of x0", as far as the use of the index tells it.
    std::string axis_text(int index) const {
        for (int i = index + 1; i < count(); ++i) {
            const graph_node& n = p_.node(i);
            if (n.what == ir::kind::index_map && n.in[1] >= 0 && shows(n.in[1], index))
                for (int a = 0; a < p_.node(n.in[0]).rank; ++a)
                    if (n.map[static_cast<std::size_t>(a)].from == ir::from_operand)
                        return fmt::format("axis {} of {}", a, expression_text(p_.nodes(), n.in[0]));
            if (n.what != ir::kind::elementwise || n.op->arity != 2) continue;
            for (const std::size_t side : {0, 1})
                if (shows(n.in[side], index))
                    if (const int a = axis_of_iota(n.in[1 - side]); a >= 0) return fmt::format("axis {}", a);
        }
        return "an axis";
    }

    /// The axis along which a node is a view of iota; -1 for other nodes.
    int axis_of_iota(int i) const {
        const graph_node& n = p_.node(i);
        return n.what == ir::kind::index_map && p_.node(n.in[0]).what == ir::kind::iota ? n.map[0].from : -1;
    }

    const probe p_;
    const ir::scalar_bits* const scalars_;
};

}  // namespace

void check_indices(const ir::program& program, const detail::arguments_view& arguments) {
    if (std::any_of(program.nodes, program.nodes + program.node_count, [](const ir::node& n) { return is_index(n); }))
        index_check(program, arguments).run();
}

}  // namespace sinter::codegen
