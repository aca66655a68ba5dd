// Fuses a nested kernel and the matrix product that reads what its last loop stores. In matmul(softmax(s), v) each
// group of the product goes over the columns of s, which are the steps of the nested kernel's last loop, so the
// product's reduction replaces the store. The outer axes are the nested kernel's and the product's other ones (the
// columns of v), along which the nested values are repeated. Whether that pays is decided by the schedule.
#include <codegen/transforms/chain.hpp>

#include <codegen/transforms/even_indices.hpp>
#include <codegen/transforms/loop_nest_import.hpp>
#include <codegen/transforms/pass.hpp>
#include <codegen/transforms/split_axis.hpp>

#include <algorithm>
#include <utility>

namespace sinter::codegen {
namespace {

class chainer {
public:
    chainer(const loop_nest& first, const loop_nest& second, const chained_arrays& stored)
        : a_(first),
          b_(second),
          arrays_(stored),
          k_(a_),
          import_(b_, k_),
          last_(static_cast<int>(first.loops.size()) - 1) {}

    bool fits() {
        if (a_.nest_axis < 0 || last_ < 1 || !find_store()) return false;
        if (!a_.loops[static_cast<std::size_t>(last_)].reductions.empty()) return false;
        if (b_.nest_axis >= 0 || b_.loops.size() != 1 || b_.loops[0].axes.size() != 1 || has_scans(b_) ||
            b_.loops[0].reductions.size() != 1 || folds_groups(b_))
            return false;
        if (!find_read()) return false;
        split_outer_axes_like(a_, store_->at, b_, read_->at);
        split_outer_axes_like(b_, read_->at, a_, store_->at);
        k_ = a_;
        import_ = kernel_import(b_, k_);
        return match_axes() && match_groups();
    }

    loop_nest chain() {
        k_.stores.clear();
        k_.outputs = b_.outputs;
        k_.output_shapes = b_.output_shapes;
        k_.results = b_.results;
        k_.read_later = b_.read_later;
        std::vector<int> now;
        for (std::size_t i = 0; i < b_.values.size(); ++i) {
            if (reads_stored(b_.values[i])) {
                now.push_back(stored_value());
                continue;
            }
            if (const kernel_store* s = group_store_read_by(b_.values[i])) {
                now.push_back(as_stored(k_, s->value, a_.outputs[static_cast<std::size_t>(s->output)]));
                continue;
            }
            value v = import_.value_now(b_.values[i]);
            for (int& in : v.in)
                if (in >= 0) in = now[static_cast<std::size_t>(in)];
            if (v.loop == 0) v.loop = last_;
            if (v.stage > 0) v.stage += last_;
            if (v.over == 0) v.over = last_;
            now.push_back(push(v));
            if (v.what == value_kind::reduce) k_.loops[static_cast<std::size_t>(last_)].reductions = {now.back()};
        }
        for (kernel_store s : b_.stores) {
            s.value = now[static_cast<std::size_t>(s.value)];
            s.at = import_.layout_now(s.at);
            k_.stores.push_back(s);
        }
        for (const kernel_store& s : a_.stores)
            if (&s != store_ && arrays_.kept[static_cast<std::size_t>(s.output)] != 0) add_store(s);
        k_.product = ir::product::none;
        drop_unused(k_);
        expose_even_indices(k_);
        return std::move(k_);
    }

private:
    int leaf_read_by(const value& v) const {
        return v.what == value_kind::load ? b_.inputs[static_cast<std::size_t>(v.input)].leaf : -1;
    }
    bool reads_stored(const value& v) const {
        return v.what == value_kind::load &&
               leaf_read_by(v) == arrays_.leaves[static_cast<std::size_t>(arrays_.output)];
    }
    /// The store of the nested kernel's groups that a value is a load of, or null.
    const kernel_store* group_store_read_by(const value& v) const {
        if (v.what != value_kind::load) return nullptr;
        for (const kernel_store& s : a_.stores)
            if (&s != store_ && arrays_.leaves[static_cast<std::size_t>(s.output)] == leaf_read_by(v)) return &s;
        return nullptr;
    }
    /// Whether the product reads what belongs to its groups alone.
    bool match_groups() {
        return std::all_of(b_.values.begin(), b_.values.end(), [&](const value& v) {
            const kernel_store* s = group_store_read_by(v);
            if (s == nullptr) return true;
            const int at = import_.layout_now(v.at);
            return v.in[0] < 0 && b_.inputs[static_cast<std::size_t>(v.input)].offset == 0 &&
                   k_.layouts[static_cast<std::size_t>(at)] == k_.layouts[static_cast<std::size_t>(s->at)];
        });
    }
    std::int64_t stored_stride(int axis) const { return stride_of(a_, store_->at, axis); }
    std::int64_t read_stride(int axis) const { return stride_of(b_, read_->at, axis); }

