// Graph to kernel: walks from the root to the leaves carrying, for each node, where along the kernel's axes each of its
// elements lies. Views vanish into these places, broadcasting into axes that a place does not have, and each reduction
// opens an inner loop, shared by the reductions of equal depth and extents.
#include <codegen/pass/pass.hpp>
#include <sinter/error.hpp>

#include <algorithm>
#include <map>

namespace sinter::codegen {
namespace {

/// The index along one axis of a node: start + step * (index of kernel axis `axis`), or start alone when axis is -1.
struct coordinate {
    int axis = -1;
    std::int64_t start = 0;
    std::int64_t step = 0;
    auto operator<=>(const coordinate&) const = default;
};

using place = std::array<coordinate, ir::max_rank>;

class builder {
public:
    explicit builder(const graph& g) : g_(g), depth_(depths(g)) {}

    kernel build() {
        const graph_node& root = g_.nodes[g_.root];
        place at{};
        std::vector<int> stored_axes;
        const int last_depth = depth_[g_.root];
        for (int a = 0; a < root.rank; ++a) {
            if (root.shape[a] == 1) continue;
            at[a] = {new_axis(root.shape[a]), 0, 1};
            if (g_.outer >> a & 1)
                k_.outer.push_back(at[a].axis);
            else
                stored_axes.push_back(at[a].axis);
        }
        kernel_store store;
        if (!stored_axes.empty()) store.loop = new_loop(last_depth, stored_axes);
        store.value = emit(g_.root, at);
        const extents strides = row_major(root.shape, root.rank);
        store.at = layout_of(at, strides, root.rank);
        k_.outputs.push_back(root.type);
        k_.output_shapes.push_back({root.rank, root.shape});
        k_.stores.push_back(store);
        order_loops();
        find_stages();
        return std::move(k_);
    }

private:
    /// For each node the number of reductions that stand one inside the other below it, itself included.
    static std::vector<int> depths(const graph& g) {
        std::vector<int> depth(g.nodes.size(), 0);
        for (std::size_t i = 0; i < g.nodes.size(); ++i) {
            for (int in : g.nodes[i].in)
                if (in >= 0) depth[i] = std::max(depth[i], depth[in]);
            if (g.nodes[i].what == ir::kind::reduction) ++depth[i];
        }
        return depth;
    }

    int new_axis(std::int64_t extent) {
        if (k_.extents.size() == max_axes)
            throw error("the expression needs more than 32 loop axes; assign a part of it to an array");
        k_.extents.push_back(extent);
        loop_of_axis_.push_back(group_level);
        return static_cast<int>(k_.extents.size()) - 1;
    }

    int new_loop(int depth, const std::vector<int>& axes) {
        k_.loops.push_back({axes, {}});
        loop_depth_.push_back(depth);
        const int loop = static_cast<int>(k_.loops.size()) - 1;
        for (int a : axes) loop_of_axis_[a] = loop;
        return loop;
    }

    /// The loop for reductions of this depth over axes of these extents: an existing one if there is one.
    int reduction_loop(int depth, const std::vector<std::int64_t>& extents_wanted) {
        const auto found = reduction_loops_.find({depth, extents_wanted});
        if (found != reduction_loops_.end()) return found->second;
        std::vector<int> axes;
        for (std::int64_t extent : extents_wanted) axes.push_back(new_axis(extent));
        return reduction_loops_[{depth, extents_wanted}] = new_loop(depth, axes);
    }

    int layout_of(const place& at, const extents& strides, int rank) {
        layout l;
        for (int a = 0; a < rank; ++a)
            if (at[a].axis >= 0) l.stride[at[a].axis] += at[a].step * strides[a];
        const auto found = std::find(k_.layouts.begin(), k_.layouts.end(), l);
        if (found != k_.layouts.end()) return static_cast<int>(found - k_.layouts.begin());
        k_.layouts.push_back(l);
        return static_cast<int>(k_.layouts.size()) - 1;
    }

    int input_of(int leaf, dtype type, std::int64_t offset) {
        for (std::size_t i = 0; i < k_.inputs.size(); ++i)
            if (k_.inputs[i].leaf == leaf && k_.inputs[i].offset == offset) return static_cast<int>(i);
        k_.inputs.push_back({type, leaf, offset, false});
        return static_cast<int>(k_.inputs.size()) - 1;
    }

    int push(value v, int node) {
        v.node = node;
        for (int in : v.in)
            if (in >= 0) v.varies |= k_.values[in].varies;
        for (std::size_t a = 0; a < k_.extents.size(); ++a)
            if ((v.varies >> a & 1) && loop_of_axis_[a] != group_level) v.loop = loop_of_axis_[a];
        k_.values.push_back(v);
        return static_cast<int>(k_.values.size()) - 1;
    }

    /// The value of a node at a place.
    int emit(int i, const place& at) {
        const auto found = emitted_.find({i, at});
        if (found != emitted_.end()) return found->second;
        const int v = emit_new(i, at);
        emitted_[{i, at}] = v;
        return v;
    }

