// Fuses a producer reduction into the kernel that reduces its results, as in the minimum of distances to centres. The
// producer's loop becomes loop 0, nested in all loops of the consumer; its stored value moves to nest_level. The
// schedule decides whether a nested kernel pays; the host runs two kernels.
#include <codegen/transforms/loop_nest_import.hpp>
#include <codegen/transforms/pass.hpp>
#include <codegen/transforms/split_axis.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

class nester {
public:
    nester(const loop_nest& first, const loop_nest& second, int stored)
        : a_(first), b_(second), stored_(stored), import_(second, k_) {}

    bool fits() {
        if (has_scans(a_) || has_scans(b_) || a_.nest_axis >= 0 || b_.nest_axis >= 0) return false;
        return a_.loops.size() == 1 && !a_.loops[0].reductions.empty() && a_.stores.size() == 1 &&
               a_.stores[0].loop == group_level && folds_its_loop() && !b_.loops.empty() && find_nest_axis() &&
               match_outer_axes() && loops_agree();
    }

    loop_nest nest() {
        k_ = a_;
        nest_first();
        add_axes();
        for (const inner_loop& l : b_.loops) {
            inner_loop mapped{{import_.axes[static_cast<std::size_t>(l.axes[0])][0].axis}, {}};
            k_.loops.push_back(mapped);
        }
        add_values();
        k_.stores.clear();
        for (kernel_store s : b_.stores) {
            s.value = value_now_[static_cast<std::size_t>(s.value)];
            if (s.loop != group_level) ++s.loop;
            s.at = import_.layout_now(s.at);
            k_.stores.push_back(s);
        }
        k_.outputs = b_.outputs;
        k_.output_shapes = b_.output_shapes;
        k_.results = b_.results;
        k_.product = ir::product::none;
        return std::move(k_);
    }

private:
    const value& of_b(int v) const { return b_.values[static_cast<std::size_t>(v)]; }
    bool reads_stored(const value& v) const {
        return v.what == value_kind::load && b_.inputs[static_cast<std::size_t>(v.input)].leaf == stored_;
    }
    std::int64_t stored_stride(int axis) const { return codegen::stride_of(a_, a_.stores[0].at, axis); }

    std::int64_t stride_of(const value& load, int axis) const { return codegen::stride_of(b_, load.at, axis); }

    /// Whether the producer folds values of its loop, not values that are constant along it and computed once per
    /// group.
    bool folds_its_loop() const {
        return std::all_of(a_.loops[0].reductions.begin(), a_.loops[0].reductions.end(), [&](int r) {
            return a_.values[static_cast<std::size_t>(a_.values[static_cast<std::size_t>(r)].in[0])].loop == 0;
        });
    }

    /// Finds the producer's axis that the consumer's loops go over.
    bool find_nest_axis() {
        const auto reads = [&](const value& v) { return reads_stored(v); };
        const auto load = std::find_if(b_.values.begin(), b_.values.end(), reads);
        if (load == b_.values.end() || load->loop == group_level) return false;
        const std::vector<int>& axes = b_.loops[static_cast<std::size_t>(load->loop)].axes;
        if (axes.size() != 1) return false;
        for (int axis : a_.outer)
            if (matches(axis, *load, axes[0])) nest_ = axis;
        read_ = &*load;
        return nest_ >= 0;
    }

    /// Whether an axis of the producer equals one of the consumer: the same extent and stride in the stored array.
    bool matches(int of_a, const value& load, int of_b) const {
        return a_.extents[static_cast<std::size_t>(of_a)] == b_.extents[static_cast<std::size_t>(of_b)] &&
               stored_stride(of_a) == stride_of(load, of_b);
    }

    /// Maps an outer axis of the consumer to the producer's axes: one, or neighbours that were coalesced.
    bool split_axis(int of_b) {
        std::int64_t rest = b_.extents[static_cast<std::size_t>(of_b)];
        if (rest == 0) return false;  // an empty axis is not a part of another
        for (std::int64_t times = 1; rest != 1;) {
            const auto next = std::find_if(a_.outer.begin(), a_.outer.end(), [&](int axis) {
                return axis != nest_ && stored_stride(axis) == stride_of(*read_, of_b) * times;
            });
            if (next == a_.outer.end() || rest % a_.extents[static_cast<std::size_t>(*next)] != 0) return false;
            import_.axes[static_cast<std::size_t>(of_b)].push_back({*next, times});
            times *= a_.extents[static_cast<std::size_t>(*next)];
            rest /= a_.extents[static_cast<std::size_t>(*next)];
        }
        return true;
    }

