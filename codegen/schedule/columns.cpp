// Columns. A warp goes along neighbouring columns, and each of its threads has `vector` of them, so that an access
// moves 16 bytes. Thread rows divide a column among them and meet in shared memory at its end; that costs as much as
// reading a dozen elements, so there are only as many of them as it takes to give every multiprocessor some blocks.
// (1000, 100, 1000) floats, summed over axis 1: 8 thread rows of 13 elements each took 0.113 ms on an H200, with
// single accesses.
#include <codegen/schedule/forms.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {
constexpr int max_unroll = 8;
constexpr int max_calls = 32;
constexpr std::int64_t split_length = 1024;
constexpr int threads = 256;
constexpr int threads_wanted = 1024;          ///< on a multiprocessor, where several blocks share a tile
constexpr int threads_at_once = 1536;         ///< that it has room for, at 40 registers each
constexpr int max_kept_beside_three = 16;     ///< bytes of a thread's results where all of them fit
constexpr int max_accumulated_bytes = 256;    ///< of a thread's results: a quarter of the registers it can have
constexpr int max_values = 16;                ///< results a thread accumulates, of all its columns
constexpr int blocks_per_multiprocessor = 8;  ///< at least so many in all, so that the last ones cost little
constexpr int split_tile_bytes = 256;         ///< of a row, where several blocks share a tile
constexpr int widest_single = 96;             ///< threads across a tile that several blocks share, one column each
constexpr int max_bytes_kept = 128;           ///< of a thread's elements from loop to loop
constexpr int kept_tile_bytes = 128;          ///< at least, of a row of such a tile
constexpr int vector_bytes_under_way = 64;    ///< a thread: with 2048 of them twice what elementwise.cpp asks for

// Bytes of shared memory that each thread's column takes, of every reduction and scan.
std::size_t shared_per_column(const loop_nest& k) {
    std::size_t bytes = 0;
    for (const value& v : k.values)
        if (v.what == value_kind::reduce || v.what == value_kind::scan) bytes += size_of(v.type);
    return bytes;
}

/// What the choice depends on, apart from the form's constants.
struct column_demand {
    std::int64_t columns = 1, length = 1;
    int accumulated = 0;  ///< bytes of a column's reductions and scans
    int bytes = 1;        ///< of a step's loads
    int calls = 0;

    /// The most accesses of `vector` columns that a thread can have under way in `room` bytes.
    int max_in(int vector, int room) const {
        int most = max_unroll;
        while (most > 1 && (most * bytes * vector > room || most * vector * calls > max_calls ||
                            most * accumulated > max_accumulated_bytes))
            most /= 2;
        return most;
    }
    int max_accesses(int vector) const { return max_in(vector, vector > 1 ? vector_bytes_under_way : 128); }
};

column_demand demand_of(const loop_nest& k) {
    column_demand d;
    d.columns = std::max<std::int64_t>(outer_size(k), 1);
    d.length = std::max<std::int64_t>(longest_loop(k), 1);
    d.accumulated = static_cast<int>(shared_per_column(k));
    for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
        d.bytes = std::max(d.bytes, bytes_per_iteration(k, l));
        d.calls += function_calls(k, l);
    }
    return d;
}

/// The schedule with the width of its indices; each column's elements are divided among `parts` blocks.
schedule with_index_width(const loop_nest& k, schedule s, int parts) {
    s.wide_index =
        needs_wide_index(k, static_cast<std::int64_t>(s.block_threads) * s.vector_width * s.unroll * (parts + 1));
    return s;
}

