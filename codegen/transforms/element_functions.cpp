// Makes elementwise kernels parts of the call that reads their result, or whose result they read.
#include <codegen/ir/element_functions.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen {
namespace {

/// Orders a nest's outer axes so that position p is the element of a layout that is p elements after its first.
/// Returns false if the layout is not a dense array of `elements`.
bool order_axes(loop_nest& k, int layout_position, std::int64_t elements) {
    const auto step = [&](int axis) {
        return k.extents[static_cast<std::size_t>(axis)] == 1 ? std::numeric_limits<std::int64_t>::max()
                                                              : stride_of(k, layout_position, axis);
    };
    std::stable_sort(k.outer.begin(), k.outer.end(), [&](int a, int b) { return step(a) > step(b); });
    std::int64_t inner = 1;
    for (auto axis = k.outer.rbegin(); axis != k.outer.rend(); ++axis) {
        const std::int64_t extent = k.extents[static_cast<std::size_t>(*axis)];
        if (extent != 1 && step(*axis) != inner) return false;
        inner *= extent;
    }
    renumber_axes(k);
    return inner == elements;
}

/// Moves a nest's inputs to the call. `given` is the leaf that the call itself provides, or -1.
void share_inputs(loop_nest& call, loop_nest& function, int given) {
    for (kernel_input& in : function.inputs) {
        const int leaf = in.leaf;
        if (leaf != given) call.inputs.push_back(in);
        in.leaf = leaf == given ? -1 : static_cast<int>(call.inputs.size()) - 1;
    }
}

/// The layout by which a nest reads each element of a leaf once; -1 if it reads it in another way.
int layout_of_only_load(const loop_nest& k, int leaf) {
    int at = -1;
    for (const value& v : k.values) {
        if (v.what != value_kind::load || k.inputs[static_cast<std::size_t>(v.input)].leaf != leaf) continue;
        const bool is_first = at < 0;
        if (v.in[0] >= 0 || k.inputs[static_cast<std::size_t>(v.input)].offset != 0 || !(is_first || v.at == at))
            return -1;
        at = v.at;
    }
    const auto of_leaf = [leaf](const kernel_input& in) { return in.leaf == leaf; };
    return std::count_if(k.inputs.begin(), k.inputs.end(), of_leaf) == 1 ? at : -1;
}

}  // namespace

bool is_elementwise(const loop_nest& k) {
    return !k.call && k.product == ir::product::none && k.loops.empty() && k.nest_axis < 0 && !k.stores.empty() &&
           std::all_of(k.values.begin(), k.values.end(), [](const value& v) { return v.loop == group_level; });
}

std::optional<loop_nest> with_computed_operand(const loop_nest& call, int operand, const loop_nest& maker) {
    const call_array& array = call.call->operands[static_cast<std::size_t>(operand)];
    if (is_computed(*call.call, operand) || !is_elementwise(maker) || maker.outputs.size() != 1 ||
        maker.stores.size() != 1 || maker.outputs[0] != array.type)
        return std::nullopt;
    loop_nest function = maker;
    if (!order_axes(function, function.stores[0].at, array.elements())) return std::nullopt;
    loop_nest made = call;
    const int dropped = array_input(*call.call, operand);
    made.inputs.erase(made.inputs.begin() + dropped);
    for (loop_nest& other : made.element_functions)
        for (kernel_input& in : other.inputs) in.leaf -= in.leaf > dropped;
    share_inputs(made, function, std::numeric_limits<int>::max());
    made.element_functions.insert(made.element_functions.begin() + operand_function(*call.call, operand),
                                  std::move(function));
    made.call->computed |= 1u << operand;
    return made;
}

std::optional<loop_nest> with_consumed_result(const loop_nest& call, const loop_nest& reader, int stored) {
    const call_site& site = *call.call;
    if (site.outputs.size() != 1 || site.consumed != 0 || !call.results.empty() || !is_elementwise(reader))
        return std::nullopt;
    const call_array& array = site.results[static_cast<std::size_t>(site.outputs[0])];
    const int at = layout_of_only_load(reader, stored);
    if (at < 0 || array.elements() < 2) return std::nullopt;
    loop_nest function = reader;
    if (!order_axes(function, at, array.elements())) return std::nullopt;
    loop_nest made = call;
    made.outputs = reader.outputs;
    made.output_shapes = reader.output_shapes;
    made.results = reader.results;
    made.read_later = reader.read_later;
    share_inputs(made, function, stored);
    made.element_functions.push_back(std::move(function));
    made.call->consumed |= 1u << site.outputs[0];
    return made;
}

}  // namespace sinter::codegen
