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
    return {is_wide_gather(k, s, load) || is_neighbouring(k, v.at, axes) ? s.vector_width : 1, 1};
}

}  // namespace sinter::codegen
