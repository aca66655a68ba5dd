// Names and kinds of values.
#include <codegen/lower/names.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {

std::string load_name(const loop_nest& k, int v) {
    const value& self = k.values[static_cast<std::size_t>(v)];
    const bool element = is_element_load(k, v);
    int before = 0;
    for (int u = 0; u < v; ++u) {
        const value& other = k.values[static_cast<std::size_t>(u)];
        if (other.what != value_kind::load || other.input != self.input) continue;
        before += other.loop == self.loop || (!element && !is_element_load(k, u));
    }
    std::string name = input_name(self.input);
    if (!element) name += "_value";  // the bare name is the pointer's
    if (before > 0)
        name += '_' + (before < 26 ? std::string(1, static_cast<char>('a' + before)) : std::to_string(before));
    return name;
}

std::string value_name(const loop_nest& k, int v) {
    const value& self = k.values[static_cast<std::size_t>(v)];
    switch (self.what) {
        case value_kind::load: return input_name(self.input);
        case value_kind::scalar: return fmt::format("s{}", self.scalar);
        case value_kind::constant: return "";
        case value_kind::cast: return fmt::format("cast_{}", v);
        case value_kind::index: return fmt::format("index_{}", v);
        case value_kind::scan: return fmt::format("running_{}_{}", self.op->name, v);
        default: return fmt::format("{}_{}", self.op->name, v);
    }
}

bool is_placed(const loop_nest& k, int v, int loop) {
    const value& self = k.values[static_cast<std::size_t>(v)];
    if (self.what != value_kind::index && !is_displaced(self)) return false;
    return self.loop == loop && (loop != group_level || k.loops.empty());
}

bool is_element_load(const loop_nest& k, int v) {
    const value& self = k.values[static_cast<std::size_t>(v)];
    if (self.what != value_kind::load || is_displaced(self)) return false;
    if (k.nest_axis >= 0) return self.loop == 0;
    if (self.loop >= 0) return true;
    return k.loops.empty() &&
           std::any_of(k.outer.begin(), k.outer.end(), [&](int a) { return step_of(k, self.at, a) != step::none; });
}

std::vector<int> layouts_of(const loop_nest& k) {
    std::vector<int> layouts;
    for (const value& v : k.values)
        if (v.what == value_kind::load || v.what == value_kind::index) layouts.push_back(v.at);
    for (const kernel_store& store : k.stores) layouts.push_back(store.at);
    return layouts;
}

}  // namespace sinter::codegen
