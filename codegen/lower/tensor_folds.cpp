// Folds of a product's columns, from registers: by the lanes that have results of a row, then by warps, through shared
// memory, then by the blocks that share the row, in the order of their tiles. A thread finishes a row.
#include <codegen/lower/access.hpp>
#include <codegen/lower/split.hpp>
#include <codegen/lower/tensor.hpp>
#include <codegen/lower/workspace.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

constexpr int lanes_of_row = 4;
constexpr int chains = 2;  ///< folds of a row that do not wait for one another

}  // namespace

void tensor_lowering::fold_columns() {
    parts.clear();
    for (const int r : folds()) {
        parts[r] = registers(c.name(r) + "_of_row", c.at(r).type, {row_fragments(), 2, chains}, 1, false);
        each_row([&](const scalar& i, const scalar& h) {
            unrolled("e", chains, [&](const scalar& e) { c.b.assign(part(r, i, h, e), c.identity(r)); });
        });
    }
    fold_tile();
    const scalar thread = c.b.thread();
    const scalar row = c.b.let_index(
        "own_row", dtype::int32,
        t.rows < c.s.block_threads ? c.b.select(thread < t.rows, thread, c.b.integer(t.rows - 1)) : thread);
    fold_lanes_and_warps(row);
    if (c.s.blocks_per_output > 1) ticket = publish_row(row);
    store_row(row);
}

/// Folds a lane's columns, those of all its rows together: what is the same for a column is computed once, and folds of
/// several rows are under way at once. A row past the end repeats the last one, and is not stored.
void tensor_lowering::fold_tile() {
    std::vector<int> wanted, by_row, by_column, by_result;
    for (const int r : folds()) wanted.push_back(c.at(r).in[0]);
    const std::vector<int> all = group_values_needed(c, wanted);
    for (const int v : all) {
        const bool of_row = c.at(v).loop == group_level, of_column = !rows.varies(c.at(v));
        (of_row ? by_row : of_column ? by_column : by_result).push_back(v);
    }
    const bool reads_rows = reads_along(rows, all);
    const std::map<int, id> kept = keep_rows(by_row, reads_rows);
    std::vector<int> axes = c.k.outer;
    axes.insert(axes.end(), columns.axes.begin(), columns.axes.end());
    const scalar j = c.b.open_unrolled("j", result_fragments());
    const scalar beside = c.b.open_unrolled("beside", 2);
    const scalar e = c.b.open_unrolled("e", chains);
    const scalar column =
        c.b.let_index("column", c.index_type(),
                      columns.first + (warp_column + j * fragment_rows + beside * 8 + lane % lanes_of_row * 2 + e));
    c.b.open_branch(column < columns.extent);
    for (const int axis : columns.axes) c.set_index(axis, column);
    let_group_values(c, by_column, axes);
    each_row([&](const scalar& i, const scalar& h) {
        if (reads_rows) set_row_inside(i, h);
        for (const auto& [v, rows_of_lane] : kept) c.define(v, c.b.element(rows_of_lane, {i, h}));
        c.let_value(of.sum, c.b.element(sums, {i, j, h * 2 + beside * 4 + e}));
        let_group_values(c, by_result, axes);
        for (const int r : folds())
            c.b.assign(part(r, i, h, e), c.combine(r, part(r, i, h, e), c.operand(c.at(r).in[0])));
    });
    for (int open = 0; open < 4; ++open) c.b.close();
}

/// Computes values of rows, once for each of a lane's rows.
std::map<int, id> tensor_lowering::keep_rows(const std::vector<int>& by_row, bool reads_rows) {
    std::map<int, id> kept;
    for (const int v : by_row) kept[v] = registers(c.name(v) + "_at", c.at(v).type, {row_fragments(), 2}, 1, false);
    if (by_row.empty()) return kept;
    each_row([&](const scalar& i, const scalar& h) {
        if (reads_rows) set_row_inside(i, h);
        let_group_values(c, by_row, c.k.outer);
        for (const auto& [v, rows_of_lane] : kept) c.b.assign(c.b.element(rows_of_lane, {i, h}), c.operand(v));
    });
    return kept;
}

