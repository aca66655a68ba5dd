// Folds what is known within a box into constants, indices and strides.
#include <codegen/host/specialise.hpp>

#include <codegen/host/box_forms.hpp>
#include <codegen/host/value_types.hpp>
#include <codegen/transforms/deduplicate.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace sinter::codegen::blocked {
namespace {

using forms = std::vector<std::optional<index_form>>;

bool is_select(const value& v) { return v.what == value_kind::elementwise && v.op->rule == dtype_rule::select; }

/// The offset of a layout's first element in the box.
std::int64_t first_of(const layout& l, const box& where) {
    std::int64_t first = 0;
    for (std::size_t a = 0; a < where.begin.size(); ++a) first += l.stride[a] * where.begin[a];
    return first;
}

/// Finds the affine form of a value from those of its operands.
class form_finder {
public:
    form_finder(const loop_nest& k, const piecewise& known, const box& where, instruction_set isa, const forms& found)
        : k_(k), known_(known), where_(where), isa_(isa), found_(found) {}

    std::optional<index_form> find(std::size_t id) const {
        const value& v = k_.values[id];
        switch (v.what) {
            case value_kind::index: {
                const layout& l = k_.layouts[static_cast<std::size_t>(v.at)];
                return index_form{first_of(l, where_), l};
            }
            case value_kind::constant: return index_form{to_integer(v.type, &v.bits), {}};
            case value_kind::scalar:
                return index_form{
                    k_.numbers[static_cast<std::size_t>(-1 - k_.scalars[static_cast<std::size_t>(v.scalar)])], {}};
            default: break;
        }
        if (known_.axis[id] >= 0) return piece_of(id);
        if (const auto constant = constant_of(v)) return constant;
        if (v.what == value_kind::cast) return of_cast(v);
        const auto form = of_index_op(v);
        return form ? form : of_ranges(v);
    }

private:
    const std::optional<index_form>& of(int id) const { return found_[static_cast<std::size_t>(id)]; }
    dtype type(int id) const { return type_of(k_, k_.values[static_cast<std::size_t>(id)]); }

    index_form piece_of(std::size_t id) const {
        const auto axis = static_cast<std::size_t>(known_.axis[id]);
        const std::vector<piece>& all = known_.pieces[id];
        const std::int64_t begin = where_.begin[axis];
        const auto next =
            std::upper_bound(all.begin(), all.end(), begin, [](std::int64_t i, const piece& p) { return i < p.begin; });
        const piece& p = *(next - 1);
        index_form form{p.base + p.step * (begin - p.begin), {}};
        form.steps.stride[axis] = p.step;
        return form;
    }

    std::optional<index_form> constant_of(const value& v) const {
        std::uint64_t bits[ir::max_operands] = {};
        const void* in[ir::max_operands] = {};
        for (int o = 0; o < ir::max_operands; ++o) {
            if (v.in[o] < 0) continue;
            if (!of(v.in[o]) || !of(v.in[o])->is_constant()) return std::nullopt;
            bits[o] = to_bits(type(v.in[o]), of(v.in[o])->start);
            in[o] = bits + o;
        }
        std::uint64_t result = 0;
        apply(k_, v, in, &result, 1, isa_);
        return index_form{to_integer(v.type, &result), {}};
    }

    std::optional<index_form> of_cast(const value& v) const {
        const dtype from = type(v.in[0]);
        return from == v.type || (from == dtype::int32 && v.type == dtype::int64) ? of(v.in[0]) : std::nullopt;
    }

    std::optional<index_form> of_index_op(const value& v) const {
        if (is_select(v)) {
            if (!of(v.in[0]) || !of(v.in[0])->is_constant()) return std::nullopt;
            return of(v.in[of(v.in[0])->start != 0 ? 1 : 2]);
        }
        if (v.op->arity != 2 || !of(v.in[0]) || !of(v.in[1])) return std::nullopt;
        const index_form &x = *of(v.in[0]), &y = *of(v.in[1]);
        if (v.op == &index_plus) return sum_of(x, y);
        if (!y.is_constant()) return std::nullopt;
        if (v.op == &index_scaled) return scaled(x, y.start);
        if (v.op == &index_quotient) return quotient_of(x, y.start, where_.extents);
        if (v.op == &index_remainder) return remainder_of(x, y.start, where_.extents);
        return std::nullopt;
    }

