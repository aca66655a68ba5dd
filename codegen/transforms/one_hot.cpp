// Turns a reduction over a one-hot comparison into a gather: sum(where(arange(n) == label, x, 0), axis=1) reads one
// element of each row, x[label], instead of all n. Matches by meaning, not by form: along a reduced axis, the operand
// must be the reduction's identity wherever a comparison of that axis's index fails. This covers swapped branches,
// additional masks and products of integers, but not products of floating-point numbers, since 0 * NaN is NaN.
//
// The operand is read at the label, clamped to the axis. The comparison is evaluated there again, so a label outside
// the axis still gives the identity. The only difference from the sum is that a zero keeps its sign.
#include <codegen/rows/dispatch.hpp>
#include <codegen/rows/identity.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace sinter::codegen {
namespace {

/// A comparison of an axis's index, start + step * i, with a value that is constant along the axis.
struct index_comparison {
    int node = -1;
    bool equal = true;  ///< `==`; otherwise `!=`
    int label = -1;
    std::int64_t start = 0, step = 0;
};

struct affine_index {
    std::int64_t start = 0, step = 0;
};

/// Whether a dtype holds all integers in [low, high], so that different indices stay different.
bool holds(dtype type, std::int64_t low, std::int64_t high) {
    if (!is_integer(type)) return false;
    if (size_of(type) == 8) return low >= 0 || type == dtype::int64;
    const int bits = static_cast<int>(8 * size_of(type)),
              is_signed = type == dtype::int8 || type == dtype::int16 || type == dtype::int32;
    const std::int64_t past = std::int64_t{1} << (bits - is_signed);
    return low >= (is_signed ? -past : 0) && high < past;
}

/// The operand's axis that a node's axis goes along; -1 if the operand is broadcast along it.
int axis_of_operand(const graph_node& n, const graph_node& operand, int axis) {
    const int a = axis - n.rank + operand.rank;
    return a >= 0 && operand.shape[a] != 1 ? a : -1;
}

/// Analyses the operand of one reduction along one of its axes.
class one_hot_reader {
public:
    one_hot_reader(const graph& g, int operand, int axis) : g_(g), operand_(operand), axis_(axis) {}

    /// A comparison whose failure makes the operand `identity`, if any.
    std::optional<index_comparison> find(const ir::scalar_bits& identity) {
        if (folds_along(operand_, axis_)) return std::nullopt;
        collect(operand_, axis_);
        for (const index_comparison& c : found_) {
            present_ = &c;
            const std::optional<ir::scalar_bits> rest = elsewhere(operand_);
            const std::size_t bytes = size_of(at(operand_).type);
            if (rest && std::memcmp(&rest->bits, &identity.bits, bytes) == 0 && !folds(c.label)) return c;
        }
        return std::nullopt;
    }

private:
    const graph_node& at(int i) const { return g_.nodes[static_cast<std::size_t>(i)]; }

    /// Whether a node depends on a reduction or scan: a gather's index must be computed before its loop.
    bool folds(int i) const {
        const graph_node& n = at(i);
        return n.what == ir::kind::reduction || n.what == ir::kind::scan ||
               std::any_of(n.in.begin(), n.in.end(), [&](int in) { return in >= 0 && folds(in); });
    }

    /// Whether a node depends on a reduction or scan that varies along the axis: it would run for each gathered index.
    bool folds_along(int i, int axis) const {
        const graph_node& n = at(i);
        switch (n.what) {
            case ir::kind::elementwise:
            case ir::kind::cast:
            case ir::kind::materialize:
                return std::any_of(n.in.begin(), n.in.end(), [&](int in) {
                    const int of = in < 0 ? -1 : axis_of_operand(n, at(in), axis);
                    return of >= 0 && folds_along(in, of);
                });
            case ir::kind::leaf:
            case ir::kind::scalar:
            case ir::kind::constant:
            case ir::kind::iota: return false;
            default: return folds(i);
        }
    }

