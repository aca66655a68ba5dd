// Counting what kernels with windows do.
#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/windows.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

using count = std::int64_t;

count trips_of(const loop_nest& k, int loop) {
    return loop < 0 ? 1 : trip_count(k, k.loops[static_cast<std::size_t>(loop)]);
}

void count_windows_of(const loop_nest& k, const schedule& s, count tiles, schedule_features& made) {
    const windows_shape& w = s.windows;
    const count blocks = tiles / s.block_threads;
    for (const group_window& window : w.windows) {
        const value& self = k.values[static_cast<std::size_t>(window.value)];
        if (self.what != value_kind::load || is_gather(self)) continue;
        count times = tiles;
        for (const int axis : k.loops[static_cast<std::size_t>(self.loop)].axes)
            if (axis != w.along[static_cast<std::size_t>(self.loop)] && axis != w.down) times *= extent_of(k, axis);
        if (window.staged) {
            const int elements = w.staged_rows(window, s.block_threads) * w.staged_elements(window);
            made.add(false, self.input, 1, times / tiles * blocks * elements);
            continue;
        }
        if (window.moves_down) times *= w.window_rows();
        made.add(false, self.input, window.vector, times * (window.elements / window.vector));
        made.add(false, self.input, 1, times * (window.elements % window.vector));
    }
}

}  // namespace

int staged_accesses(const loop_nest& k, const windows_shape& w, int store) {
    const int loop = k.stores[static_cast<std::size_t>(store)].loop,
              vector = w.store_vectors[static_cast<std::size_t>(store)];
    return w.staged_stores && loop >= 0 && vector > 1 ? w.columns * w.taps[static_cast<std::size_t>(loop)] / vector : 0;
}

void count_windows(const loop_nest& k, const schedule& s, schedule_features& made) {
    const windows_shape& w = s.windows;
    if (w.staged_stores) made.block_barriers = made.blocks;
    const count n = outer_size(k), across = extent_of(k, w.row_axis);
    const count down = w.column_axis < 0 ? 1 : extent_of(k, w.column_axis);
    const bool has_rest = k.outer.size() == 1 && !w.stages();
    const count single = has_rest ? n % w.columns : 0;
    const count tiles_across = w.stages() ? divide_up(across, w.block_columns()) * w.threads_across
                               : has_rest ? across / w.columns
                                          : divide_up(across, w.columns);
    const count block_rows = w.block_rows(s.block_threads);
    const count tiles_down = w.stages() && w.column_axis >= 0
                                 ? divide_up(down, block_rows) * (s.block_threads / w.threads_across)
                                 : divide_up(down, w.rows);
    const count tiles = n / (across * down) * tiles_across * tiles_down;
    const count taken = tiles * w.columns * w.rows;  // the last tile of a row or column overlaps the one before it
    count_windows_of(k, s, tiles, made);
    const auto is_filter = [&](int v) { return std::find(w.filters.begin(), w.filters.end(), v) != w.filters.end(); };
    for (std::size_t v = 0; v < k.values.size(); ++v) {
        const value& self = k.values[v];
        const auto is_self = [&](const windowed_value& read) { return read.value == static_cast<int>(v); };
        const bool is_read = std::any_of(w.reads.begin(), w.reads.end(), is_self);
        const count times = trips_of(k, self.loop) * (is_read ? single : single + taken);
        if (self.what == value_kind::load && is_filter(static_cast<int>(v)))
            made.add(false, self.input, 1, tiles / s.block_threads * trips_of(k, self.loop));
        else if (self.what == value_kind::load)
            made.add(false, self.input, 1, times);
        if (self.what == value_kind::elementwise || self.what == value_kind::cast) made.evaluations[v] = times;
    }
    for (std::size_t st = 0; st < k.stores.size(); ++st) {
        const kernel_store& store = k.stores[st];
        const count trips = trips_of(k, store.loop);
        made.add(true, store.output, w.store_vectors[st], (n - single) * trips / w.store_vectors[st]);
        made.add(true, store.output, 1, single * trips);
    }
}

}  // namespace sinter::codegen
