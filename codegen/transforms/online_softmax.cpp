// Computes a maximum and the sum of exponentials shifted by it in one loop instead of two:
//
//   loop 0   m = max(a)                        loop 0   r = exp_sum(a)
//   loop 1   s = sum(exp(a - g(m)))     ->     group    m = largest_of(r), s = sum_of(r) * exp(base_of(r) - g(m))
//
// g(m) is m in softmax, and m or 0 in logsumexp; then the factor is 1. `a` may be any elementwise function. Source:
// Milakov and Gimelshein, "Online normalizer calculation for softmax" (arXiv:1805.02867, 2018).
#include <codegen/transforms/pass.hpp>
#include <sinter/op/functions.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

class maximum_and_sum {
public:
    explicit maximum_and_sum(const loop_nest& k) : k_(k) {}

    bool find() {
        for (sum_ = 0; sum_ < static_cast<int>(k_.values.size()); ++sum_)
            if (is_sum_of_exponentials() && find_maximum()) return true;
        return false;
    }

    loop_nest in_one_loop() {
        mark_needed();
        loop_nest made = k_;
        made.values.clear();
        for (int i = 0; i < static_cast<int>(k_.values.size()); ++i) add(made, i);
        made.loops.erase(made.loops.begin() + second());
        for (inner_loop& l : made.loops) {
            std::erase(l.reductions, maximum_);
            for (int& r : l.reductions) r = now_[static_cast<std::size_t>(r)];
        }
        made.loops[static_cast<std::size_t>(first())].reductions.push_back(both_);
        for (value& v : made.values) {
            if (v.loop > second()) --v.loop;
            if (v.over > second()) --v.over;
            if (v.stage > second()) --v.stage;
        }
        for (kernel_store& s : made.stores) {
            s.value = now_[static_cast<std::size_t>(s.value)];
            if (s.loop > second()) --s.loop;
        }
        renumber_axes(made);
        return made;
    }

private:
    const value& at(int v) const { return k_.values[static_cast<std::size_t>(v)]; }
    static bool is(const value& v, value_kind what, builtin_op op) {
        return v.what == what && v.op->builtin == static_cast<int>(op);
    }
    int first() const { return at(maximum_).over; }
    int second() const { return at(sum_).over; }
    const inner_loop& loop(int l) const { return k_.loops[static_cast<std::size_t>(l)]; }
    int exponential() const { return at(sum_).in[0]; }
    int difference() const { return at(exponential()).in[0]; }

    /// Whether `sum_` sums exp(a - g) and is the only purpose of its loop.
    bool is_sum_of_exponentials() const {
        const value& s = at(sum_);
        if (!is(s, value_kind::reduce, builtin_op::sum) || !is_floating(s.type) || s.over < 1) return false;
        const bool stores = std::any_of(k_.stores.begin(), k_.stores.end(),
                                        [&](const kernel_store& store) { return store.loop == s.over; });
        if (stores || loop(s.over).reductions.size() != 1 || at(s.in[0]).loop != s.over) return false;
        return is(at(exponential()), value_kind::elementwise, builtin_op::exp) && at(difference()).loop == s.over &&
               is(at(difference()), value_kind::elementwise, builtin_op::subtract) &&
               at(at(difference()).in[1]).loop == group_level;
    }

    /// Finds the maximum of an earlier loop over the same elements that g depends on.
    bool find_maximum() {
        const int taken_off = at(difference()).in[1];
        for (maximum_ = taken_off; maximum_ >= 0; --maximum_) {
            const value& m = at(maximum_);
            if (!is(m, value_kind::reduce, builtin_op::max) || m.type != at(sum_).type || m.over < 0) continue;
            if (m.over < second() && depends(taken_off, maximum_) && loops_agree() && at(m.in[0]).loop == first() &&
                same(m.in[0], at(difference()).in[0]))
                return true;
        }
        return false;
    }

    bool depends(int v, int on) const {
        if (v == on) return true;
        if (v < on || at(v).what == value_kind::reduce) return false;
        return std::any_of(at(v).in.begin(), at(v).in.end(), [&](int in) { return in >= 0 && depends(in, on); });
    }

