// Counting for each form what its lowering in codegen/lower writes, without writing it.
#include <codegen/schedule/features.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/channels.hpp>
#include <codegen/schedule/column_folds.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/interleaved.hpp>
#include <codegen/schedule/kept_values.hpp>
#include <codegen/schedule/loops.hpp>
#include <codegen/schedule/peeled_rows.hpp>
#include <codegen/schedule/tensor.hpp>
#include <codegen/schedule/traversal.hpp>
#include <codegen/schedule/windows.hpp>

#include <algorithm>
#include <bit>

namespace sinter::codegen {
namespace {

using count = std::int64_t;

class counter {
public:
    counter(const loop_nest& counted, const schedule& with)
        : k(counted), s(with), kept(kept_values_of(counted, with)), uses(uses_of_values(counted, with)) {
        made.blocks = grid_size(k, s);
        made.evaluations.assign(k.values.size(), 0);
    }

    schedule_features count_all() {
        if (made.blocks == 0) return std::move(made);
        switch (s.form) {
            case schedule_form::elementwise: count_elementwise(); break;
            case schedule_form::tiled: count_tiled(); break;
            case schedule_form::stencil: count_stencil(); break;
            case schedule_form::channels: count_channels(); break;
            case schedule_form::windows: count_windows(k, s, made); break;
            case schedule_form::rows: count_rows(); break;
            case schedule_form::columns: count_columns(); break;
            case schedule_form::contraction: count_contraction(k, s, made); break;
            case schedule_form::tensor: count_tensor(k, s, made); break;
        }
        return std::move(made);
    }

private:
    void add(bool is_store, int array, int elements, count n) { made.add(is_store, array, elements, n); }
    void add_load(const value& v, int elements, count n) { add(false, v.input, elements, n); }

    /// A load that a traversal makes: by as many accesses as the traversal, or one for each element that it gathers.
    void add_element_load(const value& v, const traversal& t, const std::vector<int>& axes) {
        const auto at = static_cast<int>(&v - k.values.data());
        if (is_gather(v) && !is_wide_gather(k, s, at)) return add_load(v, 1, t.elements());
        const wide_access each = wide_access_of(k, s, at, axes);
        add_load(v, each.elements, each.times * t.wide);
        add_load(v, 1, t.single);
    }
    void add_store(const kernel_store& st, const traversal& t) {
        add(true, st.output, t.vector, t.wide);
        add(true, st.output, 1, t.single);
    }

    count evaluated(std::size_t v, const traversal& t) const {
        return (uses[v].elements ? t.elements() : 0) + uses[v].displacements * (t.wide + t.single);
    }

    // ---- forms without loops ----

    void count_stores_and_values(const traversal& t) {
        for (const kernel_store& st : k.stores) add_store(st, t);
        for (std::size_t v = 0; v < k.values.size(); ++v)
            if (is_computed(k.values[v])) made.evaluations[v] = evaluated(v, t);
    }

    /// Loads that repeat themselves along all axes: each thread has them once.
    void count_repeating(const value& v) { add_load(v, 1, made.blocks * s.block_threads); }

    template <class F>
    void each_load(F f) {
        for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
            const value& self = k.values[static_cast<std::size_t>(v)];
            if (self.what == value_kind::load) f(v, self);
        }
    }

    void count_elementwise() {
        const count n = outer_size(k), of_block = count{s.block_threads} * s.vector_width * s.unroll;
        traversal t{0, n, s.vector_width};
        if (s.vector_width > 1 || s.unroll > 1) {
            t.wide = n / of_block * s.block_threads * s.unroll;
            t.single = n % of_block;
        }
        if (s.vector_width == 1) t = {0, n, 1};
        each_load([&](int, const value& v) {
            if (!is_gather(v) && !moves_along_any(k, v, k.outer))
                count_repeating(v);
            else
                add_element_load(v, t, k.outer);
        });
        count_stores_and_values(t);
    }