    /// Finds the only store of the last loop; all others are those of groups.
    bool find_store() {
        for (const kernel_store& s : a_.stores) {
            if (s.loop == group_level) continue;
            if (s.loop != last_ || store_ != nullptr) return false;
            store_ = &s;
        }
        return store_ != nullptr;
    }

    /// A store of the nested kernel's groups: the same for all of the product's columns.
    void add_store(kernel_store s) {
        const auto from = static_cast<std::size_t>(s.output), to = k_.outputs.size();
        if (!a_.results.empty() || !k_.results.empty()) {
            k_.results.resize(to, -1);
            k_.results.push_back(a_.results.empty() ? -1 : a_.results[from]);
        }
        k_.outputs.push_back(a_.outputs[from]);
        k_.output_shapes.push_back(a_.output_shapes[from]);
        k_.read_later |= (a_.read_later >> from & 1u) << to;
        s.output = static_cast<int>(to);
        k_.stores.push_back(s);
    }

    /// Finds the load of the stored array; all loads of it must have one layout.
    bool find_read() {
        for (const value& v : b_.values) {
            if (!reads_stored(v)) continue;
            if (v.loop != 0 || v.in[0] >= 0 || b_.inputs[static_cast<std::size_t>(v.input)].offset != 0) return false;
            if (read_ != nullptr && read_->at != v.at) return false;
            read_ = &v;
        }
        return read_ != nullptr;
    }

    bool are_one(int of_a, int of_b) const {
        return a_.extents[static_cast<std::size_t>(of_a)] == b_.extents[static_cast<std::size_t>(of_b)] &&
               stored_stride(of_a) == read_stride(of_b);
    }

    bool match_axes() {
        const int along = a_.loops[static_cast<std::size_t>(last_)].axes[0], steps = b_.loops[0].axes[0];
        if (!are_one(along, steps)) return false;
        import_.axes[static_cast<std::size_t>(steps)] = {{along, 1}};
        std::vector<int> left = a_.outer;
        for (int axis : b_.outer) {
            const auto same = std::find_if(left.begin(), left.end(), [&](int of_a) { return are_one(of_a, axis); });
            if (same != left.end()) {
                import_.axes[static_cast<std::size_t>(axis)] = {{*same, 1}};
                left.erase(same);
                continue;
            }
            if (read_stride(axis) != 0 || k_.extents.size() >= max_axes) return false;
            import_.axes[static_cast<std::size_t>(axis)] = {{static_cast<int>(k_.extents.size()), 1}};
            k_.outer.push_back(static_cast<int>(k_.extents.size()));
            k_.extents.push_back(b_.extents[static_cast<std::size_t>(axis)]);
        }
        return left.empty();
    }

    int push(const value& v) {
        k_.values.push_back(v);
        return static_cast<int>(k_.values.size()) - 1;
    }

    /// The stored value, cast to the dtype in which it was stored.
    int stored_value() {
        const int v = store_->value;
        const value computed = k_.values[static_cast<std::size_t>(v)];
        const dtype type = a_.outputs[static_cast<std::size_t>(store_->output)];
        if (computed.type == type) return v;
        value cast = computed;
        cast.what = value_kind::cast;
        cast.type = type;
        cast.op = nullptr;
        cast.in = {v, -1, -1};
        cast.loop = last_;
        cast.input = cast.at = -1;
        return push(cast);
    }

    loop_nest a_, b_;  ///< with the same outer axes
    const chained_arrays& arrays_;
    loop_nest k_;
    kernel_import import_;                 ///< maps the product's axes to the nested kernel's
    int last_;                             ///< the nested kernel's loop that stores; its last
    const kernel_store* store_ = nullptr;  ///< of the nested kernel: what the product reads
    const value* read_ = nullptr;
};

}  // namespace

std::optional<loop_nest> chain(const loop_nest& nested, const loop_nest& product, const chained_arrays& stored) {
    chainer c(nested, product, stored);
    if (!c.fits()) return std::nullopt;
    return c.chain();
}

}  // namespace sinter::codegen
