// Lowers a graph to a loop nest: walks from the roots to the leaves with an index expression per axis of each node.
// Views disappear into the index expressions, broadcast axes are left out of them, and each reduction opens an inner
// loop, which reductions of equal depth and extents share.
#include <codegen/rows/identity.hpp>
#include <codegen/transforms/deduplicate.hpp>
#include <codegen/transforms/loop_nest_builder.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter/sliding_window.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace sinter::codegen {
namespace {

class builder : loop_nest_builder {
public:
    explicit builder(const graph& g) : g_(g), depth_(depths(g)), emitted_(g.nodes.size()) {
        k_.values.reserve(2 * g.nodes.size());
        k_.layouts.reserve(g.nodes.size());
    }

    loop_nest build() {
        std::vector<int> outer;  // per outer axis of a root: the kernel axis; -1 if its extent is 1
        for (const graph_root& r : g_.roots) store_root(r, outer);
        if (std::all_of(k_.results.begin(), k_.results.end(), [](int r) { return r < 0; })) k_.results.clear();
        finish();
        turn_loops();
        return std::move(k_);
    }

private:
    /// For each node, the depth of nested reductions up to and including it.
    static std::vector<int> depths(const graph& g) {
        std::vector<int> depth(g.nodes.size(), 0);
        for (std::size_t i = 0; i < g.nodes.size(); ++i) {
            for (int in : g.nodes[i].in)
                if (in >= 0) depth[i] = std::max(depth[i], depth[in]);
            if (g.nodes[i].what == ir::kind::reduction) ++depth[i];
        }
        return depth;
    }

    /// Lowers and stores one root. The first root opens the outer axes, which the others share.
    void store_root(const graph_root& r, std::vector<int>& outer) {
        const graph_node& n = g_.nodes[r.node];
        const bool opens = k_.outputs.empty();
        element_index at{};
        std::vector<std::int64_t> extents_inside;
        std::size_t next = 0;
        for (int a = 0; a < n.rank; ++a) {
            if (!(r.outer >> a & 1)) {
                if (n.shape[a] != 1) extents_inside.push_back(n.shape[a]);
                continue;
            }
            if (opens) {
                outer.push_back(n.shape[a] == 1 ? -1 : new_axis(n.shape[a]));
                if (outer.back() >= 0) k_.outer.push_back(outer.back());
            }
            const int axis = outer[next++];
            if (axis >= 0) at[a] = along_axis(axis);
        }
        kernel_store store;
        if (!extents_inside.empty()) {
            store.loop = loop_over(depth_[r.node], extents_inside);
            for (int a = 0, inside = 0; a < n.rank; ++a)
                if (!(r.outer >> a & 1) && n.shape[a] != 1) at[a] = along_axis(k_.loops[store.loop].axes[inside++]);
        }
        store.value = emit(r.node, at);
        store.at = position_of(total(at, r.strides, n.rank)).layout;
        store.output = static_cast<int>(k_.outputs.size());
        k_.outputs.push_back(n.type);
        k_.output_shapes.push_back({n.rank, n.shape});
        if (r.read_later) k_.read_later |= 1u << store.output;
        k_.results.push_back(r.result);
        k_.stores.push_back(store);
    }

    /// The value of a node at an index.
    int emit(int i, const element_index& at) {
        const int index = find_or_insert(element_indices_, at);
        for (const auto& [known, v] : emitted_[i])
            if (known == index) return v;
        const int v = emit_new(i, at);
        emitted_[i].emplace_back(index, v);
        return v;
    }

