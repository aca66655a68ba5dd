// Checks a loop nest: the invariants that schedules, lowering and the host back end rely on.
#include <codegen/ir/print.hpp>
#include <codegen/ir/verify.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

constexpr int no_loop = -5;

/// The loop or level that an axis belongs to.
int owner_of(const loop_nest& k, int a) {
    if (a == k.nest_axis) return nest_level;
    if (a == k.block_axis) return block_level;
    for (int outer : k.outer)
        if (outer == a) return group_level;
    for (std::size_t l = 0; l < k.loops.size(); ++l)
        for (int inner : k.loops[l].axes)
            if (inner == a) return static_cast<int>(l);
    return no_loop;
}

/// Whether a nested kernel goes along its nest axis again for each index of an axis of its last loop.
bool repeats_nest(const loop_nest& k, int axis) {
    return k.nest_axis >= 0 && k.loops.back().axes.size() == 2 && k.loops.back().axes[0] == axis;
}

bool is_displacement(dtype type) { return type == dtype::int64 || type == dtype::int32; }
bool within(int i, std::size_t size) { return i >= 0 && i < static_cast<int>(size); }

/// Of a fold of columns: the last loop computes what it folds.
const char* column_fold_fault(const loop_nest& k, const value& v) {
    if (k.block_axis < 0 || v.loop + 1 != static_cast<int>(k.loops.size()))
        return "a fold of columns outside the last loop";
    const int operand_loop = k.values[v.in[0]].loop;
    return operand_loop == group_level || operand_loop == v.loop ? nullptr : "a fold of another loop's value";
}

const char* reduce_fault(const loop_nest& k, const value& v) {
    if (is_column_fold(v)) return column_fold_fault(k, v);
    if (v.over == group_level)
        return v.loop == kernel_level && k.values[v.in[0]].loop == group_level ? nullptr
                                                                               : "a fold of what no group has";
    if (!within(v.over, k.loops.size())) return "a reduction over no loop";
    const int level = is_nested(k, v.over) ? nest_level : group_level;
    if (v.loop != level || v.stage != v.over + 1) return "a reduction's result is not there after its loop";
    const int operand_loop = k.values[v.in[0]].loop;
    if (operand_loop == nest_level && level == group_level) return nullptr;
    return operand_loop == group_level || operand_loop == v.over ? nullptr : "a reduction of another loop's value";
}

const char* scan_fault(const loop_nest& k, const value& v) {
    if (v.over != v.loop || !within(v.over, k.loops.size())) return "a scan outside its loop";
    return k.loops[v.over].axes.size() == 1 && k.nest_axis < 0 ? nullptr : "a scan in a loop over more than its axis";
}

const char* value_fault(const loop_nest& k, std::size_t i) {
    const value& v = k.values[i];
    for (int in : v.in) {
        if (in >= static_cast<int>(i)) return "an operand comes after its user";
        if (in < 0 || v.what == value_kind::reduce) continue;
        const value& operand = k.values[in];
        if (is_column_fold(operand)) return "a block's fold of columns is used in it";
        const bool is_argument = operand.what == value_kind::scalar || operand.what == value_kind::constant;
        if (v.loop == kernel_level) {
            if (operand.loop == kernel_level || is_argument) continue;
            return "a value of a group is used after all groups";
        }
        const bool in_nested = v.loop >= 0 && is_nested(k, v.loop);
        if (operand.loop == nest_level && v.loop != group_level && (!in_nested || operand.stage == 0)) continue;
        if (operand.loop != group_level && operand.loop != v.loop) return "a value leaves its loop without a reduction";
        if (operand.loop == group_level && operand.stage > (v.loop == group_level ? v.stage : std::max(v.loop, 0)))
            return "a value is used before the loop it comes from";
    }
    for (std::size_t a = 0; a < k.extents.size(); ++a) {
        if (!(v.varies >> a & 1)) continue;
        const int owner = owner_of(k, static_cast<int>(a));
        const bool of_nest = owner == nest_level || repeats_nest(k, static_cast<int>(a));
        if (of_nest && v.loop != group_level) continue;
        if (owner != group_level && owner != v.loop) return "a value varies along an axis of another loop";
    }
    switch (v.what) {
        case value_kind::load:
            if (v.in[0] >= 0 && !is_displacement(k.values[v.in[0]].type)) return "a load displaced by no index";
            return within(v.input, k.inputs.size()) && within(v.at, k.layouts.size()) ? nullptr : "a load of nothing";
        case value_kind::index: return within(v.at, k.layouts.size()) ? nullptr : "an index along nothing";
        case value_kind::scalar: return within(v.scalar, k.scalars.size()) ? nullptr : "no such scalar";
        case value_kind::reduce: return reduce_fault(k, v);
        case value_kind::scan: return scan_fault(k, v);
        default: return nullptr;
    }
}

const char* store_fault(const loop_nest& k, const kernel_store& s) {
    if (!within(s.value, k.values.size()) || !within(s.at, k.layouts.size()) || !within(s.output, k.outputs.size()))
        return "a store of nothing";
    const value& v = k.values[s.value];
    if ((s.loop == block_level) != is_column_fold(v)) return "a fold of columns is what a block stores";
    if (s.loop == block_level) return nullptr;
    if (s.loop == kernel_level && v.loop == group_level)
        return v.what == value_kind::scalar || v.what == value_kind::constant ? nullptr
                                                                              : "a store of one group's value";
    if (v.loop == nest_level && s.loop > 0) return nullptr;
    return v.loop == group_level || v.loop == s.loop ? nullptr : "a store outside its value's loop";
}

}  // namespace

void verify(const loop_nest& k, const char* after_pass) {
    const auto blame = [&](const std::string& what) {
        throw error(fmt::format("internal error, please report it: after pass '{}', {}; the kernel was:\n{}",
                                after_pass, what, print(k)));
    };
    for (std::size_t a = 0; a < k.extents.size(); ++a)
        if (owner_of(k, static_cast<int>(a)) == no_loop) blame(fmt::format("axis a{} belongs to no loop", a));
    for (std::size_t i = 0; i < k.values.size(); ++i)
        if (const char* what = value_fault(k, i)) blame(fmt::format("value %{}: {}", i, what));
    for (const kernel_store& s : k.stores)
        if (const char* what = store_fault(k, s)) blame(what);
    for (const loop_nest& function : k.element_functions) {
        verify(function, after_pass);
        for (const kernel_input& in : function.inputs)
            if (in.leaf >= static_cast<int>(k.inputs.size())) blame("an element function reads what the call does not");
    }
}

}  // namespace sinter::codegen
