// Fuses two kernels: one that computes something per group, and a reader that reduces everything to a few numbers,
// which become reductions over all groups of the first. The reader reads what the first stores per group, as in
// max(sqrt(sum(x * x, axis=1))), or an input of the first, as in pack(sum(x, axis=1), mean(x)). If it also reduces
// other axes than the groups', as in mean(abs(x - mean(x, axis=1, keepdims))), each group folds these first.
#include <codegen/transforms/loop_nest_import.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

class group_folder {
public:
    group_folder(const loop_nest& groups, const loop_nest& reader, const std::vector<int>& stored)
        : a_(groups), b_(reader), stored_(stored), import_(reader, k_) {}

    bool fits() {
        const auto is_plain = [](const loop_nest& k) { return !has_scans(k) && !folds_groups(k) && k.nest_axis < 0; };
        if (!is_plain(a_) || !is_plain(b_) || a_.outer.empty() || a_.loops.empty() || outer_size(a_) == 0) return false;
        if (!b_.outer.empty() || b_.loops.size() != 1 || b_.loops[0].reductions.empty()) return false;
        if (a_.outputs.size() + b_.outputs.size() > ir::max_roots || trip_count(b_, b_.loops[0]) == 0) return false;
        if (a_.extents.size() + b_.extents.size() > max_axes) return false;
        return reads_results() ? follows_results() : shares_input();
    }

    loop_nest fold() {
        k_ = a_;
        add_loop();
        find_needed();
        for (int i = 0; i < static_cast<int>(b_.values.size()); ++i) add(i);
        add_stores();
        renumber_axes(k_);
        return std::move(k_);
    }

private:
    const value& of_b(int v) const { return b_.values[static_cast<std::size_t>(v)]; }
    std::int64_t extent_of_a(int axis) const { return a_.extents[static_cast<std::size_t>(axis)]; }
    std::int64_t extent_of_b(int axis) const { return b_.extents[static_cast<std::size_t>(axis)]; }

    /// The output of the first kernel that a value of the reader loads, or -1.
    int output_read(const value& v) const {
        if (v.what != value_kind::load) return -1;
        const auto at = std::find(stored_.begin(), stored_.end(), b_.inputs[static_cast<std::size_t>(v.input)].leaf);
        return at == stored_.end() ? -1 : static_cast<int>(at - stored_.begin());
    }
    bool reads_results() const {
        return std::any_of(b_.values.begin(), b_.values.end(), [&](const value& v) { return output_read(v) >= 0; });
    }
    const kernel_store& store_of(int output) const {
        return *std::find_if(a_.stores.begin(), a_.stores.end(),
                             [output](const kernel_store& s) { return s.output == output; });
    }

    /// Whether the reader's axes match the groups' axes wherever it reads results, and each group reads only its own
    /// results.
    bool follows_results() {
        for (const value& v : b_.values) {
            const int output = output_read(v);
            if (output < 0) continue;
            const bool of_group = store_of(output).loop == group_level && v.loop == 0 && v.in[0] < 0;
            if (!of_group || b_.inputs[static_cast<std::size_t>(v.input)].offset != 0) return false;
            const layout& read = b_.layouts[static_cast<std::size_t>(v.at)];
            if (!matched_) split_outer_axes(store_of(output).at, read);
            if (!matched_ && !match_axes(a_.outer, a_.layouts[static_cast<std::size_t>(store_of(output).at)], read))
                return false;
            if (!agree(a_.layouts[static_cast<std::size_t>(store_of(output).at)], read)) return false;
        }
        return matched_;
    }

    /// Whether the reader's axes match those of the groups and of one of their loops, according to an array that both
    /// read.
    bool shares_input() {
        for (const value& of_a : a_.values) {
            if (of_a.what != value_kind::load || of_a.loop < 0 || of_a.in[0] >= 0) continue;
            const kernel_input& in = a_.inputs[static_cast<std::size_t>(of_a.input)];
            for (const value& of_b : b_.values) {
                if (of_b.what != value_kind::load || of_b.loop != 0 || of_b.in[0] >= 0) continue;
                const kernel_input& other = b_.inputs[static_cast<std::size_t>(of_b.input)];
                if (other.leaf != in.leaf || other.offset != in.offset) continue;
                std::vector<int> axes = a_.outer;
                const std::vector<int>& inner = a_.loops[static_cast<std::size_t>(of_a.loop)].axes;
                axes.insert(axes.end(), inner.begin(), inner.end());
                loop_ = of_a.loop;
                if (match_axes(axes, a_.layouts[static_cast<std::size_t>(of_a.at)],
                               b_.layouts[static_cast<std::size_t>(of_b.at)]) &&
                    outside_.empty())
                    return true;
            }
        }
        return false;
    }

