// Values that no store needs, and with them layouts, inputs and scalars.
#include <codegen/transforms/pass.hpp>

#include <utility>

namespace sinter::codegen {

void drop_unused(loop_nest& k) {
    std::vector<char> used(k.values.size(), 0);
    for (const kernel_store& s : k.stores) used[s.value] = 1;
    for (std::size_t i = k.values.size(); i-- > 0;) {
        for (int in : k.values[i].in)
            if (used[i] && in >= 0) used[in] = 1;
    }
    std::vector<int> value_now(k.values.size(), -1), scalar_now(k.scalars.size(), -1), layout_now(k.layouts.size(), -1),
        input_now(k.inputs.size(), -1);
    loop_nest kept;
    const auto renumber = [](int& at, std::vector<int>& now, auto& all, auto& into) {
        if (now[at] < 0) {
            now[at] = static_cast<int>(into.size());
            into.push_back(all[at]);
        }
        at = now[at];
    };
    for (std::size_t i = 0; i < k.values.size(); ++i) {
        if (!used[i]) continue;
        value v = k.values[i];
        for (int& in : v.in)
            if (in >= 0) in = value_now[in];
        if (v.at >= 0) renumber(v.at, layout_now, k.layouts, kept.layouts);
        if (v.input >= 0) renumber(v.input, input_now, k.inputs, kept.inputs);
        if (v.scalar >= 0) {
            if (scalar_now[v.scalar] < 0) kept.scalar_types.push_back(k.scalar_types[v.scalar]);
            renumber(v.scalar, scalar_now, k.scalars, kept.scalars);
        }
        value_now[i] = static_cast<int>(kept.values.size());
        kept.values.push_back(v);
    }
    for (kernel_store& s : k.stores) {
        s.value = value_now[s.value];
        renumber(s.at, layout_now, k.layouts, kept.layouts);
    }
    for (inner_loop& l : k.loops) {
        for (int& r : l.reductions) r = value_now[r];
        std::erase(l.reductions, -1);
    }
    k.values = std::move(kept.values);
    k.scalars = std::move(kept.scalars);
    k.scalar_types = std::move(kept.scalar_types);
    k.layouts = std::move(kept.layouts);
    k.inputs = std::move(kept.inputs);
}

loop_nest with_outputs(loop_nest k, const std::vector<char>& kept) {
    for (auto o = static_cast<int>(kept.size()); o-- > 0;)
        if (kept[static_cast<std::size_t>(o)] == 0) drop_output(k, o);
    drop_unused(k);
    coalesce_axes(k);
    return k;
}

}  // namespace sinter::codegen
