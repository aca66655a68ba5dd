// The end of a nested contraction: loops over the columns of a row. These are in the registers of neighbouring threads,
// all at once or one tile at a time; each thread visits its own.
#include <codegen/lower/contraction.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <codegen/lower/quick_quotients.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

void contraction_lowering::loops_over_columns() {
    c.b.comment("All columns of a row are in the registers of neighbouring threads.");
    const scalar a = c.b.open_unrolled("a", tile.rows.results);
    const scalar is_row = locate_row(a);
    let_stage(0);
    for (int l = 1; l < static_cast<int>(c.k.loops.size()); ++l) {
        loop_over_columns(l, a, is_row);
        let_stage(l + 1);
    }
    store_rows(is_row);
    c.b.close();
}

/// A thread carries the partial folds of its rows from tile to tile; at the end the lanes of a row combine theirs.
void contraction_lowering::fold_over_columns() {
    tile.place();
    slices.declare();
    let_values(common);
    keep_own(tile.rows);
    const std::vector<int>& reductions = c.k.loops[1].reductions;
    std::map<int, id> of_rows;
    for (int r : reductions)
        of_rows[r] = c.b.declare({c.name(r) + "_of_row", space::registers, c.at(r).type, {tile.rows.results}});
    const auto each_row = [&](const auto& body) {
        const scalar a = c.b.open_unrolled("a", tile.rows.results);
        body(a);
        c.b.close();
    };
    each_row([&](const scalar& a) {
        for (int r : reductions) c.b.assign(c.b.element(of_rows.at(r), {a}), c.identity(r));
    });
    scalar now;  // the slice in use, where a tile has one
    if (c.s.product.one_slice) now = load_first_slice();
    c.b.comment("The tiles of the block's rows, one after the other.");
    tile.columns.first = c.b.open_loop("tile_column", c.index_type(), c.b.integer(0), tile.columns.extent,
                                       c.b.integer(tile.columns.size()), 1);
    keep_own(tile.columns);
    clear_results();
    if (now)
        fold_slice_of_tile(now);
    else
        loop();
    each_row([&](const scalar& a) {
        const scalar is_row = depends_on_row(1) ? locate_row(a) : c.b.integer(1);
        let_stage(0);
        for (int r : reductions) c.define(r, c.b.element(of_rows.at(r), {a}));
        visit_columns(1, a, is_row);
    });
    if (now) write_next_slice(now);
    c.b.close();
    each_row([&](const scalar& a) {
        const scalar is_row = locate_row(a);
        let_stage(0);
        for (int r : reductions) c.define(r, c.b.variable_of(c.name(r), c.at(r).type, c.b.element(of_rows.at(r), {a})));
        fold_lanes(reductions);
        let_stage(2);
        store_rows(is_row);
    });
}

/// Software pipelining over tiles of one slice: each loads the next one's before it computes, and writes it to shared
/// memory behind that. What the rows read stays there.
scalar contraction_lowering::load_first_slice() {
    tile.columns.first = c.b.integer(0);
    slices.load({});
    for (int buffer : {0, 1}) slices.write(c.b.integer(buffer));
    c.b.barrier(barrier_scope::block);
    return c.b.index_variable("now", dtype::int32, c.b.integer(0), "the slice in use");
}

void contraction_lowering::fold_slice_of_tile(const scalar& now) {
    const scalar here = tile.columns.first;
    tile.columns.first = c.b.let_index("next_column", c.index_type(), here + tile.columns.size());
    c.b.open_branch(tile.columns.first < tile.columns.extent);
    c.b.comment("Load the next tile's slice from memory while this one is in use.");
    slices.load_columns();
    c.b.close();
    tile.columns.first = here;
    fold_step(now, {});
}

void contraction_lowering::write_next_slice(const scalar& now) {
    c.b.comment("It replaces the previous tile's, which no thread has used since the last barrier.");
    slices.write_columns(1 - now);
    c.b.barrier(barrier_scope::block);
    c.b.assign(now, 1 - now);
}