    /// Splits outer axes that were coalesced from several axes of the reader, if another array it reads needs them
    /// separate.
    void split_outer_axes(int stored, const layout& read) {
        for (int axis : b_.loops[0].axes) {
            const std::int64_t stride = read.stride[static_cast<std::size_t>(axis)];
            const auto step_of = [&](int candidate) { return stride_of(a_, stored, candidate); };
            const auto runs_through = [&](int candidate) {
                const std::int64_t step = step_of(candidate);
                if (stride == 0 || step == 0 || stride == step || stride % step != 0) return false;
                return stride / step > 1 && extent_of_a(candidate) % (stride / step * extent_of_b(axis)) == 0;
            };
            const auto whole = std::find_if(a_.outer.begin(), a_.outer.end(), runs_through);
            if (whole != a_.outer.end())
                split_axis(static_cast<std::size_t>(whole - a_.outer.begin()), stride / step_of(*whole));
        }
    }

    /// Splits an outer axis in two; the faster one has `extent` elements.
    void split_axis(std::size_t position, std::int64_t extent) {
        const int fast = a_.outer[position], slow = static_cast<int>(a_.extents.size());
        if (slow == max_axes) return;
        a_.extents.push_back(extent_of_a(fast) / extent);
        a_.extents[static_cast<std::size_t>(fast)] = extent;
        for (layout& l : a_.layouts)
            l.stride[static_cast<std::size_t>(slow)] = l.stride[static_cast<std::size_t>(fast)] * extent;
        for (value& v : a_.values)
            if (v.varies >> fast & 1) v.varies |= 1u << slow;
        a_.outer.insert(a_.outer.begin() + static_cast<std::ptrdiff_t>(position), slow);
    }

    /// Maps each axis of the reader to axes of the first kernel: one, or neighbours that were coalesced. Axes along
    /// which nothing is read become `outside_`. All of `axes` must be mapped.
    bool match_axes(const std::vector<int>& axes, const layout& of_a, const layout& of_b) {
        std::vector<int> left = axes;
        outside_.clear();
        for (int axis : b_.loops[0].axes) {
            import_.axes[static_cast<std::size_t>(axis)].clear();
            const std::int64_t stride = of_b.stride[static_cast<std::size_t>(axis)];
            if (stride == 0) outside_.push_back(axis);
            std::int64_t rest = stride == 0 ? 1 : extent_of_b(axis);
            for (std::int64_t times = 1; rest != 1;) {
                const auto next = std::find_if(left.begin(), left.end(), [&](int candidate) {
                    return of_a.stride[static_cast<std::size_t>(candidate)] == stride * times;
                });
                if (next == left.end() || rest % extent_of_a(*next) != 0) return false;
                import_.axes[static_cast<std::size_t>(axis)].push_back({*next, times});
                times *= extent_of_a(*next);
                rest /= extent_of_a(*next);
                left.erase(next);
            }
        }
        return matched_ = left.empty();
    }

    /// Whether each index reads the element that was stored at that index.
    bool agree(const layout& stored, const layout& read) const {
        return std::all_of(b_.loops[0].axes.begin(), b_.loops[0].axes.end(), [&](int axis) {
            const std::int64_t stride = read.stride[static_cast<std::size_t>(axis)];
            const auto& parts = import_.axes[static_cast<std::size_t>(axis)];
            if (parts.empty()) return stride == 0;
            return std::all_of(parts.begin(), parts.end(), [&](const kernel_import::part& p) {
                return stored.stride[static_cast<std::size_t>(p.axis)] == stride * p.times;
            });
        });
    }

    /// Adds a loop over the reader's axes that are not the groups', after all loops of the first kernel.
    void add_loop() {
        if (outside_.empty()) return;
        loop_ = static_cast<int>(k_.loops.size());
        inner_loop& added = k_.loops.emplace_back();
        for (int axis : outside_) {
            const int own = static_cast<int>(k_.extents.size());
            k_.extents.push_back(extent_of_b(axis));
            import_.axes[static_cast<std::size_t>(axis)] = {{own, 1}};
            added.axes.push_back(own);
        }
    }

    /// Determines which of the reader's values are computed per group, and which once, after all groups.
    void find_needed() {
        for_group_.assign(b_.values.size(), 0);
        once_.assign(b_.values.size(), 0);
        for (const kernel_store& s : b_.stores)
            (s.loop == group_level ? once_ : for_group_)[static_cast<std::size_t>(s.value)] = 1;
        for (std::size_t i = b_.values.size(); i-- > 0;) {
            const value& v = b_.values[i];
            const bool folds = v.what == value_kind::reduce;
            for (int in : v.in) {
                if (in < 0) continue;
                if (once_[i] != 0) (folds ? for_group_ : once_)[static_cast<std::size_t>(in)] = 1;
                if (for_group_[i] != 0) for_group_[static_cast<std::size_t>(in)] = 1;
            }
        }
        group_now_.assign(b_.values.size(), -1);
        once_now_.assign(b_.values.size(), -1);
    }

