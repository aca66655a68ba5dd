// Counts the arrays of a call and of its element functions.
#include <codegen/cost/call_cost.hpp>

#include <codegen/cost/traffic.hpp>
#include <codegen/ir/element_functions.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/forms.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// Device memory moves sectors: what neighbouring threads access further apart takes one each. Of a kernel by itself a
/// tiled schedule would make both sides contiguous.
constexpr std::int64_t bytes_of_sector = 32;

/// The call's arrays by operands and wanted results, whether they exist or functions stand for them.
template <class F>
void for_each_array(const call_site& call, F visit) {
    for (int o = 0; o < static_cast<int>(call.operands.size()); ++o)
        visit(call.operands[static_cast<std::size_t>(o)], is_computed(call, o));
    for (const int r : call.outputs) visit(call.results[static_cast<std::size_t>(r)], is_consumed(call, r));
}

/// A function as a kernel of its own, with the leaves that it reads.
loop_nest as_kernel(const loop_nest& call, loop_nest function) {
    for (kernel_input& in : function.inputs)
        in.leaf = in.leaf < 0 ? -1 : call.inputs[static_cast<std::size_t>(in.leaf)].leaf;
    return function;
}

/// Bytes of the sectors beyond an access's own elements, if neighbouring positions are apart.
std::int64_t waste_of_access(const loop_nest& k, int layout_position, dtype type) {
    const std::int64_t own = static_cast<std::int64_t>(size_of(type));
    const std::int64_t step = k.outer.empty() ? 0 : std::abs(stride_of(k, layout_position, k.outer.back()));
    if (step < 2) return 0;
    const std::int64_t touched = std::clamp(step * own, own, std::max(own, bytes_of_sector));
    return elements_touched(k, layout_position, 0) * (touched - own);
}

std::int64_t waste_of_function(const loop_nest& k, const device_properties& m) {
    if (choose_schedule(k, m, {}).form != schedule_form::tiled) return 0;
    std::int64_t bytes = 0;
    for (const value& v : k.values)
        if (v.what == value_kind::load && v.in[0] < 0 && k.inputs[static_cast<std::size_t>(v.input)].leaf >= 0)
            bytes += waste_of_access(k, v.at, v.type);
    if (given_input(k) >= 0)
        for (const kernel_store& s : k.stores)
            bytes += waste_of_access(k, s.at, k.outputs[static_cast<std::size_t>(s.output)]);
    return bytes;
}

/// How often the call reads each element that function `index` computes.
double reads_of(const call_site& call, std::size_t index) {
    const bool of_operand = static_cast<int>(index) < __builtin_popcount(call.computed);
    return of_operand && call.callee->body->by_element ? call.callee->body->by_element(call).reads : 1;
}

}  // namespace

std::int64_t bytes_of_functions(const loop_nest& call) {
    std::int64_t bytes = 0;
    for (const loop_nest& function : call.element_functions) {
        const loop_nest k = as_kernel(call, function);
        bytes += bytes_moved(k, element_schedule(k), {});
    }
    // a function's kernel would access the array that it stands for, and so would the call
    for_each_array(*call.call,
                   [&](const call_array& a, bool is_function) { bytes -= is_function ? 2 * a.bytes() : 0; });
    return bytes;
}

std::int64_t bytes_of_call(const loop_nest& call) {
    std::int64_t bytes = bytes_of_functions(call);
    for_each_array(*call.call, [&](const call_array& a, bool) { bytes += a.bytes(); });
    return bytes;
}

double operations_of_functions(const loop_nest& call) {
    double all = 0;
    for (const loop_nest& function : call.element_functions) all += operations_of(function);
    return all;
}

double seconds_of_functions(const loop_nest& call, const device_properties& m) {
    double moving = static_cast<double>(bytes_of_functions(call)) / m.bytes_per_second, computing = 0;
    for (std::size_t f = 0; f < call.element_functions.size(); ++f) {
        const loop_nest k = as_kernel(call, call.element_functions[f]);
        moving += static_cast<double>(waste_of_function(k, m)) / m.bytes_per_second;
        computing += reads_of(*call.call, f) * time_of(k, element_schedule(k), m).computing;
    }
    return moving + computing;
}

}  // namespace sinter::codegen