// Few columns, all of whose loops need the whole column. Where the registers of all blocks have room for all tiles at
// once, tiles as wide as a warp are read once. Otherwise every loop reads again, in tiles as wide as a warp's widest
// accesses: to take narrow tiles one after another would save reads, but memory gives rows of 32 bytes at a third of
// its speed and of 128 at four fifths, and everyone waits at each barrier. Copying 131072 x 512 floats on an H200 in
// tiles of 8, 16 and 32 columns takes 0.38, 0.22 and 0.17 ms, all at once 0.136.
bool share_by_barriers(const loop_nest& k, const machine& m, int vector, const column_demand& d, schedule& s) {
    const std::int64_t columns = outer_size(k);
    for (const bool keep : {true, false}) {
        schedule shared = s;
        const int width = power_of_two(columns, keep ? 32 : 32 * vector);
        shared.block_threads = threads;
        shared.vector_width = std::min(vector, width);
        shared.threads_per_output = shared.block_threads * shared.vector_width / width;
        shared_loops loops;
        loops.tiles = divide_up(columns, width);
        loops.steps = divide_up(longest_loop(k), shared.threads_per_output);
        loops.kept_bytes = keep ? bytes_read_again(k) * shared.vector_width : 0;
        loops.max_kept = std::min(2 * max_calls / std::max(1, d.calls), m.arch >= 100 ? 16 : 32);  // spills otherwise
        loops.max_kept = std::max(1, loops.max_kept / shared.vector_width);
        loops.max_unroll = d.max_accesses(shared.vector_width);
        if (!share_by_grid_barriers(k, m, loops, shared) ||
            (keep && (!shared.resident || shared.block_groups < loops.tiles)))
            continue;
        s = shared;
        return true;
    }
    return false;
}

