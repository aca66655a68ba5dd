// Sums over a kernel's values.
#include <codegen/schedule/kernel_work.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/footprint.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/kept_values.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

// Of float64, which has no instructions for either (nvdisasm, sm_90, NVRTC 13.0).
constexpr double doubles_of_function = 10, doubles_of_division = 8;

double bytes_of(dtype type) { return static_cast<double>(size_of(type)); }

/// Every array once, and once more for each later loop that reads it.
void count_bytes(const loop_nest& k, kernel_work& w) {
    for (const array_footprint& a : footprints_of(k)) {
        w.bytes += static_cast<double>(a.bytes);
        w.bytes_again += static_cast<double>(a.bytes_by_loops - a.bytes);
    }
    for (std::size_t o = 0; o < k.outputs.size(); ++o) w.bytes += static_cast<double>(bytes_written(k, o));
}

void add_op(const loop_nest& k, const value& v, op_work& ops) {
    const op_traits t = traits_of(*v.op);
    ops.functions += t.functions;
    ops.divisions += t.divisions;
    const double plain = std::max(steps_of(k, v), t.functions + t.divisions > 0 ? 0.0 : 1.0);
    ops.plain += plain;
    if (has_doubles(k, v)) ops.doubles += plain + doubles_of_function * t.functions + doubles_of_division * t.divisions;
}

void add_value(const loop_nest& k, const value& v, op_work& ops) {
    if (v.what == value_kind::elementwise) add_op(k, v, ops);
    if (v.what != value_kind::cast) return;
    ++ops.plain;
    ops.doubles += has_doubles(k, v) ? 1 : 0;
}

loop_work loop_of(const loop_nest& k, int l, const kept_values& kept) {
    loop_work w;
    for (const value& v : k.values) {
        const bool folds = v.what == value_kind::reduce || v.what == value_kind::scan;
        if (folds && v.over == l) {
            add_op(k, v, w.ops);
            ++w.reductions;
        }
        if (is_column_fold(v) && v.loop == l) add_op(k, v, w.ops);
        if (v.loop != l || folds) continue;
        if (v.what == value_kind::load)
            w.loads.push_back({bytes_of(v.type), v.at, is_gather(v), static_cast<int>(&v - k.values.data())});
        add_value(k, v, w.ops);
        if (!kept.needs(static_cast<int>(&v - k.values.data()))) add_value(k, v, w.repeated);
    }
    for (const kernel_store& st : k.stores)
        if (st.loop == l) w.stores.push_back({bytes_of(k.outputs[static_cast<std::size_t>(st.output)]), st.at, false});
    if (l == group_level) return w;
    const inner_loop& loop = k.loops[static_cast<std::size_t>(l)];
    w.trips = static_cast<double>(trip_count(k, loop));
    w.axis = loop.axes.empty() ? -1 : loop.axes.back();
    return w;
}

}  // namespace

kernel_work work_of(const loop_nest& k) {
    kernel_work w;
    w.kept = bytes_read_again(k);
    schedule cached;
    cached.register_cached = w.kept > 0;
    const kept_values kept = kept_values_of(k, cached);
    for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) w.loops.push_back(loop_of(k, l, kept));
    if (k.loops.empty()) w.loops.push_back(loop_of(k, group_level, kept));
    w.groups = static_cast<double>(outer_size(k));
    if (!k.outer.empty()) {
        w.across = k.outer.back();
        w.neighbours = static_cast<double>(extent_of(k, w.across));
    }
    count_bytes(k, w);
    for (const value& v : k.values)
        if (v.what == value_kind::reduce || v.what == value_kind::scan) w.accumulated += bytes_of(v.type);
    if (!k.inputs.empty()) w.first_input_bytes = bytes_of(k.inputs[0].type);
    return w;
}

}  // namespace sinter::codegen
