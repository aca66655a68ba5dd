// The backward sweep, from a loss to the nodes that it is differentiated by. A node's derivative is the sum of its
// users' contributions. Once all users are visited, it is propagated to the node's operands by the rule of its kind.
//
// A derivative keeps the smallest shape that broadcasts to its node's: a sum's operand has that of the sum.
//
// The derivative w.r.t. a matrix product is materialized before it is propagated: the products for the factors'
// derivatives read each of its elements many times. They are matrix products like those of matmul: a library may
// compute them, and storage types are rounded where they are read. What is written as a sum of products is materialized
// only if it depends on reductions, which are then not stored themselves, so this takes no more kernels.
#include <codegen/autodiff/gradient.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace sinter::codegen {
namespace gradient {
namespace {

/// Whether a derivative can propagate through values of this dtype (or must be refused there).
bool can_pass(dtype d) { return is_floating(d) || is_complex(d) || is_moments(d); }

class sweep_back {
public:
    /// `by`: the nodes that the loss is differentiated by.
    sweep_back(graph& g, int loss, const std::vector<int>& by) : b_(g), of_(static_cast<std::size_t>(loss) + 1) {
        find_ways(g, loss, by);
        b_.type = b_[loss].type;
        of_.back() = {b_.constant(b_.type, 1), none};
        for (int i = loss; i >= 0; --i) {
            scaled_term& g_of_node = of_[static_cast<std::size_t>(i)];
            if (!on_the_way_[static_cast<std::size_t>(i)] || !g_of_node.value.exists()) continue;
            if (scales_apart_) take_scale(g_of_node);
            scale_ = g_of_node.scale;
            pass_on(i);
        }
    }

    /// The derivative w.r.t. a node, in the node's shape.
    term by(int node) {
        const scaled_term found = of_[static_cast<std::size_t>(node)];
        const graph_node n = b_[node];
        return b_.broadcast(found.value.exists() ? b_.cast(whole(found), n.type) : b_.constant(n.type, 0), n.rank,
                            n.shape);
    }

private:
    /// Marks the nodes that the loss depends on and that depend on one of `by`, through floating-point values.
    void find_ways(const graph& g, int loss, const std::vector<int>& by) {
        const auto size = static_cast<std::size_t>(loss) + 1;
        std::vector<char> needed(size, 0);
        needed.back() = 1;
        for (std::size_t i = size; i-- > 0;)
            for (int in : g.nodes[i].in)
                if (needed[i] && in >= 0) needed[static_cast<std::size_t>(in)] = 1;
        on_the_way_.assign(size, 0);
        for (int node : by) {
            if (node < 0 || node > loss || !needed[static_cast<std::size_t>(node)])
                throw error(
                    "grad: the loss does not depend on the variable; an expression has the values that its arrays had "
                    "when it was written: write the loss after the last assignment to them");
            on_the_way_[static_cast<std::size_t>(node)] = 1;
        }
        for (std::size_t i = 0; i < size; ++i) {
            const graph_node& n = g.nodes[i];
            if (!needed[i] || n.what == ir::kind::stop_gradient || !can_pass(n.type)) continue;
            for (int in : n.in)
                if (in >= 0 && on_the_way_[static_cast<std::size_t>(in)]) on_the_way_[i] = 1;
            scales_apart_ = scales_apart_ || (on_the_way_[i] && size_of(n.type) <= 2 && n.type != dtype::bfloat16);
        }
    }

    bool wants(int in) const {
        return in >= 0 && on_the_way_[static_cast<std::size_t>(in)] && is_floating(b_[in].type);
    }

    /// A derivative as a product. What the loss multiplies all elements by, as a mean by 1 / n, is its scale as long as
    /// numbers of a short exponent are computed with: that may be too small for them, what it multiplies is not.
    struct scaled_term {
        term value, scale;  ///< no scale is 1
    };

    term whole(const scaled_term& g) {
        return g.scale.exists() ? b_.cast(g.value, (*g.scale).type) * g.scale : g.value;
    }