    /// Where the ranges of the operands decide.
    std::optional<index_form> of_ranges(const value& v) const {
        std::array<const index_form*, ir::max_operands> in{};
        for (std::size_t i = 0; i < static_cast<std::size_t>(v.op->arity); ++i) {
            if (!of(v.in[i])) return std::nullopt;
            in[i] = &*of(v.in[i]);
        }
        return form_in_box(*v.op, computed_type(k_, v), v.type, in, where_.extents);
    }

    const loop_nest& k_;
    const piecewise& known_;
    const box& where_;
    const instruction_set isa_;
    const forms& found_;
};

class specialiser {
public:
    specialiser(const loop_nest& k, forms known, const box& where)
        : k_(k), forms_(std::move(known)), where_(where), now_(k.values.size(), -1) {}

    region make() {
        out_.body = k_;
        out_.body.extents = where_.extents;
        out_.body.values.clear();
        for (std::size_t i = 0; i < k_.values.size(); ++i)
            if (!forms_[i]) now_[i] = rewritten(i);
        for (kernel_store& s : out_.body.stores) {
            s.value = at(s.value);
            out_.store_starts.push_back(first_of(k_.layouts[static_cast<std::size_t>(s.at)], where_));
        }
        for (inner_loop& l : out_.body.loops)
            for (int& id : l.reductions) id = at(id);
        drop_unused();
        return std::move(out_);
    }

private:
    int add(const value& v, std::int64_t start) {
        out_.body.values.push_back(v);
        out_.value_starts.push_back(start);
        return static_cast<int>(out_.body.values.size()) - 1;
    }

    /// The position of a value in the new kernel; a known value is added on first use.
    int at(int id) {
        const auto i = static_cast<std::size_t>(id);
        if (now_[i] >= 0) return now_[i];
        const index_form& form = *forms_[i];
        value v;
        v.type = type_of(k_, k_.values[i]);
        v.node = k_.values[i].node;
        if (form.is_constant()) {
            v.what = value_kind::constant;
            v.bits = to_bits(v.type, form.start);
        } else {
            v.what = value_kind::index;
            v.at = find_or_insert(out_.body.layouts, form.steps);
            if (moves_inside(form)) v.loop = k_.values[i].loop;
        }
        return now_[i] = add(v, form.start);
    }

    /// Whether a form depends on the indices of a loop.
    bool moves_inside(const index_form& form) const {
        return std::any_of(k_.loops.begin(), k_.loops.end(), [&](const inner_loop& l) {
            return std::any_of(l.axes.begin(), l.axes.end(),
                               [&](int a) { return form.steps.stride[static_cast<std::size_t>(a)] != 0; });
        });
    }

    int rewritten(std::size_t i) {
        value v = k_.values[i];
        if (is_select(v) && form_of(v.in[0]) && form_of(v.in[0])->is_constant()) {
            const int chosen = at(v.in[form_of(v.in[0])->start != 0 ? 1 : 2]);
            if (type_of(out_.body, out_.body.values[static_cast<std::size_t>(chosen)]) == v.type) return chosen;
            v.what = value_kind::cast;
            v.op = nullptr;
            v.in = {chosen, -1, -1};
            return add(v, 0);
        }
        if (v.what != value_kind::load) {
            for (int& in : v.in)
                if (in >= 0) in = at(in);
            return add(v, 0);
        }
        layout l = k_.layouts[static_cast<std::size_t>(v.at)];
        std::int64_t start = first_of(l, where_);
        if (v.in[0] >= 0 && form_of(v.in[0])) {
            start += form_of(v.in[0])->start;
            for (std::size_t a = 0; a < l.stride.size(); ++a) l.stride[a] += form_of(v.in[0])->steps.stride[a];
            v.in[0] = -1;
            v.at = find_or_insert(out_.body.layouts, l);
        } else if (v.in[0] >= 0) {
            v.in[0] = at(v.in[0]);
        }
        return add(v, start);
    }

    const std::optional<index_form>& form_of(int id) const { return forms_[static_cast<std::size_t>(id)]; }

