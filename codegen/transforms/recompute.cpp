// Computes operands again instead of loading them. In sum(f(matmul(a, b))(i, x) * y(x, c)) along x, the elements of f
// are the results of another kernel, as many as rows times steps. They take memory that a product of long and narrow
// matrices does not. Their expression moves into the loop that reads them, and the product that it contains becomes a
// loop nested in it, as in fuse_producer_reduction.cpp. Several kernels may be between the two, and several products
// in one expression. What those kernels reduce, as the maxima of a softmax, is stored once per row, and loaded.
#include <codegen/transforms/recompute.hpp>

#include <codegen/transforms/loop_nest_import.hpp>
#include <codegen/transforms/pass.hpp>
#include <codegen/transforms/split_axis.hpp>

#include <algorithm>
#include <list>
#include <map>

namespace sinter::codegen {
namespace {

constexpr int max_splits = 8;

/// The kernel and the output that a leaf is.
struct stored_at {
    int kernel = -1, output = -1;
};

stored_at find_leaf(const stored_arrays& all, int leaf) {
    for (std::size_t k = 0; k < all.leaves.size(); ++k)
        for (std::size_t o = 0; o < all.leaves[k].size(); ++o)
            if (leaf >= 0 && all.leaves[k][o] == leaf) return {static_cast<int>(k), static_cast<int>(o)};
    return {};
}

/// The only store of an output; null where there are several.
const kernel_store* only_store_of(const loop_nest& k, int output) {
    const kernel_store* found = nullptr;
    for (const kernel_store& s : k.stores) {
        if (s.output != output) continue;
        if (found != nullptr) return nullptr;
        found = &s;
    }
    return found;
}

bool is_simple(const loop_nest& k) { return !k.call && k.nest_axis < 0 && !has_scans(k) && !folds_groups(k); }

/// Whether the elements of an output are computed one by one, of what is loaded and of what is folded before.
bool is_stored_by_element(const loop_nest& k, const kernel_store& s) {
    return k.loops.empty() || s.loop + 1 == static_cast<int>(k.loops.size());
}

class recomputation {
public:
    recomputation(const stored_arrays& all, int reader, int leaf)
        : all_(all), t_(all.kernels[static_cast<std::size_t>(reader)]), leaf_(leaf) {}

    std::optional<loop_nest> run() {
        if (!is_simple(t_) || t_.loops.size() != 1 || t_.loops[0].axes.size() > 2 || t_.loops[0].backwards ||
            t_.loops[0].reductions.size() != 1)
            return std::nullopt;
        for (const kernel_store& s : t_.stores)
            if (s.loop != group_level) return std::nullopt;
        for (int i = 0; i <= max_splits && !t_.loops.empty(); ++i) {
            if (attempt()) {
                drop_unused(k_);  // such as what was loaded before it was computed
                return std::move(k_);
            }
            if (split_.axis < 0) return std::nullopt;
            split_readers_axis();
        }
        return std::nullopt;
    }

private:
    /// A kernel whose values are computed in the new one.
    struct source {
        source(const loop_nest& from, loop_nest& into) : kernel(from), import(from, into) {}
        const loop_nest& kernel;
        kernel_import import;
        stored_at which;
        layout at;  ///< of the load that it replaces
        int result = -1;
        std::map<int, int> now;
    };

    bool attempt() {
        k_ = {};
        sources_.clear();
        split_ = {};
        failed_ = false;
        k_.extents = t_.extents;
        k_.outer = t_.outer;
        k_.nest_axis = t_.loops[0].axes.back();
        const int steps = add_axis(t_.extents[static_cast<std::size_t>(k_.nest_axis)]);
        const std::vector<int> replaced = replaced_loads();
        if (failed_ || k_.loops.empty()) return false;
        add_reader(replaced, steps);
        return !failed_;
    }

    int add_axis(std::int64_t extent) {
        if (k_.extents.size() >= max_axes) failed_ = true;
        if (!failed_) k_.extents.push_back(extent);
        return static_cast<int>(k_.extents.size()) - 1;
    }

    int push(const value& v) {
        k_.values.push_back(v);
        return static_cast<int>(k_.values.size()) - 1;
    }

    /// By value of the reader: what takes its place, or -1.
    std::vector<int> replaced_loads() {
        std::vector<int> now(t_.values.size(), -1);
        for (std::size_t v = 0; v < t_.values.size() && !failed_; ++v) {
            const value& load = t_.values[v];
            if (load.what != value_kind::load || load.loop != 0 || load.in[0] >= 0) continue;
            const kernel_input& in = t_.inputs[static_cast<std::size_t>(load.input)];
            if ((leaf_ >= 0 && in.leaf != leaf_) || in.offset != 0 || !is_computed_of_products(all_, in.leaf)) continue;
            now[v] = recomputed(find_leaf(all_, in.leaf), t_.layouts[static_cast<std::size_t>(load.at)]);
        }
        return now;
    }

