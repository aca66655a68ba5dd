// Fuses a kernel of rows with one that reduces columns of the same elements, as in pack(softmax(x, axis=1),
// sum(x, axis=0)), or of what the first stores, as in the derivatives of a normalisation by its scale. A block of the
// first kernel has whole rows in registers, so it also folds their columns, and stores one partial result per column.
// The second kernel then folds the blocks' results in place of all rows.
#include <codegen/transforms/deduplicate.hpp>
#include <codegen/transforms/loop_nest_import.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace sinter::codegen {
namespace {

bool is_plain(const loop_nest& k) {
    return !k.call && !has_scans(k) && !folds_groups(k) && k.nest_axis < 0 && k.product == ir::product::none &&
           k.outer.size() == 1 && !k.loops.empty() && outer_size(k) > 0;
}

/// The extent that all loops have along their one axis; 0 if they differ or have several axes.
std::int64_t length_of_all_loops(const loop_nest& k) {
    const std::int64_t n = trip_count(k, k.loops[0]);
    const auto fits = [&](const inner_loop& l) { return l.axes.size() == 1 && trip_count(k, l) == n; };
    return std::all_of(k.loops.begin(), k.loops.end(), fits) ? n : 0;
}

class column_folder {
public:
    column_folder(const loop_nest& rows, const loop_nest& columns, const std::vector<int>& stored, int leaf)
        : a_(rows), b_(columns), stored_(stored), leaf_(leaf), import_(columns, made_.rows) {}

    bool fits() const {
        if (!is_plain(a_) || !is_plain(b_) || b_.loops.size() != 1 || b_.loops[0].reductions.empty()) return false;
        if (length_of_all_loops(a_) != outer_size(b_) || length_of_all_loops(b_) != outer_size(a_)) return false;
        if (a_.outputs.size() + b_.loops[0].reductions.size() > ir::max_roots) return false;
        if (a_.extents.size() + 2 > static_cast<std::size_t>(max_axes)) return false;
        const auto folds = [&](int r) {
            const value& v = of_b(r);
            return v.op->builtin >= 0 && !detail::is_accumulator(v.type);
        };
        const auto stores_in_loop = [](const kernel_store& s) { return s.loop == 0; };
        const std::vector<int>& all = b_.loops[0].reductions;
        return std::all_of(all.begin(), all.end(), folds) &&
               std::none_of(b_.stores.begin(), b_.stores.end(), stores_in_loop) && reads_what_rows_have();
    }

    folded_columns fold() {
        made_.rows = a_;
        made_.columns = b_;
        choose_loop();
        for (int r : b_.loops[0].reductions) add_fold(r);
        renumber_axes(made_.rows);
        read_partial_results();
        return std::move(made_);
    }

private:
    const value& of_b(int v) const { return b_.values[static_cast<std::size_t>(v)]; }
    const kernel_input& input_of(const value& load) const { return b_.inputs[static_cast<std::size_t>(load.input)]; }
    int column_axis() const { return b_.outer[0]; }
    int step_axis() const { return b_.loops[0].axes[0]; }

    /// The output of the first kernel that a value of the second loads, or -1.
    int output_read(const value& v) const {
        if (v.what != value_kind::load) return -1;
        const auto at = std::find(stored_.begin(), stored_.end(), input_of(v).leaf);
        return at == stored_.end() ? -1 : static_cast<int>(at - stored_.begin());
    }
    const kernel_store& store_of(int output) const {
        return *std::find_if(a_.stores.begin(), a_.stores.end(),
                             [output](const kernel_store& s) { return s.output == output; });
    }

    /// Whether the second kernel reads elements that the first one has, and of what this stores only those of a row
    /// that it has at the time.
    bool reads_what_rows_have() const {
        bool shares = false;
        for (const value& v : b_.values) {
            if (v.what != value_kind::load) continue;
            const int output = output_read(v);
            if (v.in[0] >= 0 || (v.loop != 0 && output >= 0)) return false;
            if (v.loop != 0) continue;
            if (output >= 0 && !reads_own_result(v, store_of(output))) return false;
            shares = shares || output >= 0 || std::any_of(a_.values.begin(), a_.values.end(), [&](const value& of_a) {
                         return reads_same(v, of_a);
                     });
        }
        return shares;
    }

