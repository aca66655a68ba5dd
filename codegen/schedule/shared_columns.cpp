// Columns of which several blocks share a tile: the blocks of a split, those that meet at grid barriers, and those that
// look back at the tiles above theirs.
#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/columns.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/grid_barrier.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {

constexpr int threads_wanted = 1024;       ///< on a multiprocessor
constexpr int threads_at_once = 1536;      ///< that it has room for, at 40 registers each
constexpr int max_kept_beside_three = 16;  ///< bytes of a thread's results where all of them fit
constexpr int split_tile_bytes = 256;      ///< of a row
constexpr int widest_single = 96;          ///< threads across a tile, one column each
constexpr int widest_at_barriers = 40;     ///< likewise, where each block folds the results of all others

// Threads across a tile: all tiles are about as wide, which need not be a power of two.
int even_width(std::int64_t across, int widest) {
    return static_cast<int>(divide_up(across, divide_up(across, widest)));
}

// Threads across a tile whose blocks meet at barriers, each with `bytes` of a row in an access to `vector` columns.
// Tiles of several columns a thread are whole sectors: blocks would share those at the ends of their rows, and
// standardise of (308311, 120) floats takes 0.174 ms on an H200 instead of 0.158.
int width_at_barriers(std::int64_t across, int vector, int bytes, int widest) {
    const int even = even_width(across, widest);
    // a few widths serve all numbers of columns, and leave less than a quarter of the threads idle
    const int few = power_of_two_within(even) / 4;
    const int whole = vector == 1 || even == across ? 1 : sector_bytes / bytes;
    return std::min(static_cast<int>(round_up(even, std::max({1, few, whole}))), widest);
}

// Threads across a tile that several blocks share. Narrow tiles mean fewer blocks per tile, and fewer results to fold
// at its end; a warp then goes down the columns, too. No wider than the columns that are neighbours in memory: (16,
// 2^20, 4) floats summed over axis 1 take 0.066 ms with tiles of 4 columns, whose rows lie one behind another, 0.099
// with 64.
int split_width(const loop_nest& k, int bytes, int vector) {
    const std::int64_t neighbours = k.outer.empty() ? 1 : extent_of(k, k.outer.back());
    if (vector == 1) {  // a few widths serve all numbers of columns, and leave at most an eighth of the threads idle
        const int even = even_width(neighbours, widest_single);
        return static_cast<int>(round_up(even, std::max(1, power_of_two_within(even) / 8)));
    }
    return power_of_two(divide_up(neighbours, vector), std::max(1, split_tile_bytes / bytes / vector));
}

// Whether sums are all that a loop makes of its doubles: a thread has few registers.
bool sums_doubles(const loop_nest& k) {
    const auto is_wide = [](const value& v) {
        return v.what == value_kind::load && v.loop != group_level && size_of(v.type) == 8;
    };
    return std::any_of(k.values.begin(), k.values.end(), is_wide) &&
           std::all_of(k.values.begin(), k.values.end(),
                       [](const value& v) { return v.what != value_kind::reduce || v.op->rule == dtype_rule::sum; });
}

// As many neighbours as leave a multiprocessor's shared memory to all its blocks: they keep a value each there for
// every reduction.
int barrier_vector(const device_properties& m, int vector, int accumulated) {
    while (vector > 1 && static_cast<std::size_t>(vector * accumulated) * 1024 > m.shared_per_block) vector /= 2;
    return vector;
}

}  // namespace

