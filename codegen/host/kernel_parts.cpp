// Copies of kernels with some of their values, and the arrays that are stored and read between them.
#include <codegen/host/kernel_parts.hpp>

#include <utility>

namespace sinter::codegen::blocked {

std::vector<char> needed_values(const loop_nest& k, const std::vector<int>& others, int last) {
    std::vector<char> needed(k.values.size(), 0);
    for (const int i : others) needed[static_cast<std::size_t>(i)] = 1;
    for (std::size_t i = k.values.size(); i-- > 0;) {
        const value& v = k.values[i];
        if (!needed[i] || static_cast<int>(i) == last || v.what == value_kind::reduce) continue;
        for (const int in : v.in)
            if (in >= 0) needed[static_cast<std::size_t>(in)] = 1;
    }
    return needed;
}

std::vector<int> keep_values(loop_nest& k, const std::vector<char>& kept) {
    std::vector<int> now(k.values.size(), -1);
    std::vector<value> values;
    for (std::size_t i = 0; i < k.values.size(); ++i) {
        if (!kept[i]) continue;
        value v = k.values[i];
        for (int& in : v.in)
            if (in >= 0) in = now[static_cast<std::size_t>(in)];
        now[i] = static_cast<int>(values.size());
        values.push_back(v);
    }
    k.values = std::move(values);
    for (kernel_store& s : k.stores) s.value = now[static_cast<std::size_t>(s.value)];
    for (inner_loop& l : k.loops)
        for (int& id : l.reductions) id = now[static_cast<std::size_t>(id)];
    return now;
}

void drop_unneeded_values(loop_nest& k) {
    std::vector<int> used;
    for (const kernel_store& s : k.stores) used.push_back(s.value);
    for (const inner_loop& l : k.loops) used.insert(used.end(), l.reductions.begin(), l.reductions.end());
    for (const value& v : k.values)
        if (v.what == value_kind::reduce) used.push_back(v.in[0]);
    keep_values(k, needed_values(k, used));
}

loop_nest without_loops(const loop_nest& k, const std::vector<char>& needed, std::vector<int>& now) {
    loop_nest made = k;
    made.loops.clear();
    made.stores.clear();
    now = keep_values(made, needed);
    for (value& v : made.values) {
        v.loop = group_level;
        v.stage = 0;
    }
    return made;
}

loop_nest without_outputs(loop_nest k) {
    k.stores.clear();
    k.outputs.clear();
    k.output_shapes.clear();
    k.results.clear();
    k.read_later = 0;
    for (kernel_input& i : k.inputs) i.may_alias_output = false;
    return k;
}

int add_dense_layout(loop_nest& k, const std::vector<int>& axes) {
    layout dense;
    std::int64_t stride = 1;
    for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
        dense.stride[static_cast<std::size_t>(*a)] = stride;
        stride *= k.extents[static_cast<std::size_t>(*a)];
    }
    k.layouts.push_back(dense);
    return static_cast<int>(k.layouts.size()) - 1;
}

void store_densely(loop_nest& k, int value, dtype type) {
    k.outputs.push_back(type);
    k.stores.push_back({static_cast<int>(k.outputs.size()) - 1, value, group_level, add_dense_layout(k, k.outer)});
}

}  // namespace sinter::codegen::blocked
