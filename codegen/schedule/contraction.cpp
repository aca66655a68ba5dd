// Products. In sum(f(x(all, newaxis, all), y(newaxis, all, all)), axis=2) a result is folded from a row of x and a row
// of y: the loops of a matrix product, whatever f and the reduction are. Every element of x serves all columns and
// every element of y all rows, so a block computes a tile of results from slices of both that it keeps in shared
// memory, and a thread a small tile of that in its registers: with 8 x 8 results, 16 elements read from shared memory
// serve 64 folds. Such tiles are as old as Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra (2008).
//
// A nested kernel goes over the columns again, say for the nearest of some points. A tile may be as wide as all its
// columns, so that what the loop leaves in the registers is all there: a thread looks at its own columns of a row, and
// the neighbouring threads of the row fold what they found, by shuffles. Where there are more columns, and all that is
// wanted of them are reductions, a block goes over the tiles of its rows one after the other, and its threads fold each
// before they go on: results of 20000 x 16000 never leave the registers.
#include <codegen/schedule/contraction.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/contraction_cost.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen {

namespace {

/// Of the steps of a slice, in a kernel whose blocks share tiles: with all 512 of 8 x 8 results it takes 0.27 s to
/// compile instead of 0.16. Other kernels unroll them all: 4 x 64 instead of 8 x 64 take 5 to 15 % longer.
constexpr int folds_unrolled_of_shares = 128;
/// Results along either axis: fewer are read again too seldom, but for sums so long that threads take turns at their
/// steps.
constexpr std::int64_t least_extent = 16, least_extent_of_long_sums = 2, steps_of_long_sums = 4096;

bool varies(const value& v, int axis) { return v.varies >> axis & 1; }

// What the loop may hold in this form; whatever else there may be is left to the others.
bool is_plain(const loop_nest& k) {
    return std::all_of(k.values.begin(), k.values.end(), [](const value& v) {
        if (v.loop != 0) return true;
        if (v.what == value_kind::load) return v.in[0] < 0;
        return v.what == value_kind::elementwise || v.what == value_kind::cast;
    });
}

// Whether rows and columns part the kernel's loads: some go along one, some along the other, and none along both.
bool parts_loads(const loop_nest& k, int row_axis, int column_axis) {
    bool rows = false, columns = false;
    for (const value& v : k.values) {
        if (v.loop != 0 && v.over != 0) continue;
        for (int in : v.in) {  // what a result has to itself is no better off in a tile
            if (in < 0) continue;
            const value& operand = k.values[static_cast<std::size_t>(in)];
            if (operand.loop != 0 && varies(operand, row_axis) && varies(operand, column_axis)) return false;
        }
        if (v.what != value_kind::load) continue;
        if (varies(v, row_axis) && varies(v, column_axis)) return false;
        rows = rows || varies(v, row_axis);
        columns = columns || varies(v, column_axis);
    }
    return rows && columns;
}

// The two outer axes whose tiles save the most reads.
bool find_axes(const loop_nest& k, contraction_tile& t) {
    std::int64_t largest = 0;
    const bool is_long = k.nest_axis < 0 && trip_count(k, k.loops[0]) >= steps_of_long_sums;
    const std::int64_t least = is_long ? least_extent_of_long_sums : least_extent;
    const auto consider = [&](int row_axis, int column_axis) {
        const std::int64_t rows = extent_of(k, row_axis), columns = extent_of(k, column_axis);
        if (std::min(rows, columns) < least || rows * columns <= largest) return;
        if (!parts_loads(k, row_axis, column_axis)) return;
        largest = rows * columns;
        t.row_axis = row_axis;
        t.column_axis = column_axis;
    };
    for (std::size_t r = 0; r < k.outer.size(); ++r) {
        for (std::size_t c = r + 1; c < k.outer.size() && k.nest_axis < 0; ++c) consider(k.outer[r], k.outer[c]);
        if (k.nest_axis >= 0) consider(k.outer[r], k.nest_axis);
    }
    return largest > 0;
}

bool is_aligned(const access& a, const std::vector<int>& alignment, int vector) {
    const int bytes = std::min(16, vector * static_cast<int>(size_of(a.type)));
    return static_cast<std::size_t>(a.pointer) < alignment.size() &&
           alignment[static_cast<std::size_t>(a.pointer)] % bytes == 0;
}

}  // namespace