    void count_tiled() {
        const count n = outer_size(k);
        const traversal t{s.vector_width > 1 ? n / s.vector_width : 0, s.vector_width > 1 ? 0 : n, s.vector_width};
        const int down = s.tile.column_vector;
        each_load([&](int v, const value& self) {
            const bool transposed = std::count(s.tile.transposed.begin(), s.tile.transposed.end(), v) != 0;
            if (!is_gather(self) && !moves_along_any(k, self, k.outer))
                count_repeating(self);
            else if (transposed)
                add_load(self, down, n / down);
            else
                add_element_load(self, t, {s.tile.row_axis});
        });
        made.block_barriers = made.blocks;
        count_stores_and_values(t);
    }

    void count_stencil() {
        const stencil_shape& shape = s.stencil;
        const count n = outer_size(k), along = extent_of(k, shape.row_axis), down = extent_of(k, shape.column_axis);
        const count bands = divide_up(down, shape.rows), rest = n / (along * down);
        for (const stencil_window& w : shape.windows) {
            const count rows = down + bands * (w.rows - 1);  // each band has those between two bands again
            const count accesses = (w.last - w.first) / s.vector_width + 1;
            add(false, w.input, s.vector_width, rest * (along / s.vector_width) * rows * accesses);
        }
        count_stores_and_values(
            {s.vector_width > 1 ? n / s.vector_width : 0, s.vector_width > 1 ? 0 : n, s.vector_width});
    }

    /// The last block computes its pixels one by one, and loads each channel's elements for itself.
    void count_channels() {
        const count pixels = outer_size(k) / s.unroll, of_block = count{s.block_threads} * s.vector_width;
        const count threads = pixels / of_block * s.block_threads, tail = pixels % of_block * s.unroll;
        const traversal planes{threads * s.unroll, tail, s.vector_width};
        each_load([&](int v, const value& self) {
            if (!moves_along_any(k, self, k.outer)) return count_repeating(self);
            add_load(self, 1, tail);
            const wide_access each = wide_access_of(k, s, v, {s.channels.pixel_axis});
            const bool once = interleaved_read(s, v) != nullptr || !moves_along_channels(k, s, self.at);
            add_load(self, each.elements, each.times * (once ? threads : planes.wide));
        });
        bool stages = false;
        for (const kernel_store& st : k.stores) {
            if (is_planar(k, s, st.at)) {
                add_store(st, planes);
                continue;
            }
            const dtype type = k.outputs[static_cast<std::size_t>(st.output)];
            const stencil_window window = stored_window(s);
            const int each = access_of_window(window, type);
            stages = stages || is_staged(s, type);
            add(true, st.output, each, (window.last + 1) / each * threads);
            add(true, st.output, 1, tail);
        }
        if (stages) made.block_barriers = threads / s.block_threads;
        for (std::size_t v = 0; v < k.values.size(); ++v)
            if (is_computed(k.values[v])) made.evaluations[v] = planes.elements();
    }

    // ---- groups with loops ----

    /// How a group's threads go over it.
    struct group_counts {
        count visits = 0;       ///< of groups, by blocks that have a part of one; those past the last group, too
        count groups = 0;       ///< that exist; in columns, accesses of several neighbouring ones
        count placed = 0;       ///< with those past the last one
        int threads = 1;        ///< that share a visit
        int neighbours = 1;     ///< columns: groups of a thread
        count last_visits = 0;  ///< in which the group is finished: what follows the loop of a split group
    };

    bool is_finished_by_one() const { return s.blocks_per_output > 1 && !s.grid_barrier; }

    bool keeps(int v) const {
        const value& self = k.values[static_cast<std::size_t>(v)];
        if (!s.register_cached || is_gather(self) || self.loop == group_level) return false;
        return std::any_of(k.values.begin(), k.values.end(), [&](const value& other) {
            return &other != &self && other.what == value_kind::load && !is_gather(other) &&
                   other.loop != group_level && read_alike(k, self, other);
        });
    }

