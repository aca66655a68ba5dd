// Cuts the kernel of a reduction by key in three without loops.
#include <codegen/host/keyed_reduction.hpp>

#include <codegen/host/kernel_parts.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen::blocked {
namespace {

/// Whether a value is a choice that is always its first element.
bool always_chooses_first(const loop_nest& k, const value& v) {
    if (v.what != value_kind::elementwise || v.op->rule != dtype_rule::select) return false;
    const value& condition = k.values[static_cast<std::size_t>(v.in[0])];
    return condition.what == value_kind::constant && condition.bits == 1;
}

/// The input that lists what a kernel would store by its store number i, in that order, or -1.
int listed_values(const loop_nest& values, std::size_t i) {
    const kernel_store& s = values.stores[i];
    const value* v = &values.values[static_cast<std::size_t>(s.value)];
    while (always_chooses_first(values, *v)) v = &values.values[static_cast<std::size_t>(v->in[1])];
    if (v->what != value_kind::load || v->in[0] >= 0) return -1;
    if (values.inputs[static_cast<std::size_t>(v->input)].type != values.outputs[i]) return -1;
    const layout &read = values.layouts[static_cast<std::size_t>(v->at)],
                 &stored = values.layouts[static_cast<std::size_t>(s.at)];
    for (std::size_t a = 0; a < values.extents.size(); ++a)
        if (read.stride[a] != stored.stride[a] && values.extents[a] != 1) return -1;
    return v->input;
}

class key_cutter {
public:
    key_cutter(const loop_nest& k, const key_match& m) : k_(k), m_(m) {}

    keyed_reduction cut() const {
        keyed_reduction made;
        made.keys = keys();
        made.values = values();
        made.results = results();
        made.folds = m_.folds;
        made.groups = extent(m_.group_axis);
        made.elements = extent(m_.along);
        bool past = false;
        for (const int a : k_.outer) {
            if (a != m_.group_axis) (past ? made.after : made.before) *= extent(a);
            past = past || a == m_.group_axis;
        }
        made.keys_before = m_.keys_before;
        made.keys_after = m_.keys_after;
        made.key_input = listed_values(made.keys, 0);
        for (std::size_t f = 0; f < made.folds.size(); ++f) made.folds[f].input = listed_values(made.values, f);
        return made;
    }

private:
    const value& at(int i) const { return k_.values[static_cast<std::size_t>(i)]; }
    std::int64_t extent(int axis) const { return k_.extents[static_cast<std::size_t>(axis)]; }
    /// The operands of the loop's reductions.
    std::vector<int> folded() const {
        std::vector<int> all;
        for (const int id : k_.loops[0].reductions) all.push_back(at(id).in[0]);
        return all;
    }

    loop_nest keys() const {
        std::vector<int> now;
        loop_nest made = without_outputs(without_loops(k_, needed_values(k_, {m_.key}), now));
        made.outer.clear();
        bool past = false;
        for (const int a : k_.outer) {
            past = past || a == m_.group_axis;
            if (a == m_.group_axis)
                made.outer.push_back(m_.along);
            else if (past ? m_.keys_after : m_.keys_before)
                made.outer.push_back(a);
        }
        store_densely(made, now[static_cast<std::size_t>(m_.key)], dtype::int64);
        renumber_axes(made);
        return made;
    }

    loop_nest values() const {
        std::vector<int> now;
        loop_nest made = without_outputs(without_loops(k_, needed_values(k_, folded(), m_.comparison), now));
        if (const int compared = now[static_cast<std::size_t>(m_.comparison)]; compared >= 0) {
            value holds;
            holds.what = value_kind::constant;
            holds.type = dtype::bool_;
            holds.bits = 1;
            made.values[static_cast<std::size_t>(compared)] = holds;
        }
        std::replace(made.outer.begin(), made.outer.end(), m_.group_axis, m_.along);
        for (const int id : k_.loops[0].reductions)
            store_densely(made, now[static_cast<std::size_t>(at(id).in[0])], at(id).type);
        renumber_axes(made);
        return made;
    }

    loop_nest results() const {
        std::vector<int> stored, now;
        for (const kernel_store& s : k_.stores) stored.push_back(s.value);
        loop_nest made = without_loops(k_, needed_values(k_, stored), now);
        made.stores = k_.stores;
        for (kernel_store& s : made.stores) s.value = now[static_cast<std::size_t>(s.value)];
        std::uint32_t all = 0;
        for (const int a : k_.outer) all |= 1u << a;
        for (const int id : k_.loops[0].reductions) {
            made.inputs.push_back({at(id).type, -1, 0, false, outer_size(k_)});
            if (now[static_cast<std::size_t>(id)] < 0) continue;
            value read;
            read.what = value_kind::load;
            read.type = at(id).type;
            read.varies = all;
            read.input = static_cast<int>(made.inputs.size()) - 1;
            read.at = add_dense_layout(made, k_.outer);
            made.values[static_cast<std::size_t>(now[static_cast<std::size_t>(id)])] = read;
        }
        renumber_axes(made);
        return made;
    }

    const loop_nest& k_;
    const key_match& m_;
};

}  // namespace

keyed_reduction cut_by_key(const loop_nest& k, const key_match& match) { return key_cutter(k, match).cut(); }

}  // namespace sinter::codegen::blocked
