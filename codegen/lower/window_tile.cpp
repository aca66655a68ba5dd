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
    block_column = columns ? c.b.block() % columns * width : scaled(tile, width);
    if (w.staged_stores) block_column = c.b.let_index("first", c.index_type(), block_column);
    const bool is_own = !w.stages() && across > 1;
    own_column = c.b.let_index(w.stages() ? "block_column" : "column", c.index_type(),
                               is_own ? block_column + scaled(thread, w.columns) : block_column);
    end_across = c.b.let_index("columns", c.index_type(), extent);
    if (w.column_axis >= 0) {
        const scalar down = c.extent(w.column_axis);
        scalar tiles;
        if (!rest_.empty()) tiles = c.b.let_index("tiles_down", c.division_type(), (down + (height - 1)) / height);
        scalar own = scaled(tiles ? tile % tiles : tile, height);
        if (beside > 1 && !w.stages()) own = own + scaled(across == 1 ? c.b.thread() : c.b.thread() / across, w.rows);
        own_row = c.b.let_index(w.stages() ? "block_row" : "row", c.index_type(), own);
        end_down = c.b.let_index("rows", c.index_type(), down);
        if (tiles) c.decompose(rest_, c.b.let_index("others", c.index_type(), tile / tiles), layouts_of(c.k));
    }
    if (w.stages())
        place_whole(thread);
    else
        place_own();
    place_group({}, {});
}

/// All threads of the block have whole tiles: the last block along an axis begins before its own first group.
void window_tile::place_whole(const scalar& thread) {
    const int lines = c.s.block_threads / w.threads_across;
    const auto first = [&](const char* name, const scalar& own, const scalar& end, int length) {
        return c.b.let_index(name, c.index_type(), c.b.select(own + length <= end, own, end - length));
    };
    c.b.comment("The last blocks take whole tiles, too. What their neighbours store they do not.");
    staging.first_column = first("block_first_column", own_column, end_across, w.block_columns());
    staging.lane = c.b.let_index("lane", dtype::int32, thread);
    staging.line = lines == 1 ? c.b.integer(0) : c.b.let_index("line", dtype::int32, c.b.thread() / w.threads_across);
    column = c.b.let_index("first_column", c.index_type(), staging.first_column + scaled(staging.lane, w.columns));
    if (w.column_axis < 0) return;
    staging.first_row = first("block_first_row", own_row, end_down, w.block_rows(c.s.block_threads));
    row = lines == 1 ? staging.first_row
                     : c.b.let_index("first_row", c.index_type(), staging.first_row + scaled(staging.line, w.rows));
}

/// Threads without groups end; the last one of a row, and those of the last rows, are moved back.
void window_tile::place_own() {
    if (w.column_axis >= 0) c.b.leave_if(own_row >= end_down);
    if (!w.staged_stores) c.b.leave_if(own_column >= end_across);  // else all threads meet at a barrier
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
