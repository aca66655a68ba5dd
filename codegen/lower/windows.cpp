// Windows: a thread loads what a tile of neighbouring groups reads, one row of its windows after the other, and folds
// it into all of the tile's groups. See codegen/schedule/windows.cpp.
#include <codegen/lower/window_tile.hpp>

#include <codegen/lower/access.hpp>
#include <codegen/lower/group_values.hpp>
#include <codegen/lower/stages.hpp>
#include <codegen/lower/strategies.hpp>
#include <codegen/schedule/windows.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

class windows_lowering {
public:
    explicit windows_lowering(lowering& shared) : c(shared), w(shared.s.windows), tile(shared), folds(tile) {
        by_group = c.k.loops.size() > 1;
        for (const kernel_store& store : c.k.stores) by_group = by_group || store.loop >= 0;
    }

    void write() {
        c.b.comment(
            fmt::format("A thread computes {} x {} neighbouring groups. Elements that several of them read are "
                        "loaded once.",
                        w.rows, w.columns));
        tile.place();
        const bool has_rest = c.k.outer.size() == 1 && !w.whole_columns && !w.stages();
        declare_staged();
        if (has_rest || w.staged_stores) c.b.open_branch(tile.own_column + w.columns <= tile.end_across);
        c.b.blank();
        if (by_group)
            group_by_group();
        else
            tap_by_tap();
        if (has_rest) {
            c.b.otherwise();
            remaining_groups();
        }
        if (has_rest || w.staged_stores) c.b.close();
        store_staged();
    }

private:
    void tap_by_tap() {
        let_common_values();
        folds.declare_accumulators();
        std::vector<int> others;
        for (int axis : c.k.loops[0].axes)
            if (axis != w.along[0] && axis != w.down) others.push_back(axis);
        tile.windows.declare_staged();
        if (!others.empty()) open_others(others);
        tile.windows.stage(tile.staging, !others.empty());
        tile.windows.declare(false);
        tile.windows.load(false);
        if (w.down < 0) {
            folds.fold_row({});
        } else {
            const scalar y = c.b.open_loop("y", dtype::int32, c.b.integer(0), c.b.integer(w.window_rows()),
                                           c.b.integer(1), w.unrolled_down ? 0 : 1);
            tile.place_group({}, {});
            c.set_index(w.down, y);
            tile.windows.declare(true);
            tile.windows.load(true);
            folds.fold_row(y);
            c.b.close();
        }
        if (!others.empty()) c.b.close();
        c.b.blank();
        const scalar r = tile.open_rows();
        store_row(r);
        tile.close_rows();
    }

    /// The loop along the axes that are neither along the row nor down.
    void open_others(const std::vector<int>& others) {
        scalar steps = c.extent(others[0]);
        for (std::size_t i = 1; i < others.size(); ++i) steps = steps * c.extent(others[i]);
        const scalar end = c.b.let_index("steps", c.index_type(), steps);
        const scalar k = c.b.open_loop("k", c.index_type(), c.b.integer(0), end, c.b.integer(1), 1);
        c.decompose(others, k, layouts_of(c.k));
    }

    // ---- values of groups ----

    std::vector<int> group_values(const std::vector<int>& wanted) const {
        std::vector<int> all;
        for (int v : group_values_of(wanted))
            if (!c.definition_of(v).as) all.push_back(v);
        return all;
    }

    /// Values at group level that others need, operands first.
    std::vector<int> group_values_of(std::vector<int> wanted) const {
        std::vector<char> needed(c.k.values.size(), 0);
        for (int v : wanted) needed[static_cast<std::size_t>(v)] = 1;
        std::vector<int> all;
        for (int v = static_cast<int>(needed.size()); v-- > 0;) {
            if (needed[static_cast<std::size_t>(v)] == 0 || c.at(v).loop >= 0) continue;
            const value_kind what = c.at(v).what;
            if (what == value_kind::elementwise || what == value_kind::cast || what == value_kind::load)
                all.push_back(v);
            if (what == value_kind::reduce) continue;
            for (int in : c.at(v).in)
                if (in >= 0) needed[static_cast<std::size_t>(in)] = 1;
        }
        std::reverse(all.begin(), all.end());
        return all;
    }

    /// What the only loop takes from outside is the same for all groups of the tile.
    void let_common_values() {
        std::vector<int> wanted = tile.functions[0].outside;
        for (const windowed_value& read : w.reads)
            for (int v : tile.windows.outside_of(read.window)) wanted.push_back(v);
        let_group_values(c, group_values(wanted), c.k.outer);
    }

    // ---- stores ----

    /// Registers of a thread's results along a row, and of those of a loop.
    id declare_results(int st, int elements) {
        const int vector = w.store_vectors[static_cast<std::size_t>(st)];
        array held{c.unique(output_name(c.store_at(st).output) + "_at"),
                   space::registers,
                   c.output_type(st),
                   {elements / vector}};
        held.packed = vector;
        return c.b.declare(held);
    }

