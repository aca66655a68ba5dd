// Tiles of a contraction by what they cost.
#include <codegen/schedule/contraction_cost.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinter::codegen {

namespace {

constexpr int cycles_per_call = 8;              ///< a function counts as so many operations
constexpr double cycles_of_a_slice = 800;       ///< at least: from asking for it until it is in shared memory for all
constexpr double instructions_of_staging = 12;  ///< of an access of 16 bytes: its position, and to shared memory
constexpr double cycles_of_a_launch = 4000, bytes_per_cycle = 2400;  ///< an H200's: 2 us, 4.27 TB/s at 1.8 GHz
/// Until a block has published its results, drawn a ticket and seen the others' results; of a turn of loads of these;
/// and the bytes of them that a multiprocessor loads per cycle.
constexpr double cycles_of_a_ticket = 7000, cycles_of_a_share = 600, bytes_of_shares_per_cycle = 64;

// Whether nothing but reductions is wanted of a nested kernel's columns: then these need not be there at once.
bool folds_columns(const loop_nest& k) {
    return k.nest_axis >= 0 && k.loops.size() == 2 &&
           std::none_of(k.stores.begin(), k.stores.end(), [](const kernel_store& s) { return s.loop != group_level; });
}

// Whether a reduction adds products that nothing else uses: one instruction for both.
bool adds_products(const loop_nest& k, const value& reduction) {
    const auto added = static_cast<std::size_t>(reduction.in[0]);
    const value& product = k.values[added];
    if (!traits_of(*reduction.op).is_sum || product.op == nullptr || !traits_of(*product.op).is_product) return false;
    const auto uses = [&](const value& v) { return std::count(v.in.begin(), v.in.end(), static_cast<int>(added)); };
    return is_floating(product.type) && product.type == reduction.type &&
           std::accumulate(k.values.begin(), k.values.end(), std::ptrdiff_t{0},
                           [&](std::ptrdiff_t n, const value& v) { return n + uses(v); }) == 1;
}

// Clock cycles until the first set of a block's threads has what all sets have, by way of shared memory.
double cycles_of_sets(const tile_demand& d, const contraction_tile& t) {
    if (t.thread_steps == 1) return 0;
    return cycles_of_a_slice + 2.0 * threads_of(t) * t.rows * t.columns * d.result_bytes / 128;
}

// Clock cycles until the last block has folded what `parts` blocks of a tile came to, by sets of shares and then what
// the sets came to. A thread has the results of several shares in flight.
double cycles_of_shares(const tile_demand& d, const contraction_tile& t, std::int64_t parts) {
    if (parts == 1) return 0;
    const double of_share = t.rows * t.columns * d.result_bytes;
    const double in_flight = std::clamp(std::floor(256 / of_share), 1.0, 16.0);
    const double moving = of_share * t.thread_rows * t.thread_columns / bytes_of_shares_per_cycle;
    const auto waits = [&](std::int64_t shares) {
        const auto n = static_cast<double>(shares);
        return cycles_of_a_ticket + std::max(std::ceil(n / in_flight) * cycles_of_a_share, n * moving);
    };
    if (parts <= shares_of_set) return waits(parts);
    return waits(shares_of_set) + waits(divide_up(parts, std::int64_t{shares_of_set}));
}

}  // namespace

tile_demand tile_demand_of(const loop_nest& k, const contraction_tile& t) {
    tile_demand d;
    for (const value& v : k.values) {
        const auto bytes = static_cast<int>(size_of(v.type));
        if (v.what == value_kind::load) ++d.loads;
        if (v.what == value_kind::reduce && v.over == 0) {
            d.result_bytes += std::max(bytes, 4);
            d.operations += adds_products(k, v) ? 0 : 1;
        }
        if (v.what == value_kind::reduce && v.over > 0) {
            d.later_bytes += std::max(bytes, 4);
            ++d.later_operations;
        }
        if ((v.loop == nest_level || v.loop > 0) && v.op != nullptr) ++d.later_operations;
        if (v.loop != 0) continue;
        if (v.what == value_kind::load) {
            const int tiled = tiled_axis_of(v, t);
            (tiled < 0 ? d.other_bytes : tiled == t.row_axis ? d.row_bytes : d.column_bytes) += bytes;
            d.widest = std::max(d.widest, bytes);
            d.along_steps = d.along_steps || (tiled >= 0 && staged_along_steps(k, v, tiled));
        } else {
            ++d.operations;
        }
    }
    d.nested = k.nest_axis >= 0;
    d.folds_columns = folds_columns(k);
    for (int l = 1; l < static_cast<int>(k.loops.size()); ++l)
        d.later_operations += cycles_per_call * function_calls(k, l);
    if (d.nested) d.later_operations += cycles_per_call * function_calls(k, nest_level);
    d.wide_index = needs_wide_index(k, slack_of_tiles);
    d.calls = function_calls(k, 0);
    d.operations += cycles_per_call * d.calls;
    return d;
}

