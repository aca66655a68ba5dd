// Columns. A warp goes along neighbouring columns, and each of its threads has `vector` of them, so that an access
// moves 16 bytes. Thread rows divide a column among them and meet in shared memory at its end; that costs as much as
// reading a dozen elements, so there are only as many of them as it takes to give every multiprocessor some blocks.
// (1000, 100, 1000) floats, summed over axis 1: 8 thread rows of 13 elements each took 0.113 ms on an H200, with
// single accesses.
//
// How wide tiles are, how many threads and blocks share one, and how many columns a thread has depends on all of these:
// some ten candidates are compared by the cost model (cost.hpp). Thresholds in columns gave 9000 columns of bytes one
// block of 256 threads for each multiprocessor, 0.245 ms instead of 0.027.
#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/columns.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/kept_values.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {

constexpr int max_bytes_kept = 128;   ///< of a thread's elements from loop to loop
constexpr int kept_tile_bytes = 128;  ///< at least, of a row of such a tile
constexpr double as_good = 1.08;      ///< times the cheapest candidate's predicted time: the model errs by more

// Whether it reads more than the second-level cache holds, and once: then the next kernel finds nothing of it there
// either way, and the caches may forget it at once. sqrt(sum(x * x)) of (1000, 100, 1000) floats takes 0.0952 instead
// of 0.0969 ms along axis 1 of an H200, and 0.0932 instead of 0.0936 along axis 0. Rows gain nothing by it, and doubles
// that are added lose: sums of (1770, 28248) along axis 0 take 0.153 instead of 0.144 ms on an H100, maxima of (1080,
// 23128) 0.0711 instead of 0.0718.
bool evicts_first(const loop_nest& k, const device_properties& m) {
    const auto is_wide = [](const value& v) {
        return v.what == value_kind::load && v.loop != group_level && size_of(v.type) == 8;
    };
    const auto adds = [](const value& v) { return v.what == value_kind::reduce && v.op->rule != dtype_rule::same; };
    if (std::any_of(k.values.begin(), k.values.end(), is_wide) && std::any_of(k.values.begin(), k.values.end(), adds))
        return false;
    std::int64_t most = 0;
    for (const access& a : accesses_of(k))
        if (a.loop == 0)
            most =
                std::max(most, reach_of(k, a.layout_position).elements() * static_cast<std::int64_t>(size_of(a.type)));
    return k.loops.size() == 1 && !has_scans(k) && most > static_cast<std::int64_t>(m.l2_bytes);
}

// Columns of some hundred elements: 8 thread rows are done with them in two steps of up to 8 accesses, none of them
// idle for long. (1000, 100, 1000) floats, summed over axis 1, take 0.0924 ms in steps of 7 accesses, 0.097 with 2
// thread rows and 13 steps of 4.
constexpr int short_rows = 8, short_width = 64;
constexpr std::int64_t shortest = 65, longest_short = 128;

bool is_short(std::int64_t length) { return length >= shortest && length <= longest_short; }
int accesses_of_short(std::int64_t length) { return static_cast<int>(divide_up(length, 2 * short_rows)); }

// The number of columns, fewer than a warp's threads, whose rows lie one behind another in memory, such as the 7 of
// (2000, 521, 7) along axis 1; 0 if there are none. A tile of exactly these is contiguous, whereas a warp of a wider
// tile goes to several places: x - mean(x) takes 0.0202 ms on an H200 instead of 0.0314.
int adjoining_columns(const loop_nest& k) {
    if (k.outer.size() < 2 || extent_of(k, k.outer.back()) >= 32) return 0;
    const int last = k.outer.back();
    const auto adjoin = [&](const access& a) {
        if (a.loop < 0 || stride_of(k, a, last) == 0) return true;
        return stride_of(k, a, k.loops[static_cast<std::size_t>(a.loop)].axes.back()) == extent_of(k, last);
    };
    const std::vector<access> all = accesses_of(k);
    return std::all_of(all.begin(), all.end(), adjoin) ? static_cast<int>(extent_of(k, last)) : 0;
}

