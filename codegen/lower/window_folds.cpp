// Folds of windows in registers, tap by tap.
#include <codegen/lower/window_tile.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

scalar window_folds::accumulator(int r, const scalar& row_of_tile, const scalar& e) {
    if (!row_of_tile) return c.b.element(accumulators.at(r), {e});
    return c.b.element(accumulators.at(r), {row_of_tile, e});
}

void window_folds::declare_accumulators() {
    for (int r : reductions()) {
        array held{c.name(r), space::registers, c.at(r).type, {w.columns}};
        if (w.rows > 1) held.extents = {w.rows, w.columns};
        accumulators[r] = c.b.declare(held);
    }
    const scalar r = tile.open_rows(), e = c.b.open_unrolled("e", w.columns);
    for (int v : reductions()) c.b.assign(accumulator(v, r, e), c.identity(v));
    c.b.close();
    tile.close_rows();
}

/// Whether all groups fold the same function of the elements of one sliding window.
bool window_folds::folds_alike() const {
    const element_function& f = tile.functions[0];
    const auto slides = [&](int v) { return tile.windows.slides(v); };
    const auto commutes = [&](int r) { return c.at(r).op->commutes; };
    return f.places.empty() && std::all_of(f.loads.begin(), f.loads.end(), slides) &&
           std::all_of(f.reductions.begin(), f.reductions.end(), commutes) && (w.rows > 1 || w.taps[0] >= w.columns);
}

/// Folds the taps of one row for each column. What all windows have in common is folded first; to the left and to
/// the right of it each window has one element less and one more than its neighbour.
window_folds::arrays window_folds::fold_columns() {
    const int n = w.columns, taps = w.taps[0];
    arrays partial;
    for (int r : reductions())
        partial[r] = c.b.declare(array{c.unique(c.name(r) + "_of_row"), space::registers, c.at(r).type, {n}});
    const auto of = [&](int r, const scalar& e) { return c.b.element(partial.at(r), {e}); };
    const auto variables = [&](const char* suffix) {
        std::map<int, scalar> all;
        for (int r : reductions()) all[r] = c.b.variable_of(c.unique(c.name(r) + suffix), c.at(r).type, c.identity(r));
        return all;
    };
    const std::map<int, scalar> common = variables("_common");
    const auto from = [&](const char* name, int first, int end) {
        return c.b.open_loop(name, dtype::int32, c.b.integer(first), c.b.integer(end), c.b.integer(1), 0);
    };
    const scalar i = from("i", n - 1, taps);
    tile.call_at(0, {}, i, {}, [&](int r) { return common.at(r); }, {});
    c.b.close();
    for (int r : reductions()) c.b.assign(of(r, c.b.integer(n - 1)), common.at(r));
    const scalar left = from("left", 1, n), e = n - 1 - left;
    for (int r : reductions()) c.b.assign(of(r, e), of(r, n - left));
    tile.call_at(0, {}, e, {}, [&](int r) { return of(r, e); }, {});
    c.b.close();
    const std::map<int, scalar> beyond = variables("_beyond");
    const scalar right = from("right", 1, n);
    tile.call_at(0, {}, right + (taps - 1), {}, [&](int r) { return beyond.at(r); }, {});
    for (int r : reductions()) c.b.assign(of(r, right), c.combine(r, of(r, right), beyond.at(r)));
    c.b.close();
    return partial;
}

/// The same for windows of which no element is common to all.
window_folds::arrays window_folds::fold_few_taps() {
    arrays partial;
    for (int r : reductions())
        partial[r] = c.b.declare(array{c.unique(c.name(r) + "_of_row"), space::registers, c.at(r).type, {w.columns}});
    const scalar e = c.b.open_unrolled("e", w.columns);
    const auto of = [&](int r) { return c.b.element(partial.at(r), {e}); };
    for (int r : reductions()) c.b.assign(of(r), c.identity(r));
    const scalar tap = c.b.open_unrolled("tap", w.taps[0]);
    tile.call_at(0, {}, e, tap, of, {});
    c.b.close();
    c.b.close();
    return partial;
}

/// Folds row y of the windows into the groups of each row that it is a part of.
void window_folds::fold_row(const scalar& y) {
    arrays partial;
    const bool alike = folds_alike();
    if (alike) partial = w.taps[0] >= w.columns ? fold_columns() : fold_few_taps();
    const scalar r = tile.open_rows();
    if (r) {
        const scalar above = scaled(r, w.row_step);
        const scalar tap = c.b.let_index("tap_down", dtype::int32, y - above);
        c.b.open_branch(tap >= 0 && tap < w.taps_down);
        c.set_index(w.down, tap);
    }
    if (alike) {
        const scalar e = c.b.open_unrolled("e", w.columns);
        for (const auto& [v, held] : partial)
            c.b.assign(accumulator(v, r, e), c.combine(v, accumulator(v, r, e), c.b.element(held, {e})));
        c.b.close();
    } else {
        const scalar tap = c.b.open_unrolled("tap", w.taps[0]), e = c.b.open_unrolled("e", w.columns);
        c.set_index(w.along[0], tap);
        tile.call_at(0, r, e, tap, [&](int v) { return accumulator(v, r, e); }, {});
        c.b.close();
        c.b.close();
    }
    if (r) c.b.close();
    tile.close_rows();
}

}  // namespace sinter::codegen::lower
