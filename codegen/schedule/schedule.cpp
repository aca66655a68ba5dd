// Choosing the form, and what all forms have in common.
#include <codegen/schedule/schedule.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/column_folds.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/loops.hpp>
#include <codegen/schedule/nested_products.hpp>
#include <codegen/schedule/online.hpp>
#include <codegen/schedule/realigned.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {

/// Elements that gathers read in all, from which on it matters how they lie. What reads fewer waits for its accesses,
/// and rows have more threads: sums of 16384 gathered rows of 64 floats take 0.0114 ms as rows and 0.0135 as columns,
/// of 32768 rows 0.0203 and 0.0152.
constexpr std::int64_t fewest_gathered = 1 << 21;
constexpr int warp = 32;

// Whether an access moves along runs of a loop's last axis that are shorter than a sector, and the runs of neighbouring
// groups follow each other: the channels of a pixel, where the other axes of the loop lie further apart. Threads along
// such a loop would read a run each, a sector for a few bytes; threads across read neighbouring runs.
bool is_short_run(const loop_nest& k, const access& a, const inner_loop& l, int across) {
    constexpr std::int64_t sector = 32;
    const std::int64_t run = extent_of(k, l.axes.back());
    return l.axes.size() > 1 && run * static_cast<std::int64_t>(size_of(a.type)) < sector &&
           is_contiguous(k, a, l.axes.back()) && stride_of(k, a, across) == run;
}

// Neighbouring threads should touch neighbouring elements: the bytes of the loops' accesses vote, but for
// those that neighbouring groups share, which suit either form. Windows that overlap are neighbours both ways; as
// columns a warp reads what its threads share at once, and folds nothing among them.
bool prefers_columns(const loop_nest& k) {
    if (k.outer.empty()) return false;
    std::int64_t rows = 0, columns = 0;
    const int across = k.outer.back();
    std::vector<access> all = accesses_of(k);
    if (outer_size(k) * longest_loop(k) >= fewest_gathered)
        for (const access& a : gathers_of(k)) all.push_back(a);
    for (const access& a : all) {
        if (a.loop < 0) continue;
        const inner_loop& l = k.loops[static_cast<std::size_t>(a.loop)];
        const auto bytes = static_cast<std::int64_t>(size_of(a.type));
        const bool down = !l.axes.empty() && is_contiguous(k, a, l.axes.back());
        const bool neighbours = is_contiguous(k, a, across) || (down && is_short_run(k, a, l, across));
        if (neighbours && (!down || extent_of(k, across) >= warp))
            columns += bytes;
        else if (down)
            rows += varies(k, a, across) ? bytes : 0;
    }
    return columns > rows;
}

// Blocks that fold what the groups come to take groups until none is left: as many blocks as run at once at 64
// registers per thread, each as many groups.
void share_out_groups(const loop_nest& k, const device_properties& m, schedule& s) {
    const std::int64_t blocks = std::int64_t{m.multiprocessors} * std::max(1, 1024 / s.block_threads);
    const std::int64_t tiles = std::max<std::int64_t>(1, divide_up(outer_size(k), groups_per_block(s)));
    s.folding_blocks = static_cast<int>(divide_up(tiles, divide_up(tiles, blocks)));
}

schedule schedule_groups(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment) {
    return prefers_columns(k) ? schedule_columns(k, m, alignment) : schedule_rows(k, m, alignment);
}

std::string plural(int n, const std::string& thing) { return std::to_string(n) + ' ' + thing + (n == 1 ? "" : "s"); }

std::string describe_tensor(const schedule& s, const std::string& blocks) {
    const tensor_tile& t = s.tensor;
    const int units = t.warpgroups ? t.warp_rows / 4 : t.warp_rows;
    return "tensor: tiles of " + std::to_string(t.rows) + " x " + std::to_string(t.columns) + " results, " +
           std::to_string(t.rows / units) + " x " + std::to_string(t.columns / t.warp_columns) + " per " +
           (t.warpgroups ? "group of 4 warps" : "warp") + " on tensor cores, " +
           (is_in_registers(t) ? plural(steps_of_registers(t), "step") + " in registers of each warp"
                               : plural(t.stages, "slice") + " of " + plural(t.depth, "step") + " in shared memory") +
           (s.blocks_per_output > 1 ? ", " + blocks + " blocks per result" : "") +
           (t.persistent_blocks > 0 ? ", copied by threads of their own, one tile after the other" : "") +
           (t.skips ? "; slices that a mask excludes are skipped" : "");
}