    /// Removes values that no store depends on, layouts that they alone use, and outer axes of one index.
    void drop_unused() {
        loop_nest& k = out_.body;
        std::erase_if(k.outer, [&k](int a) { return k.extents[static_cast<std::size_t>(a)] == 1; });
        std::vector<int> now(k.values.size(), -1);
        std::vector<value> values;
        std::vector<std::int64_t> starts;
        const std::vector<char> used = find_used();
        for (std::size_t i = 0; i < k.values.size(); ++i) {
            if (!used[i]) continue;
            value v = k.values[i];
            if (v.at >= 0) v.at = kept_layout(v.at);
            for (int& in : v.in)
                if (in >= 0) in = now[static_cast<std::size_t>(in)];
            v.varies = varies_along(v, values);
            now[i] = static_cast<int>(values.size());
            values.push_back(v);
            starts.push_back(out_.value_starts[i]);
        }
        for (kernel_store& s : k.stores) {
            s.value = now[static_cast<std::size_t>(s.value)];
            s.at = kept_layout(s.at);
        }
        for (inner_loop& l : k.loops) {
            for (int& id : l.reductions) id = now[static_cast<std::size_t>(id)];
            std::erase(l.reductions, -1);
        }
        k.values = std::move(values);
        k.layouts = std::move(kept_layouts_);
        out_.value_starts = std::move(starts);
        coalesce_axes(k);
    }

    std::vector<char> find_used() const {
        const loop_nest& k = out_.body;
        std::vector<char> used(k.values.size(), 0);
        for (const kernel_store& s : k.stores) used[static_cast<std::size_t>(s.value)] = 1;
        for (std::size_t i = k.values.size(); i-- > 0;)
            for (const int in : k.values[i].in)
                if (used[i] && in >= 0) used[static_cast<std::size_t>(in)] = 1;
        return used;
    }

    /// The position of a layout, without axes that the region has not, among those that are kept.
    int kept_layout(int l) {
        const loop_nest& k = out_.body;
        const layout& from = k.layouts[static_cast<std::size_t>(l)];
        layout kept;
        const auto keep = [&](int a) {
            kept.stride[static_cast<std::size_t>(a)] = from.stride[static_cast<std::size_t>(a)];
        };
        for (const int a : k.outer) keep(a);
        for (const inner_loop& loop : k.loops)
            for (const int a : loop.axes) keep(a);
        return find_or_insert(kept_layouts_, kept);
    }

    /// The axes along which a value of the new kernel varies: those of its layout and of its operands, without those
    /// that it is reduced over.
    std::uint32_t varies_along(const value& v, const std::vector<value>& earlier) const {
        std::uint32_t varies = 0;
        if (v.at >= 0)
            for (std::size_t a = 0; a < out_.body.extents.size(); ++a)
                if (kept_layouts_[static_cast<std::size_t>(v.at)].stride[a] != 0) varies |= 1u << a;
        for (const int in : v.in)
            if (in >= 0) varies |= earlier[static_cast<std::size_t>(in)].varies;
        if (v.what == value_kind::reduce && v.over >= 0)
            for (const int a : out_.body.loops[static_cast<std::size_t>(v.over)].axes) varies &= ~(1u << a);
        return varies;
    }

    const loop_nest& k_;
    const forms forms_;
    const box& where_;
    std::vector<int> now_;  ///< by value: its position in the new kernel, or -1
    std::vector<layout> kept_layouts_;
    region out_;
};

}  // namespace

region whole_of(const loop_nest& k) {
    return {k, std::vector<std::int64_t>(k.values.size(), 0), std::vector<std::int64_t>(k.stores.size(), 0)};
}

std::vector<std::optional<index_form>> find_forms(const loop_nest& k, const std::vector<char>& decided,
                                                  const piecewise& known, const box& where, instruction_set isa) {
    forms found(k.values.size());
    const form_finder finder(k, known, where, isa, found);
    for (std::size_t i = 0; i < k.values.size(); ++i)
        if (decided[i]) found[i] = finder.find(i);
    return found;
}

region specialise(const loop_nest& k, const std::vector<char>& decided, const piecewise& known, const box& where,
                  instruction_set isa) {
    return specialiser(k, find_forms(k, decided, known, where, isa), where).make();
}

}  // namespace sinter::codegen::blocked
