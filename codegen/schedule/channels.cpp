// Finds the axes of channels and pixels, and the most pixels that all accesses of a thread can have.
#include <codegen/schedule/channels.hpp>

#include <codegen/schedule/access.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/interleaved.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

constexpr std::int64_t max_channels = 8;
constexpr int max_thread_elements = 64;  ///< of a thread: channels times pixels
constexpr int max_calls = 64;            ///< copies of function bodies in one kernel: they cost compile time
constexpr int max_stored_bytes = 64;     ///< of a thread, to interleaved channels: 16 registers, and 16 KB of a block

bool is_store(const loop_nest& k, const access& a) { return a.pointer >= static_cast<int>(k.inputs.size()); }

/// Whether all outer axes but two move an access by multiples of `elements`, from an address that is one.
bool begins_at_multiples(const loop_nest& k, const schedule& s, const access& a, int elements,
                         const std::vector<int>& alignment) {
    if (alignment[static_cast<std::size_t>(a.pointer)] % (elements * static_cast<int>(size_of(a.type))) != 0)
        return false;
    return std::all_of(k.outer.begin(), k.outer.end(), [&](int axis) {
        return axis == s.channels.channel_axis || axis == s.channels.pixel_axis ||
               stride_of(k, a, axis) % elements == 0;
    });
}

/// Whether a thread stores all channels of its pixels side by side.
bool stores_interleaved(const loop_nest& k, const schedule& s, const access& a, const std::vector<int>& alignment) {
    if (stride_of(k, a, s.channels.channel_axis) != 1 || stride_of(k, a, s.channels.pixel_axis) != s.unroll)
        return false;
    const int each = access_of_window(stored_window(s), a.type);
    if (s.unroll * s.vector_width * static_cast<int>(size_of(a.type)) > max_stored_bytes) return false;
    return each > 1 && begins_at_multiples(k, s, a, each, alignment);
}

/// Whether rows of a plane are whole sectors, or long. A sector in which one channel's row ends and another's begins is
/// written twice, which costs 3 % where rows have 1200 bytes.
bool has_long_rows(const loop_nest& k, const schedule& s, const access& a) {
    constexpr std::int64_t sector = 32, long_row = 100 * sector;
    const std::int64_t row = extent_of(k, s.channels.pixel_axis) * static_cast<std::int64_t>(size_of(a.type));
    return row % sector == 0 || row >= long_row;
}

/// Whether a block's shared memory has room for what it stores by way of it.
bool fits_shared_memory(const loop_nest& k, const schedule& s, const device_properties& m) {
    std::size_t bytes = 0;
    for (const kernel_store& st : k.stores) {
        const dtype type = k.outputs[static_cast<std::size_t>(st.output)];
        if (is_planar(k, s, st.at) || !is_staged(s, type)) continue;
        bytes += static_cast<std::size_t>(s.block_threads * staged_row(s, type)) * size_of(type);
    }
    return bytes <= m.shared_per_block;
}

/// Whether every access is one of planes or of interleaved channels, or the same for neighbouring pixels.
bool has_wide_accesses(const loop_nest& k, schedule& s, const std::vector<int>& alignment) {
    const channel_axes& of = s.channels;
    if (k.outer.size() > 2 && extent_of(k, of.pixel_axis) % s.vector_width != 0) return false;
    s.stencil = interleaved_windows(k, of.pixel_axis, of.channel_axis, s.vector_width, alignment);
    const auto is_wide = [&](const access& a) { return can_move(k, a, of.pixel_axis, s.vector_width, alignment); };
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        const value& load = k.values[static_cast<std::size_t>(v)];
        if (load.what != value_kind::load || stride_of(k, load.at, of.pixel_axis) == 0) continue;
        if (interleaved_read(s, v) == nullptr && !is_wide({load.at, load.input, load.type})) return false;
    }
    const std::vector<access> all = accesses_of(k);
    return std::all_of(all.begin(), all.end(), [&](const access& a) {
        return !is_store(k, a) || (is_wide(a) && has_long_rows(k, s, a)) || stores_interleaved(k, s, a, alignment);
    });
}

/// Whether values depend on the channel by its index alone, as on the part of a join.
bool tells_channels_apart(const loop_nest& k, int channel_axis) {
    return std::any_of(k.values.begin(), k.values.end(),
                       [&](const value& v) { return v.what == value_kind::index && v.varies == 1u << channel_axis; });
}