void tensor_lowering::set_row_inside(const scalar& i, const scalar& h) {
    const scalar row =
        c.b.let_index("row", c.index_type(), rows.first + (warp_row + i * rows_apart() + h * 8 + lane / lanes_of_row));
    c.set_index(t.row_axis,
                c.b.let_index("row_inside", c.index_type(), c.b.select(row < rows.extent, row, rows.extent - 1)));
}

/// Afterwards a thread has what its row comes to in the block's tile.
void tensor_lowering::fold_lanes_and_warps(const scalar& row) {
    const scalar first = c.b.integer(0);
    each_row([&](const scalar& i, const scalar& h) {
        for (const int r : folds())
            for (int e = 1; e < chains; ++e)
                c.b.assign(part(r, i, h, first), c.combine(r, part(r, i, h, first), part(r, i, h, c.b.integer(e))));
    });
    const scalar offset = c.b.open_halving("offset", lanes_of_row / 2, 0);
    each_row([&](const scalar& i, const scalar& h) {
        for (const int r : folds()) {
            const scalar own = part(r, i, h, first);
            c.b.assign(own, c.combine(r, own, c.b.exchange(exchange_pattern::butterfly, own, offset)));
        }
    });
    c.b.close();
    std::map<int, id> of_warps;
    for (const int r : folds())
        of_warps[r] =
            c.b.declare({c.unique(c.name(r) + "_of_warp"), space::shared, c.at(r).type, {t.warp_columns, t.rows}});
    if (t.persistent_blocks > 0) wait_for_tile_threads();  // they may still read those of the tile before
    c.b.open_branch(lane % lanes_of_row == 0);
    each_row([&](const scalar& i, const scalar& h) {
        const scalar beside = warp_column / (t.columns / t.warp_columns);
        const scalar below = warp_row + i * rows_apart() + h * 8 + lane / lanes_of_row;
        for (const int r : folds()) c.b.assign(c.b.element(of_warps.at(r), {beside, below}), part(r, i, h, first));
    });
    c.b.close();
    wait_for_tile_threads();
    for (const int r : folds())
        c.define(r, c.b.variable_of(c.name(r), c.at(r).type, c.b.element(of_warps.at(r), {c.b.integer(0), row})));
    if (t.warp_columns == 1) return;
    const scalar w = c.b.open_loop("w", dtype::int32, c.b.integer(1), c.b.integer(t.warp_columns), c.b.integer(1), 0);
    for (const int r : folds())
        c.b.assign(c.operand(r), c.combine(r, c.operand(r), c.b.element(of_warps.at(r), {w, row})));
    c.b.close();
}

id tensor_lowering::publish_row(const scalar& row) {
    scalar below = rows.first / rows.size();
    if (place.layer) below = place.layer * place.tiles_below + below;
    split_partials p;
    p.reductions = folds();
    p.noun = "row of tiles";
    p.group = c.b.let_index("row_of_tiles", c.index_type(), below);
    p.slots = t.rows;
    p.ticket_per_block = true;
    if (t.persistent_blocks > 0) {
        p.before = c.b.grid() * maps_of_block_bytes;
        p.room = all_tiles;
        p.threads = computing_threads();
    }
    p.slot = [&] { return (p.group * place.tiles + columns.first / columns.size()) * t.rows + row; };
    if (t.rows < c.s.block_threads) p.writer = c.b.thread() < t.rows;
    p.first = c.b.integer(0);
    p.place = [&](const scalar& other) { return (p.group * place.tiles + other) * t.rows + row; };
    return publish_partials(c, p, place.tiles);
}

void tensor_lowering::store_row(const scalar& row) {
    std::vector<int> stores;
    for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st) stores.push_back(st);
    const scalar index = c.b.let_index("row", c.index_type(), rows.first + row);
    const scalar is_row = index < rows.extent;
    c.b.open_branch(t.rows < c.s.block_threads ? c.b.thread() < t.rows && is_row : is_row);
    c.set_index(t.row_axis, index);
    let_group_values(c, values_stored(c, stores), c.k.outer);
    for (const int st : stores)
        c.b.assign(element_in(c, c.output(c.store_at(st).output), c.store_at(st).at, c.k.outer),
                   c.converted(st, c.operand(c.store_at(st).value)));
    c.b.close();
}

}  // namespace sinter::codegen::lower
