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
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinter::codegen {

namespace {

constexpr int registers_per_thread = 128;  ///< at 512 threads per multiprocessor
constexpr int threads_that_run = 512;      ///< on a multiprocessor, at that many registers
constexpr int max_calls = 16;              ///< copies of function bodies in one kernel: they cost compile time
constexpr int cycles_per_call = 8;         ///< a function counts as so many operations
constexpr double cycles_of_a_slice = 500;  ///< at least: from asking for it until it is in shared memory for all
/// Blocks that go over the tiles of a row one after the other, for each multiprocessor: fewer wait too long. For 1000
/// rows and 200000 columns 63 of them take 8.0 ms on an H200, two kernels 1.3.
constexpr std::int64_t blocks_over_columns = 2;
constexpr double cycles_of_a_launch = 4000, bytes_per_cycle = 2400;  ///< an H200's: 2 us, 4.27 TB/s at 1.8 GHz
constexpr std::int64_t least_extent = 16;
constexpr std::int64_t slack = 4096;  ///< how far threads behind the last row or column may look past it

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
    const auto consider = [&](int row_axis, int column_axis) {
        const std::int64_t rows = extent_of(k, row_axis), columns = extent_of(k, column_axis);
        if (std::min(rows, columns) < least_extent || rows * columns <= largest) return;
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

// The loads that are staged, and what they and the results take of a block and of a thread.
struct demand {
    int row_bytes = 0, column_bytes = 0;  ///< of one element of every load along rows, along columns
    int other_bytes = 0;                  ///< along neither
    int result_bytes = 0;
    int widest = 1;
    int loads = 0;
    int calls = 0;
    int operations = 0;                         ///< of one fold
    int later_bytes = 0, later_operations = 0;  ///< nested: of a row's later reductions, and for each result
    bool nested = false, folds_columns = false, wide_index = false;
};

// Whether nothing but reductions is wanted of a nested kernel's columns: then these need not be there at once.
bool folds_columns(const loop_nest& k) {
    return k.nest_axis >= 0 && k.loops.size() == 2 &&
           std::none_of(k.stores.begin(), k.stores.end(), [](const kernel_store& s) { return s.loop != group_level; });
}

demand demand_of(const loop_nest& k, const contraction_tile& t) {
    demand d;
    for (const value& v : k.values) {
        const auto bytes = static_cast<int>(size_of(v.type));
        if (v.what == value_kind::load) ++d.loads;
        if (v.what == value_kind::reduce && v.over == 0) {
            d.result_bytes += std::max(bytes, 4);
            ++d.operations;
        }
        if (v.what == value_kind::reduce && v.over > 0) {
            d.later_bytes += std::max(bytes, 4);
            ++d.later_operations;
        }
        if ((v.loop == nest_level || v.loop > 0) && v.op != nullptr) ++d.later_operations;
        if (v.loop != 0) continue;
        if (v.what == value_kind::load) {
            (varies(v, t.row_axis) ? d.row_bytes : varies(v, t.column_axis) ? d.column_bytes : d.other_bytes) += bytes;
            d.widest = std::max(d.widest, bytes);
        } else {
            ++d.operations;
        }
    }
    d.nested = k.nest_axis >= 0;
    d.folds_columns = folds_columns(k);
    for (int l = 1; l < static_cast<int>(k.loops.size()); ++l)
        d.later_operations += cycles_per_call * function_calls(k, l);
    if (d.nested) d.later_operations += cycles_per_call * function_calls(k, nest_level);
    d.wide_index = needs_wide_index(k, slack);
    d.calls = function_calls(k, 0);
    d.operations += cycles_per_call * d.calls;
    return d;
}

int threads(const contraction_tile& t) { return t.thread_rows * t.thread_columns; }

// An estimate: results, one element of each load for every row and column, and those under way to shared memory; for
// positions, and for what compilers mean by an estimate, what keeps NVRTC 13.0 from spilling.
int registers(const device_properties& m, const demand& d, const contraction_tile& t) {
    const int positions = m.arch >= 100 ? 48 : d.nested && !d.wide_index && threads(t) <= 128 ? 36 : 39;
    const int of_rows = d.row_bytes + (t.over_columns ? d.later_bytes : 0);
    const int held = t.rows * t.columns * d.result_bytes + t.rows * of_rows + t.columns * d.column_bytes;
    const int staged = t.depth * (t.rows * t.thread_rows * d.row_bytes + t.columns * t.thread_columns * d.column_bytes);
    return (held + staged / threads(t)) / 4 + positions;
}

std::size_t shared_bytes(const demand& d, const contraction_tile& t, int vector) {
    const int row = (t.rows * t.thread_rows + vector) * d.row_bytes, other = (1 + vector) * d.other_bytes;
    const int column = (t.columns * t.thread_columns + vector) * d.column_bytes;
    return 2 * static_cast<std::size_t>(t.depth) * static_cast<std::size_t>(row + column + other);
}

// Clock cycles of the device for one step of all tiles: a multiprocessor computes for four warps at once and moves 128
// bytes to or from shared memory, a quarter of what a warp's widest access does. With fewer than 8 warps it waits. Few
// tiles wait for their slices, one after the other, and the less the deeper these are.
double cycles(const loop_nest& k, const device_properties& m, const demand& d, const contraction_tile& t) {
    const int tile_rows = t.rows * t.thread_rows, tile_columns = t.columns * t.thread_columns;
    const auto blocks = tiles_of(k, t);
    const auto rounds = static_cast<double>(divide_up(blocks, m.multiprocessors));
    const double warps = threads(t) / 32.0;
    const double folds = t.rows * t.columns * d.operations / 4.0;
    const double reads = 2.0 * (t.rows * d.row_bytes + t.columns * d.column_bytes) / 16;
    const double staging = 2.0 * (tile_rows * d.row_bytes + tile_columns * d.column_bytes) / 128;
    const int at_once = threads_that_run / threads(t);
    const double running = warps * std::min(rounds, static_cast<double>(at_once));
    const double idle = std::max(1.0, 8 / running);
    if (t.over_columns) {  // a slice may be deeper than the loop is long
        const auto steps = static_cast<double>(trip_count(k, k.loops[0])), slices = std::ceil(steps / t.depth);
        const double of_tile = warps * ((folds + reads) * steps + t.rows * t.columns * d.later_operations / 4.0) +
                               staging * slices * t.depth;
        const auto tiles = static_cast<double>(divide_up(extent_of(k, k.nest_axis), tile_columns));
        return tiles / steps *
               std::max(std::ceil(rounds / at_once) * slices * cycles_of_a_slice, rounds * of_tile * idle);
    }
    const double waiting = std::ceil(rounds / at_once) * cycles_of_a_slice / t.depth;
    return std::max(waiting, rounds * (warps * (folds + reads) + staging) * idle);
}

// The same for groups one by one: each reads all its elements, four of them at once, from the caches, and its threads
// fold their parts at the end, in some 40 instructions of a warp.
double cycles_without(const loop_nest& k, const device_properties& m, const demand& d) {
    const double bytes = d.row_bytes + d.column_bytes + d.other_bytes;
    const auto steps = static_cast<double>(std::max<std::int64_t>(trip_count(k, k.loops[0]), 32));
    const double cycles_per_group = std::max(bytes / 64, d.operations / 128.0) + 10 / steps;
    if (k.nest_axis < 0) return static_cast<double>(outer_size(k)) * cycles_per_group / m.multiprocessors;
    // two kernels: the second launch, and the first one's results to memory and back
    const auto groups = static_cast<double>(outer_size(k) * extent_of(k, k.nest_axis));
    const double apart = cycles_of_a_launch + 2 * 4 * groups / bytes_per_cycle;
    return groups * cycles_per_group / m.multiprocessors + apart / steps;
}

// Tries all tiles, the best for many results first; another must be much better, so that few kernels serve all shapes.
// A nested kernel folds rows, each by shuffles among the threads across: better few rows of many columns per thread,
// and small blocks, some of which fold while others multiply. The nearest of 64 centres for 262144 points takes 0.0557
// ms with 8 x 8 per thread in blocks of 128, 0.0570 in blocks of 256, and 0.0585 with 4 x 8.
bool find_tile(const loop_nest& k, const device_properties& m, const demand& d, std::int64_t steps, bool over_columns,
               schedule& s) {
    double most = cycles_without(k, m, d);  // that the next may cost
    for (const auto& [longer, shorter] : {std::pair(8, 8), {8, 4}, {4, 8}, {4, 4}, {4, 2}, {2, 4}, {2, 2}, {1, 1}})
        for (int block : d.nested ? std::array{128, 256, 64} : std::array{256, 128, 64})
            for (int across : {16, 8, 32, 4})
                for (std::int64_t depth : {4, 8, 16, 32}) {
                    if ((depth > 8 && depth > steps) || (depth == 4 && (steps > 4 || !over_columns))) continue;
                    contraction_tile t = s.product;
                    t.rows = d.nested ? shorter : longer;
                    t.columns = d.nested ? longer : shorter;
                    t.thread_rows = block / across;
                    t.thread_columns = across;
                    t.depth = static_cast<int>(depth);
                    t.over_columns = over_columns;
                    if (d.nested && !over_columns && t.columns * across < extent_of(k, k.nest_axis)) continue;
                    if (over_columns && tiles_of(k, t) < blocks_over_columns * m.multiprocessors) continue;
                    const int vector = std::min({16 / d.widest, t.rows, t.columns});
                    while (t.depth > 1 && shared_bytes(d, t, vector) > m.shared_per_block) t.depth /= 2;
                    if (shared_bytes(d, t, vector) > m.shared_per_block || registers(m, d, t) > registers_per_thread)
                        continue;
                    if (t.rows * t.columns * d.calls > max_calls && t.rows * t.columns > 1) continue;
                    const double cost = cycles(k, m, d, t);
                    if (cost >= most) continue;
                    most = 0.85 * cost;
                    s.product = t;
                    s.block_threads = block;
                    s.vector_width = vector;
                }
    return s.product.thread_rows > 1;
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

bool staged_along_steps(const loop_nest& k, const value& load, int tiled_axis) {
    const auto unit = [&](int axis) { return stride_of(k, load.at, axis) == 1; };
    return tiled_axis < 0 || (!unit(tiled_axis) && unit(k.loops[0].axes.back()));
}

void choose_wide_accesses(const loop_nest& k, const std::vector<int>& alignment, schedule& s) {
    contraction_tile& t = s.product;
    t.whole = trip_count(k, k.loops[0]) % t.depth == 0;
    int load = 0;
    for (const value& v : k.values) {
        if (v.what != value_kind::load) continue;
        const int position = load++;
        const int tiled = varies(v, t.row_axis) ? t.row_axis : varies(v, t.column_axis) ? t.column_axis : -1;
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

std::optional<schedule> schedule_contraction(const loop_nest& k, const device_properties& m,
                                             const std::vector<int>& alignment) {
    schedule s;
    s.form = schedule_form::contraction;
    const bool nested = k.nest_axis >= 0;
    if ((!nested && !can_split(k)) || !is_plain(k) || !find_axes(k, s.product)) return std::nullopt;
    const std::int64_t steps = trip_count(k, k.loops[0]);
    const demand d = demand_of(k, s.product);
    if (steps < 2 || d.loads > 64) return std::nullopt;
    if (!find_tile(k, m, d, steps, false, s) && !(d.folds_columns && find_tile(k, m, d, steps, true, s)))
        return std::nullopt;
    s.unroll = d.calls == 0 ? s.product.depth : 1;
    if (d.calls == 0) s.blocks_per_multiprocessor = threads_that_run / s.block_threads;
    choose_wide_accesses(k, alignment, s);
    s.wide_index = d.wide_index;
    return s;
}

}  // namespace sinter::codegen