/// Whether it pays that threads have all channels: some accesses are interleaved and others are not, or channels are
/// parts of a join. If all are interleaved, but for what all channels share, one axis in their order is as good; and
/// single accesses or tiles in shared memory move elements of 4 bytes as fast.
bool pays(const loop_nest& k, const channel_axes& of) {
    const bool joins = tells_channels_apart(k, of.channel_axis);
    bool interleaved = joins, other = false, narrow = joins;
    for (const access& a : accesses_of(k)) {
        const std::int64_t along = stride_of(k, a, of.pixel_axis), across = stride_of(k, a, of.channel_axis);
        if (along == 0 || (across == 0 && !joins)) continue;
        const bool in_order = along == extent_of(k, of.channel_axis) && across == 1;
        interleaved = interleaved || (along != 1 && across == 1);
        other = other || !in_order;
        narrow = narrow || size_of(a.type) < 4;
    }
    return interleaved && other && narrow;
}

/// Whether an access moves along all pixels; others repeat themselves and come from a cache.
bool comes_from_memory(const loop_nest& k, const access& a, const channel_axes& of) {
    return std::all_of(k.outer.begin(), k.outer.end(), [&](int axis) {
        return axis == of.channel_axis || extent_of(k, axis) == 1 || stride_of(k, a, axis) != 0;
    });
}

/// The widest schedule with these axes.
std::optional<schedule> with_axes(const loop_nest& k, const device_properties& m, const channel_axes& axes,
                                  const std::vector<int>& alignment) {
    schedule s;
    s.form = schedule_form::channels;
    s.channels = axes;
    s.unroll = static_cast<int>(extent_of(k, axes.channel_axis));
    std::size_t widest = 1, narrowest = 16;
    for (const access& a : accesses_of(k)) {
        if (!comes_from_memory(k, a, axes)) continue;
        widest = std::max(widest, size_of(a.type));
        narrowest = std::min(narrowest, size_of(a.type));
    }
    const int calls = function_calls(k, group_level);
    const std::int64_t pixels = outer_size(k) / s.unroll;
    for (s.vector_width = widest_vector(widest, narrowest); s.vector_width > 1; s.vector_width /= 2) {
        const int elements = s.vector_width * s.unroll;
        if (elements > max_thread_elements || elements * calls > max_calls) continue;
        if (pixels < std::int64_t{s.vector_width} * s.block_threads * m.multiprocessors) continue;
        if (!has_wide_accesses(k, s, alignment) || !fits_shared_memory(k, s, m)) continue;
        s.wide_index = needs_wide_index(k, std::int64_t{s.block_threads} * elements);
        return s;
    }
    return {};
}

}  // namespace

bool is_planar(const loop_nest& k, const schedule& s, int layout_position) {
    return stride_of(k, layout_position, s.channels.pixel_axis) == 1;
}

bool moves_along_channels(const loop_nest& k, const schedule& s, int layout_position) {
    return stride_of(k, layout_position, s.channels.channel_axis) != 0;
}

bool is_staged(const schedule& s, dtype stored) {
    const stencil_window window = stored_window(s);
    return access_of_window(window, stored) <= window.last;
}

int staged_row(const schedule& s, dtype stored) {
    const int elements = stored_window(s).last + 1, each = access_of_window(stored_window(s), stored);
    return elements / each % 2 == 0 ? elements + each : elements;
}

stencil_window stored_window(const schedule& s) { return {-1, -1, 1, 0, s.unroll * s.vector_width - 1}; }

std::vector<int> pixel_axes(const loop_nest& k, const schedule& s) {
    std::vector<int> axes;
    for (int axis : k.outer)
        if (axis != s.channels.channel_axis && axis != s.channels.pixel_axis) axes.push_back(axis);
    axes.push_back(s.channels.pixel_axis);
    return axes;
}

std::optional<schedule> schedule_channels(const loop_nest& k, const device_properties& m,
                                          const std::vector<int>& alignment) {
    if (k.outer.size() < 2 || outer_size(k) == 0 || !gathers_of(k).empty()) return {};
    for (int channel : k.outer) {
        if (extent_of(k, channel) < 2 || extent_of(k, channel) > max_channels) continue;
        for (int pixel : k.outer) {
            const channel_axes axes{channel, pixel};
            if (pixel == channel || extent_of(k, pixel) <= max_channels || !pays(k, axes)) continue;
            if (const std::optional<schedule> s = with_axes(k, m, axes, alignment)) return s;
        }
    }
    return {};
}

}  // namespace sinter::codegen