    /// Makes a value of rank 0 a part of the scale.
    void take_scale(scaled_term& g) {
        if ((*g.value).rank != 0 || b_.is_one(g.value)) return;
        const dtype type = (*g.value).type;
        if (!g.scale.exists())
            g.scale = g.value;
        else if (is_storage_only(type) || (*g.scale).type == dtype::float64)
            g.scale = g.scale * b_.cast(g.value, (*g.scale).type);
        else
            g.scale = b_.cast(g.scale, type) * g.value;
        g.value = b_.constant(type, 1);
    }

    /// Adds a contribution of the node that is passed on.
    void add(int node, term g) {
        if (!g.exists()) return;
        scaled_term& sum = of_[static_cast<std::size_t>(node)];
        if (!sum.value.exists()) {
            sum = {g, scale_};
        } else if (sum.scale.node == scale_.node) {
            sum.value = sum.value + g;
        } else {
            const dtype type = (*g).type;
            sum = {b_.cast(whole(sum), type) + b_.cast(whole({g, scale_}), type), none};
        }
    }

    void pass_on(int i) {
        const graph_node n = b_[i];
        const term g = of_[static_cast<std::size_t>(i)].value;
        switch (n.what) {
            case ir::kind::elementwise: return pass_elementwise(i, n, g);
            case ir::kind::reduction: return pass_reduction(i, n, g);
            case ir::kind::scan: return pass_scan(n, g);
            case ir::kind::materialize:
                if (n.bits != 0) find_factors(n);
                return add(n.in[0], g);
            case ir::kind::call: return pass_call(i, n, g);
            case ir::kind::cast:
                refuse_complex(n.in[0]);
                if (wants(n.in[0])) add(n.in[0], b_.cast(g, b_[n.in[0]].type));
                return;
            case ir::kind::index_map:
                b_.type = n.type;
                if (wants(n.in[0])) add(n.in[0], through_view(b_, i, g));
                return;
            case ir::kind::reshape:
                if (wants(n.in[0])) add(n.in[0], reshaped(n, b_[n.in[0]], g));
                return;
            default: return;
        }
    }

    [[noreturn]] static void refuse(std::string_view function) {
        throw error(fmt::format(
            "grad: {} has no known derivative; wrap it in stop_gradient(...), or differentiate something else",
            function));
    }
    [[noreturn]] static void refuse(const op_row& row) { refuse(row.name); }

    void pass_call(int i, const graph_node& n, term g) {
        for (int o = 0; o < n.callee->operands; ++o) {
            const int in = n.in[static_cast<std::size_t>(o)];
            refuse_complex(in);
            if (!wants(in)) continue;
            if (!n.callee->body->gradient) refuse(n.callee->name);
            b_.type = b_[in].type;
            add(in, n.callee->body->gradient(b_, i, o, g));
        }
    }

    /// A recurrence's pairs of coefficients are no complex numbers to the user: there it is the scan that is refused.
    void refuse_complex(int in) const {
        if (!on_the_way_[static_cast<std::size_t>(in)] || !is_complex(b_[in].type)) return;
        if (const graph_node& n = b_[in]; n.what == ir::kind::scan) refuse(fmt::format("a scan by {}", n.op->name));
        throw error(
            "grad: derivatives through complex numbers are not supported; wrap the complex part in "
            "stop_gradient(...)");
    }

    /// The derivative w.r.t. the elements of a moments reduction: the mean contributes evenly, the sum of squared
    /// distances 2 (x - mean), the count nothing.
    void pass_moments(const graph_node& n, term g) {
        const graph_node moments = b_[n.in[0]];
        if (moments.what != ir::kind::reduction) refuse(*n.op);
        const graph_node folded = b_[moments.in[0]];
        const bool masked = is_moments(folded.type);
        if (masked && (folded.what != ir::kind::elementwise || folded.op->rule != dtype_rule::chosen)) refuse(*n.op);
        const int element = masked ? folded.in[1] : moments.in[0];
        if (n.op == &op::count_of_moments::row || !wants(element)) return;
        const graph_node x = b_[element];
        b_.type = x.type;
        const auto of_elements = [&](term t) { return b_.cast(lifted(t, moments, folded), x.type); };
        const auto asked = [&](const op_row& row) { return of_elements(b_.elementwise(row, {b_.at(n.in[0])})); };
        term passed = n.op == &op::mean_of_moments::row
                          ? of_elements(g) / asked(op::count_of_moments::row)
                          : 2.0 * (b_.at(element) - asked(op::mean_of_moments::row)) * of_elements(g);
        if (masked) passed = where(b_.at(folded.in[0]), passed, 0.0);
        add(element, b_.sum_to(passed, folded.rank, folded.shape, x.rank, x.shape));
    }