    bool reads_own_result(const value& v, const kernel_store& s) const {
        const int along = s.loop >= 0 ? a_.loops[static_cast<std::size_t>(s.loop)].axes[0] : -1;
        return input_of(v).offset == 0 && stride_of(b_, v.at, step_axis()) == stride_of(a_, s.at, a_.outer[0]) &&
               stride_of(b_, v.at, column_axis()) == stride_of(a_, s.at, along);
    }

    bool reads_same(const value& v, const value& of_a) const {
        if (of_a.what != value_kind::load || of_a.loop < 0 || of_a.in[0] >= 0) return false;
        const kernel_input& other = a_.inputs[static_cast<std::size_t>(of_a.input)];
        return other.leaf == input_of(v).leaf && other.offset == input_of(v).offset &&
               stride_of(b_, v.at, step_axis()) == stride_of(a_, of_a.at, a_.outer[0]) &&
               stride_of(b_, v.at, column_axis()) ==
                   stride_of(a_, of_a.at, a_.loops[static_cast<std::size_t>(of_a.loop)].axes[0]);
    }

    /// The folds run in the last loop, after which a group has all of its values; in one of their own if it reduces.
    void choose_loop() {
        loop_nest& k = made_.rows;
        if (!k.loops.back().reductions.empty()) {
            k.loops.emplace_back().axes = {static_cast<int>(k.extents.size())};
            k.extents.push_back(outer_size(b_));
        }
        loop_ = static_cast<int>(k.loops.size()) - 1;
        axis_ = k.loops.back().axes[0];
        k.block_axis = static_cast<int>(k.extents.size());
        k.extents.push_back(1);
        import_.axes[static_cast<std::size_t>(column_axis())] = {{axis_, 1}};
        import_.axes[static_cast<std::size_t>(step_axis())] = {{k.outer[0], 1}};
    }

    /// What the second kernel computes in its loop, in the first.
    int computed(int i) {
        const auto known = now_.find(i);
        if (known != now_.end()) return known->second;
        const value& v = of_b(i);
        int made = -1;
        if (const int output = output_read(v); output >= 0) {
            made = stored_value(output);
        } else {
            value now = import_.value_now(v);
            for (int& in : now.in)
                if (in >= 0) in = computed(in);
            place(now);
            made = find_or_add(made_.rows, now);
        }
        return now_[i] = made;
    }

    /// The loop or stage in which a value is computed.
    void place(value& v) const {
        v.stage = 0;
        v.loop = v.varies >> axis_ & 1 ? loop_ : group_level;
        if (v.loop == group_level)
            for (int in : v.in)
                if (in >= 0) v.stage = std::max(v.stage, made_.rows.values[static_cast<std::size_t>(in)].stage);
    }

    /// What the first kernel stores, in the dtype in which it does.
    int stored_value(int output) {
        const kernel_store& s = store_of(output);
        const int v = s.loop >= 0 && s.loop != loop_ ? again(s.value, s.loop) : s.value;
        return as_stored(made_.rows, v, a_.outputs[static_cast<std::size_t>(output)]);
    }

    /// A value of an earlier loop, computed again in the last one.
    int again(int v, int loop) {
        value copy = made_.rows.values[static_cast<std::size_t>(v)];
        if (copy.loop != loop) return v;
        const int axis = a_.loops[static_cast<std::size_t>(loop)].axes[0];
        for (int& in : copy.in)
            if (in >= 0) in = again(in, loop);
        if (copy.at >= 0) {
            layout moved = made_.rows.layouts[static_cast<std::size_t>(copy.at)];
            moved.stride[static_cast<std::size_t>(axis_)] =
                std::exchange(moved.stride[static_cast<std::size_t>(axis)], 0);
            copy.at = find_or_insert(made_.rows.layouts, moved);
        }
        if (copy.varies >> axis & 1) copy.varies ^= 1u << axis | 1u << axis_;
        copy.loop = loop_;
        return find_or_add(made_.rows, copy);
    }