    bool is_first_alike(int v) const {
        const auto self = k.values.begin() + v;
        return std::none_of(k.values.begin(), self, [&](const value& other) {
            return other.what == value_kind::load && !is_gather(other) && other.loop != group_level &&
                   read_alike(k, *self, other);
        });
    }

    /// Whether threads past the last group leave a loop out: it stores, or folds columns.
    bool is_guarded(int loop) const {
        return std::any_of(k.stores.begin(), k.stores.end(), [&](const kernel_store& st) {
            return st.loop == loop ||
                   (st.loop == block_level && k.values[static_cast<std::size_t>(st.value)].loop == loop);
        });
    }

    /// Elements of a row by single accesses, with those past its end that its threads fold.
    count slots_of(int l) const {
        const count step = count{s.threads_per_output} * s.unroll;
        if (s.register_cached) return step;
        const count n = trip_count(k, k.loops[static_cast<std::size_t>(l)]);
        return (n / step * s.threads_per_output + std::min<count>(n % step, s.threads_per_output)) * s.unroll;
    }

    /// A loop of all groups that exist, and of all groups with those past the last one.
    struct loop_counts {
        traversal existing, placed;
    };

    /// The same loop in each group. `wide` is its accesses for one group, `single` its tail.
    static loop_counts in_each(const group_counts& g, const traversal& t) {
        const auto scaled = [&](count n) { return traversal{t.wide * n, t.single * n, t.vector}; };
        return {scaled(g.groups), scaled(g.placed)};
    }

    /// One loop of all groups; `axes` end with the one whose neighbours an access moves.
    void count_loop(int l, const group_counts& g, const loop_counts& all, const std::vector<int>& axes, bool guards) {
        const traversal& own = guards && is_guarded(l) ? all.existing : all.placed;
        each_load([&](int v, const value& self) {
            if (self.loop != l || !(kept.needs(v) || keeps(v))) return;
            const bool wide = is_neighbouring(k, self.at, axes);
            const bool single = wide && s.peeled && !moves_with_rows(k, self.at);
            const traversal& first = all.placed;
            if (!keeps(v)) return single ? add_load(self, 1, own.elements()) : add_element_load(self, own, axes);
            if (is_first_alike(v) && single) add_load(self, 1, first.wide * first.vector);
            const count times = is_strided(k, s, self.at, axes) ? first.vector : 1;
            if (is_first_alike(v) && !single) add_load(self, wide ? first.vector : 1, times * first.wide);
            if (!s.peeled || is_first_alike(v)) add_load(self, 1, s.peeled ? first.single : own.single);
        });
        for (const kernel_store& st : k.stores)
            if (st.loop == l) add_store(st, all.existing);
        const count past = folds_past_the_end(k, s, l) ? g.placed * slots_of(l) : 0;
        for (std::size_t v = 0; v < k.values.size(); ++v)
            if (k.values[v].loop == l && is_computed(k.values[v]) && kept.needs(static_cast<int>(v)))
                made.evaluations[v] = past > 0 ? past : evaluated(v, own);
    }

    /// Values that a group has once are computed by all of its threads; its results are stored by one.
    void count_group_level(const group_counts& g) {
        for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
            const value& self = k.values[static_cast<std::size_t>(v)];
            if (self.loop != group_level) continue;
            const bool late = is_finished_by_one() && self.stage > 0;
            const count times = (late ? g.last_visits : g.visits) * g.threads * g.neighbours;
            if (self.what == value_kind::load) add_load(self, 1, times);
            if (is_computed(self)) made.evaluations[static_cast<std::size_t>(v)] = times;
        }
        for (const kernel_store& st : k.stores)
            if (st.loop == group_level) add(true, st.output, g.neighbours, g.groups);
    }

    int reductions_of(int l) const { return static_cast<int>(k.loops[static_cast<std::size_t>(l)].reductions.size()); }