    /// The node as an affine function of the index along `axis`, if it is one.
    std::optional<affine_index> index_along(int i, int axis) const {
        const graph_node& n = at(i);
        if (n.what == ir::kind::iota) return affine_index{0, 1};
        if (n.what == ir::kind::index_map) return index_of_view(n, axis);
        if (n.what == ir::kind::reshape) {  // of a vector, adding axes of extent 1
            const bool moves = at(n.in[0]).rank == 1 && at(n.in[0]).shape[0] == n.shape[axis];
            return moves ? index_along(n.in[0], 0) : std::nullopt;
        }
        if (n.what != ir::kind::cast) return std::nullopt;
        const std::optional<affine_index> found = index_along(n.in[0], axis);
        if (!found) return std::nullopt;
        const std::int64_t last = found->start + found->step * (n.shape[axis] - 1);
        return holds(n.type, std::min(found->start, last), std::max(found->start, last)) ? found : std::nullopt;
    }

    std::optional<affine_index> index_of_view(const graph_node& view, int axis) const {
        for (int a = 0; a < at(view.in[0]).rank; ++a) {
            if (view.map[a].from != axis) continue;
            const std::optional<affine_index> of = index_along(view.in[0], a);
            if (!of) continue;
            return affine_index{of->start + of->step * view.map[a].start, of->step * view.map[a].step};
        }
        return std::nullopt;
    }

    /// Collects all comparisons of the axis's index that the node depends on elementwise.
    void collect(int i, int axis) {
        const graph_node& n = at(i);
        if (n.what == ir::kind::elementwise && n.op->rule == dtype_rule::equality && n.op->symbol && compare(i, axis))
            return;
        if (n.what != ir::kind::elementwise && n.what != ir::kind::cast) return;
        for (const int in : n.in)
            if (const int of = in < 0 ? -1 : axis_of_operand(n, at(in), axis); of >= 0) collect(in, of);
    }

    bool compare(int i, int axis) {
        const graph_node& n = at(i);
        const std::string_view symbol = n.op->symbol;
        if (symbol != "==" && symbol != "!=") return false;
        for (int side = 0; side < 2; ++side) {
            const int label = n.in[1 - side];
            const int of = axis_of_operand(n, at(n.in[side]), axis);
            const bool repeats = axis_of_operand(n, at(label), axis) < 0;
            const std::optional<affine_index> index = of >= 0 && repeats ? index_along(n.in[side], of) : std::nullopt;
            if (!index || index->step == 0 || !is_integer(at(label).type)) continue;
            found_.push_back({i, symbol == "==", label, index->start, index->step});
            return true;
        }
        return false;
    }

    /// The node's value where the current comparison fails; nothing if it is not a known constant.
    std::optional<ir::scalar_bits> elsewhere(int i) const {
        const graph_node& n = at(i);
        if (i == present_->node) return ir::scalar_bits{present_->equal ? 0u : 1u};
        if (n.what == ir::kind::constant && size_of(n.type) <= sizeof n.bits && !is_storage_only(n.type))
            return ir::scalar_bits{n.bits};
        if (n.what == ir::kind::scalar && n.zero) return ir::scalar_bits{};
        if (n.what == ir::kind::elementwise) return elsewhere_of_op(n);
        if (n.what != ir::kind::cast || is_storage_only(n.type) || is_storage_only(at(n.in[0]).type))
            return std::nullopt;
        const std::optional<ir::scalar_bits> operand = elsewhere(n.in[0]);
        if (!operand) return std::nullopt;
        ir::scalar_bits made;
        const void* in[] = {&*operand, nullptr, nullptr};
        cast_loop(n.type, at(n.in[0]).type)(&made, in, 1);
        return made;
    }