bool is_wide(const loop_nest& k, const access& a, int axis, int vector, const std::vector<int>& alignment) {
    if (vector == 1 || stride_of(k, a, axis) != 1 || extent_of(k, axis) % vector != 0) return false;
    if (!is_aligned(a, alignment, vector)) return false;
    for (int other = 0; other < static_cast<int>(k.extents.size()); ++other)
        if (other != axis && stride_of(k, a, other) % vector != 0) return false;
    return true;
}

std::int64_t tiles_of(const loop_nest& k, const contraction_tile& t) {
    const std::int64_t rows = extent_of(k, t.row_axis), columns = extent_of(k, t.column_axis);
    const std::int64_t beneath = outer_size(k) / rows * divide_up(rows, t.rows * t.thread_rows);
    if (k.nest_axis >= 0) return beneath;
    return beneath / columns * divide_up(columns, t.columns * t.thread_columns);
}

int tiled_axis_of(const value& v, const contraction_tile& t) {
    return varies(v, t.row_axis) ? t.row_axis : varies(v, t.column_axis) ? t.column_axis : -1;
}

bool staged_along_steps(const loop_nest& k, const value& load, int tiled_axis) {
    const auto unit = [&](int axis) { return stride_of(k, load.at, axis) == 1; };
    return tiled_axis < 0 || (!unit(tiled_axis) && unit(k.loops[0].axes.back()));
}

void choose_wide_accesses(const loop_nest& k, const std::vector<int>& alignment, schedule& s) {
    contraction_tile& t = s.product;
    t.whole = trip_count(k, k.loops[0]) % t.depth == 0;
    const std::int64_t steps = trip_count(k, k.loops[0]);
    t.one_slice = t.over_columns && steps > 0 && steps <= t.depth && extent_of(k, k.nest_axis) > 0;
    int load = 0;
    for (const value& v : k.values) {
        if (v.what != value_kind::load) continue;
        const int position = load++;
        const int tiled = tiled_axis_of(v, t);
        if (v.loop != 0 || tiled < 0) continue;
        const bool along_steps = staged_along_steps(k, v, tiled);
        if (along_steps && t.depth % s.vector_width != 0) continue;
        const int axis = along_steps ? k.loops[0].axes.back() : tiled;
        if (is_wide(k, {v.at, v.input, v.type, v.loop}, axis, s.vector_width, alignment))
            t.wide_loads |= std::uint64_t{1} << position;
    }
    const std::vector<access> all = accesses_of(k);
    t.wide_stores = k.nest_axis < 0 && std::all_of(all.begin() + load, all.end(), [&](const access& a) {
                        return is_wide(k, a, t.column_axis, s.vector_width, alignment);
                    });
}

int run_of_results(dtype type, int row) {
    const int bytes = static_cast<int>(size_of(type));
    int run = std::min(row, 4);
    while (run > 1 && (row % run != 0 || run * bytes > 16 || 16 % bytes != 0)) run /= 2;
    return run;
}

std::optional<schedule> schedule_contraction(const loop_nest& k, const device_properties& m,
                                             const std::vector<int>& alignment) {
    schedule s;
    s.form = schedule_form::contraction;
    const bool nested = k.nest_axis >= 0;
    if ((!nested && !can_split(k)) || !is_plain(k) || !find_axes(k, s.product)) return std::nullopt;
    const std::int64_t steps = trip_count(k, k.loops[0]);
    const tile_demand d = tile_demand_of(k, s.product);
    if (steps < 2 || d.loads > 64) return std::nullopt;
    if (!find_tile(k, m, d, false, s) && !(d.folds_columns && find_tile(k, m, d, true, s))) return std::nullopt;
    const int unrolled = s.blocks_per_output > 1 ? folds_unrolled_of_shares : std::numeric_limits<int>::max();
    const int steps_of_thread = s.product.depth / s.product.thread_steps;
    if (d.calls == 0) s.unroll = std::clamp(unrolled / (s.product.rows * s.product.columns), 1, steps_of_thread);
    if (d.calls == 0) s.blocks_per_multiprocessor = threads_that_run / s.block_threads;
    choose_wide_accesses(k, alignment, s);
    s.wide_index = d.wide_index;
    return s;
}

}  // namespace sinter::codegen
