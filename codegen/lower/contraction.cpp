// Contractions: a block computes a tile of results along two outer axes, and each thread a small tile within it, as
// schedule/contraction.cpp chooses. This file has the loop over slices; contraction_tile.cpp assigns results to
// threads, contraction_slices.cpp stages operands, contraction_results.cpp and contraction_columns.cpp do what follows
// the loop.
#include <codegen/lower/contraction.hpp>

#include <codegen/lower/strategies.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

contraction_lowering::contraction_lowering(lowering& lowered)
    : c(lowered), fold(make_element_function(c, 0, "fold_0")), tile(c), slices(c, tile) {
    for (int v : needed(fold.outside))
        (tile.rows.varies(c.at(v)) || tile.columns.varies(c.at(v)) ? own : common).push_back(v);
    if (c.k.nest_axis < 0) return;
    std::vector<int> wanted;
    for (const kernel_store& store : c.k.stores) wanted.push_back(store.value);
    for (int v : needed(wanted))
        if (c.at(v).loop == group_level && !is_common(v)) of_row.push_back(v);
}

bool contraction_lowering::is_common(int v) const { return std::find(common.begin(), common.end(), v) != common.end(); }

void contraction_lowering::declare() {
    if (is_shared()) {
        shared = divide_steps(c, c.s.product.depth);
        tile.place(c.s.wide_index ? c.b.index_cast(dtype::int64, shared.number) : shared.number);
    } else {
        tile.place();
    }
    slices.declare();
    let_values(common);
    for (const tile_side* side : {&tile.rows, &tile.columns}) keep_own(*side);
    clear_results();
}

/// The values specific to a row (column) that the loop uses.
std::vector<int> contraction_lowering::taken_of(const tile_side& side) const {
    std::vector<int> taken;
    for (int v : fold.outside)
        if (side.varies(c.at(v)) && std::find(own.begin(), own.end(), v) != own.end()) taken.push_back(v);
    return taken;
}

/// Computes them once for each of a thread's rows (columns), before the loop.
void contraction_lowering::keep_own(const tile_side& side) {
    const std::vector<int> taken = taken_of(side);
    if (taken.empty()) return;
    for (int v : taken) {
        const array a{c.unique(c.name(v) + "_at"), space::registers, c.at(v).type, {side.results}};
        kept[v] = c.b.declare(a);
    }
    const scalar counter = c.b.open_unrolled(&side == &tile.rows ? "a" : "b", side.results);
    tile.set_clamped(side, tile.position(side, counter), 1);
    std::vector<int> computed;
    for (int v : own)
        if (side.varies(c.at(v))) computed.push_back(v);
    let_values(computed);
    for (int v : taken) c.b.assign(c.b.element(kept.at(v), {counter}), c.operand(v));
    c.b.close();
}

void contraction_lowering::let_own(const tile_side& side, const scalar& counter) {
    for (int v : taken_of(side)) c.let_value(v, c.b.element(kept.at(v), {counter}));
}

/// The thread's results, or the first ones of runs of neighbours along the columns.
template <class Body>
void contraction_lowering::each_result(int run, const Body& body) {
    const scalar a = c.b.open_unrolled("a", tile.rows.results);
    body(a, c.b.open_unrolled("b", tile.columns.results, run));
    c.b.close();
    c.b.close();
}

void contraction_lowering::clear_results() {
    for (int r : fold.reductions) {
        const array a{c.name(r) + "_at", space::registers, c.at(r).type, {tile.rows.results, tile.columns.results}};
        results[r] = c.b.declare(a);
    }
    each_result(1, [&](const scalar& a, const scalar& b) {
        for (int r : fold.reductions) c.b.assign(result(r, a, b), c.identity(r));
    });
}

scalar contraction_lowering::result(int reduction, const scalar& a, const scalar& b) {
    return c.b.element(results.at(reduction), {a, b});
}

/// Software pipelining: an iteration computes one slice and loads the next; the first one, at -depth, only loads. Steps
/// count from the first one of the block's share.
void contraction_lowering::loop() {
    const int depth = c.s.product.depth;
    const loop_part& share = shared.share.range;
    const auto step_of_all = [&](const scalar& step) { return is_shared() ? share.begin + step : step; };
    const scalar steps = is_shared() ? c.b.let_index("steps", c.index_type(), share.end - share.begin) : c.trips(0);
    const scalar now = c.b.index_variable("now", dtype::int32, c.b.integer(1), "the slice in use");
    const scalar first = c.b.open_loop("k", c.index_type(), c.b.integer(-depth), steps, c.b.integer(depth), 1);
    const scalar ahead = first + depth < steps;
    // of a share, the second condition follows from the first; it proves that there are as many steps as an access has
    const scalar more =
        c.b.let_index("more", dtype::bool_, is_shared() ? ahead && step_of_all(first + depth) < c.trips(0) : ahead);
    c.b.open_branch(more);
    c.b.comment("Load the next slice from memory while this one is in use.");
    slices.load(step_of_all(first + depth));
    c.b.close();
    c.b.open_branch(first >= 0);
    fold_step(now, step_of_all(first));
    c.b.close();
    c.b.open_branch(more);
    c.b.comment("It replaces the previous slice, which no thread has used since the last barrier.");
    slices.write(1 - now);
    c.b.close();
    c.b.barrier(barrier_scope::block);
    c.b.assign(now, 1 - now);
    c.b.close();
}

