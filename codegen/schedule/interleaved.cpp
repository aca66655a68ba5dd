// Finds loads that read one array at a small stride, a few elements apart.
#include <codegen/schedule/interleaved.hpp>

#include <codegen/schedule/access.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

constexpr std::int64_t max_stride = 8;
constexpr int max_window_bytes = 64;  ///< 16 registers

std::int64_t offset_of(const loop_nest& k, const value& load) {
    return k.inputs[static_cast<std::size_t>(load.input)].offset;
}

/// The axes of neighbours and, or -1, of channels.
struct window_axes {
    int along = -1, channels = -1;
};

std::int64_t stride_along(const loop_nest& k, const value& load, const window_axes& axes) {
    return stride_of(k, load.at, axes.along);
}

/// How far a load moves along the channels, from the first to the last one.
std::int64_t across_channels(const loop_nest& k, const value& load, const window_axes& axes) {
    return axes.channels < 0 ? 0 : stride_of(k, load.at, axes.channels) * (extent_of(k, axes.channels) - 1);
}

bool is_interleaved(const loop_nest& k, const value& v, const window_axes& axes) {
    if (v.what != value_kind::load || v.in[0] >= 0) return false;
    const std::int64_t stride = stride_along(k, v, axes), across = stride_of(k, v.at, axes.channels);
    return stride > 1 && stride <= max_stride && (across == 0 || across == 1) && across_channels(k, v, axes) < stride;
}

/// Whether two loads read one array at equal strides, the second within the first one's stride.
bool share_window(const loop_nest& k, const value& first, const value& other, const window_axes& axes) {
    if (!is_interleaved(k, other, axes) || other.at != first.at || other.type != first.type) return false;
    const std::int64_t further = offset_of(k, other) - offset_of(k, first);
    return k.inputs[static_cast<std::size_t>(other.input)].leaf ==
               k.inputs[static_cast<std::size_t>(first.input)].leaf &&
           further >= 0 && further + across_channels(k, other, axes) < stride_along(k, first, axes);
}

/// Whether the array has all elements of the windows, and these begin at multiples of their accesses.
bool has_whole_accesses(const loop_nest& k, const value& load, const stencil_window& window, const window_axes& axes,
                        const std::vector<int>& alignment) {
    const kernel_input& from = k.inputs[static_cast<std::size_t>(load.input)];
    const layout_reach reach = reach_of(k, load.at);
    const std::int64_t last =
        from.offset + reach.above - across_channels(k, load, axes) + stride_along(k, load, axes) - 1;
    if (from.offset < 0 || reach.below > 0 || last >= from.elements || from.may_alias_output) return false;
    const int each = access_of_window(window, load.type), bytes = each * static_cast<int>(size_of(load.type));
    if (alignment[static_cast<std::size_t>(load.input)] % bytes != 0) return false;
    return std::all_of(k.outer.begin(), k.outer.end(), [&](int axis) {
        return axis == axes.along || axis == axes.channels || stride_of(k, load.at, axis) % each == 0;
    });
}

}  // namespace

int access_of_window(const stencil_window& window, dtype type) {
    const int elements = window.last + 1, most = static_cast<int>(16 / std::min<std::size_t>(16, size_of(type)));
    int each = 1;
    while (2 * each <= most && elements % (2 * each) == 0) each *= 2;
    return each;
}

const stencil_read* interleaved_read(const schedule& s, int load) {
    if (s.form != schedule_form::elementwise && s.form != schedule_form::channels) return nullptr;
    const auto found = std::find_if(s.stencil.reads.begin(), s.stencil.reads.end(),
                                    [&](const stencil_read& r) { return r.load == load; });
    return found == s.stencil.reads.end() ? nullptr : &*found;
}

bool is_first_of_window(const schedule& s, const stencil_read& read) {
    return &read == &*std::find_if(s.stencil.reads.begin(), s.stencil.reads.end(),
                                   [&](const stencil_read& r) { return r.window == read.window; });
}

stencil_shape interleaved_windows(const loop_nest& k, int along_axis, int channels, int vector,
                                  const std::vector<int>& alignment) {
    stencil_shape all;
    const window_axes axes{along_axis, channels};
    std::vector<int> loads;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v)
        if (is_interleaved(k, k.values[static_cast<std::size_t>(v)], axes)) loads.push_back(v);
    const auto at = [&](int v) -> const value& { return k.values[static_cast<std::size_t>(v)]; };
    std::stable_sort(loads.begin(), loads.end(),
                     [&](int a, int b) { return offset_of(k, at(a)) < offset_of(k, at(b)); });
    for (int v : loads) {
        const auto found = std::find_if(all.reads.begin(), all.reads.end(), [&](const stencil_read& r) {
            return r.along == 0 && share_window(k, at(r.load), at(v), axes);
        });
        if (found != all.reads.end()) {
            const auto along = static_cast<int>(offset_of(k, at(v)) - offset_of(k, at(found->load)));
            all.reads.push_back({v, found->window, 0, along});
            continue;
        }
        const auto stride = static_cast<int>(stride_along(k, at(v), axes));
        const stencil_window window{at(v).input, at(v).at, 1, 0, stride * vector - 1};
        if ((window.last + 1) * static_cast<int>(size_of(at(v).type)) > max_window_bytes) continue;
        if (access_of_window(window, at(v).type) == 1 || !has_whole_accesses(k, at(v), window, axes, alignment))
            continue;
        all.reads.push_back({v, static_cast<int>(all.windows.size()), 0, 0});
        all.windows.push_back(window);
    }
    return all;
}

int interleaved_width(const loop_nest& k, const std::vector<int>& alignment) {
    if (k.outer.empty()) return 1;
    loop_nest others = k;  // as if the loads repeated themselves
    std::size_t interleaved = 0;
    const window_axes axes{k.outer.back(), -1};
    for (const value& v : k.values) {
        if (!is_interleaved(k, v, axes)) continue;
        ++interleaved;
        others.layouts[static_cast<std::size_t>(v.at)].stride[static_cast<std::size_t>(k.outer.back())] = 0;
    }
    if (interleaved == 0) return 1;
    for (int vector = vector_width(others, k.outer, group_level, alignment); vector > 1; vector /= 2)
        if (interleaved_windows(k, axes.along, -1, vector, alignment).reads.size() == interleaved) return vector;
    return 1;
}

}  // namespace sinter::codegen
