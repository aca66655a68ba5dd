// Tiles of results.
#include <codegen/lower/contraction_tile.hpp>

#include <codegen/lower/access.hpp>

#include <fmt/format.h>

namespace sinter::codegen::lower {

result_tile::result_tile(lowering& shared) : axes(shared.k.outer), c(shared) {
    const contraction_tile& t = c.s.product;
    rows = {"row", {t.row_axis}, t.rows, t.thread_rows, {}, {}, {}};
    columns = {"column", {t.column_axis}, t.columns, t.thread_columns, {}, {}, {}};
    if (c.k.nest_axis < 0) return;
    // the later loops go over the columns again, along axes of their own
    for (std::size_t l = 1; l < c.k.loops.size(); ++l) columns.axes.push_back(c.k.loops[l].axes[0]);
    axes.insert(axes.end(), columns.axes.begin(), columns.axes.end());
}

void result_tile::place(const scalar& given) {
    c.b.comment(fmt::format(
        "A block computes a tile of {} x {} results, a thread {} x {} of them: each element that it reads is used for "
        "a whole row or column of these. Threads past the last row or column repeat it and store nothing.",
        rows.size(), columns.size(), rows.results, columns.results));
    locate_tile(c, rows, columns, given);
    thread = c.b.thread();
    set = c.b.integer(0);
    if (const int sets = c.s.product.thread_steps; sets > 1) {
        c.b.comment(fmt::format("{} sets of {} threads take turns at the steps.", sets, threads()));
        set = c.b.let_index("set_of_threads", dtype::int32, c.b.thread() / threads());
        thread = c.b.let_index("thread_of_set", dtype::int32, c.b.thread() % threads());
    }
    rows.thread = c.b.let_index("thread_row", dtype::int32, thread / columns.threads);
    columns.thread = c.b.let_index("thread_column", dtype::int32, thread % columns.threads);
}

namespace {

/// Blocks that run at once have neighbouring rows and columns, so that what they read stays in the second-level cache:
/// some tiles of rows go along the columns together.
tile_place locate_together(lowering& c, tile_side& rows, tile_side& columns, const scalar& tiles,
                           const scalar& number) {
    const auto position = [&](std::string name, const scalar& value) {
        return c.b.let_index(std::move(name), c.index_type(), value);
    };
    const int together = c.s.tensor.rows_together;
    const scalar tiles_below = position("tiles_below", (rows.extent + (rows.size() - 1)) / rows.size());
    const std::vector<int> others = outer_axes_beside(c.k, rows.axes[0], columns.axes[0]);
    scalar tile = number, layer;
    if (!others.empty()) {
        const scalar of_layer = position("tiles_of_layer", tiles * tiles_below);
        layer = position("layer", tile / of_layer);
        c.decompose(others, layer, layouts_of(c.k));
        tile = tile % of_layer;
    }
    tile = position("tile", tile);
    const scalar group = tiles * together;
    const scalar above = position("tiles_above", tile / group * together);
    const scalar left = position("tiles_left", tiles_below - above);
    const scalar is_last = 0 < left && left < together;
    const scalar beside = position("tiles_together", c.b.select(is_last, left, c.b.integer(together)));
    const scalar within = position("within", tile % group);
    rows.first = position("tile_row", (above + within % beside) * rows.size());
    columns.first = position("tile_column", within / beside * columns.size());
    return {tiles, tiles_below, layer};
}

}  // namespace

tile_place locate_tile(lowering& c, tile_side& rows, tile_side& columns, const scalar& given) {
    const auto position = [&](std::string name, const scalar& value, std::string note = "") {
        return c.b.let_index(std::move(name), c.index_type(), value, std::move(note));
    };
    rows.extent = position("rows", c.extent(rows.axes[0]));
    columns.extent = position("columns", c.extent(columns.axes[0]));
    const auto count = [](const tile_side& side) { return (side.extent + (side.size() - 1)) / side.size(); };
    const bool one_column = c.s.product.over_columns;  // the loop over tiles sets the first column
    const scalar number = given ? given : c.block_position();
    scalar tiles, tiles_below, below = number, layer;
    if (!one_column) tiles = position("tiles", count(columns), "side by side");
    if (c.s.tensor.rows_together > 1) return locate_together(c, rows, columns, tiles, number);
    if (!one_column) below = below / tiles;
    const std::vector<int> others = outer_axes_beside(c.k, rows.axes[0], columns.axes[0]);
    if (c.s.tensor.last_rows_first) {
        // over all layers: a long tile that starts late would be waited for
        tiles_below = position("tiles_below", count(rows));
        scalar layers = c.b.integer(1);
        for (int axis : others) layers = layers * c.extent(axis);
        if (!others.empty()) {
            layers = position("layers", layers);
            layer = below % layers;
            below = below / layers;
        }
        const scalar from_last = position("from_last", tiles_below - 1 - below);
        below = c.b.select(from_last < 0, c.b.integer(0), from_last);
    } else if (!others.empty()) {
        tiles_below = position("tiles_below", count(rows));
        layer = below / tiles_below;
        below = below % tiles_below;
    }
    rows.first = position("tile_row", below * rows.size());
    if (!others.empty()) layer = position("layer", layer);
    if (!one_column) columns.first = position("tile_column", number % tiles * columns.size());
    if (!others.empty()) c.decompose(others, layer, layouts_of(c.k));
    return {tiles, tiles_below, layer};
}

scalar result_tile::position(const tile_side& side, const scalar& which) {
    const int vector = c.s.vector_width;
    if (vector == 1) return side.first + side.thread + which * side.threads;
    if (side.results == vector) return side.first + side.thread * vector + which;
    return side.first + (side.thread + which / vector * side.threads) * vector + which % vector;
}

void result_tile::set_index(const tile_side& side, const scalar& index) {
    for (int axis : side.axes) c.set_index(axis, index);
}

void result_tile::set_clamped(const tile_side& side, const scalar& index, int back) {
    const scalar inside = c.b.index_variable(side.name, c.index_type(), index);
    c.b.open_branch(inside >= side.extent);
    c.b.assign(inside, side.extent - back);
    c.b.close();
    set_index(side, inside);
}

}  // namespace sinter::codegen::lower
