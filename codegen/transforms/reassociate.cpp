// Sums elements of a product, each times another number, without them: with x = u w, a product along k,
//
//   sum over j of a(i, j) x(i, j)  =  sum over k of u(i, k) o(i, k),    o(i, k) = sum over j of a(i, j) w(j, k)
//
// and o is a product that there often is: in the derivative of a softmax whose result is multiplied by w. Of long rows
// of x and short ones of u, the second form reads much less, and it does not need x. What is summed is taken apart into
// factors: those of a stored `a`, in whatever order, such as a softmax and the mask and scale of a dropout; x; and
// others, which must be the same along j.
#include <codegen/transforms/cut.hpp>
#include <codegen/transforms/factors.hpp>
#include <sinter/op/functions.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace sinter::codegen {
namespace {

using axis_list = std::array<int, ir::max_rank>;

/// A product that is stored: its multiplication, whose axes are called labels, and where they are among its own.
struct product_node {
    int node = -1, sum = -1, multiplication = -1;
    axis_list label{};  ///< of each axis, or -1
};

class reassociation {
public:
    explicit reassociation(const graph& g) : g_(g), made_{{}, g.roots, g.leaves, g.product}, now_(g.nodes.size()) {}

    std::optional<graph> run() {
        for (int i = 0; i < static_cast<int>(g_.nodes.size()); ++i) {
            if (at(i).what == ir::kind::reduction && rewrite(i)) continue;
            graph_node n = at(i);
            for (int& in : n.in)
                if (in >= 0) in = now(in);
            now_[static_cast<std::size_t>(i)] = push(n);
        }
        if (!changed_) return std::nullopt;
        for (graph_root& r : made_.roots) r.node = now(r.node);
        return std::move(made_);
    }

private:
    const graph_node& at(int i) const { return g_.nodes[static_cast<std::size_t>(i)]; }
    int now(int i) const { return now_[static_cast<std::size_t>(i)]; }
    int push(const graph_node& n) {
        made_.nodes.push_back(n);
        return static_cast<int>(made_.nodes.size()) - 1;
    }
    graph_node& made(int i) { return made_.nodes[static_cast<std::size_t>(i)]; }
    bool is_op(int i, const op_row& row) const { return at(i).what == ir::kind::elementwise && at(i).op == &row; }
    /// The extent of a node along an axis of a node of rank `rank` that it broadcasts to.
    std::int64_t extent(int i, int axis, int rank) const {
        const int own = axis - (rank - at(i).rank);
        return own < 0 ? 1 : at(i).shape[static_cast<std::size_t>(own)];
    }

    bool rewrite(int sum) {
        const graph_node& n = at(sum);
        if (n.op != &op::sum::row || !n.keepdims || __builtin_popcount(n.axes) != 1 || !is_floating(n.type))
            return false;
        const int axis = __builtin_ctz(n.axes);
        const std::vector<factor> all = factors_of(g_, n.in[0]);
        return std::any_of(all.begin(), all.end(), [&](const factor& product) {
            return product.how == factor::kind::times && is_product(product.node) &&
                   rewrite(sum, axis, product.node, without_factors(all, {product}).value());
        });
    }

    /// The same of a product, of which each element is multiplied by other factors.
    bool rewrite(int sum, int axis, int product, const std::vector<factor>& others) {
        const graph_node& n = at(sum);
        const std::optional<product_node> x = product_at(product);
        if (!x || at(product).rank != n.rank) return false;
        const int along = x->label[static_cast<std::size_t>(axis)];
        const graph_node& both = at(x->multiplication);
        if (along < 0) return false;
        int u = both.in[0], w = both.in[1];
        if (extent(u, along, both.rank) != 1) std::swap(u, w);
        if (extent(u, along, both.rank) != 1 || extent(w, along, both.rank) == 1) return false;
        if (u > sum || w > sum) return false;
        for (int stored = 0; stored < sum; ++stored) {
            if (!is_stored_factor(stored) || at(stored).shape != at(product).shape || at(stored).rank != n.rank)
                continue;
            const std::optional<std::vector<factor>> rest = without_factors(others, factors_of(g_, at(stored).in[0]));
            if (!rest || !are_same_along(*rest, axis, n.rank)) continue;
            const int o = product_with(stored, w, *x, along, sum);
            replace(sum, *rest, *x, axis, u, o);
            return changed_ = true;
        }
        return false;
    }

    bool are_same_along(const std::vector<factor>& all, int axis, int rank) const {
        return std::all_of(all.begin(), all.end(),
                           [&](const factor& f) { return f.node < 0 || extent(f.node, axis, rank) == 1; });
    }