    int emit_new(int i, const element_index& at) {
        const graph_node& n = g_.nodes[i];
        value v;
        v.type = n.type;
        v.op = n.op;
        switch (n.what) {
            case ir::kind::leaf: return emit_load(i, at);
            case ir::kind::scalar:
                v.what = value_kind::scalar;
                v.scalar = scalar_of(n.argument, n.type);
                break;
            case ir::kind::constant:
                v.what = value_kind::constant;
                v.bits = n.bits;
                break;
            case ir::kind::index_map: return emit_map(i, at);
            case ir::kind::reshape:
                return size_of_shape(n.shape, n.rank) == 0 ? nothing(i) : emit(n.in[0], behind_reshape(n, at));
            case ir::kind::materialize: return emit(n.in[0], at);
            case ir::kind::iota: return index_value(delinearized_.joined(at[0]));
            case ir::kind::gradient:
            case ir::kind::stop_gradient:
            case ir::kind::call: break;  // expanded or removed by earlier passes
            case ir::kind::reduction: return emit_reduction(i, at);
            case ir::kind::scan: return emit_scan(i, at);
            case ir::kind::cast:
            case ir::kind::elementwise:
                v.what = n.what == ir::kind::cast ? value_kind::cast : value_kind::elementwise;
                for (int o = 0; o < ir::max_operands && n.in[o] >= 0; ++o) {
                    const graph_node& operand = g_.nodes[n.in[o]];
                    const bool is_here = operand.rank == n.rank && operand.shape == n.shape;
                    v.in[o] = is_here ? emit(n.in[o], at) : emit(n.in[o], operand_place(n, n.in[o], at));
                }
                break;
        }
        return push(v, i);
    }

    /// The number of distinct elements of an array: at most the span from its address to its highest one. 0, unknown,
    /// where some lie below its address.
    static std::int64_t stored_elements(const graph_leaf& leaf) {
        std::int64_t n = 1, span = 1;
        for (int a = 0; a < leaf.rank; ++a) {
            if (leaf.strides[a] < 0 && leaf.shape[a] > 1) return 0;
            if (leaf.strides[a] != 0) n *= leaf.shape[a];
            span += std::abs(leaf.strides[a]) * (leaf.shape[a] - 1);
        }
        return std::max<std::int64_t>(std::min(n, span), 0);
    }

    int emit_load(int i, const element_index& at) {
        const graph_node& n = g_.nodes[i];
        const graph_leaf& leaf = g_.leaves[n.argument];
        const position p = position_of(total(at, leaf.strides, n.rank));
        value v;
        v.what = value_kind::load;
        v.type = n.type;
        v.input = input_of(n.argument, n.type, p.start, stored_elements(leaf));
        v.at = p.layout;
        v.in[0] = p.value;
        v.varies = varies_by(p.layout);
        return push(v, i);
    }

    int emit_map(int i, const element_index& at) {
        const graph_node& n = g_.nodes[i];
        const graph_node& operand = g_.nodes[n.in[0]];
        element_index inner{};
        for (int a = 0; a < operand.rank; ++a) {
            const mapped_axis& m = n.map[a];
            if (operand.shape[a] == 0) return nothing(i);  // no index is valid: only an empty result reads it
            if (operand.shape[a] == 1) continue;           // index 0, however it is computed (perhaps in another loop)
            if (m.from == ir::from_operand)
                inner[a] = computed_index(n.in[1], operand_place(n, n.in[1], at));
            else
                inner[a] = m.from < 0 ? index_expression{m.start, {}} : scaled(at[m.from], m.step, m.start);
        }
        return emit(n.in[0], inner);
    }

    /// The index of a gather. A sum of axis indices, as windows have, is affine and needs no value.
    index_expression computed_index(int i, const element_index& at) {
        const graph_node& n = g_.nodes[i];
        if (n.what == ir::kind::elementwise && n.op == &sinter::detail::index_in_window_row::row)
            return sum_of(computed_index(n.in[0], operand_place(n, n.in[0], at)),
                          computed_index(n.in[1], operand_place(n, n.in[1], at)));
        if (n.what == ir::kind::iota) return at[0];
        if (n.what == ir::kind::index_map && g_.nodes[n.in[0]].what == ir::kind::iota && n.map[0].from >= 0)
            return scaled(at[n.map[0].from], n.map[0].step, n.map[0].start);
        return value_of(emit(i, at));
    }

    /// Placeholder for an element of an empty array.
    int nothing(int node) {
        value v;
        v.what = value_kind::constant;
        v.type = g_.nodes[node].type;
        return push(v, node);
    }