// Few columns, all of whose loops need the whole column. Where the registers of all blocks have room for all tiles at
// once, tiles as wide as a warp are read once. Otherwise every loop reads again, in tiles as wide as a warp's widest
// accesses: to take narrow tiles one after another would save reads, but memory gives rows of 32 bytes at a third of
// its speed and of 128 at four fifths, and everyone waits at each barrier. Copying 131072 x 512 floats on an H200 in
// tiles of 8, 16 and 32 columns takes 0.38, 0.22 and 0.17 ms, all at once 0.136.
bool share_by_barriers(const loop_nest& k, const device_properties& m, int vector, const column_demand& d,
                       schedule& s) {
    vector = barrier_vector(m, vector, d.accumulated);
    const int neighbours = static_cast<int>(std::min<std::int64_t>(vector, d.columns));
    for (const int kept :
         {register_bytes_read_again(k, neighbours), register_bytes_read_again(k, neighbours, false), 0}) {
        const bool keep = kept > 0;
        schedule shared = s;
        shared.vector_width = neighbours;
        const std::int64_t all = divide_up(d.columns, shared.vector_width);
        const int widest = vector > 1 ? 32 : widest_at_barriers;
        const int across = keep ? power_of_two(all, std::max(1, 32 / vector))
                                : width_at_barriers(all, vector, shared.vector_width * d.bytes, widest);
        // narrow tiles have many rows of threads, each of which folds few of the other blocks' results
        shared.threads_per_output = power_of_two(divide_up(threads_of_tile, across), threads_of_tile);
        shared.block_threads = across * shared.threads_per_output;
        shared_loops loops;
        loops.tiles = divide_up(all, across);
        loops.steps = divide_up(longest_loop(k), shared.threads_per_output);
        loops.kept_bytes = kept;
        loops.max_kept =
            std::min(2 * max_column_calls / std::max(1, d.calls), m.arch >= 100 ? 16 : 32);  // spills otherwise
        loops.max_kept = std::max(1, loops.max_kept / shared.vector_width);
        loops.max_unroll = d.max_accesses(shared.vector_width);
        if (!share_by_grid_barriers(k, m, loops, shared) ||
            (keep && (!shared.register_cached || shared.block_groups < loops.tiles)))
            continue;
        s = shared;
        return true;
    }
    return false;
}

// Long columns that values run along, too few to occupy the device: tiles of a few steps, each of which looks back at
// those above it. A tile leaves a result for each of its columns, and a thread is to be there for each of them. Every
// warp leaves two in shared memory, of each column and scan.
schedule look_back(const loop_nest& k, const device_properties& m, int vector, const column_demand& d, schedule s) {
    constexpr int warps = threads_of_tile / 32;
    s.block_threads = threads_of_tile;
    s.vector_width = std::min(vector, warps);
    const auto fits = [&](int across) {
        return static_cast<std::size_t>(2 * warps * d.accumulated * across * s.vector_width) + last_block_bytes <=
               m.shared_per_block;
    };
    while (s.vector_width > 1 && !fits(32)) s.vector_width /= 2;
    int across = power_of_two(divide_up(d.columns, s.vector_width), 32);
    while (across > 1 && !fits(across)) across /= 2;
    s.threads_per_output = s.block_threads / across;
    s.unroll = d.max_in(s.vector_width, bytes_of_tile);
    s.blocks_per_output =
        static_cast<int>(divide_up(d.length, static_cast<std::int64_t>(s.threads_per_output) * s.unroll));
    return with_index_width(k, s, 1);
}

int split_tiles(const loop_nest& k, const device_properties& m, const column_demand& d, schedule& s) {
    const int width = split_width(k, d.bytes, s.vector_width);
    s.threads_per_output = d.max_rows(width, s.vector_width > 1 ? 2 * threads_of_tile : threads_of_tile);
    const std::int64_t tiles = divide_up(d.columns, width * s.vector_width);
    const int block = width * s.threads_per_output, at_once = threads_at_once / block;
    // Sums of (131072, 512) doubles take 0.130 ms with three blocks of 512 threads on each multiprocessor, 0.150
    // with two. Where a thread has more registers, the third would wait: maxima of (200000, 100) doubles take
    // 0.048 with two and 0.054 with three.
    const bool light = s.vector_width > 1 && d.calls == 0 && d.accumulated * s.vector_width <= max_kept_beside_three;
    const int on_each = light && sums_doubles(k) ? at_once : std::max(1, (threads_wanted + block / 2) / block);
    // In all they are as many on each multiprocessor, or a few less: a third block on some makes all wait. Sums of
    // (65536, 1000) floats take 0.0677 ms with 16 or 24 blocks for each of 16 tiles, and 0.0705 with 17; means of
    // (3000, 20000) bfloat16 numbers 0.0353 with one for each of 157 tiles, and 0.0416 with two.
    const std::int64_t blocks = static_cast<std::int64_t>(m.multiprocessors) * on_each / tiles;
    const std::int64_t worthwhile =
        divide_up(d.length, static_cast<std::int64_t>(s.threads_per_output) * d.max_accesses(s.vector_width));
    s.blocks_per_output = static_cast<int>(std::max<std::int64_t>(std::min(blocks, worthwhile), 1));
    return width;
}

}  // namespace sinter::codegen