    bool match_outer_axes() {
        std::size_t parts = 0;
        for (int of_b : b_.outer) {
            if (!split_axis(of_b)) return false;
            parts += import_.axes[static_cast<std::size_t>(of_b)].size();
        }
        return parts + 1 == a_.outer.size();
    }

    /// Whether every loop goes over the nest axis and reads each stored element at the index where it was stored.
    bool loops_agree() const {
        for (const inner_loop& l : b_.loops)
            if (l.axes.size() != 1 ||
                b_.extents[static_cast<std::size_t>(l.axes[0])] != a_.extents[static_cast<std::size_t>(nest_)])
                return false;
        return std::all_of(b_.values.begin(), b_.values.end(), [&](const value& v) {
            if (!reads_stored(v)) return true;
            if (v.loop == group_level || v.in[0] >= 0 || b_.inputs[static_cast<std::size_t>(v.input)].offset != 0)
                return false;
            return matches(nest_, v, b_.loops[static_cast<std::size_t>(v.loop)].axes[0]) &&
                   std::all_of(b_.outer.begin(), b_.outer.end(),
                               [&](int axis) { return stride_of(v, axis) == stride_of(*read_, axis); });
        });
    }

    /// Moves group values of the producer that depend on the nest axis to nest_level.
    void nest_first() {
        k_.nest_axis = nest_;
        k_.outer.erase(std::find(k_.outer.begin(), k_.outer.end(), nest_));
        for (value& v : k_.values) {
            bool nested = v.loop == group_level && (v.varies >> nest_ & 1 || v.what == value_kind::reduce);
            for (int in : v.in)
                nested = nested || (in >= 0 && v.loop == group_level &&
                                    k_.values[static_cast<std::size_t>(in)].loop == nest_level);
            if (nested) v.loop = nest_level;
        }
    }

    void add_axes() {
        for (const inner_loop& l : b_.loops) {
            import_.axes[static_cast<std::size_t>(l.axes[0])] = {{static_cast<int>(k_.extents.size()), 1}};
            k_.extents.push_back(b_.extents[static_cast<std::size_t>(l.axes[0])]);
        }
    }

    int push(const value& v) {
        k_.values.push_back(v);
        return static_cast<int>(k_.values.size()) - 1;
    }

    /// The stored value, cast to the dtype in which it was stored.
    int stored_value() {
        const int v = a_.stores[0].value;
        const value& computed = k_.values[static_cast<std::size_t>(v)];
        if (computed.type == a_.outputs[0]) return v;
        value cast;
        cast.what = value_kind::cast;
        cast.type = a_.outputs[0];
        cast.in[0] = v;
        cast.loop = computed.loop;
        cast.stage = computed.stage;
        cast.varies = computed.varies;
        return push(cast);
    }

    void add_values() {
        const int stored = stored_value();
        for (int i = 0; i < static_cast<int>(b_.values.size()); ++i) {
            if (reads_stored(of_b(i))) {
                value_now_.push_back(stored);
                continue;
            }
            value v = import_.value_now(of_b(i));
            for (int& in : v.in)
                if (in >= 0) in = value_now_[static_cast<std::size_t>(in)];
            if (v.loop != group_level) ++v.loop;
            if (v.stage > 0) ++v.stage;
            if (v.over >= 0) ++v.over;
            value_now_.push_back(push(v));
            if (v.what == value_kind::reduce)
                k_.loops[static_cast<std::size_t>(v.over)].reductions.push_back(value_now_.back());
        }
    }

    const loop_nest& a_;
    const loop_nest& b_;
    int stored_;
    loop_nest k_;
    kernel_import import_;         ///< maps the consumer's axes to the nested kernel's
    int nest_ = -1;                ///< the producer's axis that is nested
    const value* read_ = nullptr;  ///< a load of the producer's result
    std::vector<int> value_now_;   ///< per value of the consumer: its index in the nested kernel
};

}  // namespace

std::optional<loop_nest> nest(const loop_nest& producer, const loop_nest& second, int stored) {
    loop_nest first = producer;
    const auto load = std::find_if(second.values.begin(), second.values.end(), [&](const value& v) {
        return v.what == value_kind::load && second.inputs[static_cast<std::size_t>(v.input)].leaf == stored;
    });
    if (load != second.values.end() && !first.stores.empty())
        split_outer_axes_like(first, first.stores[0].at, second, load->at);
    nester n(first, second, stored);
    if (!n.fits() || first.extents.size() + second.loops.size() > max_axes) return std::nullopt;
    return n.nest();
}

}  // namespace sinter::codegen
