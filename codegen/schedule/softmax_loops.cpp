// Rewrites exponentials, and the sums of them.
#include <codegen/schedule/softmax_loops.hpp>

#include <codegen/ir/is_op.hpp>
#include <codegen/schedule/kept_values.hpp>
#include <codegen/transforms/loop_nest_import.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter/op/functions.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace sinter::codegen {
namespace {

class exponentials {
public:
    explicit exponentials(const loop_nest& k) : k_(k), equal_(equivalent_values(k)) {}

    bool find() {
        for (int v = 0; v < static_cast<int>(k_.values.size()); ++v) {
            found_.push_back(shifted_at(v));
            any_ = any_ || found_.back().has_value();
        }
        return any_;
    }

    loop_nest rewritten() {
        made_ = k_;
        made_.values.clear();
        for (int v = 0; v < static_cast<int>(k_.values.size()); ++v) now_.push_back(rewritten(v));
        for (inner_loop& l : made_.loops) l.reductions.clear();
        for (std::size_t v = 0; v < made_.values.size(); ++v)
            if (made_.values[v].what == value_kind::reduce)
                made_.loops[static_cast<std::size_t>(made_.values[v].over)].reductions.push_back(static_cast<int>(v));
        for (kernel_store& s : made_.stores) s.value = now(s.value);
        drop_unused(made_);
        return std::move(made_);
    }

private:
    /// exp(a - subtracted[0] - subtracted[1] ...), and the maximum of a.
    struct shifted {
        int a = -1, maximum = -1;
        std::vector<int> subtracted;
    };

    const value& at(int v) const { return k_.values[static_cast<std::size_t>(v)]; }
    int now(int v) const { return now_[static_cast<std::size_t>(v)]; }
    bool is(int v, value_kind what, builtin_op op) const { return at(v).what == what && is_op(at(v), op); }

    /// Nothing where an exponential is relative to the maximum alone.
    std::optional<shifted> shifted_at(int v) const {
        if (!is(v, value_kind::elementwise, builtin_op::exp) || at(v).loop < 1 || at(v).type != dtype::float32)
            return std::nullopt;
        shifted s;
        for (s.a = at(v).in[0]; is(s.a, value_kind::elementwise, builtin_op::subtract); s.a = at(s.a).in[0]) {
            if (at(at(s.a).in[1]).loop != group_level) break;
            s.subtracted.insert(s.subtracted.begin(), at(s.a).in[1]);
        }
        for (int m = 0; m < v && s.maximum < 0; ++m)
            if (is(m, value_kind::reduce, builtin_op::max) && at(m).over >= 0 && at(m).over < at(v).loop &&
                equal_[static_cast<std::size_t>(at(m).in[0])] == equal_[static_cast<std::size_t>(s.a)])
                s.maximum = m;
        const bool is_plain = s.subtracted.size() == 1 && s.subtracted[0] == s.maximum;
        if (s.maximum < 0 || s.subtracted.empty() || is_plain) return std::nullopt;
        return s;
    }

    int computed(const op_row& op, dtype type, std::vector<int> in, int loop) {
        value v;
        v.what = value_kind::elementwise;
        v.type = type;
        v.op = &op;
        v.loop = loop;
        std::copy(in.begin(), in.end(), v.in.begin());
        for (const int operand : in) {
            const value& of = made_.values[static_cast<std::size_t>(operand)];
            v.varies |= of.varies;
            if (loop == group_level) v.stage = std::max(v.stage, of.stage);
            v.node = of.node;
        }
        return find_or_add(made_, v);
    }

    /// exp(a - max(a)), in the loop of the exponential.
    int below_maximum(int v) {
        const shifted& s = *found_[static_cast<std::size_t>(v)];
        const int loop = at(v).loop;
        const int below = computed(op::subtract::row, dtype::float32, {now(s.a), now(s.maximum)}, loop);
        return computed(op::exp::row, dtype::float32, {below}, loop);
    }