    void store_results(int st, id results, int elements) {
        const kernel_store& store = c.store_at(st);
        const int vector = w.store_vectors[static_cast<std::size_t>(st)];
        const scalar a = c.b.open_unrolled("a", elements / vector);
        std::vector<int> axes = c.k.outer;
        int unit = w.row_axis;
        if (store.loop >= 0) {
            axes = axes_around(c, store.loop);
            unit = w.along[static_cast<std::size_t>(store.loop)];
            c.set_index(unit, scaled(a, vector));
        } else {
            c.set_index(unit, tile.column + scaled(a, vector));
        }
        const bool guarded = tile.is_shifted() && !w.stages();
        if (guarded) c.b.open_branch(c.index(w.row_axis) >= tile.own_column);
        c.b.assign(c.b.memory(c.output(store.output), c.terms(store.at, axes), 0, vector), c.b.element(results, {a}));
        if (guarded) c.b.close();
        c.b.close();
        c.set_index(w.row_axis, tile.column);
    }

    /// The results of a row: those of a block that is moved back one by one, since its columns begin anywhere.
    void store_whole_row(const std::map<int, id>& results) {
        const scalar own_place = results.empty() ? scalar() : tile.is_own_place();
        if (own_place) c.b.open_branch(own_place);
        for (const auto& [st, held] : results) store_results(st, held, w.columns);
        if (!own_place) return;
        c.b.otherwise();
        const scalar e = c.b.open_unrolled("e", w.columns);
        c.set_index(w.row_axis, tile.column + e);
        for (const auto& [st, held] : results) store_one(st, c.k.outer, result_element(st, held, e));
        c.b.close();
        c.set_index(w.row_axis, tile.column);
        c.b.close();
    }

    // ---- results by shared memory: neighbouring threads store neighbours ----