    /// Whether a node is stored as halves, to be read by products.
    bool is_stored_factor(int i) const {
        return at(i).what == ir::kind::materialize && at(i).bits == 0 && is_half(at(i).type);
    }

    bool is_moved(int i) const { return at(i).what == ir::kind::cast || at(i).what == ir::kind::index_map; }
    /// Whether a node is a stored product, or a view of one.
    bool is_product(int i) const {
        while (is_moved(i)) i = at(i).in[0];
        return is_matrix_product(at(i));
    }

    /// The product that a node is, or a view of.
    std::optional<product_node> product_at(int node) const {
        product_node p;
        std::vector<int> way;
        for (p.sum = node; at(p.sum).what != ir::kind::reduction; p.sum = at(p.sum).in[0]) {
            const bool stores = is_matrix_product(at(p.sum)) && p.node < 0;
            if (!stores && !is_moved(p.sum)) return std::nullopt;
            if (stores) p.node = p.sum;
            way.push_back(p.sum);
        }
        if (p.node < 0) return std::nullopt;
        const graph_node& sum = at(p.sum);
        p.multiplication = sum.in[0];
        if (sum.op != &op::sum::row || !is_op(p.multiplication, op::multiply::row)) return std::nullopt;
        int kept = 0;
        p.label.fill(-1);
        for (int a = 0; a < at(p.multiplication).rank; ++a) {
            const bool is_summed = (sum.axes >> a & 1) != 0;
            if (sum.keepdims || !is_summed) p.label[static_cast<std::size_t>(kept++)] = is_summed ? -1 : a;
        }
        for (auto i = way.rbegin(); i != way.rend(); ++i)
            if (at(*i).what == ir::kind::index_map && !follow(at(*i), p.label)) return std::nullopt;
        return p;
    }

    /// Moves labels through a view that only moves axes.
    bool follow(const graph_node& view, axis_list& label) const {
        axis_list moved{};
        moved.fill(-1);
        const graph_node& from = at(view.in[0]);
        if (view.in[1] >= 0) return false;
        for (int a = 0; a < from.rank; ++a) {
            const mapped_axis& m = view.map[static_cast<std::size_t>(a)];
            if (from.shape[static_cast<std::size_t>(a)] == 1) continue;
            if (m.from < 0 || m.start != 0 || m.step != 1 ||
                view.shape[static_cast<std::size_t>(m.from)] != from.shape[static_cast<std::size_t>(a)])
                return false;
            moved[static_cast<std::size_t>(m.from)] = label[static_cast<std::size_t>(a)];
        }
        label = moved;
        return true;
    }

    /// A view of a node of the new graph in the space of the labels.
    int spread(int node, const axis_list& label, int rank) {
        graph_node view = made(node);
        view.what = ir::kind::index_map;
        view.op = nullptr;
        view.bits = 0;
        view.alone = false;
        view.in = {node, -1, -1};
        view.rank = rank;
        view.map = {};
        std::fill_n(view.shape.begin(), rank, 1);
        for (int a = 0; a < made(node).rank; ++a) {
            const std::int64_t n = made(node).shape[static_cast<std::size_t>(a)];
            const int to = label[static_cast<std::size_t>(a)];
            view.map[static_cast<std::size_t>(a)] = n == 1 || to < 0 ? mapped_axis{-1, 0, 0} : mapped_axis{to, 0, 1};
            if (n != 1 && to >= 0) view.shape[static_cast<std::size_t>(to)] = n;
        }
        return push(view);
    }

    /// The sum of products of the factor and w along `along`, in the space of the labels: the one that the program has
    /// before `end`, or a new one. A node of the new graph.
    int product_with(int factor, int w, const product_node& x, int along, int end) {
        const int rank = at(x.multiplication).rank;
        for (int i = 0; i < end; ++i) {
            if (at(i).what != ir::kind::materialize || at(i).bits == 0) continue;
            const std::optional<product_node> o = product_at(i);
            if (!o || at(o->sum).axes != 1u << along || at(o->multiplication).rank != rank) continue;
            const graph_node& both = at(o->multiplication);
            for (const std::size_t side : {0u, 1u})
                if (both.in[side] == w && is_view_of(both.in[1 - side], factor, x.label))
                    return spread(now(i), o->label, rank);
        }
        graph_node both = at(x.multiplication);
        both.in = {spread(now(factor), x.label, rank), now(w), -1};
        for (int a = 0; a < rank; ++a)
            both.shape[static_cast<std::size_t>(a)] =
                std::max(made(both.in[0]).shape[static_cast<std::size_t>(a)], extent(w, a, rank));
        graph_node sum = at(x.sum);
        sum.in = {push(both), -1, -1};
        sum.axes = 1u << along;
        sum.keepdims = true;
        sum.rank = rank;
        sum.shape = both.shape;
        sum.shape[static_cast<std::size_t>(along)] = 1;
        graph_node stored = at(x.node);
        stored.in = {push(sum), -1, -1};
        stored.type = sum.type;
        stored.rank = rank;
        stored.shape = sum.shape;
        return push(stored);
    }