// Columns of which every thread keeps its elements from loop to loop, so that they are read once: as many thread rows
// as it takes, in tiles whose rows are no narrower than what memory moves well. Small blocks, of which several wait for
// memory at once, are worth more registers in each thread: softmax of (32, 151, 16384) floats along axis 1 takes 0.160
// ms on an H200 in blocks of 256 threads that keep 128 bytes each, 0.215 in blocks of 512 that keep 64, 0.311 where
// every loop reads again; of (256, 19, 16384) 0.154 in blocks of 128, 0.163 of 256, 0.250 of 512.
bool keep_columns(const loop_nest& k, const device_properties& m, int vector, const column_demand& d, bool gathers,
                  schedule& s) {
    const int bytes = bytes_read_again(k, gathers);  // of a column's element
    if (bytes == 0 || has_scans(k) || folds_groups(k)) return false;
    const int calls = function_calls_of_kept(k);
    while (vector > 1 && divide_up(d.columns, 32 * vector) < m.multiprocessors) vector /= 2;
    int kept = 0;  // of an access
    const auto make = [&](int rows, int across) {
        const std::int64_t accesses = divide_up(d.length, rows);
        if (accesses * kept > max_bytes_kept || accesses * vector * calls > 2 * max_column_calls) return false;
        if (static_cast<std::size_t>(d.accumulated * rows * across * vector) > m.shared_per_block) return false;
        s.vector_width = vector;
        s.threads_per_output = rows;
        s.block_threads = rows * across;
        s.unroll = static_cast<int>(accesses);
        s.register_cached = true;
        return true;
    };
    for (; vector >= 1; vector /= 2) {
        kept = register_bytes_read_again(k, vector, gathers);
        const int adjoining = adjoining_columns(k) / vector;
        for (const int block : {128, 256, 512, 1024}) {
            if (adjoining > 1 && make(power_of_two_within(block / adjoining), adjoining)) return true;
            for (int across = 32; across > 1 && across * vector * bytes >= kept_tile_bytes; across /= 2)
                if (make(block / across, across)) return true;
        }
    }
    return false;
}

/// Divides columns among the threads of blocks of at most `deepest` threads, and returns the threads across a tile.
int divide_columns(const device_properties& m, const column_demand& d, int deepest, schedule& s) {
    const int vector = s.vector_width;
    int width = power_of_two(divide_up(d.columns, vector), 32);
    const int most_rows = d.max_rows(width, threads_of_tile);
    if (divide_up(d.columns, width * vector) < m.multiprocessors) {
        // too few tiles: deeper blocks, then narrower ones, down to a sector
        s.threads_per_output = most_rows;
        while (width * s.threads_per_output < deepest && d.length >= 8 * s.threads_per_output)
            s.threads_per_output *= 2;
        while (width > std::max(1, sector_bytes / d.bytes / vector) &&
               divide_up(d.columns, width * vector) < m.multiprocessors && d.length >= 8 * s.threads_per_output) {
            width /= 2;
            s.threads_per_output *= 2;
        }
        return width;
    }
    if (vector > 1 && is_short(d.length) && accesses_of_short(d.length) <= d.max_in(vector, 128)) {
        s.threads_per_output = short_rows;
        s.unroll = accesses_of_short(d.length);
        return short_width;
    }
    const std::int64_t blocks = tiles_per_multiprocessor * static_cast<std::int64_t>(m.multiprocessors);
    while (s.threads_per_output < most_rows &&
           divide_up(d.columns, threads_of_tile / s.threads_per_output * vector) < blocks)
        s.threads_per_output *= 2;
    return threads_of_tile / s.threads_per_output;
}

/// A schedule whose threads across a tile and down a column are chosen, as far as shared memory has room for them.
schedule with_accesses(const loop_nest& k, const device_properties& m, const column_demand& d, schedule s, int width) {
    // every reduction and scan keeps one value of each column and thread in shared memory
    const int room = static_cast<int>(m.shared_per_block - last_block_bytes);
    while (s.threads_per_output > 1 && d.accumulated * s.vector_width * width * s.threads_per_output > room)
        s.threads_per_output /= 2;
    while (width * s.threads_per_output < 32) width *= 2;
    s.block_threads = width * s.threads_per_output;
    if (s.unroll == 1)
        s.unroll = power_of_two(divide_up(d.length, s.threads_per_output), d.max_accesses(s.vector_width));
    return with_index_width(k, s, s.blocks_per_output);
}