    void declare_staged() {
        for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st) {
            const int accesses = staged_accesses(c.k, w, st), vector = w.store_vectors[static_cast<std::size_t>(st)];
            if (accesses == 0) continue;
            array all{c.unique(output_name(c.store_at(st).output) + "_staged"),
                      space::shared,
                      c.output_type(st),
                      {c.s.block_threads, (accesses | 1) * vector}};  // odd: fewer bank conflicts
            all.alignment = vector * static_cast<int>(size_of(all.type));
            staged[st] = c.b.declare(all);
        }
    }

    void stage_results(int st, id results, int accesses) {
        const int vector = w.store_vectors[static_cast<std::size_t>(st)];
        const scalar a = c.b.open_unrolled("a", accesses);
        c.b.assign(c.b.neighbours(staged.at(st), {c.b.thread(), scaled(a, vector)}, vector), c.b.element(results, {a}));
        c.b.close();
    }

    void store_staged() {
        if (staged.empty()) return;
        c.b.barrier(barrier_scope::block);
        for (const auto& [st, all] : staged) {
            const kernel_store& store = c.store_at(st);
            const int accesses = staged_accesses(c.k, w, st), vector = w.store_vectors[static_cast<std::size_t>(st)];
            const scalar a = c.b.open_unrolled("a", accesses);
            const scalar place = c.b.let_index("position", dtype::uint32, c.b.thread() + a * c.s.block_threads);
            const scalar by = c.b.let_index("by", dtype::int32, place / accesses);
            const scalar column = c.b.let_index("stored", c.index_type(), tile.block_column + scaled(by, w.columns));
            c.b.open_branch(column + w.columns <= tile.end_across);
            const scalar first = c.b.let_index("tap", dtype::int32, scaled(place % accesses, vector));
            array held{c.unique(output_name(store.output) + "_of_tile"), space::registers, c.output_type(st), {}};
            held.packed = vector;
            const id one = c.b.declare(held);
            c.b.assign(c.b.element(one, {}), c.b.neighbours(all, {by, first}, vector));
            c.set_index(w.row_axis, column);
            c.set_index(w.along[static_cast<std::size_t>(store.loop)], first);
            c.b.assign(c.b.memory(c.output(store.output), c.terms(store.at, axes_around(c, store.loop)), 0, vector),
                       c.b.element(one, {}));
            c.b.close();
            c.b.close();
        }
    }

    bool is_wide(int st) const { return w.store_vectors[static_cast<std::size_t>(st)] > 1; }

    void store_one(int st, const std::vector<int>& axes, const scalar& value) {
        const bool guarded = tile.is_shifted();
        if (guarded) c.b.open_branch(c.index(w.row_axis) >= tile.own_column);
        c.b.assign(element_in(c, c.output(c.store_at(st).output), c.store_at(st).at, axes), value);
        if (guarded) c.b.close();
    }

    /// Computes and stores the results of a row of the tile.
    void store_row(const scalar& r) {
        tile.place_group(r, {});
        if (tile.is_row_shifted()) c.b.open_branch(c.index(w.column_axis) >= tile.own_row);
        std::map<int, id> results;
        std::vector<int> stores, wanted;
        for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st) {
            stores.push_back(st);
            wanted.push_back(c.store_at(st).value);
            if (is_wide(st)) results[st] = declare_results(st, w.columns);
        }
        const scalar e = c.b.open_unrolled("e", w.columns);
        tile.place_group(r, e);
        for (int v : tile.functions[0].reductions) c.define(v, folds.accumulator(v, r, e));
        let_group_values(c, group_values(wanted), c.k.outer);
        for (int st : stores) put(st, results, e);
        c.b.close();
        tile.place_group(r, {});
        store_whole_row(results);
        if (tile.is_row_shifted()) c.b.close();
    }

    /// A result of group e: stored, or put beside its neighbours, which one access stores.
    void put(int st, const std::map<int, id>& results, const scalar& e) {
        const scalar value = c.converted(st, c.operand(c.store_at(st).value));
        if (is_wide(st))
            c.b.assign(result_element(st, results.at(st), e), value);
        else
            store_one(st, c.k.outer, value);
    }

    scalar result_element(int st, id held, const scalar& position) {
        const int vector = w.store_vectors[static_cast<std::size_t>(st)];
        return c.b.element(held, {position / vector, position % vector});
    }

    // ---- groups with several loops, one after the other: what they read is in registers ----

    void group_by_group() {
        tile.windows.declare(false);
        tile.windows.load(false);
        std::map<int, id> results;
        for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
            if (is_wide(st)) results[st] = declare_results(st, elements_of(st));
        const scalar e = c.b.open_unrolled("e", w.columns);
        tile.place_group({}, e);
        for (int l = 0; l < static_cast<int>(c.k.loops.size()); ++l) {
            let_values_of_stage(l);
            run_loop(l, e, results);
        }
        let_values_of_stage(static_cast<int>(c.k.loops.size()));
        tile.place_group({}, e);
        for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st) {
            if (c.store_at(st).loop >= 0) continue;
            put(st, results, e);
        }
        c.b.close();
        tile.place_group({}, {});
        for (const auto& [st, held] : results) {
            if (staged.count(st) != 0)
                stage_results(st, held, staged_accesses(c.k, w, st));
            else
                store_results(st, held, elements_of(st));
        }
    }

    int elements_of(int st) const {
        const int loop = c.store_at(st).loop;
        return loop < 0 ? w.columns : w.columns * w.taps[static_cast<std::size_t>(loop)];
    }

    void let_values_of_stage(int stage) {
        std::vector<int> wanted;
        for (int v = 0; v < static_cast<int>(c.k.values.size()); ++v) {
            const value& self = c.at(v);
            const bool computed =
                self.what == value_kind::elementwise || self.what == value_kind::cast || self.what == value_kind::load;
            if (self.loop == group_level && self.stage == stage && computed) wanted.push_back(v);
        }
        let_group_values(c, wanted, c.k.outer);
    }

    void run_loop(int l, const scalar& e, const std::map<int, id>& results) {
        const element_function& f = tile.functions[static_cast<std::size_t>(l)];
        for (int r : f.reductions) c.define(r, c.b.variable_of(c.name(r), c.at(r).type, c.identity(r)));
        const int taps = w.taps[static_cast<std::size_t>(l)];
        const scalar tap = c.b.open_unrolled("tap", taps);
        c.set_index(w.along[static_cast<std::size_t>(l)], tap);
        tile.place_group({}, e);
        const auto result = [&](int st) { return result_element(st, results.at(st), scaled(e, taps) + tap); };
        std::map<int, scalar> singles;
        for (int st : f.stores)
            if (!is_wide(st))
                singles[st] =
                    c.b.variable_of(c.unique(output_name(c.store_at(st).output) + "_of_tap"), c.output_type(st));
        tile.call_at(
            l, {}, e, tap, [&](int r) { return c.operand(r); },
            [&](int st) { return is_wide(st) ? result(st) : singles.at(st); });
        for (const auto& [st, value] : singles) store_one(st, axes_around(c, l), value);
        c.b.close();
    }

    // ---- the groups after the last whole tile of a single row ----

    void remaining_groups() {
        c.b.comment("The groups after the last whole tile, one after the other.");
        const scalar i = c.b.open_loop("i", c.index_type(), tile.own_column, tile.end_across, c.b.integer(1), 1);
        c.set_index(w.row_axis, i);
        group_walk walk;
        walk.noun = "group";
        group_lowering group(c, walk);
        group.start_views();
        lower_stages(c, group, {[](const std::vector<int>&) {}, [](int) { return loop_part(); }});
        c.b.close();
    }

    lowering& c;
    const windows_shape& w;
    window_tile tile;
    window_folds folds;
    std::map<int, id> staged;  ///< by store: shared memory
    bool by_group = false;     ///< all loops of a group before the next group
};

}  // namespace

void lower_windows(lowering& c) { windows_lowering(c).write(); }

}  // namespace sinter::codegen::lower