    void add(int i) {
        const auto at = static_cast<std::size_t>(i);
        const value& v = of_b(i);
        if (v.what == value_kind::scalar || v.what == value_kind::constant) {
            if (for_group_[at] != 0 || once_[at] != 0)
                group_now_[at] = once_now_[at] = find_or_add(k_, import_.value_now(v));
            return;
        }
        if (for_group_[at] != 0) group_now_[at] = output_read(v) >= 0 ? stored_value(output_read(v)) : of_group(v);
        if (once_[at] != 0) once_now_[at] = v.what == value_kind::reduce ? fold(v) : behind_groups(v);
    }

    int stored_value(int output) {
        return as_stored(k_, store_of(output).value, a_.outputs[static_cast<std::size_t>(output)]);
    }

    int of_group(const value& v) {
        value now = import_.value_now(v);
        now.loop = varies_inside(now) ? loop_ : group_level;
        now.stage = 0;
        for (int& in : now.in) {
            if (in < 0) continue;
            in = group_now_[static_cast<std::size_t>(in)];
            if (now.loop == group_level) now.stage = std::max(now.stage, k_.values[static_cast<std::size_t>(in)].stage);
        }
        return find_or_add(k_, now);
    }
    bool varies_inside(const value& v) const {
        if (loop_ < 0) return false;
        const std::vector<int>& axes = k_.loops[static_cast<std::size_t>(loop_)].axes;
        return std::any_of(axes.begin(), axes.end(), [&](int axis) { return (v.varies >> axis & 1) != 0; });
    }

    int behind_groups(const value& v) {
        value now = import_.value_now(v);
        now.loop = kernel_level;
        now.stage = 0;
        for (int& in : now.in)
            if (in >= 0) in = once_now_[static_cast<std::size_t>(in)];
        return find_or_add(k_, now);
    }

    /// A reduction over all groups; each group first folds along the loop, if there is one.
    int fold(const value& v) {
        value now = v;
        now.varies = 0;
        now.stage = 0;
        now.in[0] = group_now_[static_cast<std::size_t>(v.in[0])];
        if (loop_ >= 0) {
            value part = now;
            part.over = loop_;
            part.stage = loop_ + 1;
            for (int axis : k_.outer) part.varies |= k_.values[static_cast<std::size_t>(now.in[0])].varies & 1u << axis;
            now.in[0] = find_or_add(k_, part);
            std::vector<int>& all = k_.loops[static_cast<std::size_t>(loop_)].reductions;
            if (std::find(all.begin(), all.end(), now.in[0]) == all.end()) all.push_back(now.in[0]);
        }
        now.over = group_level;
        now.loop = kernel_level;
        return find_or_add(k_, now);
    }

    void add_stores() {
        const auto before = static_cast<int>(a_.outputs.size());
        for (kernel_store s : b_.stores) {
            const bool once = s.loop == group_level;
            s.loop = once ? kernel_level : loop_ >= 0 ? loop_ : group_level;
            s.value = (once ? once_now_ : group_now_)[static_cast<std::size_t>(s.value)];
            s.at = import_.layout_now(s.at);
            s.output += before;
            k_.stores.push_back(s);
        }
        k_.outputs.insert(k_.outputs.end(), b_.outputs.begin(), b_.outputs.end());
        k_.output_shapes.insert(k_.output_shapes.end(), b_.output_shapes.begin(), b_.output_shapes.end());
        k_.read_later |= b_.read_later << before;
        if (a_.results.empty() && b_.results.empty()) return;
        k_.results.resize(a_.outputs.size(), -1);
        k_.results.insert(k_.results.end(), b_.results.begin(), b_.results.end());
        k_.results.resize(k_.outputs.size(), -1);
    }

    loop_nest a_;
    const loop_nest& b_;
    const std::vector<int>& stored_;
    loop_nest k_;
    kernel_import import_;      ///< maps the reader's axes to the new kernel's
    bool matched_ = false;      ///< whether the axes of both have been matched
    std::vector<int> outside_;  ///< the reader's axes that are not axes of the groups
    int loop_ = -1;             ///< loop of a group over its part of the reader's axes; -1: a part is one element
    std::vector<char> for_group_, once_;     ///< per value of the reader: whether it is needed there
    std::vector<int> group_now_, once_now_;  ///< per value of the reader: its index in the new kernel
};

}  // namespace

std::optional<loop_nest> fold_groups(const loop_nest& groups, const loop_nest& reader, const std::vector<int>& stored) {
    group_folder f(groups, reader, stored);
    if (!f.fits()) return std::nullopt;
    return f.fold();
}

}  // namespace sinter::codegen