    std::optional<ir::scalar_bits> elsewhere_of_op(const graph_node& n) const {
        using known_bits = std::optional<ir::scalar_bits>;
        std::array<known_bits, ir::max_operands> in;
        for (int o = 0; o < n.op->arity; ++o) in[o] = elsewhere(n.in[o]);
        if (n.op->rule == dtype_rule::select && in[0]) return in[in[0]->bits & 1 ? 1 : 2];
        const bool product = n.op->symbol && std::string_view(n.op->symbol) == "*" && is_integer(n.type);
        if (product && std::any_of(in.begin(), in.end(), [](const known_bits& k) { return k && k->bits == 0; }))
            return ir::scalar_bits{};
        return for_both_values(n, in, 0);
    }

    /// The op's value if it does not depend on its unknown bool operands, tried with both values.
    std::optional<ir::scalar_bits> for_both_values(const graph_node& n,
                                                   std::array<std::optional<ir::scalar_bits>, ir::max_operands> in,
                                                   int from) const {
        for (int o = from; o < n.op->arity; ++o) {
            if (in[o]) continue;
            if (at(n.in[o]).type != dtype::bool_) return std::nullopt;
            in[o] = ir::scalar_bits{0};
            const auto one = for_both_values(n, in, o + 1);
            in[o] = ir::scalar_bits{1};
            const auto other = for_both_values(n, in, o + 1);
            return one && other && one->bits == other->bits && one->more == other->more ? one : std::nullopt;
        }
        return value_of(n, in);
    }

    std::optional<ir::scalar_bits> value_of(
        const graph_node& n, const std::array<std::optional<ir::scalar_bits>, ir::max_operands>& in) const {
        const dtype type = at(n.in[n.op->rule == dtype_rule::select ? 1 : 0]).type;
        if (n.op->builtin == text_row || !computes_in(n.op->rule, type) || is_moments(type)) return std::nullopt;
        const detail::host_loops loops = loops_of(*n.op, type);
        if (!loops.map) return std::nullopt;
        ir::scalar_bits made;
        const void* operands[ir::max_operands] = {};
        for (int o = 0; o < n.op->arity; ++o) operands[o] = &*in[o];
        loops.map(&made, operands, 1);
        return made;
    }

    const graph& g_;
    int operand_, axis_;
    std::vector<index_comparison> found_;
    const index_comparison* present_ = nullptr;
};

/// Rewrites the graph with gathers in place of reductions.
class gather_writer {
public:
    explicit gather_writer(graph& g) : g_(g) {}

    bool run() {
        bool any = false;
        std::vector<int> now;
        for (graph_node n : g_.nodes) {
            for (int& in : n.in)
                if (in >= 0) in = now[static_cast<std::size_t>(in)];
            const int gathered = n.what == ir::kind::reduction ? gather(n) : -1;
            any = any || gathered >= 0;
            now.push_back(gathered >= 0 ? gathered : add(n));
        }
        for (graph_root& r : g_.roots) r.node = now[static_cast<std::size_t>(r.node)];
        g_.nodes = std::move(made_.nodes);
        return any;
    }

private:
    int add(const graph_node& n) {
        made_.nodes.push_back(n);
        return static_cast<int>(made_.nodes.size()) - 1;
    }
    const graph_node& at(int i) const { return made_.nodes[static_cast<std::size_t>(i)]; }

    /// The replacement of a reduction; -1 if it stays.
    int gather(const graph_node& n) {
        const graph_node& operand = at(n.in[0]);
        if (n.type != operand.type || is_storage_only(n.type) || is_moments(n.type)) return -1;
        if (n.op->builtin == text_row) return -1;  // the host cannot evaluate its identity
        for (int axis = 0; axis < operand.rank; ++axis) {
            if (!(n.axes >> axis & 1) || operand.shape[axis] < 2) continue;
            const std::optional<index_comparison> found =
                one_hot_reader(made_, n.in[0], axis).find(identity_of(*n.op, n.type));
            if (found) return without_axis(n, read_at(n.in[0], axis, place(*found, operand.shape[axis])), axis);
        }
        return -1;
    }

