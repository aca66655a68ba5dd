// Extents that schedules with vector accesses are chosen for, what lies around a stencil's results, and grids.
#include <codegen/lower/promises.hpp>

#include <codegen/schedule/forms.hpp>

namespace sinter::codegen::lower {

using device_ir::launch_promises;

namespace {

/// settle_product says which loads and stores move several elements: along the steps, the rows or the columns.
void promise_product_multiples(const kernel& k, const schedule& s, launch_promises& all) {
    const product_tile& t = s.product;
    const auto whole = [&](int axis) { all.multiples[static_cast<std::size_t>(axis)] = s.vector; };
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

/// codegen/schedule chooses accesses of several elements for extents that are multiples of them (vector_width), except
/// along a single run, whose end is taken one by one.
void promise_multiples(const kernel& k, const schedule& s, launch_promises& all) {
    const auto whole = [&](int axis) { all.multiples[static_cast<std::size_t>(axis)] = s.vector; };
    switch (s.form) {
        case schedule_form::elementwise:
            if (k.outer.size() > 1) whole(k.outer.back());
            break;
        case schedule_form::tiled:
            whole(s.tile.row_axis);
            whole(s.tile.column_axis);
            break;
        case schedule_form::stencil: whole(s.stencil.row_axis); break;
        case schedule_form::columns:
            if (!k.outer.empty()) whole(k.outer.back());
            break;
        case schedule_form::rows:
            for (const inner_loop& l : k.loops)
                if (!l.axes.empty() && (l.axes.size() > 1 || !k.outer.empty() || has_scans(k))) whole(l.axes.back());
            break;
        case schedule_form::product: return promise_product_multiples(k, s, all);
    }
}

/// Of a window the rows and columns around the results' own are in the array, too: its loads read there.
void promise_margins(const kernel_class& c, const device_ir::program& p, launch_promises& all) {
    const stencil_shape& shape = c.how.stencil;
    for (const stencil_window& w : shape.windows)
        for (const device_ir::kernel_parameter& k : p.parameters) {
            if (k.what.what != parameter::kind::input || k.what.index != w.input) continue;
            all.margins.push_back({k.of, shape.column_axis, 0, w.rows - 1});
            all.margins.push_back({k.of, shape.row_axis, -w.first, w.last});
        }
}

/// The grid has tiles along two axes for each index of the others. Without others, it is enough what threads compare
/// with the extents.
void promise_tiles(const kernel& k, const launch_promises::tiling& rows, const launch_promises::tiling& columns,
                   launch_promises& all) {
    for (int axis : k.outer)
        if (axis != rows.axis && axis != columns.axis) all.tiles.push_back({axis, 1});
    if (!all.tiles.empty()) all.tiles.insert(all.tiles.end(), {rows, columns});
}

/// Where a block has a tile or a row to itself, nothing but the grid, which is exactly as large (grid_size), says that
/// there is one.
void promise_grid(const kernel& k, const schedule& s, launch_promises& all) {
    if (s.form == schedule_form::rows) {
        if (s.grid_barrier || s.folding_blocks > 0 || groups_per_block(s) > 1 || (s.split > 1 && has_scans(k))) return;
        for (int axis : k.outer) all.tiles.push_back({axis, 1});
        all.cluster = s.cluster;
        all.is_split = s.split > 1;
        return;
    }
    const tile_shape& tile = s.tile;
    const product_tile& t = s.product;
    if (s.form == schedule_form::tiled)
        promise_tiles(k, {tile.row_axis, tile.row_length}, {tile.column_axis, tile.column_length}, all);
    if (s.form == schedule_form::stencil)
        promise_tiles(k, {s.stencil.row_axis, s.block * s.vector}, {s.stencil.column_axis, s.stencil.rows}, all);
    // the columns of a nested kernel, which are no outer axis, fit one tile
    if (s.form == schedule_form::product)
        promise_tiles(k, {t.row_axis, t.rows * t.thread_rows}, {t.column_axis, t.columns * t.thread_columns}, all);
}

/// What stays in registers from loop to loop has one place in all of them; what is nested has one axis for all loops
/// after the first.
void promise_like_axes(const kernel& k, const schedule& s, launch_promises& all) {
    for (std::size_t axis = 0; axis < k.extents.size(); ++axis) all.like.push_back(static_cast<int>(axis));
    for (std::size_t l = 1; l < k.loops.size(); ++l) {
        const std::vector<int>& axes = k.loops[l].axes;
        if (k.nest_axis >= 0 && axes.size() == 1) all.like[static_cast<std::size_t>(axes[0])] = k.nest_axis;
        if (k.nest_axis >= 0 || !s.resident) continue;
        for (std::size_t p = 0; p < axes.size() && axes.size() == k.loops[0].axes.size(); ++p)
            all.like[static_cast<std::size_t>(axes[p])] = k.loops[0].axes[p];
    }
}

}  // namespace

launch_promises promises_of(const kernel_class& c, const device_ir::program& p) {
    const kernel& k = c.body;
    launch_promises all;
    all.multiples.assign(k.extents.size(), 1);
    all.outer = k.outer;
    for (const inner_loop& l : k.loops) all.loops.push_back(l.axes);
    promise_multiples(k, c.how, all);
    promise_margins(c, p, all);
    promise_grid(k, c.how, all);
    promise_like_axes(k, c.how, all);
    return all;
}

}  // namespace sinter::codegen::lower