/// Whether a loop, or what is computed once per row before it, reads or stores at the row's index.
bool contraction_lowering::depends_on_row(int loop) const {
    const auto reads_row = [&](const value& v) {
        const bool here = v.loop == loop || v.loop == nest_level || (v.loop == group_level && v.stage == 0);
        const bool indexed = v.what == value_kind::load || v.what == value_kind::index;
        return here && indexed && (v.varies >> c.s.product.row_axis & 1) != 0;
    };
    return !stores_in(loop).empty() || std::any_of(c.k.values.begin(), c.k.values.end(), reads_row);
}

/// Sets the index of a thread's row and returns whether that row exists. A thread past the last row repeats the last,
/// since all lanes of a warp must take part in the shuffles.
scalar contraction_lowering::locate_row(const scalar& a) {
    const scalar place = c.b.let_index("position", c.index_type(), tile.position(tile.rows, a));
    const scalar is_row = place < tile.rows.extent;
    tile.set_index(tile.rows, c.b.let_index("row", c.index_type(), c.b.select(is_row, place, tile.rows.extent - 1)));
    return is_row;
}

void contraction_lowering::let_stage(int stage) {
    std::vector<int> here;
    for (int v : of_row)
        if (c.at(v).stage == stage) here.push_back(v);
    let_values(here);
}

void contraction_lowering::store_rows(const scalar& is_row) {
    const std::vector<int> once = stores_in(group_level);
    if (once.empty()) return;
    c.b.open_branch(tile.columns.thread == 0 && is_row);
    for (int st : once) store_value(st);
    c.b.close();
}

std::vector<int> contraction_lowering::stores_in(int loop) const {
    std::vector<int> found;
    for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
        if (c.store_at(st).loop == loop) found.push_back(st);
    return found;
}

/// One loop: a thread visits its own columns of the row, then the lanes of the row combine their partial results.
void contraction_lowering::loop_over_columns(int l, const scalar& a, const scalar& is_row) {
    const std::vector<int>& reductions = c.k.loops[static_cast<std::size_t>(l)].reductions;
    for (int r : reductions) c.define(r, c.b.variable_of(c.name(r), c.at(r).type, c.identity(r)));
    visit_columns(l, a, is_row);
    if (!reductions.empty()) fold_lanes(reductions);
}

/// The values that a loop computes at each column.
std::vector<int> contraction_lowering::computed_in(int loop) const {
    std::vector<int> wanted, computed;
    for (int r : c.k.loops[static_cast<std::size_t>(loop)].reductions) wanted.push_back(c.at(r).in[0]);
    for (int st : stores_in(loop)) wanted.push_back(c.store_at(st).value);
    for (int v : needed(wanted))
        if (c.at(v).loop == loop || c.at(v).loop == nest_level) computed.push_back(v);
    return computed;
}

/// Runs a loop over a thread's own columns of a row. A branch around functions and divisions would keep those of
/// neighbouring columns apart, so that each waits for the one before.
void contraction_lowering::visit_columns(int l, const scalar& a, const scalar& is_row) {
    const std::vector<int>& reductions = c.k.loops[static_cast<std::size_t>(l)].reductions;
    const std::vector<int> computed = computed_in(l);
    const auto is_long = [&](int v) {
        return c.at(v).op != nullptr && traits_of(*c.at(v).op).functions + traits_of(*c.at(v).op).divisions > 0;
    };
    const auto is_number = [&](int r) { return is_floating(c.at(r).type) || is_integer(c.at(r).type); };
    if (stores_in(l).empty() && std::any_of(computed.begin(), computed.end(), is_long) &&
        std::all_of(reductions.begin(), reductions.end(), is_number)) {
        const auto is_quick = [&](int v) { return is_quick_quotient(c, v); };
        if (std::any_of(computed.begin(), computed.end(), is_quick)) return fold_columns_quickly(l, a);
        return fold_columns(l, a, {});
    }
    const scalar b = c.b.open_unrolled("b", tile.columns.results);
    const scalar column = c.b.let_index("column", c.index_type(), tile.position(tile.columns, b));
    tile.set_index(tile.columns, column);
    const scalar is_column = column < tile.columns.extent;
    c.b.open_branch(stores_in(l).empty() ? is_column : is_column && is_row);
    visit_column(l, a, b);
    c.b.close();
    c.b.close();
}