    int emit_new(int i, const place& at) {
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
            case ir::kind::index_map: return emit(n.in[0], behind_map(n, at));
            case ir::kind::reduction: return emit_reduction(i, at);
            case ir::kind::cast:
            case ir::kind::elementwise:
                v.what = n.what == ir::kind::cast ? value_kind::cast : value_kind::elementwise;
                for (int o = 0; o < ir::max_operands && n.in[o] >= 0; ++o)
                    v.in[o] = emit(n.in[o], operand_place(n, n.in[o], at));
                break;
        }
        return push(v, i);
    }

    int emit_load(int i, const place& at) {
        const graph_node& n = g_.nodes[i];
        const graph_leaf& leaf = g_.leaves[n.argument];
        std::int64_t offset = 0;
        for (int a = 0; a < n.rank; ++a) offset += at[a].start * leaf.strides[a];
        value v;
        v.what = value_kind::load;
        v.type = n.type;
        v.input = input_of(n.argument, n.type, offset);
        v.at = layout_of(at, leaf.strides, n.rank);
        for (std::size_t a = 0; a < k_.extents.size(); ++a)
            if (k_.layouts[v.at].stride[a] != 0) v.varies |= 1u << a;
        return push(v, i);
    }

    int emit_reduction(int i, const place& at) {
        const graph_node& n = g_.nodes[i];
        const graph_node& operand = g_.nodes[n.in[0]];
        std::vector<std::int64_t> reduced;
        for (int a = 0; a < operand.rank; ++a)
            if ((n.axes >> a & 1) && operand.shape[a] != 1) reduced.push_back(operand.shape[a]);
        // Over axes of extent 1 a reduction is its operand.
        const int loop = reduced.empty() ? group_level : reduction_loop(depth_[i] - 1, reduced);
        place inner{};
        for (int a = 0, out = 0, next = 0; a < operand.rank; ++a) {
            if (!(n.axes >> a & 1)) {
                inner[a] = at[out++];
                continue;
            }
            if (operand.shape[a] != 1) inner[a] = {k_.loops[loop].axes[next++], 0, 1};
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
        for (int a : k_.outer)
            if (k_.values[in].varies >> a & 1) v.varies |= 1u << a;
        k_.values.push_back(v);
        const int result = static_cast<int>(k_.values.size()) - 1;
        k_.loops[loop].reductions.push_back(result);
        return result;
    }

    int scalar_of(int argument, dtype type) {
        const auto found = std::find(k_.scalars.begin(), k_.scalars.end(), argument);
        if (found != k_.scalars.end()) return static_cast<int>(found - k_.scalars.begin());
        k_.scalars.push_back(argument);
        k_.scalar_types.push_back(type);
        return static_cast<int>(k_.scalars.size()) - 1;
    }

    place operand_place(const graph_node& n, int in, const place& at) const {
        const graph_node& operand = g_.nodes[in];
        place inner{};
        for (int a = 0; a < operand.rank; ++a)
            if (operand.shape[a] != 1) inner[a] = at[aligned_axis(a, n.rank, operand.rank)];
        return inner;
    }

    place behind_map(const graph_node& n, const place& at) const {
        place inner{};
        for (int a = 0; a < g_.nodes[n.in[0]].rank; ++a) {
            const mapped_axis& m = n.map[a];
            inner[a].start = m.start;
            if (m.from < 0) continue;
            const coordinate& out = at[m.from];
            inner[a] = {out.axis, m.start + m.step * out.start, out.axis < 0 ? 0 : m.step * out.step};
        }
        return inner;
    }

    /// Loops run by depth; among equals in the order in which they were opened.
    void order_loops() {
        std::vector<int> order(k_.loops.size());
        for (std::size_t l = 0; l < order.size(); ++l) order[l] = static_cast<int>(l);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return loop_depth_[a] < loop_depth_[b]; });
        std::vector<int> now(order.size());
        std::vector<inner_loop> sorted;
        for (std::size_t l = 0; l < order.size(); ++l) {
            now[order[l]] = static_cast<int>(l);
            sorted.push_back(k_.loops[order[l]]);
        }
        k_.loops = std::move(sorted);
        for (value& v : k_.values) {
            if (v.loop >= 0) v.loop = now[v.loop];
            if (v.over >= 0) v.over = now[v.over];
        }
        for (kernel_store& s : k_.stores)
            if (s.loop >= 0) s.loop = now[s.loop];
    }

    void find_stages() {
        for (value& v : k_.values) {
            if (v.what == value_kind::reduce) v.stage = v.over + 1;
            if (v.what == value_kind::reduce || v.loop != group_level) continue;
            for (int in : v.in)
                if (in >= 0) v.stage = std::max(v.stage, k_.values[in].stage);
        }
    }

    const graph& g_;
    std::vector<int> depth_;
    kernel k_;
    std::vector<int> loop_of_axis_;
    std::vector<int> loop_depth_;
    std::map<std::pair<int, std::vector<std::int64_t>>, int> reduction_loops_;
    std::map<std::pair<int, place>, int> emitted_;
};

}  // namespace

kernel loops(const graph& g) { return builder(g).build(); }

}  // namespace sinter::codegen