    bool is_view_of(int view, int node, const axis_list& label) const {
        if (at(view).what != ir::kind::index_map || at(view).in[0] != node || at(view).in[1] >= 0) return false;
        for (int a = 0; a < at(node).rank; ++a) {
            const mapped_axis& m = at(view).map[static_cast<std::size_t>(a)];
            if (at(node).shape[static_cast<std::size_t>(a)] != 1 &&
                (m.from != label[static_cast<std::size_t>(a)] || m.start != 0 || m.step != 1))
                return false;
        }
        return true;
    }

    void replace(int sum, const std::vector<factor>& rest, const product_node& x, int axis, int u, int o) {
        const int rank = at(x.multiplication).rank;
        graph_node both = at(x.multiplication);
        both.in = {now(u), o, -1};
        for (int a = 0; a < rank; ++a)
            both.shape[static_cast<std::size_t>(a)] =
                std::max(extent(u, a, rank), made(o).shape[static_cast<std::size_t>(a)]);
        graph_node folded = at(x.sum);
        folded.in = {push(both), -1, -1};
        folded.rank = rank;
        folded.shape = both.shape;
        folded.keepdims = true;
        for (int a = 0; a < rank; ++a)
            if ((folded.axes >> a & 1) != 0) folded.shape[static_cast<std::size_t>(a)] = 1;
        int made_of = push(folded);
        graph_node view = made(made_of);  // its labels as axes of the sum
        view.what = ir::kind::index_map;
        view.op = nullptr;
        view.axes = 0;
        view.keepdims = false;
        view.in = {made_of, -1, -1};
        view.map = {};
        view.rank = at(sum).rank;
        view.shape = at(sum).shape;
        for (int l = 0; l < rank; ++l) view.map[static_cast<std::size_t>(l)] = {-1, 0, 0};
        for (int a = 0; a < view.rank; ++a) {
            const int label = x.label[static_cast<std::size_t>(a)];
            if (a != axis && label >= 0 && view.shape[static_cast<std::size_t>(a)] != 1)
                view.map[static_cast<std::size_t>(label)] = {a, 0, 1};
        }
        made_of = push(view);
        made_of = as_type(made_of, at(sum).type);
        for (const factor& f : rest) made_of = times(made_of, f);
        now_[static_cast<std::size_t>(sum)] = made_of;
    }

    int as_type(int node, dtype type) {
        if (made(node).type == type) return node;
        graph_node n;
        n.what = ir::kind::cast;
        n.type = type;
        n.rank = made(node).rank;
        n.shape = made(node).shape;
        n.in = {node, -1, -1};
        return push(n);
    }

    /// A node of the new graph times a factor that is the same along the axis of the sum.
    int times(int node, const factor& f) {
        const dtype type = made(node).type;
        graph_node n;
        n.what = ir::kind::elementwise;
        n.type = type;
        n.rank = made(node).rank;
        n.shape = made(node).shape;
        const bool selects = f.how == factor::kind::where || f.how == factor::kind::where_not;
        int by = f.node < 0 ? -1 : now(f.node);
        if (by >= 0 && !selects) by = as_type(by, type);
        if (selects) {
            graph_node zero;
            zero.what = ir::kind::constant;
            zero.type = type;
            const int nothing = push(zero);
            n.in = f.how == factor::kind::where ? decltype(n.in){by, node, nothing} : decltype(n.in){by, nothing, node};
        } else {
            n.in = {node, by, -1};
        }
        n.op = selects                             ? &op::where::row
               : f.how == factor::kind::times      ? &op::multiply::row
               : f.how == factor::kind::divided_by ? &op::divide::row
                                                   : &op::negative::row;
        return push(n);
    }

    const graph& g_;
    graph made_;
    std::vector<int> now_;
    bool changed_ = false;
};

}  // namespace

std::optional<graph> with_reassociated_sums(const graph& g) { return reassociation(g).run(); }

}  // namespace sinter::codegen