/// In each step a thread reads the elements of its rows and columns into registers and folds each pair into its result:
/// rows + columns elements serve rows * columns folds.
void contraction_lowering::fold_step(const scalar& buffer, const scalar& first) {
    const int depth = c.s.product.depth, sets = c.s.product.thread_steps;
    const scalar step = c.b.open_loop("s", dtype::int32, tile.set, c.b.integer(depth), c.b.integer(sets),
                                      c.s.unroll * sets == depth ? 0 : c.s.unroll);
    if (!c.s.product.whole) c.b.limit_loop((first ? first + step : step) < c.trips(0));
    slices.read(buffer, step);
    const scalar a = c.b.open_unrolled("a", tile.rows.results);
    let_own(tile.rows, a);
    const scalar b = c.b.open_unrolled("b", tile.columns.results);
    let_own(tile.columns, b);
    const auto element = [&](int v) { return slices.element(v, buffer, step, a, b); };
    const auto accumulator = [&](int r) { return result(r, a, b); };
    call(c, fold, {element, {}, accumulator});
    c.b.close();
    c.b.close();
    c.b.close();
}

/// Each set leaves its results in shared memory; every thread folds those of the sets, in their order, for some results
/// of the tile, and the first set takes these.
void contraction_lowering::fold_sets() {
    if (!has_sets()) return;
    c.b.comment("Fold what the sets of threads have, by way of shared memory.");
    for (int r : fold.reductions) fold_set(r);
}

void contraction_lowering::fold_set(int reduction) {
    const int sets = c.s.product.thread_steps, all = tile.rows.size() * tile.columns.size();
    const array a{c.unique(c.name(reduction) + "_of_set"), space::shared, c.at(reduction).type, {sets, all}};
    const id of_set = c.b.declare(a);
    const auto each = [&](const auto& body) {
        each_result(1, [&](const scalar& i, const scalar& j) {
            body(result(reduction, i, j), (i * tile.columns.results + j) * tile.threads() + tile.thread);
        });
    };
    each([&](const scalar& one, const scalar& n) { c.b.assign(c.b.element(of_set, {tile.set, n}), one); });
    c.b.barrier(barrier_scope::block);
    const scalar n =
        c.b.open_loop("n", dtype::int32, c.b.thread(), c.b.integer(all), c.b.integer(c.s.block_threads), 1);
    const scalar sum = c.b.variable_of("folded", c.at(reduction).type, c.identity(reduction));
    const scalar set = c.b.open_loop("set", dtype::int32, c.b.integer(0), c.b.integer(sets), c.b.integer(1), 8);
    c.b.assign(sum, c.combine(reduction, sum, c.b.element(of_set, {set, n})));
    c.b.close();
    c.b.assign(c.b.element(of_set, {c.b.integer(0), n}), sum);
    c.b.close();
    c.b.barrier(barrier_scope::block);
    c.b.open_branch(is_first_set());
    each([&](const scalar& one, const scalar& m) { c.b.assign(one, c.b.element(of_set, {c.b.integer(0), m})); });
    c.b.close();
}

std::vector<thread_results> contraction_lowering::results_of_thread() {
    std::vector<thread_results> all;
    for (int r : fold.reductions) {
        const int run = run_of_results(c.at(r).type, tile.columns.results);
        const auto each = [this, r, run](const thread_results::body& body) {
            each_result(run, [&](const scalar& a, const scalar& b) {
                body([&](const scalar& e) { return result(r, a, b + e); }, a * tile.columns.results + b);
            });
        };
        all.push_back({r, tile.rows.results * tile.columns.results, run, each});
    }
    return all;
}

void contraction_lowering::fold_shares() {
    if (!is_shared()) return;
    shared.thread = tile.thread;
    shared.threads = tile.threads();
    if (has_sets()) shared.has_results = is_first_set();
    lower::fold_shares(c, shared, results_of_thread());
}

void lower_contraction(lowering& c) {
    contraction_lowering product(c);
    if (c.s.product.over_columns) return product.fold_over_columns();
    product.declare();
    product.loop();
    if (c.k.nest_axis >= 0) return product.loops_over_columns();
    product.fold_sets();
    product.fold_shares();
    product.store();
}

}  // namespace sinter::codegen::lower