/// The sensible tiles of columns with `vector` columns a thread, of at most `widest`.
void add_tiles(const loop_nest& k, const device_properties& m, const column_demand& d, int vector, int widest,
               std::vector<schedule>& all) {
    schedule s;
    s.form = schedule_form::columns;
    s.vector_width = vector;
    s.evict_first = evicts_first(k, m);
    if (can_split(k) && d.length > shortest_split && (vector > 1 || widest == 1)) {
        schedule split = s;
        const int width = split_tiles(k, m, d, split);
        all.push_back(with_accesses(k, m, d, split, width));
    }
    // a few steps of functions: one thread has all of them, so that none computes what is past the end, or waits
    if (d.calls > 0 && k.loops.size() == 1 && d.length <= d.max_in(vector, max_bytes_kept)) {
        schedule whole = s;
        whole.unroll = static_cast<int>(d.length);
        all.push_back(with_accesses(k, m, d, whole, threads_of_tile / 2));
    }
    schedule divided = s;
    const int width = divide_columns(m, d, 2 * threads_of_tile, divided);
    all.push_back(with_accesses(k, m, d, divided, width));
    for (const int across : {32, 16, 8}) {  // blocks of many threads, where tiles are too few for blocks of few
        schedule deep = s;
        deep.threads_per_output = d.max_rows(across, 2 * threads_of_tile);
        if (across * deep.threads_per_output > threads_of_tile && across <= d.columns &&
            across * vector * d.bytes >= sector_bytes)
            all.push_back(with_accesses(k, m, d, deep, across));
    }
}

}  // namespace

std::vector<schedule> column_candidates(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment) {
    schedule s;
    s.form = schedule_form::columns;
    const column_demand d = demand_of(k);
    const int vector = columns_vector(k, alignment, d.calls);
    std::vector<schedule> all;
    schedule shared = s;
    if (share_by_barriers(k, m, vector, d, shared))
        all.push_back(with_index_width(k, shared, shared.blocks_per_output));
    if (can_look_back(k) && d.length > shortest_split &&
        divide_up(d.columns, 32 * vector) < tiles_per_multiprocessor * static_cast<std::int64_t>(m.multiprocessors)) {
        if (all.empty()) all.push_back(look_back(k, m, vector, d, s));
        return all;
    }
    if (has_scans(k) && !all.empty()) return all;
    if (has_scans(k)) {  // the model does not know them: some warps for every multiprocessor come first
        s.vector_width = vector;
        while (s.vector_width > 1 && divide_up(d.columns, 32 * s.vector_width) < m.multiprocessors) s.vector_width /= 2;
        const int width = divide_columns(m, d, 4 * threads_of_tile, s);
        all.push_back(with_accesses(k, m, d, s, width));
        return all;
    }
    schedule kept = s;
    if (keep_columns(k, m, vector, d, true, kept) || keep_columns(k, m, vector, d, false, kept))
        all.push_back(with_index_width(k, kept, 1));
    for (int v = vector; v >= 1 && 4 * v >= vector; v /= 2) add_tiles(k, m, d, v, vector, all);
    return all;
}

schedule schedule_columns(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment) {
    const std::vector<schedule> all = column_candidates(k, m, alignment);
    if (all.size() == 1) return all[0];
    const kernel_work does = work_of(k);
    std::vector<double> seconds;
    for (const schedule& s : all) seconds.push_back(predicted_seconds(work_of(k, does, s, m), m));
    const double least = *std::min_element(seconds.begin(), seconds.end());
    const auto first = std::find_if(seconds.begin(), seconds.end(), [&](double t) { return t <= least * as_good; });
    return with_common_tile(k, m, demand_of(k), all[static_cast<std::size_t>(first - seconds.begin())], *first);
}

}  // namespace sinter::codegen