std::string describe(const schedule& s, const std::string& blocks, const std::string& teams,
                     const std::string& folding) {
    const std::string width = s.vector_width > 1 ? ", " + plural(s.vector_width, "element") + " per access" : "";
    std::string words;
    if (s.form == schedule_form::elementwise) {
        words = "elementwise: " + plural(s.block_threads, "thread") + " per block" + width;
        if (s.unroll > 1) words += ", " + std::to_string(s.unroll) + " accesses per thread";
    } else if (s.form == schedule_form::stencil) {
        words = "stencil: " + std::to_string(s.stencil.rows) + " rows of " + plural(s.vector_width, "result") +
                " per thread, " + plural(s.block_threads, "thread") + " per block, " +
                plural(static_cast<int>(s.stencil.windows.size()), "window") + " in registers";
    } else if (s.form == schedule_form::channels) {
        words = "channels: " + plural(s.unroll, "channel") + " of " + plural(s.vector_width, "pixel") +
                " per thread, " + plural(s.block_threads, "thread") + " per block";
    } else if (s.form == schedule_form::windows) {
        const windows_shape& w = s.windows;
        words = "windows: " + std::to_string(w.rows) + " x " + std::to_string(w.columns) + " results per thread, " +
                plural(s.block_threads, "thread") + " per block, " +
                plural(static_cast<int>(w.windows.size()), "window") + " in registers" +
                (w.stages() ? ", staged in shared memory" : "") +
                (w.staged_stores ? ", stored by way of shared memory" : "");
    } else if (s.form == schedule_form::tiled) {
        words = "tiled: " + plural(s.block_threads, "thread") + " per tile of " + std::to_string(s.tile.column_length) +
                " rows of " + plural(s.tile.row_length, "element") + width + ", " +
                plural(static_cast<int>(s.tile.transposed.size()), "load") + " transposed in shared memory";
    } else if (s.form == schedule_form::contraction) {
        const contraction_tile& t = s.product;
        const auto area = [](int a, int b) { return std::to_string(a) + " x " + std::to_string(b); };
        words = "contraction: tiles of " + area(t.rows * t.thread_rows, t.columns * t.thread_columns) + " results, " +
                area(t.rows, t.columns) + " per thread, " + plural(t.depth, "step") + " at once in shared memory" +
                (t.thread_steps > 1 ? ", " + plural(t.thread_steps, "set") + " of threads" : "") +
                (t.over_columns ? ", one tile of a row after the other" : "") + width +
                (s.blocks_per_output > 1 ? ", " + blocks + " blocks per tile" : "");
    } else if (s.form == schedule_form::tensor) {
        words = describe_tensor(s, blocks);
    } else {
        const bool rows = s.form == schedule_form::rows;
        const std::string noun = rows ? "row" : "column";
        words = noun + "s: " +
                (s.cluster > 1 ? "a cluster of " + std::to_string(s.cluster) + " blocks per row, " +
                                     plural(s.block_threads, "thread") + " per block"
                               : plural(s.threads_per_output, "thread") + " per " + noun + ", " +
                                     plural(groups_per_block(s), noun) + " per block") +
                width + (s.peeled ? " from the first aligned element on" : "");
        if (s.unroll > 1 && !rows && s.vector_width > 1)
            words += ", " + std::to_string(s.unroll) + " accesses per thread";
        else if (s.unroll > 1)
            words += ", " + plural(std::min(s.unroll, max_accumulators), "accumulator") + " per thread";
        if (s.register_cached) words += ", elements kept in registers";
        const std::string shared = rows ? noun : "tile";
        if (s.blocks_per_output > 1 || s.grid_barrier) words += ", " + blocks + " blocks per " + shared;
        if (s.grid_barrier) words += " synchronised by grid barriers";
        if (s.grid_barrier && !teams.empty())
            words += ", " + teams + ' ' + shared + (teams == "1" ? "" : "s") + " at once";
        if (s.folding_blocks > 0) words += ", folded by " + (s.folding_blocks > 1 ? folding + " blocks" : "1 block");
    }
    if (s.wide_index) words += ", 64-bit indices";
    return words;
}