// An estimate: results, one element of each load for every row and column, and those under way to shared memory; for
// positions, and for what compilers mean by an estimate, what keeps NVRTC 13.0 from spilling.
int registers_of_tile(const device_properties& m, const tile_demand& d, const contraction_tile& t) {
    const int positions = m.arch >= 100 ? 48 : d.nested && !d.wide_index && threads_of(t) <= 128 ? 36 : 39;
    const int of_rows = d.row_bytes + (t.over_columns ? d.later_bytes : 0);
    const int held = t.rows * t.columns * d.result_bytes + t.rows * of_rows + t.columns * d.column_bytes;
    const int staged = t.depth * (t.rows * t.thread_rows * d.row_bytes + t.columns * t.thread_columns * d.column_bytes);
    return (held + staged / threads_of(t)) / 4 + positions;
}

std::size_t shared_bytes_of_tile(const tile_demand& d, const contraction_tile& t, int vector) {
    const int row = (t.rows * t.thread_rows + vector) * d.row_bytes, other = (1 + vector) * d.other_bytes;
    const int column = (t.columns * t.thread_columns + vector) * d.column_bytes;
    const int of_sets = t.thread_steps > 1 ? threads_of(t) * t.rows * t.columns * d.result_bytes : 0;
    return static_cast<std::size_t>(of_sets) +
           2 * static_cast<std::size_t>(t.depth) * static_cast<std::size_t>(row + column + other);
}

// Clock cycles of the device for one step of all tiles: a multiprocessor computes for four warps at once and moves 128
// bytes to or from shared memory, a quarter of what a warp's widest access does. With fewer than 12 warps it waits. Few
// tiles wait for their slices, one after the other, and the less the deeper these are.
double cycles_of_tiles(const loop_nest& k, const device_properties& m, const tile_demand& d, const contraction_tile& t,
                       std::int64_t parts) {
    const int tile_rows = t.rows * t.thread_rows, tile_columns = t.columns * t.thread_columns;
    const auto blocks = tiles_of(k, t) * parts;
    const auto rounds = static_cast<double>(divide_up(blocks, m.multiprocessors));
    const double warps = t.thread_rows * t.thread_columns / 32.0;  // that a step takes
    const double folds = t.rows * t.columns * d.operations / 4.0;
    const double reads = 2.0 * (t.rows * d.row_bytes + t.columns * d.column_bytes) / 16;
    const double staged = tile_rows * d.row_bytes + tile_columns * d.column_bytes;
    const double staging = 2.0 * staged / 128 + staged / 16 * instructions_of_staging / 128;
    const int at_once = threads_that_run / threads_of(t);
    const double running = warps * t.thread_steps * std::min(rounds, static_cast<double>(at_once));
    const double idle = std::max(1.0, 12 / running);
    if (t.over_columns) {  // a slice may be deeper than the loop is long
        const auto steps = static_cast<double>(trip_count(k, k.loops[0])), slices = std::ceil(steps / t.depth);
        const double of_tile = warps * ((folds + reads) * steps + t.rows * t.columns * d.later_operations / 4.0) +
                               staging * slices * t.depth;
        const auto tiles = static_cast<double>(divide_up(extent_of(k, k.nest_axis), tile_columns));
        return tiles / steps *
               std::max(std::ceil(rounds / at_once) * slices * cycles_of_a_slice, rounds * of_tile * idle);
    }
    const double waiting = std::ceil(rounds / at_once) * cycles_of_a_slice / t.depth;
    const double of_step = std::max(waiting, rounds * (warps * (folds + reads) + staging) * idle);
    const double once = cycles_of_shares(d, t, parts) + rounds * cycles_of_sets(d, t);
    return of_step / static_cast<double>(parts) + once / static_cast<double>(trip_count(k, k.loops[0]));
}

// The same for groups one by one: each reads all its elements, four of them at once, from the caches, and its threads
// fold their parts at the end, in some 40 instructions of a warp.
double cycles_without_tiles(const loop_nest& k, const device_properties& m, const tile_demand& d) {
    const double bytes = d.row_bytes + d.column_bytes + d.other_bytes;
    const auto steps = static_cast<double>(std::max<std::int64_t>(trip_count(k, k.loops[0]), 32));
    const double cycles_per_group = std::max(bytes / 64, d.operations / 128.0) + 10 / steps;
    if (k.nest_axis < 0) return static_cast<double>(outer_size(k)) * cycles_per_group / m.multiprocessors;
    // two kernels: the second launch, and the first one's results to memory and back
    const auto groups = static_cast<double>(outer_size(k) * extent_of(k, k.nest_axis));
    const double apart = cycles_of_a_launch + 2 * 4 * groups / bytes_per_cycle;
    return groups * cycles_per_group / m.multiprocessors + apart / steps;
}

double contraction_seconds(const loop_nest& k, const schedule& s, const device_properties& m) {
    const tile_demand d = tile_demand_of(k, s.product);
    const auto steps = static_cast<double>(trip_count(k, k.loops[0]));
    const double cycles = steps * cycles_of_tiles(k, m, d, s.product, s.blocks_per_output);
    return (cycles_of_a_launch + cycles) / sustained_clock(m);
}

}  // namespace sinter::codegen