// Long columns that values run along, too few to occupy the device: tiles of a few steps, each of which looks back at
// those above it. A tile leaves a result for each of its columns, and a thread is to be there for each of them. Every
// warp leaves two in shared memory, of each column and scan.
schedule look_back(const loop_nest& k, const machine& m, int vector, const column_demand& d, schedule s) {
    constexpr int warps = threads / 32;
    s.block_threads = threads;
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

// Threads across a tile that several blocks share. Narrow tiles mean fewer blocks per tile, and fewer results to fold
// at its end; a warp then goes down the columns, too. No wider than the columns that are neighbours in memory: (16,
// 2^20, 4) floats summed over axis 1 take 0.066 ms with tiles of 4 columns, whose rows lie one behind another, 0.099
// with 64.
int split_width(const loop_nest& k, int bytes, int vector) {
    const std::int64_t neighbours = k.outer.empty() ? 1 : extent_of(k, k.outer.back());
    if (vector == 1) {  // as many as there are, in tiles of equal width: none need be a power of two
        const std::int64_t tiles = divide_up(neighbours, widest_single);
        return static_cast<int>(divide_up(neighbours, tiles));
    }
    return power_of_two(divide_up(neighbours, vector), std::max(1, split_tile_bytes / bytes / vector));
}

// Columns of some hundred elements: 8 thread rows are done with them in two steps of up to 8 accesses, none of them
// idle for long. (1000, 100, 1000) floats, summed over axis 1, take 0.0924 ms in steps of 7 accesses, 0.097 with 2
// thread rows and 13 steps of 4.
constexpr int short_rows = 8, short_width = 64;
constexpr std::int64_t shortest = 65, longest_short = 128;

bool is_short(std::int64_t length) { return length >= shortest && length <= longest_short; }
int accesses_of_short(std::int64_t length) { return static_cast<int>(divide_up(length, 2 * short_rows)); }

// Whether it reads more than the second-level cache holds, and once: then the next kernel finds nothing of it there
// either way, and the caches may forget it at once. sqrt(sum(x * x)) of (1000, 100, 1000) floats takes 0.0952 instead
// of 0.0969 ms along axis 1 of an H200, and 0.0932 instead of 0.0936 along axis 0. Rows gain nothing by it.
bool evicts_first(const loop_nest& k, const machine& m) {
    std::int64_t most = 0;
    for (const access& a : accesses_of(k))
        if (a.loop == 0)
            most =
                std::max(most, reach_of(k, a.layout_position).elements() * static_cast<std::int64_t>(size_of(a.type)));
    return k.loops.size() == 1 && !has_scans(k) && most > static_cast<std::int64_t>(m.l2_bytes);
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

// Blocks that share a tile, of which a multiprocessor shall have `wanted`. In all they are as many on each, or a few
// less: a third block on some makes all wait. Sums of (65536, 1000) floats take 0.0677 ms with 16 or 24 blocks for each
// of 16 tiles, and 0.0705 with 17. Never more than one wave: a few blocks more would take as long again.
std::int64_t blocks_of_tile(const machine& m, int wanted, int at_once, std::int64_t tiles) {
    const std::int64_t processors = m.multiprocessors;
    return std::min(std::max<std::int64_t>(processors * wanted / tiles, 2), processors * at_once / tiles);
}

// As many neighbours as leave a multiprocessor's shared memory to all its blocks: they keep a value each there for
// every reduction.
int barrier_vector(const machine& m, int vector, int accumulated) {
    while (vector > 1 && static_cast<std::size_t>(vector * accumulated) * 1024 > m.shared_per_block) vector /= 2;
    return vector;
}

// Columns of which every thread keeps its elements from loop to loop, so that they are read once: as many thread rows
// as it takes, in tiles whose rows are no narrower than what memory moves well. Small blocks, of which several wait for
// memory at once, are worth more registers in each thread: softmax of (32, 151, 16384) floats along axis 1 takes 0.160
// ms on an H200 in blocks of 256 threads that keep 128 bytes each, 0.215 in blocks of 512 that keep 64, 0.311 where
// every loop reads again; of (256, 19, 16384) 0.154 in blocks of 128, 0.163 of 256, 0.250 of 512.
bool keep_columns(const loop_nest& k, const machine& m, int vector, int calls, schedule& s) {
    const int bytes = bytes_read_again(k);
    const std::int64_t columns = outer_size(k), length = longest_loop(k);
    if (bytes == 0 || has_scans(k) || folds_groups(k)) return false;
    while (vector > 1 && divide_up(columns, 32 * vector) < m.multiprocessors) vector /= 2;
    const auto make = [&](int block, int across) {
        const int rows = block / across;
        const std::int64_t accesses = divide_up(length, rows);
        if (accesses * vector * bytes > max_bytes_kept || accesses * vector * calls > 2 * max_calls) return false;
        if (shared_per_column(k) * static_cast<std::size_t>(block * vector) > m.shared_per_block) return false;
        s.vector_width = vector;
        s.threads_per_output = rows;
        s.block_threads = block;
        s.unroll = static_cast<int>(accesses);
        s.resident = true;
        return true;
    };
    for (; vector >= 1; vector /= 2)
        for (const int block : {128, 256, 512, 1024})
            for (int across = 32; across > 1 && across * vector * bytes >= kept_tile_bytes; across /= 2)
                if (make(block, across)) return true;
    return false;
}

// Whether what a kernel computes of indices is for gathers in its loops: neighbouring columns of a thread can share
// these, but have no other indices.
bool gathers_alone(const loop_nest& k) {
    return std::all_of(k.values.begin(), k.values.end(),
                       [](const value& v) { return v.what != value_kind::index && (!is_gather(v) || v.loop >= 0); });
}

}  // namespace

int columns_vector(const loop_nest& k, const std::vector<int>& alignment, int calls) {
    if (k.outer.empty() || !gathers_alone(k)) return 1;
    const int last = k.outer.back();
    std::size_t widest = 1, narrowest = 16;
    std::vector<access> moving;
    const std::vector<access> gathers = gathers_of(k);
    for (const access& a : gathers) {
        widest = std::max(widest, size_of(a.type));
        narrowest = std::min(narrowest, size_of(a.type));
    }
    for (const access& a : accesses_of(k)) {
        if (stride_of(k, a, last) == 0) continue;
        moving.push_back(a);
        widest = std::max(widest, size_of(a.type));
        narrowest = std::min(narrowest, size_of(a.type));
    }
    int reductions = 0;
    for (const value& v : k.values) reductions += v.what == value_kind::reduce || v.what == value_kind::scan;
    for (int vector = widest_vector(widest, narrowest); vector > 1; vector /= 2) {
        bool fits =
            extent_of(k, last) % vector == 0 && vector * reductions <= max_values && vector * calls <= max_calls;
        for (const access& a : moving) fits = fits && can_move(k, a, last, vector, alignment);
        for (const access& a : gathers) fits = fits && can_gather(k, a, last, vector, alignment);
        if (fits) return vector;
    }
    return 1;
}

namespace {

/// The most thread rows in `room` threads: each has at least four elements.
int max_rows(const column_demand& d, int width, int room) {
    return power_of_two(divide_up(d.length, 4), static_cast<int>(divide_up(room, width)));
}

/// Shares each tile among several blocks, and returns its threads across.
int split_tiles(const loop_nest& k, const machine& m, const column_demand& d, schedule& s) {
    const int width = split_width(k, d.bytes, s.vector_width);
    s.threads_per_output = max_rows(d, width, s.vector_width > 1 ? 2 * threads : threads);
    const std::int64_t tiles = divide_up(d.columns, width * s.vector_width);
    const int block = width * s.threads_per_output, at_once = threads_at_once / block;
    // Sums of (131072, 512) doubles take 0.130 ms with three blocks of 512 threads on each multiprocessor, 0.150
    // with two. Where a thread has more registers, the third would wait: maxima of (200000, 100) doubles take
    // 0.048 with two and 0.054 with three.
    const bool light = s.vector_width > 1 && d.calls == 0 && d.accumulated * s.vector_width <= max_kept_beside_three;
    const int on_each = light && sums_doubles(k) ? at_once : std::max(1, (threads_wanted + block / 2) / block);
    const std::int64_t blocks = blocks_of_tile(m, on_each, at_once, tiles);
    const std::int64_t worthwhile =
        divide_up(d.length, static_cast<std::int64_t>(s.threads_per_output) * d.max_accesses(s.vector_width));
    s.blocks_per_output = static_cast<int>(std::max<std::int64_t>(std::min(blocks, worthwhile), 1));
    return width;
}

/// Divides columns among the threads of blocks, and returns the threads across a tile.
int divide_columns(const machine& m, const column_demand& d, schedule& s) {
    int width = power_of_two(divide_up(d.columns, s.vector_width), 32);
    const int most_rows = max_rows(d, width, threads);
    if (divide_up(d.columns, width * s.vector_width) < m.multiprocessors) {
        // too few tiles: deeper blocks, then narrower ones, down to the 32 bytes that memory moves at once
        s.threads_per_output = most_rows;
        while (width * s.threads_per_output < 1024 && d.length >= 8 * s.threads_per_output) s.threads_per_output *= 2;
        while (width > std::max(1, 32 / d.bytes) && divide_up(d.columns, width) < m.multiprocessors &&
               d.length >= 8 * s.threads_per_output) {
            width /= 2;
            s.threads_per_output *= 2;
        }
        return width;
    }
    if (s.vector_width > 1 && is_short(d.length) && accesses_of_short(d.length) <= d.max_in(s.vector_width, 128)) {
        s.threads_per_output = short_rows;
        s.unroll = accesses_of_short(d.length);
        return short_width;
    }
    const std::int64_t blocks = blocks_per_multiprocessor * static_cast<std::int64_t>(m.multiprocessors);
    while (s.threads_per_output < most_rows &&
           divide_up(d.columns, threads / s.threads_per_output * s.vector_width) < blocks)
        s.threads_per_output *= 2;
    return threads / s.threads_per_output;
}

}  // namespace

schedule schedule_columns(const loop_nest& k, const machine& m, const std::vector<int>& alignment) {
    schedule s;
    s.form = schedule_form::columns;
    const column_demand d = demand_of(k);
    const bool few = divide_up(d.columns, 32) < 2 * static_cast<std::int64_t>(m.multiprocessors);
    const int vector = columns_vector(k, alignment, d.calls);
    if (few && share_by_barriers(k, m, barrier_vector(m, vector, d.accumulated), d, s))
        return with_index_width(k, s, s.blocks_per_output);
    const bool splits = few && can_split(k) && d.length > split_length;
    if (can_look_back(k) && d.length > split_length &&
        divide_up(d.columns, 32 * vector) < blocks_per_multiprocessor * static_cast<std::int64_t>(m.multiprocessors))
        return look_back(k, m, vector, d, s);
    if (!splits && keep_columns(k, m, vector, d.calls, s)) return with_index_width(k, s, 1);
    s.vector_width = vector;
    s.evict_first = evicts_first(k, m);
    // some warps for every multiprocessor come first
    while (!splits && s.vector_width > 1 && divide_up(d.columns, 32 * s.vector_width) < m.multiprocessors)
        s.vector_width /= 2;
    int width = splits ? split_tiles(k, m, d, s) : divide_columns(m, d, s);  ///< threads across
    // every reduction and scan keeps one value of each column and thread in shared memory
    const std::size_t shared = shared_per_column(k) * static_cast<std::size_t>(s.vector_width);
    const std::size_t room_for_them = m.shared_per_block - last_block_bytes;
    while (s.threads_per_output > 1 && shared * static_cast<std::size_t>(width * s.threads_per_output) > room_for_them)
        s.threads_per_output /= 2;
    while (width * s.threads_per_output < 32) width *= 2;
    s.block_threads = width * s.threads_per_output;
    if (s.unroll == 1)
        s.unroll = power_of_two(divide_up(d.length, s.threads_per_output), d.max_accesses(s.vector_width));
    return with_index_width(k, s, s.blocks_per_output);
}

}  // namespace sinter::codegen
