// Splits elementwise kernels that store several arrays.
#include <codegen/transforms/loop_nest_import.hpp>
#include <codegen/transforms/pass.hpp>

namespace sinter::codegen {
namespace {

/// Which values a kernel's stores to some outputs depend on.
std::vector<char> values_of_outputs(const loop_nest& k, const std::vector<char>& kept) {
    std::vector<char> needed(k.values.size(), 0);
    for (const kernel_store& s : k.stores)
        if (kept[static_cast<std::size_t>(s.output)] != 0) needed[static_cast<std::size_t>(s.value)] = 1;
    for (std::size_t v = needed.size(); v-- > 0;)
        for (const int in : k.values[v].in)
            if (needed[v] != 0 && in >= 0) needed[static_cast<std::size_t>(in)] = 1;
    return needed;
}

}  // namespace

loop_nest with_outputs(const loop_nest& k, const std::vector<char>& kept) {
    loop_nest made;
    made.extents = k.extents;
    made.outer = k.outer;
    made.precision = k.precision;
    kernel_import import(k, made);
    for (std::size_t axis = 0; axis < k.extents.size(); ++axis) import.axes[axis] = {{static_cast<int>(axis), 1}};
    const std::vector<char> needed = values_of_outputs(k, kept);
    std::vector<int> now(k.values.size(), -1), output_now(k.outputs.size(), -1);
    for (std::size_t v = 0; v < k.values.size(); ++v) {
        if (needed[v] == 0) continue;
        value copied = import.value_now(k.values[v]);
        for (int& in : copied.in)
            if (in >= 0) in = now[static_cast<std::size_t>(in)];
        now[v] = static_cast<int>(made.values.size());
        made.values.push_back(copied);
    }
    for (std::size_t o = 0; o < k.outputs.size(); ++o) {
        if (kept[o] == 0) continue;
        output_now[o] = static_cast<int>(made.outputs.size());
        made.read_later |= (k.read_later >> o & 1u) << made.outputs.size();
        made.outputs.push_back(k.outputs[o]);
        made.output_shapes.push_back(k.output_shapes[o]);
        if (!k.results.empty()) made.results.push_back(k.results[o]);
    }
    if (std::all_of(made.results.begin(), made.results.end(), [](int r) { return r < 0; })) made.results.clear();
    for (kernel_store s : k.stores) {
        if (kept[static_cast<std::size_t>(s.output)] == 0) continue;
        s.value = now[static_cast<std::size_t>(s.value)];
        s.output = output_now[static_cast<std::size_t>(s.output)];
        s.at = import.layout_now(s.at);
        made.stores.push_back(s);
    }
    coalesce_axes(made);
    return made;
}

}  // namespace sinter::codegen