    /// Splits both shapes into runs of axes with equal products and delinearizes each run; often a run is one axis.
    element_index behind_reshape(const graph_node& n, const element_index& at) {
        const graph_node& operand = g_.nodes[n.in[0]];
        element_index inner{};
        int from = 0, to = 0;
        while (from < operand.rank || to < n.rank) {
            const int from_first = from, to_first = to;
            std::int64_t from_size = 1, to_size = 1;
            do {
                if (to == n.rank || (from < operand.rank && from_size <= to_size))
                    from_size *= operand.shape[from++];
                else
                    to_size *= n.shape[to++];
            } while (from_size != to_size);
            index_expression whole;
            std::int64_t step = 1;
            for (int a = to; a-- > to_first; step *= n.shape[a])
                if (n.shape[a] != 1) whole = sum_of(whole, scaled(at[a], step));
            delinearized_.split(delinearized_.joined(whole), operand.shape.data() + from_first, from - from_first,
                                k_.extents, inner.data() + from_first);
        }
        return inner;
    }

    int emit_reduction(int i, const element_index& at) {
        const graph_node& n = g_.nodes[i];
        const graph_node& operand = g_.nodes[n.in[0]];
        std::vector<std::int64_t> reduced;
        for (int a = 0; a < operand.rank; ++a)
            if ((n.axes >> a & 1) && operand.shape[a] != 1) reduced.push_back(operand.shape[a]);
        // Over axes of extent 1 a reduction equals its operand, unless the accumulator has another dtype.
        if (reduced.empty() && n.type != operand.type) reduced.push_back(1);
        const int loop = reduced.empty() ? group_level : loop_over(depth_[i] - 1, reduced);
        element_index inner{};
        for (int a = 0, out = 0, next = 0; a < operand.rank; ++a) {
            if (!(n.axes >> a & 1)) {
                inner[a] = at[out++];
                continue;
            }
            if (operand.shape[a] != 1) inner[a] = along_axis(k_.loops[loop].axes[next++]);
            if (n.keepdims) ++out;
        }
        const int in = emit(n.in[0], inner);
        if (reduced.empty()) return in;
        value v;
        v.what = value_kind::reduce;
        v.type = n.type;
        v.op = n.op;
        v.in[0] = in;
        v.over = loop;
        v.node = i;
        return push_reduction(v);
    }

    /// If scans are reversed, reverses all one-axis loops, so that all loops visit a group's elements in one order.
    void turn_loops() {
        // a scan over a single element has become that element
        const bool reverse = has_scans(k_) && std::any_of(g_.nodes.begin(), g_.nodes.end(), [](const graph_node& n) {
                                 return n.what == ir::kind::scan && n.reverse;
                             });
        for (inner_loop& l : k_.loops) l.backwards = reverse && l.axes.size() == 1;
    }

    /// A scan is used only in the loop that computes it: partition ensures this.
    int emit_scan(int i, const element_index& at) {
        const graph_node& n = g_.nodes[i];
        const int axis = __builtin_ctz(n.axes);
        value v;
        v.type = n.type;
        v.op = n.op;
        if (at[axis].terms.empty())  // the first element: the operand's, or the identity if exclusive
            return n.exclusive ? identity(n, i) : emit(n.in[0], at);
        v.in[0] = emit(n.in[0], at);
        v.what = value_kind::scan;
        v.exclusive = n.exclusive;
        v.varies = 1u << at[axis].terms[0].id;
        v.over = loop_of_axis(at[axis].terms[0].id);
        return push(v, i);
    }

    /// The op's identity. A complex constant is a cast of a real one.
    int identity(const graph_node& n, int i) {
        value v;
        v.what = value_kind::constant;
        v.type = is_complex(n.type) ? real_of(n.type) : n.type;
        v.bits = identity_of(*n.op, v.type).bits;
        const int real = push(v, i);
        if (v.type == n.type) return real;
        value complex;
        complex.what = value_kind::cast;
        complex.type = n.type;
        complex.in[0] = real;
        return push(complex, i);
    }

    element_index operand_place(const graph_node& n, int in, const element_index& at) const {
        const graph_node& operand = g_.nodes[in];
        element_index inner{};
        for (int a = 0; a < operand.rank; ++a)
            if (operand.shape[a] != 1) inner[a] = at[aligned_axis(a, n.rank, operand.rank)];
        return inner;
    }

    const graph& g_;
    std::vector<int> depth_;
    std::vector<element_index> element_indices_;  ///< distinct: most nodes are needed at the same few
    /// Per node: its values, which are few, and at which of the element indices each one is.
    std::vector<std::vector<std::pair<int, int>>> emitted_;
};

}  // namespace

loop_nest lower_to_loops(const graph& g) { return builder(g).build(); }

}  // namespace sinter::codegen