    /// A node with the shape of another one.
    static graph_node shaped_like(const graph_node& other, ir::kind what, dtype type) {
        graph_node n;
        n.what = what;
        n.type = type;
        n.rank = other.rank;
        n.shape = other.shape;
        return n;
    }

    /// An integer as a node. A non-negative one becomes a kernel argument instead of a literal in its source.
    int number(std::int64_t value) {
        graph_node n;
        n.type = dtype::int64;
        if (value < 0) {
            n.what = ir::kind::constant;
            n.bits = static_cast<std::uint64_t>(value);
            return add(n);
        }
        graph_node counting;
        counting.what = ir::kind::iota;
        counting.type = dtype::int64;
        counting.rank = 1;
        counting.shape[0] = value + 1;
        n.what = ir::kind::index_map;
        n.in[0] = add(counting);
        n.map[0] = {-1, value, 0};
        return add(n);
    }

    int computed(const op_row& op, int x, int y, int z = -1) {
        graph_node n = shaped_like(at(x), ir::kind::elementwise, dtype::int64);
        n.op = &op;
        n.in = {x, y, z};
        return add(n);
    }

    /// The index along an axis at which the comparison may hold; always within the axis.
    int place(const index_comparison& c, std::int64_t extent) {
        graph_node cast = shaped_like(at(c.label), ir::kind::cast, dtype::int64);
        cast.in[0] = c.label;
        const int label = at(c.label).type == dtype::int64 ? c.label : add(cast);
        const std::int64_t last = c.start + c.step * (extent - 1);
        const std::int64_t low = std::min(c.start, last), high = std::max(c.start, last);
        int steps = computed(index_clamped, label, number(low), number(high));
        if (c.step < 0) steps = computed(index_scaled, steps, number(-1));
        if (c.start != 0) steps = computed(index_plus, steps, number(c.step < 0 ? c.start : -c.start));
        return c.step == 1 || c.step == -1 ? steps : computed(index_quotient, steps, number(std::abs(c.step)));
    }

    /// The operand at one index along the axis, which keeps extent 1.
    int read_at(int operand, int axis, int index) {
        graph_node n = shaped_like(at(operand), ir::kind::index_map, at(operand).type);
        n.shape[axis] = 1;
        n.in = {operand, index, -1};
        for (int a = 0; a < n.rank; ++a) n.map[a] = {a == axis ? ir::from_operand : a, 0, 1};
        return add(n);
    }

    /// Reduces the remaining axes, if any, and gives the result the original reduction's axes.
    int without_axis(graph_node n, int gathered, int axis) {
        if (const std::uint32_t others = n.axes & ~(1u << axis); others != 0) {
            graph_node rest = n;
            rest.in[0] = gathered;
            rest.axes = others;
            if (n.keepdims) return add(rest);
            rest.rank = n.rank + 1;
            const int before = axis - std::popcount(others & ((1u << axis) - 1));
            for (int a = rest.rank - 1; a > before; --a) rest.shape[a] = rest.shape[a - 1];
            rest.shape[before] = 1;
            gathered = add(rest);
            axis = before;
        }
        if (n.keepdims) return gathered;
        graph_node view = shaped_like(n, ir::kind::index_map, n.type);
        view.in[0] = gathered;
        for (int a = 0; a <= n.rank; ++a)
            view.map[a] = a == axis ? mapped_axis{-1, 0, 0} : mapped_axis{a < axis ? a : a - 1, 0, 1};
        return add(view);
    }

    graph& g_;
    graph made_;
};

}  // namespace

bool gather_one_hot(graph& g) {
    const bool has_indices =
        std::any_of(g.nodes.begin(), g.nodes.end(), [](const graph_node& n) { return n.what == ir::kind::iota; });
    return has_indices && g.product == ir::product::none && gather_writer(g).run();
}

}  // namespace sinter::codegen