    void pass_elementwise(int i, const graph_node& n, term g) {
        if (n.in[0] >= 0 && is_moments(b_[n.in[0]].type)) return pass_moments(n, g);
        const derivative& rule = derivative_of(*n.op);
        const auto operand = [&](int o) { return n.in[o] < 0 ? none : b_.at(n.in[o]); };
        const operands of{operand(0), operand(1), operand(2), b_.at(i), g};
        for (int o = 0; o < n.op->arity; ++o) {
            if (n.in[o] < 0 || !on_the_way_[static_cast<std::size_t>(n.in[o])]) continue;
            refuse_complex(n.in[o]);
            if (!rule.by[o]) refuse(*n.op);
            b_.type = b_[n.in[o]].type;
            const term passed = rule.by[o](of);
            const graph_node to = b_[n.in[o]];
            if (!passed.exists()) continue;
            const term sum = b_.sum_to(passed, n.rank, n.shape, to.rank, to.shape);
            const auto product = products_.find(i);
            const bool multiplies = product != products_.end() && (*sum).what == ir::kind::reduction;
            add(n.in[o], multiplies ? b_.product(sum, product->second) : sum);
        }
    }

    /// An element of a cumulative sum contributes to all later results: the derivative scans the other way.
    void pass_scan(const graph_node& n, term g) {
        if (!wants(n.in[0])) return;
        if (n.op != &op::sum::row) refuse(fmt::format("a scan by {}", n.op->name));
        graph_node back = n;
        back.reverse = !n.reverse;
        back.in[0] = b_.broadcast(g, n.rank, n.shape).node;
        add(n.in[0], b_.push(back));
    }

    void pass_reduction(int i, const graph_node& n, term g) {
        if (!wants(n.in[0])) return;
        const derivative& rule = derivative_of(*n.op);
        if (!rule.folded) refuse(*n.op);
        b_.type = n.type;
        b_.folded_axes = n.axes;
        const graph_node operand = b_[n.in[0]];
        if (products_.contains(n.in[0])) {
            if ((*g).rank == n.rank && (*g).shape == n.shape)
                g = as_factor(g);
            else
                products_.erase(n.in[0]);  // the same for whole rows, or columns: sums of one factor
        } else if (repeats_operands(operand) && is_computed_of_reductions(g.node)) {
            g = b_.stored(g);
        }
        const term x = b_.cast(b_.at(n.in[0]), n.type);
        const term passed = rule.folded({x, none, none, lifted(b_.at(i), n, operand), lifted(g, n, operand)});
        add(n.in[0], b_.cast(passed, operand.type));
    }

    /// Remembers what a matrix product sums: the derivatives with respect to its factors are matrix products, too.
    void find_factors(const graph_node& product) {
        const graph_node& sum = b_[product.in[0]];
        if (sum.what == ir::kind::reduction && b_[sum.in[0]].op == &op::multiply::row)
            products_[sum.in[0]] = static_cast<ir::product>(product.bits);
    }

    /// The derivative with respect to a product as a factor of two others, which read it as the product reads its own
    /// operands: from memory, and storage types rounded.
    term as_factor(term g) {
        if ((*g).what == ir::kind::leaf) return g;
        if (is_storage_only((*g).type)) return b_.stored(b_.rounded(g));
        return (*g).what == ir::kind::materialize ? g : b_.stored(g);
    }

    /// Whether a node uses each operand element several times, as the products of rows and columns in a matrix product
    /// do.
    bool repeats_operands(const graph_node& n) const {
        const auto smaller = [&](int in) {
            return in < 0 || size_of_shape(b_[in].shape, b_[in].rank) < size_of_shape(n.shape, n.rank);
        };
        return n.what == ir::kind::elementwise && std::all_of(n.in.begin(), n.in.end(), smaller);
    }