    /// What follows each loop that folds: `fold` barriers among a visit's threads, and the exchange between blocks.
    void count_folds(const group_counts& g, count visits_at_once, int fold, int slots) {
        const count visits = g.visits / visits_at_once;  // by blocks
        for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
            if (reductions_of(l) == 0) continue;
            made.block_barriers += fold * visits;
            if (s.cluster > 1) made.cluster_barriers += visits;
            if (s.blocks_per_output <= 1 && !s.grid_barrier) continue;
            made.workspace_stores += visits * slots * reductions_of(l);
            if (s.grid_barrier) {
                made.grid_barriers += visits;
                made.block_barriers += fold * visits;
                made.workspace_loads += visits * s.blocks_per_output * slots * reductions_of(l);
            } else {
                const count last = visits / s.blocks_per_output;
                made.block_barriers += visits * (slots > 1 ? 2 : 1) + fold * last;
                made.workspace_loads += last * s.blocks_per_output * slots * reductions_of(l);
                made.workspace_stores += last;  // the ticket, for the next launch
            }
        }
    }

    loop_counts peeled(const group_counts& g, count trips, int parts) const {
        const peeled_counts existing = count_peeled(k, s, trips, parts, 0);
        const peeled_counts placed = count_peeled(k, s, trips, parts, g.placed - g.groups);
        return {{existing.wide, existing.single, s.vector_width}, {placed.wide, placed.single, s.vector_width}};
    }

    void count_rows() {
        const count rows = outer_size(k), beside = groups_per_block(s);
        const int blocks = s.grid_barrier ? s.blocks_per_output : s.blocks_per_output * s.cluster;
        group_counts g;
        g.groups = rows;
        g.placed = beside > 1 ? round_up(rows, beside) : rows;
        g.visits = g.placed * blocks;
        g.last_visits = g.placed;
        g.threads = s.threads_per_output;
        for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
            const inner_loop& loop = k.loops[static_cast<std::size_t>(l)];
            const count trips = trip_count(k, loop);
            traversal t{trips, 0, 1};
            if (s.vector_width > 1) t = {trips / s.vector_width, trips % s.vector_width, s.vector_width};
            count_loop(l, g, s.peeled ? peeled(g, trips, blocks) : in_each(g, t), loop.axes, beside > 1);
        }
        count_group_level(g);
        const int lanes_apart = s.threads_per_output > 32 ? 1 : 0;
        count_folds(g, beside, lanes_apart, 1);
        if (s.cluster > 1) made.cluster_barriers += made.blocks;
        if (s.grid_barrier && !k.outer.empty()) made.block_barriers += g.visits;
        if (s.folding_blocks > 0) made.block_barriers += lanes_apart * (g.visits / beside);  // shared arrays are reused
        count_column_folds(k, s, static_cast<int>(beside), made);
    }

    void count_columns() {
        const int across = s.block_threads / s.threads_per_output, beside = across * s.vector_width;
        const count columns = outer_size(k), tiles = divide_up(columns, beside);
        const int blocks = s.blocks_per_output;
        group_counts g;
        g.groups = columns / s.vector_width;
        g.placed = tiles * across;
        g.visits = g.placed * blocks;
        g.last_visits = g.placed;
        g.threads = s.threads_per_output;
        g.neighbours = s.vector_width;
        for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
            const inner_loop& loop = k.loops[static_cast<std::size_t>(l)];
            count_loop(l, g, in_each(g, {trip_count(k, loop), 0, s.vector_width}),
                       s.vector_width > 1 ? k.outer : std::vector<int>(), true);
        }
        count_group_level(g);
        const int steps =
            s.threads_per_output > 1 ? 1 + std::countr_zero(static_cast<unsigned>(s.threads_per_output)) : 0;
        count_folds(g, across, steps, beside);
        if (s.grid_barrier) made.block_barriers += tiles * blocks;
    }

    const loop_nest& k;
    const schedule& s;
    kept_values kept;
    std::vector<value_use> uses;
    schedule_features made;
};

}  // namespace

schedule_features features_of(const loop_nest& k, const schedule& s) { return counter(k, s).count_all(); }

}  // namespace sinter::codegen