    bool loops_agree() const {
        const std::vector<int>&a = loop(first()).axes, &b = loop(second()).axes;
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](int x, int y) {
            return k_.extents[static_cast<std::size_t>(x)] == k_.extents[static_cast<std::size_t>(y)];
        });
    }

    /// Whether a value of the first loop equals one of the second.
    bool same(int a, int b) const {
        if (a == b) return true;
        if (a < 0 || b < 0) return false;
        const value &x = at(a), &y = at(b);
        if (x.loop != first() || y.loop != second()) return false;
        if (x.what != y.what || x.type != y.type || x.op != y.op || x.input != y.input || !same_places(x.at, y.at))
            return false;
        return std::equal(x.in.begin(), x.in.end(), y.in.begin(), [this](int p, int q) { return same(p, q); });
    }

    bool same_places(int a, int b) const {
        if (a < 0 || b < 0) return a == b;
        const std::vector<int>&of_a = loop(first()).axes, &of_b = loop(second()).axes;
        return std::all_of(k_.outer.begin(), k_.outer.end(),
                           [&](int axis) { return stride_of(k_, a, axis) == stride_of(k_, b, axis); }) &&
               std::equal(of_a.begin(), of_a.end(), of_b.begin(),
                          [&](int x, int y) { return stride_of(k_, a, x) == stride_of(k_, b, y); });
    }

    /// Marks the values that are needed once the sum has no loop of its own.
    void mark_needed() {
        needed_.assign(k_.values.size(), 0);
        const auto need = [this](int v) {
            if (v >= 0) needed_[static_cast<std::size_t>(v)] = 1;
        };
        for (const kernel_store& s : k_.stores) need(s.value);
        need(at(maximum_).in[0]);
        for (const inner_loop& l : k_.loops)
            for (int r : l.reductions)
                if (r != maximum_) need(r);
        for (int i = static_cast<int>(k_.values.size()); i-- > 0;) {
            if (needed_[static_cast<std::size_t>(i)] == 0) continue;
            if (i == sum_)
                need(at(difference()).in[1]);
            else
                for (int in : at(i).in) need(in);
        }
        now_.assign(k_.values.size(), -1);
    }

    int push(loop_nest& made, const value& v) const {
        made.values.push_back(v);
        return static_cast<int>(made.values.size()) - 1;
    }

    int group_value(loop_nest& made, const op_row& op, int x, int y = -1) const {
        value v;
        v.what = value_kind::elementwise;
        v.type = at(sum_).type;
        v.op = &op;
        v.in = {x, y, -1};
        for (int in : {x, y}) {
            if (in < 0) continue;
            v.varies |= made.values[static_cast<std::size_t>(in)].varies;
            v.stage = std::max(v.stage, made.values[static_cast<std::size_t>(in)].stage);
        }
        v.node = at(sum_).node;
        return push(made, v);
    }

    void add(loop_nest& made, int i) {
        const auto p = static_cast<std::size_t>(i);
        const auto now = [this](int v) { return now_[static_cast<std::size_t>(v)]; };
        if (i == maximum_) {
            value r = at(i);
            r.op = &op::exp_sum::row;
            r.type = detail::exp_sum_of(r.type);
            r.in[0] = now(r.in[0]);
            both_ = push(made, r);
            if (needed_[p] != 0) now_[p] = group_value(made, op::largest_of_exp_sum::row, both_);
        } else if (i == sum_) {
            const int apart = group_value(made, op::subtract::row, group_value(made, op::base_of_exp_sum::row, both_),
                                          now(at(difference()).in[1]));
            const int factor = group_value(made, op::exp::row, apart);
            now_[p] = group_value(made, op::multiply::row, group_value(made, op::sum_of_exp_sum::row, both_), factor);
        } else if (needed_[p] != 0) {
            value v = at(i);
            for (int& in : v.in)
                if (in >= 0) in = now(in);
            now_[p] = push(made, v);
        }
    }

    const loop_nest& k_;
    int sum_ = -1, maximum_ = -1;
    int both_ = -1;  ///< the reduction that computes both, in the new kernel
    std::vector<char> needed_;
    std::vector<int> now_;  ///< per needed value: its index in the new kernel
};

}  // namespace

std::optional<loop_nest> online_softmax(const loop_nest& k) {
    if (has_scans(k) || k.nest_axis >= 0 || !column_folds(k).empty()) return std::nullopt;
    std::optional<loop_nest> made;
    for (;;) {
        maximum_and_sum pair(made ? *made : k);
        if (!pair.find()) return made;
        loop_nest next = pair.in_one_loop();
        made = std::move(next);
    }
}

}  // namespace sinter::codegen