    void add_reader(const std::vector<int>& replaced, int steps) {
        const auto last = static_cast<int>(k_.loops.size());
        k_.loops.push_back({t_.loops[0].axes, {}});
        k_.loops.back().axes.back() = steps;
        kernel_import import(t_, k_);
        for (std::size_t a = 0; a < t_.extents.size(); ++a)
            import.axes[a] = {{static_cast<int>(a) == k_.nest_axis ? steps : static_cast<int>(a), 1}};
        std::vector<int> now;
        for (std::size_t i = 0; i < t_.values.size(); ++i) {
            if (replaced[i] >= 0) {
                now.push_back(replaced[i]);
                continue;
            }
            value v = import.value_now(t_.values[i]);
            for (int& in : v.in)
                if (in >= 0) in = now[static_cast<std::size_t>(in)];
            if (v.loop == 0) v.loop = last;
            if (v.stage > 0) v.stage += last;
            if (v.over == 0) v.over = last;
            now.push_back(push(v));
            if (v.what == value_kind::reduce) k_.loops.back().reductions.push_back(now.back());
        }
        for (kernel_store s : t_.stores) {
            s.value = now[static_cast<std::size_t>(s.value)];
            s.at = import.layout_now(s.at);
            k_.stores.push_back(s);
        }
        k_.outputs = t_.outputs;
        k_.output_shapes = t_.output_shapes;
        k_.results = t_.results;
        k_.read_later = t_.read_later;
        k_.precision = t_.precision;
    }

    /// The value that a load at `at` has, in the dtype that was stored.
    int recomputed(const stored_at& from, const layout& at) {
        for (const source& known : sources_)
            if (known.which.kernel == from.kernel && known.which.output == from.output && known.at == at)
                return known.result;
        const loop_nest& kernel = all_.kernels[static_cast<std::size_t>(from.kernel)];
        const kernel_store* store = only_store_of(kernel, from.output);
        if (store == nullptr) return fail();
        source& s = sources_.emplace_back(kernel, k_);
        s.which = from;
        s.at = at;
        if (!match_axes(s, *store)) return fail();
        const int computed = value_now(s, store->value);
        if (failed_) return -1;
        return s.result = as_stored(k_, computed, kernel.outputs[static_cast<std::size_t>(from.output)]);
    }

    int fail() {
        failed_ = true;
        return -1;
    }

    /// Maps the axes along which an array is stored to those along which it is read.
    bool match_axes(source& s, const kernel_store& store) {
        const std::vector<std::int64_t>& extents = s.kernel.extents;
        const auto stride = [&](std::size_t axis) { return stride_of(s.kernel, store.at, static_cast<int>(axis)); };
        for (std::size_t r = 0; r < k_.extents.size(); ++r) {
            const std::int64_t step = s.at.stride[r];
            if (step == 0 || k_.extents[r] == 1) continue;
            if (step < 0) return false;
            std::size_t found = extents.size();
            for (std::size_t a = 0; a < extents.size(); ++a)
                if (extents[a] > 1 && stride(a) > 0 && step % stride(a) == 0 &&
                    (found == extents.size() || stride(a) > stride(found)))
                    found = a;
            if (found == extents.size()) return false;
            const std::int64_t times = step / stride(found);
            if (times * (k_.extents[r] - 1) >= extents[found]) {
                if (extents[found] % times == 0) split_ = {static_cast<int>(r), extents[found] / times};
                return false;
            }
            s.import.axes[found].push_back({static_cast<int>(r), times});
        }
        for (std::size_t a = 0; a < extents.size(); ++a) {
            std::int64_t last = 0;
            for (const kernel_import::part& p : s.import.axes[a])
                last += p.times * (k_.extents[static_cast<std::size_t>(p.axis)] - 1);
            if (stride(a) != 0 && last != extents[a] - 1) return false;
        }
        return true;
    }

    int value_now(source& s, int v) {
        if (failed_ || v < 0) return -1;
        const auto known = s.now.find(v);
        if (known != s.now.end()) return known->second;
        const int now = make_value(s, v);
        s.now[v] = now;
        return now;
    }

    int make_value(source& s, int v) {
        const value& self = s.kernel.values[static_cast<std::size_t>(v)];
        if (self.what == value_kind::scan) return fail();
        if (self.what == value_kind::reduce)
            return all_.products[static_cast<std::size_t>(s.which.kernel)] != 0 ? nested(s, v) : statistic(s, v);
        value made = s.import.value_now(self);
        if (self.what == value_kind::load && self.in[0] < 0) {
            const kernel_input& in = s.kernel.inputs[static_cast<std::size_t>(self.input)];
            if (in.offset == 0 && is_computed_of_products(all_, in.leaf))
                return recomputed(find_leaf(all_, in.leaf), k_.layouts[static_cast<std::size_t>(made.at)]);
        }
        return place(s, made);
    }

