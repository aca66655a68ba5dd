// The end of a nested product: loops over the columns of a row. A tile is as wide as all columns, so these are in the
// registers of neighbouring threads, each of which looks at its own.
#include <codegen/lower/product.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

void product_lowering::loops_over_columns() {
    std::vector<int> wanted, of_row;
    for (const kernel_store& store : c.k.stores) wanted.push_back(store.value);
    for (int v : needed(wanted))
        if (c.at(v).loop == group_level && !is_common(v)) of_row.push_back(v);
    const auto let_stage = [&](int stage) {
        std::vector<int> here;
        for (int v : of_row)
            if (c.at(v).stage == stage) here.push_back(v);
        let_values(here);
    };
    c.b.comment("All columns of a row are in the registers of neighbouring threads.");
    const scalar a = c.b.open_unrolled("a", tile.rows.results);
    // a thread past the last row repeats that row: all lanes of a warp take part in the shuffles
    const scalar place = c.b.let_index("place", c.index_type(), tile.position(tile.rows, a));
    const scalar is_row = place < tile.rows.extent;
    tile.set_index(tile.rows, c.b.let_index("row", c.index_type(), c.b.select(is_row, place, tile.rows.extent - 1)));
    let_stage(0);
    for (int l = 1; l < static_cast<int>(c.k.loops.size()); ++l) {
        loop_over_columns(l, a, is_row);
        let_stage(l + 1);
    }
    const std::vector<int> once = stores_in(group_level);
    if (!once.empty()) {
        c.b.open_branch(tile.columns.thread == 0 && is_row);
        for (int st : once) store_value(st);
        c.b.close();
    }
    c.b.close();
}

std::vector<int> product_lowering::stores_in(int loop) const {
    std::vector<int> found;
    for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
        if (c.store_at(st).loop == loop) found.push_back(st);
    return found;
}

/// One loop: a thread goes over its own columns of the row, then the lanes of the row fold what each of them found.
void product_lowering::loop_over_columns(int l, const scalar& a, const scalar& is_row) {
    const std::vector<int>& reductions = c.k.loops[static_cast<std::size_t>(l)].reductions;
    for (int r : reductions) c.define(r, c.b.variable_of(c.name(r), c.at(r).type, c.identity(r)));
    const scalar b = c.b.open_unrolled("b", tile.columns.results);
    const scalar column = c.b.let_index("column", c.index_type(), tile.position(tile.columns, b));
    tile.set_index(tile.columns, column);
    const scalar is_column = column < tile.columns.extent;
    c.b.open_branch(stores_in(l).empty() ? is_column : is_column && is_row);
    visit_column(l, a, b);
    c.b.close();
    c.b.close();
    if (!reductions.empty()) fold_lanes(reductions);
}

/// What a loop computes at the thread's result (a, b), folds and stores.
void product_lowering::visit_column(int l, const scalar& a, const scalar& b) {
    const std::vector<int>& reductions = c.k.loops[static_cast<std::size_t>(l)].reductions;
    const std::vector<int> stores = stores_in(l);
    std::vector<int> wanted, computed;
    for (int r : reductions) wanted.push_back(c.at(r).in[0]);
    for (int st : stores) wanted.push_back(c.store_at(st).value);
    for (int v : needed(wanted))
        if (c.at(v).loop == l || c.at(v).loop == nest_level) computed.push_back(v);
    const auto is_used = [&](int r) {
        const auto reads = [&](int v) { return std::count(c.at(v).in.begin(), c.at(v).in.end(), r) != 0; };
        return std::count(wanted.begin(), wanted.end(), r) != 0 || std::any_of(computed.begin(), computed.end(), reads);
    };
    for (int r : fold.reductions)
        if (is_used(r)) c.let_value(r, result(r, a, b));
    let_values(computed);
    for (int r : reductions) c.b.assign(c.operand(r), c.combine(r, c.operand(r), c.operand(c.at(r).in[0])));
    for (int st : stores) store_value(st);
}

void product_lowering::fold_lanes(const std::vector<int>& reductions) {
    const scalar offset = c.b.open_halving("offset", tile.columns.threads / 2, 0);
    for (int r : reductions) {
        const scalar others = c.b.exchange(exchange_pattern::butterfly, c.operand(r), offset);
        c.b.assign(c.operand(r), c.combine(r, c.operand(r), others));
    }
    c.b.close();
}

}  // namespace sinter::codegen::lower