    /// A fold of the second kernel by the first one's blocks, and the output for what they come to.
    void add_fold(int r) {
        loop_nest& k = made_.rows;
        value fold = of_b(r);
        fold.in[0] = computed(fold.in[0]);
        fold.over = group_level;
        fold.loop = loop_;
        fold.stage = 0;
        fold.varies = 1u << axis_;
        k.values.push_back(fold);
        layout to;
        to.stride[static_cast<std::size_t>(k.block_axis)] = outer_size(b_);
        to.stride[static_cast<std::size_t>(axis_)] = 1;
        const auto output = static_cast<int>(k.outputs.size());
        k.stores.push_back({output, static_cast<int>(k.values.size()) - 1, block_level, find_or_insert(k.layouts, to)});
        k.outputs.push_back(fold.type);
        k.output_shapes.resize(k.outputs.size());
        k.output_shapes.back() = {2, {1, outer_size(b_)}};
        if (!k.results.empty()) k.results.push_back(-1);
    }

    /// The second kernel loads the blocks' results where it computed from rows.
    void read_partial_results() {
        loop_nest& k = made_.columns;
        const std::vector<int> folds = k.loops[0].reductions;
        const auto before = static_cast<int>(folds.size());
        layout from;
        from.stride[static_cast<std::size_t>(step_axis())] = outer_size(b_);
        from.stride[static_cast<std::size_t>(column_axis())] = 1;
        std::vector<value> loads;
        for (int i = 0; i < before; ++i) {
            value load;
            load.what = value_kind::load;
            load.type = k.values[static_cast<std::size_t>(folds[static_cast<std::size_t>(i)])].type;
            load.input = static_cast<int>(k.inputs.size());
            load.at = find_or_insert(k.layouts, from);
            load.loop = 0;
            load.varies = 1u << step_axis() | 1u << column_axis();
            loads.push_back(load);
            k.inputs.push_back({load.type, leaf_ + i, 0, false, 0});
        }
        for (value& v : k.values)
            for (int& in : v.in)
                if (in >= 0) in += before;
        for (int i = 0; i < before; ++i)
            k.values[static_cast<std::size_t>(folds[static_cast<std::size_t>(i)])].in[0] = i;
        for (int& r : k.loops[0].reductions) r += before;
        for (kernel_store& s : k.stores) s.value += before;
        k.values.insert(k.values.begin(), loads.begin(), loads.end());
        drop_unused(k);
        made_.divide_among(1);
    }

    const loop_nest& a_;
    const loop_nest& b_;
    const std::vector<int>& stored_;
    const int leaf_;
    folded_columns made_;
    kernel_import import_;
    int loop_ = -1, axis_ = -1;  ///< of the first kernel: the loop that folds, and its axis
    std::map<int, int> now_;     ///< values of the second kernel's loop in the first
};

}  // namespace

void folded_columns::divide_among(int blocks) {
    rows.extents[static_cast<std::size_t>(rows.block_axis)] = blocks;
    for (const kernel_store& s : rows.stores)
        if (s.loop == block_level) rows.output_shapes[static_cast<std::size_t>(s.output)].shape[0] = blocks;
    columns.extents[static_cast<std::size_t>(columns.loops[0].axes[0])] = blocks;
    for (const value& v : columns.values)
        if (v.what == value_kind::load && v.loop == 0)
            columns.inputs[static_cast<std::size_t>(v.input)].elements = blocks * outer_size(columns);
}

std::optional<folded_columns> fold_columns(const loop_nest& rows, const loop_nest& columns,
                                           const std::vector<int>& stored, int leaf) {
    column_folder f(rows, columns, stored, leaf);
    if (!f.fits()) return std::nullopt;
    return f.fold();
}

}  // namespace sinter::codegen