    /// exp(max(a) - subtracted[0] ...), once per group.
    int factor(int v) {
        const shifted& s = *found_[static_cast<std::size_t>(v)];
        int shift = now(s.maximum);
        for (std::size_t i = 0; i < s.subtracted.size(); ++i) {
            if (i == 0 && s.subtracted[0] == s.maximum) continue;
            const bool is_first = i == 1 && s.subtracted[0] == s.maximum;
            const int by = now(s.subtracted[i]);
            shift = is_first ? computed(op::negative::row, dtype::float32, {by}, group_level)
                             : computed(op::subtract::row, dtype::float32, {shift, by}, group_level);
        }
        return computed(op::exp::row, dtype::float32, {shift}, group_level);
    }

    /// A sum of exponentials that are relative to another number. Where the maximum is no number, neither is the sum of
    /// those relative to it: that factor alone says what the sum is.
    int scaled_sum(const value& sum) {
        value of_maximum = sum;
        of_maximum.in[0] = below_maximum(sum.in[0]);
        const int below = find_or_add(made_, of_maximum);
        const int times = factor(sum.in[0]);
        const int maximum = now(found_[static_cast<std::size_t>(sum.in[0])]->maximum);
        const int is_number = computed(op::isfinite::row, dtype::bool_, {maximum}, group_level);
        value constant;
        constant.what = value_kind::constant;
        constant.type = dtype::float32;
        constant.bits = 0x3f800000u;
        const int one = find_or_add(made_, constant);
        const int terms = computed(op::where::row, dtype::float32, {is_number, below, one}, group_level);
        return computed(op::multiply::row, dtype::float32, {terms, times}, group_level);
    }

    int rewritten(int i) {
        value v = at(i);
        if (v.what == value_kind::reduce && is_op(v, builtin_op::sum) && v.type == dtype::float32 &&
            found_[static_cast<std::size_t>(v.in[0])])
            return scaled_sum(v);
        if (found_[static_cast<std::size_t>(i)])
            return computed(op::multiply::row, dtype::float32, {below_maximum(i), factor(i)}, v.loop);
        for (int& in : v.in)
            if (in >= 0) in = now(in);
        return find_or_add(made_, v);
    }

    const loop_nest& k_;
    const std::vector<int> equal_;
    std::vector<std::optional<shifted>> found_;  ///< by value
    bool any_ = false;
    loop_nest made_;
    std::vector<int> now_;
};

}  // namespace

loop_nest with_exponentials_below_maxima(const loop_nest& k) {
    exponentials all(k);
    return all.find() ? all.rewritten() : k;
}

loop_nest with_stores_apart(const loop_nest& k) {
    const int last = static_cast<int>(k.loops.size()) - 1;
    const auto is_of_last = [&](const kernel_store& s) { return s.loop == last; };
    if (last < 0 || k.loops.back().reductions.empty() || k.loops.back().axes.size() != 1 || k.loops.back().backwards ||
        std::none_of(k.stores.begin(), k.stores.end(), is_of_last) || k.extents.size() >= max_axes)
        return k;
    loop_nest made = k;
    const auto axis = static_cast<std::size_t>(k.loops.back().axes[0]), own = k.extents.size();
    made.extents.push_back(k.extents[axis]);
    made.loops.push_back({{static_cast<int>(own)}, {}});
    std::vector<int> now(k.values.size(), -1);
    const auto moved = [&](layout l) {
        std::swap(l.stride[axis], l.stride[own]);
        made.layouts.push_back(l);
        return static_cast<int>(made.layouts.size()) - 1;
    };
    for (std::size_t i = 0; i < k.values.size(); ++i) {
        value v = k.values[i];
        now[i] = static_cast<int>(i);
        if (v.loop != last) continue;
        for (int& in : v.in)
            if (in >= 0) in = now[static_cast<std::size_t>(in)];
        v.loop = last + 1;
        if ((v.varies >> axis & 1) != 0) v.varies ^= 1u << axis | 1u << own;
        if (v.at >= 0) v.at = moved(k.layouts[static_cast<std::size_t>(v.at)]);
        now[i] = static_cast<int>(made.values.size());
        made.values.push_back(v);
    }
    for (kernel_store& s : made.stores) {
        if (s.loop != last) continue;
        s.value = now[static_cast<std::size_t>(s.value)];
        s.loop = last + 1;
        s.at = moved(k.layouts[static_cast<std::size_t>(s.at)]);
    }
    drop_unused(made);
    return made;
}

}  // namespace sinter::codegen