/// Folds a thread's columns; those past the last one repeat it, and are not folded. `whole`: there are none.
void contraction_lowering::fold_columns(int l, const scalar& a, const scalar& fits, bool whole) {
    const auto is_indexed = [&](int v) {
        return c.at(v).what == value_kind::load || c.at(v).what == value_kind::index;
    };
    const std::vector<int> computed = computed_in(l);
    const bool reads_column = std::any_of(computed.begin(), computed.end(), is_indexed);
    const scalar b = c.b.open_unrolled("b", tile.columns.results);
    scalar is_column;
    if (whole) {
        if (reads_column)
            tile.set_index(tile.columns, c.b.let_index("column", c.index_type(), tile.position(tile.columns, b)));
    } else {
        const scalar place = c.b.let_index("position", c.index_type(), tile.position(tile.columns, b));
        is_column = c.b.let_index("is_column", dtype::bool_, place < tile.columns.extent);
        const scalar inside = c.b.select(is_column, place, tile.columns.extent - 1);
        if (reads_column) tile.set_index(tile.columns, c.b.let_index("column", c.index_type(), inside));
    }
    visit_column(l, a, b, is_column, fits);
    c.b.close();
}

void contraction_lowering::fold_columns_quickly(int l, const scalar& a) {
    const std::vector<int>& reductions = c.k.loops[static_cast<std::size_t>(l)].reductions;
    c.b.comment("Quotients of usual numbers, without branches, overlap; if one is not usual, all are computed again.");
    std::vector<scalar> before;
    for (int r : reductions) before.push_back(c.b.let(c.unique(c.name(r) + "_before"), c.at(r).type, c.operand(r)));
    const scalar fits = c.b.variable_of(c.unique("fits"), dtype::bool_, c.b.literal(dtype::bool_, 1));
    c.b.open_branch(tile.columns.first + tile.columns.size() <= tile.columns.extent);
    fold_columns(l, a, fits, true);
    c.b.otherwise();
    fold_columns(l, a, fits);
    c.b.close();
    c.b.open_branch(c.b.negation(fits));
    for (std::size_t i = 0; i < reductions.size(); ++i) c.b.assign(c.operand(reductions[i]), before[i]);
    fold_columns(l, a, {});
    c.b.close();
}

/// Computes, folds and stores the loop's values at the thread's result (a, b). Folds only `is_column`, if given; with
/// `fits`, quotients are quick.
void contraction_lowering::visit_column(int l, const scalar& a, const scalar& b, const scalar& is_column,
                                        const scalar& fits) {
    const std::vector<int>& reductions = c.k.loops[static_cast<std::size_t>(l)].reductions;
    const std::vector<int> stores = stores_in(l), computed = computed_in(l);
    std::vector<int> wanted;
    for (int r : reductions) wanted.push_back(c.at(r).in[0]);
    for (int st : stores) wanted.push_back(c.store_at(st).value);
    const auto is_used = [&](int r) {
        const auto reads = [&](int v) { return std::count(c.at(v).in.begin(), c.at(v).in.end(), r) != 0; };
        return std::count(wanted.begin(), wanted.end(), r) != 0 || std::any_of(computed.begin(), computed.end(), reads);
    };
    for (int r : fold.reductions)
        if (is_used(r)) c.let_value(r, result(r, a, b));
    for (int v : computed)
        if (fits && is_quick_quotient(c, v))
            let_quick_quotient(c, v, fits);
        else
            let_values({v});
    for (int r : reductions) {
        const scalar folded = c.combine(r, c.operand(r), c.operand(c.at(r).in[0]));
        c.b.assign(c.operand(r), is_column ? c.b.select(is_column, folded, c.operand(r)) : folded);
    }
    for (int st : stores) store_value(st);
}

void contraction_lowering::fold_lanes(const std::vector<int>& reductions) {
    const scalar offset = c.b.open_halving("offset", tile.columns.threads / 2, 0);
    for (int r : reductions) {
        const scalar others = c.b.exchange(exchange_pattern::butterfly, c.operand(r), offset);
        c.b.assign(c.operand(r), c.combine(r, c.operand(r), others));
    }
    c.b.close();
}

}  // namespace sinter::codegen::lower
