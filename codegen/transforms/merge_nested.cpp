// Makes one of two kernels whose loops go along the same axes and whose nested products are among one another's: the
// sums of the second join those of the first, and what both need is computed once.
#include <codegen/transforms/recompute.hpp>

#include <codegen/transforms/loop_nest_import.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <vector>

namespace sinter::codegen {
namespace {

constexpr std::size_t max_outer = 5;  ///< axes whose orders are tried

class nested_merge {
public:
    nested_merge(const loop_nest& first, const loop_nest& second) : b_(second), k_(first), import_(second, k_) {}

    std::optional<loop_nest> run() {
        if (!are_comparable()) return std::nullopt;
        std::vector<int> own = k_.outer;  // in the order of the second kernel's axes
        std::sort(own.begin(), own.end());
        do {
            if (!match(own)) continue;
            add_values();
            add_stores();
            return std::move(k_);
        } while (std::next_permutation(own.begin(), own.end()));
        return std::nullopt;
    }

private:
    static int last_of(const loop_nest& k) { return static_cast<int>(k.loops.size()) - 1; }
    static std::size_t axis_of(const loop_nest& k, int loop) {
        return static_cast<std::size_t>(k.loops[static_cast<std::size_t>(loop)].axes.back());
    }
    std::int64_t extent(const loop_nest& k, int axis) const { return k.extents[static_cast<std::size_t>(axis)]; }

    bool are_comparable() const {
        const auto is_nested_once = [](const loop_nest& k) {
            return k.nest_axis >= 0 && k.loops.size() > 1 && k.outer.size() <= max_outer &&
                   std::all_of(k.loops.begin(), k.loops.end() - 1,
                               [](const inner_loop& l) { return l.axes.size() == 1; });
        };
        if (!is_nested_once(k_) || !is_nested_once(b_)) return false;
        const std::vector<int>&own = k_.loops.back().axes, &others = b_.loops.back().axes;
        return k_.outer.size() == b_.outer.size() && own.size() == others.size() &&
               std::equal(own.begin(), own.end(), others.begin(),
                          [&](int a, int b) { return extent(k_, a) == extent(b_, b); });
    }

    /// Whether the second kernel's outer axes may be these of the first: then its nested products are there, too.
    bool match(const std::vector<int>& own) {
        for (std::size_t a = 0; a < own.size(); ++a) {
            if (extent(k_, own[a]) != extent(b_, b_.outer[a])) return false;
            import_.axes[static_cast<std::size_t>(b_.outer[a])] = {{own[a], 1}};
        }
        import_.axes[static_cast<std::size_t>(b_.nest_axis)] = {{k_.nest_axis, 1}};
        for (std::size_t a = 0; a < k_.loops.back().axes.size(); ++a)
            import_.axes[static_cast<std::size_t>(b_.loops.back().axes[a])] = {{k_.loops.back().axes[a], 1}};
        loop_now_.assign(b_.loops.size(), last_of(k_));
        for (int l = 0; l < last_of(b_); ++l)
            if (!find_loop(l)) return false;
        return true;
    }

    /// Finds the loop of the first kernel that computes what nested loop `l` of the second does.
    bool find_loop(int l) {
        const std::size_t axis = axis_of(b_, l);
        const int sum = b_.loops[static_cast<std::size_t>(l)].reductions[0];
        for (int other = 0; other < last_of(k_); ++other) {
            if (k_.extents[axis_of(k_, other)] != b_.extents[axis]) continue;
            import_.axes[axis] = {{static_cast<int>(axis_of(k_, other)), 1}};
            loop_now_[static_cast<std::size_t>(l)] = other;
            const int own = k_.loops[static_cast<std::size_t>(other)].reductions[0];
            if (are_equal(b_.values[static_cast<std::size_t>(sum)].in[0],
                          k_.values[static_cast<std::size_t>(own)].in[0]))
                return true;
        }
        return false;
    }

    bool are_equal(int of_b, int own) {
        if (of_b < 0 || own < 0) return of_b == own;
        const value &b = b_.values[static_cast<std::size_t>(of_b)], &a = k_.values[static_cast<std::size_t>(own)];
        if (a.what != b.what || a.type != b.type || a.op != b.op || a.bits != b.bits || (a.at < 0) != (b.at < 0) ||
            a.what == value_kind::reduce || a.what == value_kind::scalar)
            return false;
        if (a.input >= 0) {
            const kernel_input &x = k_.inputs[static_cast<std::size_t>(a.input)],
                               &y = b_.inputs[static_cast<std::size_t>(b.input)];
            if (x.leaf != y.leaf || x.offset != y.offset) return false;
        }
        if (a.at >= 0 && import_.layout_now(b.at) != a.at) return false;
        for (std::size_t i = 0; i < a.in.size(); ++i)
            if (!are_equal(b.in[i], a.in[i])) return false;
        return true;
    }

    void add_values() {
        const int before = last_of(b_), after = last_of(k_);
        for (const value& one : b_.values) {
            value v = import_.value_now(one);
            for (int& in : v.in)
                if (in >= 0) in = now_[static_cast<std::size_t>(in)];
            if (one.loop >= 0) v.loop = loop_now_[static_cast<std::size_t>(one.loop)];
            if (one.over >= 0 && one.over < before) {  // computed by the first kernel
                v.over = loop_now_[static_cast<std::size_t>(one.over)];
                now_.push_back(k_.loops[static_cast<std::size_t>(v.over)].reductions[0]);
                continue;
            }
            if (one.over == before) {
                v.over = after;
                v.stage = after + 1;
                now_.push_back(static_cast<int>(k_.values.size()));
                k_.values.push_back(v);
                k_.loops.back().reductions.push_back(now_.back());
                continue;
            }
            if (v.loop < 0) {
                v.stage = 0;
                for (const int in : v.in)
                    if (in >= 0) v.stage = std::max(v.stage, k_.values[static_cast<std::size_t>(in)].stage);
            }
            now_.push_back(find_or_add(k_, v));
        }
    }

    void add_stores() {
        const auto outputs = static_cast<int>(k_.outputs.size());
        for (kernel_store s : b_.stores) {
            s.value = now_[static_cast<std::size_t>(s.value)];
            s.at = import_.layout_now(s.at);
            s.output += outputs;
            k_.stores.push_back(s);
        }
        k_.read_later |= b_.read_later << outputs;
        const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
        append(k_.outputs, b_.outputs);
        append(k_.output_shapes, b_.output_shapes);
        if (k_.results.empty() && b_.results.empty()) return;
        k_.results.resize(static_cast<std::size_t>(outputs), -1);
        append(k_.results, b_.results);
        k_.results.resize(k_.outputs.size(), -1);
    }

    const loop_nest& b_;
    loop_nest k_;
    kernel_import import_;
    std::vector<int> loop_now_, now_;
};

}  // namespace

std::optional<loop_nest> merge_nested(const loop_nest& first, const loop_nest& second) {
    std::optional<loop_nest> made = nested_merge(first, second).run();
    if (made) drop_unused(*made);
    return made;
}

}  // namespace sinter::codegen
