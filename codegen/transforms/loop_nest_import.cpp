// Finds or inserts the layouts, inputs and scalars of an imported kernel.
#include <codegen/transforms/loop_nest_import.hpp>

#include <codegen/transforms/deduplicate.hpp>

#include <algorithm>

namespace sinter::codegen {

int kernel_import::layout_now(int at) {
    layout mapped;
    for (std::size_t axis = 0; axis < from_->extents.size(); ++axis)
        for (const part& p : axes[axis])
            mapped.stride[static_cast<std::size_t>(p.axis)] =
                from_->layouts[static_cast<std::size_t>(at)].stride[axis] * p.times;
    return find_or_insert(into_->layouts, mapped);
}

int kernel_import::input_now(int position) {
    const kernel_input& in = from_->inputs[static_cast<std::size_t>(position)];
    for (std::size_t i = 0; i < into_->inputs.size(); ++i)
        if (into_->inputs[i].leaf == in.leaf && into_->inputs[i].offset == in.offset) return static_cast<int>(i);
    into_->inputs.push_back(in);
    return static_cast<int>(into_->inputs.size()) - 1;
}

int kernel_import::scalar_now(int position) {
    int from = from_->scalars[static_cast<std::size_t>(position)];
    if (from < 0) {
        into_->numbers.push_back(from_->numbers[static_cast<std::size_t>(-1 - from)]);
        from = -static_cast<int>(into_->numbers.size());
    }
    const int at = find_or_insert(into_->scalars, from);
    if (into_->scalar_types.size() < into_->scalars.size())
        into_->scalar_types.push_back(from_->scalar_types[static_cast<std::size_t>(position)]);
    return at;
}

std::uint32_t kernel_import::varies_now(std::uint32_t varies) const {
    std::uint32_t now = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        for (const part& p : axes[axis])
            if (varies >> axis & 1) now |= 1u << p.axis;
    return now;
}

value kernel_import::value_now(const value& v) {
    value now = v;
    now.varies = varies_now(v.varies);
    if (v.input >= 0) now.input = input_now(v.input);
    if (v.at >= 0) now.at = layout_now(v.at);
    if (v.scalar >= 0) now.scalar = scalar_now(v.scalar);
    return now;
}

int find_or_add(loop_nest& k, const value& v) {
    const auto same = [&](value other) {
        other.node = v.node;
        return other == v;
    };
    const auto found = std::find_if(k.values.begin(), k.values.end(), same);
    if (found != k.values.end()) return static_cast<int>(found - k.values.begin());
    k.values.push_back(v);
    return static_cast<int>(k.values.size()) - 1;
}

int as_stored(loop_nest& k, int v, dtype type) {
    const value& computed = k.values[static_cast<std::size_t>(v)];
    if (computed.type == type) return v;
    value cast;
    cast.what = value_kind::cast;
    cast.type = type;
    cast.in[0] = v;
    cast.loop = computed.loop;
    cast.stage = computed.stage;
    cast.varies = computed.varies;
    return find_or_add(k, cast);
}

}  // namespace sinter::codegen
