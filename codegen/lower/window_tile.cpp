// Where a thread's tile of groups is.
#include <codegen/lower/window_tile.hpp>

#include <codegen/lower/access.hpp>

#include <fmt/format.h>

#include <utility>

namespace sinter::codegen::lower {

using namespace device_ir;

window_tile::window_tile(lowering& shared) : c(shared), w(shared.s.windows), windows(shared) {
    for (const int axis : c.k.outer)
        if (axis != w.row_axis && axis != w.column_axis) rest_.push_back(axis);
    for (int l = 0; l < static_cast<int>(c.k.loops.size()); ++l) {
        const bool folds = !c.k.loops[static_cast<std::size_t>(l)].reductions.empty();
        functions.push_back(
            make_element_function(c, l, fmt::format("{}_{}", folds ? "tap" : "result", l), windows.values()));
    }
}

void window_tile::place() {
    const int across = w.threads_across, beside = c.s.block_threads / across;
    const int width = across * w.columns, height = beside * w.rows;
    const scalar extent = c.extent(w.row_axis);
    scalar tile = c.block_position(), columns;
    if (w.column_axis >= 0) {
        columns = c.b.let_index("tiles_across", c.division_type(), (extent + (width - 1)) / width);
        tile = c.b.block() / columns;
    }
    const scalar thread = across == c.s.block_threads ? c.b.thread() : c.b.thread() % across;
    const scalar block_column = columns ? c.b.block() % columns * width : scaled(tile, width);
    own_column =
        c.b.let_index("column", c.index_type(), across == 1 ? block_column : block_column + scaled(thread, w.columns));
    end_across = c.b.let_index("columns", c.index_type(), extent);
    if (w.column_axis >= 0) {
        const scalar down = c.extent(w.column_axis);
        scalar tiles;
        if (!rest_.empty()) tiles = c.b.let_index("tiles_down", c.division_type(), (down + (height - 1)) / height);
        scalar own = scaled(tiles ? tile % tiles : tile, height);
        if (beside > 1) own = own + scaled(across == 1 ? c.b.thread() : c.b.thread() / across, w.rows);
        own_row = c.b.let_index("row", c.index_type(), own);
        end_down = c.b.let_index("rows", c.index_type(), down);
        if (tiles) c.decompose(rest_, c.b.let_index("others", c.index_type(), tile / tiles), layouts_of(c.k));
        c.b.leave_if(own_row >= end_down);
    }
    c.b.leave_if(own_column >= end_across);
    column = own_column;
    if (!w.whole_columns && c.k.outer.size() > 1) {
        c.b.comment("The last thread of a row takes whole tiles, too. What its neighbour stores it does not.");
        column = c.b.let_index("first_column", c.index_type(),
                               c.b.select(own_column + w.columns <= end_across, own_column, end_across - w.columns));
    }
    row = own_row;
    if (!w.whole_rows)
        row = c.b.let_index("first_row", c.index_type(),
                            c.b.select(own_row + w.rows <= end_down, own_row, end_down - w.rows));
    place_group({}, {});
}

void window_tile::place_group(const scalar& r, const scalar& e) {
    c.set_index(w.row_axis, e ? column + e : column);
    if (w.column_axis >= 0) c.set_index(w.column_axis, r ? row + r : row);
}

void window_tile::call_at(int l, const scalar& r, const scalar& e, const scalar& tap,
                          std::function<scalar(int)> accumulated, std::function<scalar(int)> result) {
    place_group(r, e);
    const std::vector<int> axes = axes_around(c, l);
    const auto element = [&](int v) {
        if (const scalar there = windows.element(v, e, tap)) return there;
        return element_in(c, c.input(c.at(v).input), c.at(v).at, axes);
    };
    const auto place = [&](int v) { return c.sum_of(c.terms(c.at(v).at, axes)); };
    call(c, functions[static_cast<std::size_t>(l)], {element, place, std::move(accumulated), std::move(result)});
}

}  // namespace sinter::codegen::lower