schedule choose_form(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment) {
    if (k.loops.empty()) {
        if (const std::optional<schedule> channels = schedule_channels(k, m, alignment)) return *channels;
        if (const std::optional<schedule> tiled = schedule_tiled(k, m, alignment)) return *tiled;
        if (const std::optional<schedule> stencil = schedule_stencil(k, m, alignment)) return *stencil;
        return schedule_elementwise(k, m, alignment);
    }
    if (k.block_axis >= 0) return schedule_column_folds(k, m, alignment);
    if (folds_groups(k)) {
        schedule s = schedule_groups(k, m, alignment);
        share_out_groups(k, m, s);
        return s;
    }
    const std::optional<schedule> tensor = schedule_tensor(k, m, alignment);
    if (tensor && k.nest_axis < 0) return *tensor;
    if (const std::optional<schedule> online = schedule_online(k, m, alignment)) return *online;
    const std::optional<schedule> nested = schedule_nested(k, m, alignment);
    if (nested && (!tensor || nested_seconds(k, *nested, m) <= tensor_seconds(k, *tensor, m))) return *nested;
    if (tensor) return *tensor;
    if (!has_scans(k))
        if (const std::optional<schedule> product = schedule_contraction(k, m, alignment)) return *product;
    if (const std::optional<schedule> windows = schedule_windows(k, m, alignment)) return *windows;
    return schedule_groups(k, m, alignment);
}

}  // namespace

schedule choose_schedule(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment) {
    schedule s = choose_form(k, m, alignment);
    s.realigned = realigned_gathers_of(k, s, alignment);
    s.wide_gathers = wide_gathers_of(k, s, alignment);
    return s;
}

std::int64_t grid_size(const loop_nest& k, const schedule& s) {
    const std::int64_t groups = outer_size(k);
    if (s.folding_blocks > 0) return s.folding_blocks;
    if (s.grid_barrier) return groups == 0 ? 0 : static_cast<std::int64_t>(s.block_groups) * s.blocks_per_output;
    if (s.form == schedule_form::tiled) {
        const std::int64_t along = extent_of(k, s.tile.row_axis), across = extent_of(k, s.tile.column_axis);
        if (groups == 0) return 0;
        return groups / (along * across) * divide_up(along, s.tile.row_length) *
               divide_up(across, s.tile.column_length);
    }
    if (s.form == schedule_form::stencil) {
        const std::int64_t along = extent_of(k, s.stencil.row_axis), down = extent_of(k, s.stencil.column_axis);
        if (groups == 0) return 0;
        return groups / (along * down) * divide_up(along, static_cast<std::int64_t>(s.block_threads) * s.vector_width) *
               divide_up(down, s.stencil.rows);
    }
    if (s.form == schedule_form::windows) {
        if (groups == 0) return 0;
        const windows_shape& w = s.windows;
        const std::int64_t across = extent_of(k, w.row_axis),
                           down = w.column_axis < 0 ? 1 : extent_of(k, w.column_axis);
        const std::int64_t beside = s.block_threads / w.threads_across;
        return groups / (across * down) * divide_up(across, std::int64_t{w.threads_across} * w.columns) *
               divide_up(down, w.column_axis < 0 ? 1 : beside * w.rows);
    }
    if (s.form == schedule_form::elementwise || s.form == schedule_form::channels)
        return divide_up(groups, static_cast<std::int64_t>(s.block_threads) * s.vector_width * s.unroll);
    if (s.form == schedule_form::contraction) return tiles_of(k, s.product) * s.blocks_per_output;
    if (s.form == schedule_form::tensor && s.tensor.persistent_blocks > 0)
        return std::min<std::int64_t>(tiles_of(k, s.tensor), s.tensor.persistent_blocks);
    if (s.form == schedule_form::tensor)
        return tiles_of(k, s.tensor) * (s.tensor.divides_steps ? s.blocks_per_output : 1);
    return divide_up(groups, groups_per_block(s)) * s.blocks_per_output * s.cluster;
}

std::string describe(const schedule& s) {
    return describe(s, std::to_string(s.blocks_per_output), std::to_string(s.block_groups),
                    std::to_string(s.folding_blocks));
}
std::string describe_class(const schedule& s) { return describe(s, "several", "", "several"); }

}  // namespace sinter::codegen
