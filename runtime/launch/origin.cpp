// Goes back from an element of a result to the operands' elements that it is computed from, as long as one of them is
// not finite.
#include <runtime/launch/origin.hpp>

#include <codegen/ir/expression.hpp>
#include <codegen/ir/print.hpp>
#include <runtime/launch/elements.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace sinter::codegen {
namespace {

/// An element of a node.
struct site {
    int node = -1;
    extents at{};
};

/// The elements `first` to `last` of a node along the axes in `along`.
struct stretch {
    site from;
    std::uint32_t along = 0;
    std::int64_t first = 0, last = std::numeric_limits<std::int64_t>::max();
};

class way_back {
public:
    explicit way_back(const probe& p) : p_(p) {}

    /// The last site on the way back from `s` whose value is not finite. None if the value at `s` is finite.
    std::optional<site> first_before(site s) const {
        if (!first_of({s})) return std::nullopt;
        while (const std::optional<site> before = operand_of(s)) s = *before;
        return s;
    }

    /// The operand's element that an elementwise operation reads.
    site aligned(const site& s, int operand) const {
        const graph_node &n = p_.node(s.node), &o = p_.node(operand);
        site to{operand};
        for (int a = 0; a < o.rank; ++a)
            if (o.shape[at(a)] != 1) to.at[at(a)] = s.at[at(aligned_axis(a, n.rank, o.rank))];
        return to;
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    /// The first element of the stretch that is not finite.
    std::optional<site> first_of(const stretch& r) const {
        const graph_node& n = p_.node(r.from.node);
        if (is_moments(n.type)) return r.along == 0 ? operand_of(r.from) : std::nullopt;
        if (!is_floating(n.type) && !is_complex(n.type)) return std::nullopt;
        const detail::storage_ref values = p_.read(r.from.node, r.from.at, r.along);
        const std::optional<std::int64_t> found = first_nonfinite(*values.get(), r.first, r.last);
        if (!found) return std::nullopt;
        extents shape{};
        std::copy_n(values->extents, values->rank, shape.begin());
        const extents within = index_of_element(*found, shape, values->rank);
        site s = r.from;
        for (int a = 0, i = 0; a < n.rank; ++a)
            if (r.along >> a & 1) s.at[at(a)] = within[at(i++)];
        return s;
    }

    /// The first element that is not finite among the operands' elements that the one at `s` is computed from.
    std::optional<site> operand_of(const site& s) const {
        const graph_node& n = p_.node(s.node);
        switch (n.what) {
            case ir::kind::elementwise: return operand_of_map(s);
            case ir::kind::cast:
            case ir::kind::materialize:
            case ir::kind::stop_gradient: return first_of({aligned(s, n.in[0])});
            case ir::kind::call: return operand_of_call(n);
            case ir::kind::reduction: return first_of({reduced(s), n.axes});
            case ir::kind::scan: return first_of(scanned(s));
            case ir::kind::index_map: return first_of({mapped(s)});
            case ir::kind::reshape: return first_of({reshaped(s)});
            default: return std::nullopt;
        }
    }

    /// How a function maps operand elements to result elements is unknown here: search all operands.
    std::optional<site> operand_of_call(const graph_node& n) const {
        for (int o = 0; o < n.callee->operands; ++o) {
            const int in = n.in[at(o)];
            if (const std::optional<site> found = first_of({{in}, (1u << p_.node(in).rank) - 1})) return found;
        }
        return std::nullopt;
    }

    std::optional<site> operand_of_map(const site& s) const {
        const graph_node& n = p_.node(s.node);
        if (n.op->rule == dtype_rule::select) {  // the selected operand first
            const int chosen = integer(aligned(s, n.in[0])) != 0 ? n.in[1] : n.in[2];
            if (const std::optional<site> found = first_of({aligned(s, chosen)})) return found;
        }
        for (int o = 0; o < n.op->arity; ++o)
            if (const std::optional<site> found = first_of({aligned(s, n.in[at(o)])})) return found;
        return std::nullopt;
    }

    /// The element of a reduction's operand with the same indices along the axes that remain.
    site reduced(const site& s) const {
        const graph_node& n = p_.node(s.node);
        site to{n.in[0]};
        for (int a = 0, i = 0; a < p_.node(n.in[0]).rank; ++a) {
            const bool folded = n.axes >> a & 1;
            if (!folded) to.at[at(a)] = s.at[at(i)];
            if (!folded || n.keepdims) ++i;
        }
        return to;
    }

    stretch scanned(const site& s) const {
        const graph_node& n = p_.node(s.node);
        const std::int64_t here = s.at[at(__builtin_ctz(n.axes))];
        stretch r{{n.in[0], s.at}, n.axes};
        if (n.reverse)
            r.first = here + n.exclusive;
        else
            r.last = here + !n.exclusive;
        return r;
    }

    site mapped(const site& s) const {
        const graph_node& n = p_.node(s.node);
        site to{n.in[0]};
        for (int a = 0; a < p_.node(n.in[0]).rank; ++a) {
            const mapped_axis& m = n.map[at(a)];
            to.at[at(a)] = m.from == ir::from_operand ? integer(aligned(s, n.in[1]))
                                                      : m.start + (m.from < 0 ? 0 : m.step * s.at[at(m.from)]);
        }
        return to;
    }

    site reshaped(const site& s) const {
        const graph_node &n = p_.node(s.node), &o = p_.node(n.in[0]);
        const extents strides = row_major(n.shape, n.rank);
        std::int64_t element = 0;
        for (int a = 0; a < n.rank; ++a) element += strides[at(a)] * s.at[at(a)];
        return {n.in[0], index_of_element(element, o.shape, o.rank)};
    }

    std::int64_t integer(const site& s) const { return integer_at(*p_.read(s.node, s.at).get(), 0); }

    const probe& p_;
};

std::string value_text(const probe& p, const site& s) {
    if (detail::is_accumulator(p.node(s.node).type)) return name(p.node(s.node).type);
    return text_at(*p.read(s.node, s.at).get(), 0);
}

/// An operation with its operands' values: "log(-1)", "1 / 0".
std::string operation_text(const probe& p, const way_back& all, const site& s) {
    const graph_node& n = p.node(s.node);
    if (n.what == ir::kind::reduction || n.what == ir::kind::scan)
        return fmt::format("the {} of finite elements", n.op->name);
    if (n.what == ir::kind::cast) return fmt::format("{}({})", name(n.type), value_text(p, all.aligned(s, n.in[0])));
    std::string values;
    const std::string between = n.op->symbol == nullptr ? ", " : fmt::format(" {} ", n.op->symbol);
    for (std::size_t o = 0; o < n.op->arity; ++o)
        values += (o > 0 ? between : "") + value_text(p, all.aligned(s, n.in[o]));
    return n.op->symbol != nullptr && n.op->arity == 2 ? values : fmt::format("{}({})", n.op->name, values);
}

std::string index_text(const graph_node& n, const extents& at) {
    return n.rank == 0 ? "" : " at " + shape_text(at.data(), n.rank);
}

}  // namespace

std::string origin_of(const probe& p, int result, const extents& at) try {
    const way_back all(p);
    const site end{p.root(result), at};
    const std::optional<site> found = all.first_before(end);
    const graph_node& stored = p.node(end.node);
    if (!found && is_storage_only(stored.type))
        return fmt::format("; {} is beyond {}", value_text(p, end), name(stored.type));
    if (!found) return "";
    const graph_node& n = p.node(found->node);
    switch (n.what) {
        case ir::kind::leaf:
            return fmt::format("; its operand {} is {}{}", label(n), value_text(p, *found), index_text(n, found->at));
        case ir::kind::scalar:
        case ir::kind::constant: return fmt::format("; its scalar {} is {}", label(n), value_text(p, *found));
        case ir::kind::elementwise:
        case ir::kind::cast:
        case ir::kind::reduction:
        case ir::kind::scan: break;
        default: return "";
    }
    const std::string operation = operation_text(p, all, *found);
    if (found->node == end.node) return fmt::format("; it is {}", operation);
    return fmt::format("; it comes from {}{}, which is {}", expression_text(p.nodes(), found->node),
                       index_text(n, found->at), operation);
} catch (const error&) {  // out of memory, or an expression with too many nodes
    return "";
}

}  // namespace sinter::codegen