    /// Whether a node applies elementwise functions to reductions that are not stored yet. A reduction alone is stored
    /// where needed; functions of stored values are cheaper to recompute than another launch.
    bool is_computed_of_reductions(int node) const {
        while (b_[node].what == ir::kind::cast || b_[node].what == ir::kind::index_map) node = b_[node].in[0];
        if (b_[node].what != ir::kind::elementwise) return false;
        std::vector<char> needed(static_cast<std::size_t>(node) + 1, 0);
        needed.back() = 1;
        for (std::size_t i = needed.size(); i-- > 0;) {
            const graph_node& n = b_[static_cast<int>(i)];
            if (!needed[i] || n.what == ir::kind::materialize) continue;
            if (n.what == ir::kind::reduction || n.what == ir::kind::scan) return true;
            for (int in : n.in)
                if (in >= 0) needed[static_cast<std::size_t>(in)] = 1;
        }
        return false;
    }

    /// Restores the reduced axes, with extent 1, in a term of the shape of a reduction's result.
    term lifted(term x, const graph_node& n, const graph_node& operand) {
        const graph_node from = *x;
        if (n.keepdims || from.rank == 0) return x;
        std::array<mapped_axis, ir::max_rank> map{};
        extents shape{};
        for (int a = 0, kept = 0; a < operand.rank; ++a) {
            shape[a] = 1;
            if (n.axes >> a & 1) continue;
            const int own = kept++ + from.rank - n.rank;
            if (own < 0) continue;
            map[own] = from.shape[own] == 1 ? mapped_axis{-1, 0, 0} : mapped_axis{a, 0, 1};
            shape[a] = from.shape[own];
        }
        return b_.view(x, operand.rank, shape, map);
    }

    term reshaped(const graph_node& n, const graph_node& operand, term g) {
        if ((*g).rank == 0) return g;
        return b_.reshape(b_.broadcast(g, n.rank, n.shape), operand.rank, operand.shape);
    }

    builder b_;
    std::vector<scaled_term> of_;          ///< the derivative w.r.t. each node, accumulated so far
    term scale_;                           ///< of the derivative that is passed on
    bool scales_apart_ = false;            ///< numbers of a shorter exponent than float32's are on the way
    std::map<int, ir::product> products_;  ///< by the node whose elements a matrix product sums
    std::vector<char> on_the_way_;         ///< nodes between the loss and those that it is differentiated by
};

}  // namespace
}  // namespace gradient

void expand_gradients(graph& g) {
    unify_inputs(g);
    cse(g);
    eliminate_dead_code(g);
    differentiate(g);
    cse(g);
    eliminate_dead_code(g);
}

void differentiate(graph& g) {
    const std::vector<graph_node> nodes = std::move(g.nodes);
    g.nodes = {};
    std::vector<int> now(nodes.size(), -1);
    std::map<int, gradient::sweep_back> sweeps;  // by the loss, an index into `nodes`
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        graph_node n = nodes[i];
        if (n.what != ir::kind::gradient) {
            for (int& in : n.in)
                if (in >= 0) in = now[static_cast<std::size_t>(in)];
            now[i] = static_cast<int>(g.nodes.size());
            g.nodes.push_back(n);
            continue;
        }
        auto done = sweeps.find(n.in[0]);
        if (done == sweeps.end()) {
            std::vector<int> by;
            for (const graph_node& other : nodes)
                if (other.what == ir::kind::gradient && other.in[0] == n.in[0])
                    by.push_back(now[static_cast<std::size_t>(other.in[1])]);
            done = sweeps.try_emplace(n.in[0], g, now[static_cast<std::size_t>(n.in[0])], by).first;
        }
        now[i] = done->second.by(now[static_cast<std::size_t>(n.in[1])]).node;
    }
    for (graph_root& r : g.roots) r.node = now[static_cast<std::size_t>(r.node)];
}

}  // namespace sinter::codegen
