// What a block of the form `windows` has in shared memory: windows that its threads would read several times, and
// results that they would store in pieces of sectors.
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/windows.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {

constexpr int staging_blocks = 4;  ///< of a multiprocessor, with staged windows: each waits once for its own

/// Whether several threads would read every element of a window, by narrow accesses (of misaligned rows, or
/// computed, as those of margins are) or beside as many taps of a filter.
bool is_worth_staging(const windows_shape& w, const group_window& window, bool has_filters) {
    const bool slides = window.group_step == 1 && window.tap_step == 1;
    return slides && (window.vector == 1 || has_filters) && window.elements > 2 * w.columns;
}

/// Loads that all groups read alike: each tap is one access of a thread for all of its columns.
std::vector<int> filters_of(const loop_nest& k, const windows_shape& w) {
    std::vector<int> all;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        const value& load = k.values[static_cast<std::size_t>(v)];
        if (load.what != value_kind::load || load.loop != 0 || is_gather(load)) continue;
        const auto is_shared = [&](int axis) { return stride_of(k, load.at, axis) == 0; };
        const bool is_read =
            std::any_of(w.reads.begin(), w.reads.end(), [&](const windowed_value& read) { return read.value == v; });
        if (!is_read && std::all_of(k.outer.begin(), k.outer.end(), is_shared)) all.push_back(v);
    }
    return all;
}

/// Shared memory that a block needs with so many threads along a row; nothing where the results are fewer than its
/// own along an axis.
std::optional<std::size_t> staged_bytes(const loop_nest& k, const windows_shape& staged, int threads) {
    const auto type_of = [&](int v) { return k.values[static_cast<std::size_t>(v)].type; };
    if (staged.block_columns() > extent_of(k, staged.row_axis)) return {};
    // what goes down in the windows of one row of groups need not be the next row's: channels, say
    const bool shares_nothing = staged.column_axis < 0 || (staged.down >= 0 && staged.rows == 1);
    if (shares_nothing && staged.threads_across < threads) return {};
    if (staged.column_axis >= 0 && staged.block_rows(threads) > extent_of(k, staged.column_axis)) return {};
    std::size_t bytes = 0;
    for (const group_window& window : staged.windows) {
        const int row = staged.staged_elements(window) + window.vector - 1;
        if (window.staged)
            bytes +=
                static_cast<std::size_t>(row * staged.staged_rows(window, threads)) * size_of(type_of(window.value));
    }
    for (const int v : staged.filters)
        bytes += static_cast<std::size_t>(staged.taps[0] * staged.taps_down) * size_of(type_of(v));
    return bytes;
}

}  // namespace

void stage_windows(const loop_nest& k, const device_properties& m, int threads, windows_shape& w) {
    const bool stores_in_loop =
        std::any_of(k.stores.begin(), k.stores.end(), [](const kernel_store& store) { return store.loop >= 0; });
    if (k.loops.size() > 1 || stores_in_loop) return;
    windows_shape staged = w;
    staged.filters = filters_of(k, w);
    for (group_window& window : staged.windows) {
        if (!is_worth_staging(w, window, !staged.filters.empty())) continue;
        window.staged = true;
        const std::size_t size = size_of(k.values[static_cast<std::size_t>(window.value)].type);
        const auto fits_access = [&](int n) { return w.columns % n == 0 && static_cast<std::size_t>(n) * size <= 16; };
        while (fits_access(2 * window.vector)) window.vector *= 2;
    }
    if (!staged.stages()) return;
    const std::size_t most = std::min(m.shared_per_block, m.dynamic_shared_per_block / staging_blocks);
    std::size_t least = most + 1;
    for (staged.threads_across = threads; staged.threads_across > 0; staged.threads_across /= 2) {
        const std::optional<std::size_t> bytes = staged_bytes(k, staged, threads);
        if (!bytes || *bytes >= least) continue;
        least = *bytes;
        w = staged;
    }
}

void stage_stores(const loop_nest& k, const device_properties& m, int threads, windows_shape& w) {
    if (k.outer.size() > 1) return;
    w.staged_stores = true;
    std::size_t bytes = 0;
    int most = 0;
    for (int st = 0; st < static_cast<int>(k.stores.size()); ++st) {
        const int accesses = staged_accesses(k, w, st);
        const dtype type = k.outputs[static_cast<std::size_t>(k.stores[static_cast<std::size_t>(st)].output)];
        bytes += static_cast<std::size_t>((accesses | 1) * w.store_vectors[static_cast<std::size_t>(st)] * threads) *
                 size_of(type);
        most = std::max(most, accesses);
    }
    w.staged_stores = most > 1 && bytes <= m.shared_per_block;
}

}  // namespace sinter::codegen