    /// Adds a value that is computed for each element, or for each row of them.
    int place(source& s, value made) {
        for (int& in : made.in)
            if (in >= 0) in = value_now(s, in);
        if (failed_) return -1;
        std::uint32_t along = 1u << k_.nest_axis;
        for (const int axis : t_.loops[0].axes) along |= 1u << axis;
        made.loop = (made.varies & along) != 0 ? nest_level : group_level;
        made.stage = 0;
        for (const int in : made.in) {
            if (in < 0) continue;
            const value& operand = k_.values[static_cast<std::size_t>(in)];
            if (operand.loop == nest_level) made.loop = nest_level;
            made.stage = std::max(made.stage, operand.stage);
        }
        return find_or_add(k_, made);
    }

    /// What its kernel stores of a reduction beside the elements.
    int statistic(source& s, int v) {
        for (const kernel_store& store : s.kernel.stores) {
            const auto output = static_cast<std::size_t>(store.output);
            const int leaf = all_.leaves[static_cast<std::size_t>(s.which.kernel)][output];
            const value& self = s.kernel.values[static_cast<std::size_t>(v)];
            if (store.value != v || store.loop != group_level || leaf < 0 || s.kernel.outputs[output] != self.type)
                continue;
            value load;
            load.what = value_kind::load;
            load.type = self.type;
            load.varies = s.import.varies_now(self.varies);
            load.node = self.node;
            load.at = s.import.layout_now(store.at);
            load.input = input_of(leaf, self.type);
            return place(s, load);
        }
        return fail();
    }

    int input_of(int leaf, dtype type) {
        for (std::size_t i = 0; i < k_.inputs.size(); ++i)
            if (k_.inputs[i].leaf == leaf && k_.inputs[i].offset == 0) return static_cast<int>(i);
        kernel_input in;
        in.type = type;
        in.leaf = leaf;
        k_.inputs.push_back(in);
        return static_cast<int>(k_.inputs.size()) - 1;
    }

    /// The product of a kernel, as a loop of its own.
    int nested(source& s, int v) {
        const inner_loop& from = s.kernel.loops[0];
        if (from.axes.size() != 1 || from.reductions.size() != 1) return fail();
        const auto axis = static_cast<std::size_t>(from.axes[0]);
        s.import.axes[axis] = {{add_axis(s.kernel.extents[axis]), 1}};
        if (failed_) return -1;
        const auto loop = static_cast<int>(k_.loops.size());
        k_.loops.push_back({{s.import.axes[axis][0].axis}, {}});
        value sum = s.import.value_now(s.kernel.values[static_cast<std::size_t>(v)]);
        sum.in[0] = in_loop(s, sum.in[0], loop);
        if (failed_) return -1;
        sum.loop = nest_level;
        sum.over = loop;
        sum.stage = loop + 1;
        const int made = push(sum);
        k_.loops[static_cast<std::size_t>(loop)].reductions = {made};
        return made;
    }

    int in_loop(source& s, int v, int loop) {
        const auto known = s.now.find(v);
        if (known != s.now.end()) return known->second;
        const value& self = s.kernel.values[static_cast<std::size_t>(v)];
        if (self.loop != 0) return value_now(s, v);
        value made = s.import.value_now(self);
        for (int& in : made.in)
            if (in >= 0) in = in_loop(s, in, loop);
        if (failed_) return -1;
        made.loop = loop;
        return s.now[v] = push(made);
    }

    /// An axis along which an array is read, an outer one or that of the loop, is several axes of the kernel that
    /// stores it: the loop then goes along two.
    void split_readers_axis() {
        const auto axis = static_cast<std::size_t>(split_.axis);
        const bool is_outer = std::find(t_.outer.begin(), t_.outer.end(), split_.axis) != t_.outer.end();
        const bool can_split = is_outer || t_.loops[0].axes == std::vector<int>{split_.axis};
        if (!can_split || t_.extents[axis] % split_.inner != 0 || t_.extents.size() >= max_axes) {
            split_ = {};
            t_.loops.clear();  // no further attempt can succeed
            return;
        }
        split_axis(t_, split_.axis, split_.inner);
    }

    struct axis_split {
        int axis = -1;
        std::int64_t inner = 0;
    };

    const stored_arrays& all_;
    loop_nest t_;  ///< the reader, with axes split
    const int leaf_;
    loop_nest k_;
    std::list<source> sources_;  ///< these refer to k_
    axis_split split_;           ///< what keeps axes from matching
    bool failed_ = false;
};

}  // namespace

bool is_computed_of_products(const stored_arrays& all, int leaf) {
    const stored_at from = find_leaf(all, leaf);
    if (from.kernel < 0) return false;
    const loop_nest& k = all.kernels[static_cast<std::size_t>(from.kernel)];
    const kernel_store* store = only_store_of(k, from.output);
    if (!is_simple(k) || store == nullptr) return false;
    if (all.products[static_cast<std::size_t>(from.kernel)] != 0) return store->loop == group_level;
    if (!is_stored_by_element(k, *store)) return false;
    return std::any_of(k.inputs.begin(), k.inputs.end(), [&](const kernel_input& in) {
        return in.leaf != leaf && is_computed_of_products(all, in.leaf);
    });
}

std::optional<loop_nest> recompute(const stored_arrays& all, int reader, int leaf) {
    return recomputation(all, reader, leaf).run();
}

}  // namespace sinter::codegen
