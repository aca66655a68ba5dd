// What an element of a kernel costs in accesses.
#include <codegen/schedule/traversal.hpp>

#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/interleaved.hpp>
#include <codegen/schedule/realigned.hpp>

namespace sinter::codegen {

wide_access wide_access_of(const loop_nest& k, const schedule& s, int load, const std::vector<int>& axes) {
    const value& v = k.values[static_cast<std::size_t>(load)];
    if (const stencil_read* read = interleaved_read(s, load)) {
        const stencil_window& window = s.stencil.windows[static_cast<std::size_t>(read->window)];
        const int each = access_of_window(window, v.type);
        return {each, is_first_of_window(s, *read) ? (window.last + 1) / each : 0};
    }
    if (is_realigned(k, s, load)) return {s.vector_width, 2};
    if (!is_gather(v) && is_strided(k, s, v.at, axes)) return {1, s.vector_width};
    return {is_wide_gather(k, s, load) || is_neighbouring(k, v.at, axes) ? s.vector_width : 1, 1};
}

double accesses_per_element(const loop_nest& k, const schedule& s) {
    constexpr std::int64_t cached_bytes = 64 * 1024;
    const auto is_cached = [&](const value& load) {
        const std::int64_t elements = k.inputs[static_cast<std::size_t>(load.input)].elements;
        return elements > 0 && elements * static_cast<std::int64_t>(size_of(load.type)) <= cached_bytes;
    };
    double all = 0;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        const value& self = k.values[static_cast<std::size_t>(v)];
        if (self.what != value_kind::load || (self.loop < 0 && !k.loops.empty()) || is_cached(self)) continue;
        const std::vector<int>& axes = self.loop < 0 ? k.outer : k.loops[static_cast<std::size_t>(self.loop)].axes;
        const bool repeats = !is_gather(self) && !axes.empty() && stride_of(k, self.at, axes.back()) == 0;
        const wide_access each = wide_access_of(k, s, v, axes);
        all += repeats ? 1. / s.vector_width : static_cast<double>(each.times) / each.elements;
    }
    for (const kernel_store& st : k.stores)
        if (st.loop >= 0 || k.loops.empty()) all += 1. / s.vector_width;
    return all;
}

}  // namespace sinter::codegen
