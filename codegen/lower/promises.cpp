// Extents that vector accesses divide, the margins of stencils, and grid sizes.
#include <codegen/lower/promises.hpp>

#include <codegen/schedule/access.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/nested_products.hpp>
#include <codegen/schedule/online.hpp>

#include <algorithm>
#include <optional>

namespace sinter::codegen::lower {

using device_ir::launch_promises;

namespace {

/// choose_wide_accesses chooses the loads and stores that move several elements: along the steps, the rows or the
/// columns.
void promise_contraction_multiples(const loop_nest& k, const schedule& s, launch_promises& all) {
    const contraction_tile& t = s.product;
    const auto whole = [&](int axis) { all.multiples[static_cast<std::size_t>(axis)] = s.vector_width; };
    if (t.whole) all.steps_multiple = t.depth;
    if (t.wide_stores) whole(t.column_axis);
    int position = 0;
    for (const value& v : k.values) {
        if (v.what != value_kind::load || (t.wide_loads >> position++ & 1) == 0) continue;
        const auto varies = [&](int axis) { return axis >= 0 && (v.varies >> axis & 1) != 0; };
        const int tiled = varies(t.row_axis) ? t.row_axis : t.column_axis;
        whole(staged_along_steps(k, v, tiled) ? k.loops[0].axes.back() : tiled);
    }
}

/// Likewise by settle_nested. There is an element along the nest axis, which is read in place of those past the end.
void promise_nested_multiples(const loop_nest& k, const nested_products& of, const tensor_tile& t,
                              launch_promises& all) {
    const auto whole = [&](int axis, std::int64_t n) {
        std::int64_t& multiple = all.multiples[static_cast<std::size_t>(axis)];
        multiple = std::max(multiple, n);
    };
    if (t.wide_stores) whole(t.column_axis, 2);
    all.least.assign(k.extents.size(), 0);
    all.least[static_cast<std::size_t>(k.nest_axis)] = 1;
    if (of.repeat_axis >= 0) all.least[static_cast<std::size_t>(of.repeat_axis)] = 1;
    int position = 0;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v)
        if (k.values[static_cast<std::size_t>(v)].what == value_kind::load && (t.wide_loads >> position++ & 1) != 0)
            whole(staged_axis(k, of, v), 8);
}

/// Likewise by settle_tensor.
void promise_tensor_multiples(const loop_nest& k, const schedule& s, launch_promises& all) {
    const tensor_tile& t = s.tensor;
    const bool folds = folds_product(k, t);
    if (const std::optional<nested_products> nested = folds ? std::nullopt : nested_products_of(k))
        return promise_nested_multiples(k, *nested, t, all);
    const auto whole = [&](int axis, std::int64_t n) {
        std::int64_t& multiple = all.multiples[static_cast<std::size_t>(axis)];
        multiple = std::max(multiple, n);
    };
    if (t.wide_stores) whole(t.column_axis, t.exchanges ? 8 : 2);
    if (k.nest_axis < 0 || folds) {  // blocks have a row and, if stores are wide, a whole number of accesses
        all.least.assign(k.extents.size(), 0);
        all.least[static_cast<std::size_t>(t.row_axis)] = 1;
        all.least[static_cast<std::size_t>(t.column_axis)] = t.exchanges ? 8 : t.wide_stores ? 2 : 1;
    }
    const bool online = k.nest_axis >= 0 && !folds;
    const bool y_along_steps = online && is_y_along_steps(k, online_sums_of(k).value(), t);
    if (online) {  // there is an element, which weights read in place of those past the end
        all.least.assign(k.extents.size(), 0);
        all.least[static_cast<std::size_t>(k.nest_axis)] = 1;
    }
    int position = 0;
    for (const value& v : k.values) {
        if (v.what != value_kind::load || (t.wide_loads >> position++ & 1) == 0) continue;
        if (online) {
            whole(neighbours_axis(k, v, t, y_along_steps), neighbours_loaded(v, t));
            if (v.loop == 3 && neighbours_loaded(v, t) == 2) all.least[static_cast<std::size_t>(k.nest_axis)] = 2;
        } else
            whole(neighbours_axis(k, v, t), neighbours_of(v, t));
    }
}

/// The extents of unrolled loops are numbers. The last tile along an axis is whole, or the axis is at least as long.
void promise_window_extents(const loop_nest& k, const schedule& s, launch_promises& all) {
    const windows_shape& w = s.windows;
    const auto at = [](std::vector<std::int64_t>& of, int axis) -> std::int64_t& {
        return of[static_cast<std::size_t>(axis)];
    };
    all.fixed.assign(k.extents.size(), 0);
    all.least.assign(k.extents.size(), 0);
    for (std::size_t l = 0; l < w.along.size(); ++l) at(all.fixed, w.along[l]) = w.taps[l];
    if (w.down >= 0) at(all.fixed, w.down) = w.taps_down;
    if (w.whole_columns)
        at(all.multiples, w.row_axis) = w.columns;
    else if (k.outer.size() > 1)
        at(all.least, w.row_axis) = w.columns;
    if (w.stages()) at(all.least, w.row_axis) = w.block_columns();
    if (w.column_axis < 0) return;
    if (w.whole_rows) at(all.multiples, w.column_axis) = w.rows;
    if (!w.whole_rows) at(all.least, w.column_axis) = w.rows;
    if (w.stages()) at(all.least, w.column_axis) = w.block_rows(s.block_threads);
}

/// codegen/schedule chooses vector accesses for extents that are multiples of vector_width, except along a single row,
/// whose tail is accessed element by element, and along peeled rows.
void promise_multiples(const loop_nest& k, const schedule& s, launch_promises& all) {
    const auto whole = [&](int axis) { all.multiples[static_cast<std::size_t>(axis)] = s.vector_width; };
    switch (s.form) {
        case schedule_form::elementwise:
            if (k.outer.size() > 1) whole(k.outer.back());
            break;
        case schedule_form::tiled:
            whole(s.tile.row_axis);
            all.multiples[static_cast<std::size_t>(s.tile.column_axis)] = s.tile.column_vector;
            break;
        case schedule_form::stencil: whole(s.stencil.row_axis); break;
        case schedule_form::channels:
            if (k.outer.size() > 2) whole(s.channels.pixel_axis);
            all.fixed.assign(k.extents.size(), 0);
            all.fixed[static_cast<std::size_t>(s.channels.channel_axis)] = s.unroll;
            break;
        case schedule_form::windows: return promise_window_extents(k, s, all);
        case schedule_form::columns:
            if (!k.outer.empty()) whole(k.outer.back());
            break;
        case schedule_form::rows:
            for (const inner_loop& l : k.loops)
                if (!s.peeled && !l.axes.empty() && (l.axes.size() > 1 || !k.outer.empty() || has_scans(k)))
                    whole(l.axes.back());
            break;
        case schedule_form::contraction: return promise_contraction_multiples(k, s, all);
        case schedule_form::tensor: return promise_tensor_multiples(k, s, all);
    }
}

/// The array has the rows and columns around the results that a window's loads read.
void promise_margins(const kernel_class& c, const device_ir::program& p, launch_promises& all) {
    const stencil_shape& shape = c.how.stencil;
    for (const stencil_window& w : shape.windows)
        for (const device_ir::kernel_parameter& k : p.parameters) {
            if (k.what.what != parameter::kind::input || k.what.index != w.input) continue;
            all.margins.push_back({k.of, shape.column_axis, 0, w.rows - 1});
            all.margins.push_back({k.of, shape.row_axis, -w.first, w.last});
        }
}

/// A thread's first pixel is followed by its others, in what is read and stored of all their channels.
void promise_pixels(const kernel_class& c, const device_ir::program& p, launch_promises& all) {
    const schedule& s = c.how;
    if (s.form != schedule_form::channels) return;
    const int axis = s.channels.channel_axis;
    for (const device_ir::kernel_parameter& k : p.parameters) {
        if (k.what.what == parameter::kind::output)
            all.margins.push_back({k.of, axis, 0, (s.vector_width - 1) * s.unroll});
        for (const stencil_window& w : s.stencil.windows)
            if (k.what.what == parameter::kind::input && k.what.index == w.input)
                all.margins.push_back({k.of, axis, 0, w.last + 1 - s.unroll});
    }
}

/// Whether a value of a loop is computed from another one.
bool needs_value(const loop_nest& k, int v, int other) {
    if (v < 0 || v < other) return false;
    if (v == other) return true;
    const std::array<int, ir::max_operands>& in = k.values[static_cast<std::size_t>(v)].in;
    return std::any_of(in.begin(), in.end(), [&](int from) { return needs_value(k, from, other); });
}

/// The first group's elements are followed by those of the others in its tile, in what is read and in wide stores.
void promise_tiles_of_groups(const kernel_class& c, const device_ir::program& p, launch_promises& all) {
    const windows_shape& w = c.how.windows;
    for (const group_window& window : w.windows) {
        const int columns = window.staged ? w.block_columns() : w.columns;
        const int rows = window.staged ? w.block_rows(c.how.block_threads) : w.rows;
        for (std::size_t v = 0; v < c.body.values.size(); ++v) {
            const value& load = c.body.values[v];
            if (load.what != value_kind::load || load.loop < 0 ||
                !needs_value(c.body, window.value, static_cast<int>(v)))
                continue;
            const auto loop = static_cast<std::size_t>(load.loop);
            for (const device_ir::kernel_parameter& k : p.parameters) {
                if (k.what.what != parameter::kind::input || k.what.index != load.input) continue;
                if (window.tap_step == 1)
                    all.margins.push_back({k.of, w.along[loop], 0, (columns - 1) * window.group_step});
                else
                    all.margins.push_back({k.of, w.row_axis, 0, (w.taps[loop] - 1) * window.tap_step});
                if (w.down >= 0) all.margins.push_back({k.of, w.down, 0, (rows - 1) * w.row_step});
            }
        }
    }
    for (std::size_t st = 0; st < w.store_vectors.size(); ++st) {  // empty for other forms
        const kernel_store& store = c.body.stores[st];
        if (store.loop < 0 || w.store_vectors[st] == 1) continue;
        const auto loop = static_cast<std::size_t>(store.loop);
        for (const device_ir::kernel_parameter& k : p.parameters)
            if (k.what.what == parameter::kind::output && k.what.index == store.output)
                all.margins.push_back({k.of, w.along[loop], 0, (w.columns - 1) * w.taps[loop]});
    }
}

/// The grid has tiles along two axes for each index of the other outer axes. Without others, the threads' comparisons
/// with the extents suffice.
void promise_tiles(const loop_nest& k, const launch_promises::tiling& rows, const launch_promises::tiling& columns,
                   launch_promises& all) {
    for (int axis : k.outer)
        if (axis != rows.axis && axis != columns.axis) all.tiles.push_back({axis, 1});
    if (!all.tiles.empty()) all.tiles.insert(all.tiles.end(), {rows, columns});
}

/// Where a block has a tile or a row to itself, the exact grid size (grid_size) is the only proof that it exists.
void promise_grid(const loop_nest& k, const schedule& s, launch_promises& all) {
    if (k.block_axis >= 0) all.tiles.push_back({k.block_axis, 1});
    if (s.form == schedule_form::rows) {
        if (s.grid_barrier || s.folding_blocks > 0 || groups_per_block(s) > 1 ||
            (s.blocks_per_output > 1 && has_scans(k)))
            return;
        for (int axis : k.outer) all.tiles.push_back({axis, 1});
        all.cluster = s.cluster;
        all.is_split = s.blocks_per_output > 1;
        return;
    }
    const tile_shape& tile = s.tile;
    const contraction_tile& t = s.product;
    if (s.form == schedule_form::tiled)
        promise_tiles(k, {tile.row_axis, tile.row_length}, {tile.column_axis, tile.column_length}, all);
    if (s.form == schedule_form::stencil)
        promise_tiles(k, {s.stencil.row_axis, s.block_threads * s.vector_width},
                      {s.stencil.column_axis, s.stencil.rows}, all);
    if (s.form == schedule_form::windows) {
        const windows_shape& w = s.windows;
        promise_tiles(k, {w.row_axis, w.threads_across * w.columns},
                      {w.column_axis, s.block_threads / w.threads_across * w.rows}, all);
    }
    // the columns of a nested kernel, which are no outer axis, fit one tile
    if (s.form == schedule_form::contraction) {
        promise_tiles(k, {t.row_axis, t.rows * t.thread_rows}, {t.column_axis, t.columns * t.thread_columns}, all);
        all.is_split = s.blocks_per_output > 1;
    }
    if (s.form != schedule_form::tensor) return;
    promise_tiles(k, {s.tensor.row_axis, s.tensor.rows}, {s.tensor.column_axis, s.tensor.columns}, all);
    if (s.tensor.column_axis < 0 && !all.tiles.empty()) all.tiles.pop_back();
    all.is_split = s.tensor.divides_steps;
}

/// Where a slice has all steps of a contraction, there are some, and columns: the first slice is loaded in any case.
void promise_slices(const loop_nest& k, const schedule& s, launch_promises& all) {
    if (s.form != schedule_form::contraction || !s.product.one_slice) return;
    all.least.assign(k.extents.size(), 0);
    for (const int axis : k.loops[0].axes) all.least[static_cast<std::size_t>(axis)] = 1;
    all.least[static_cast<std::size_t>(k.nest_axis)] = 1;
}

/// Register-cached elements have one index in all loops, where one axis may stand for all axes of another loop; a
/// nested kernel has one axis for all loops after the first.
void promise_like_axes(const loop_nest& k, const schedule& s, launch_promises& all) {
    for (std::size_t axis = 0; axis < k.extents.size(); ++axis) all.like.push_back({static_cast<int>(axis)});
    const auto like = [&](int axis) -> std::vector<int>& { return all.like[static_cast<std::size_t>(axis)]; };
    if (k.nest_axis >= 0) {
        for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
            const std::vector<int>& axes = k.loops[static_cast<std::size_t>(l)].axes;
            if (!is_nested(k, l) && !axes.empty()) like(axes.back()) = {k.nest_axis};
        }
        return;
    }
    if (!s.register_cached) return;
    const auto fewer = [](const inner_loop& a, const inner_loop& b) { return a.axes.size() < b.axes.size(); };
    const std::vector<int>& finest = std::max_element(k.loops.begin(), k.loops.end(), fewer)->axes;
    for (const inner_loop& l : k.loops) {
        if (l.axes.size() == 1) like(l.axes[0]) = finest;
        for (std::size_t p = 0; p < finest.size() && l.axes.size() == finest.size(); ++p) like(l.axes[p]) = {finest[p]};
    }
}

}  // namespace

launch_promises promises_of(const kernel_class& c, const device_ir::program& p) {
    const loop_nest& k = c.body;
    launch_promises all;
    all.multiples.assign(k.extents.size(), 1);
    all.outer = k.outer;
    for (const inner_loop& l : k.loops) all.loops.push_back(l.axes);
    promise_multiples(k, c.how, all);
    promise_margins(c, p, all);
    promise_pixels(c, p, all);
    promise_tiles_of_groups(c, p, all);
    promise_slices(k, c.how, all);
    promise_grid(k, c.how, all);
    promise_like_axes(k, c.how, all);
    return all;
}

}  // namespace sinter::codegen::lower
