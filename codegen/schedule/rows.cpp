// Rows. The threads that share a row grow with its length as in QuACK's tables for Hopper (8 to 256 for rows of 64 to
// more than 16384 elements), here counted in accesses; several of them are under way in each thread.
#include <codegen/analysis/op_traits.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/grid_barrier.hpp>
#include <codegen/schedule/loops.hpp>
#include <codegen/schedule/peeled_rows.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace sinter::codegen {

namespace {

constexpr int max_bytes_under_way = 128;  ///< a thread: 32 registers
constexpr int max_unroll = 8;
/// Of wide accesses: four under way in each of more threads are as fast as eight or faster, and half as much to
/// compile. 2^26 floats in rows of 1000, 4096 and 2^20 take 0.0617, 0.0613 and 0.0640 ms on an H200, with eight 0.0622,
/// 0.0620 and 0.0702.
constexpr int max_wide = 4;
/// A thread, of single elements, as rows of odd length have them: of bytes sixteen, by fewer threads. Sums of 204 MB of
/// bytes in rows of 1021 take 0.100 ms, with eight 0.125, in rows of 101 0.092, with eight 0.155.
constexpr int fewest_bytes_under_way = 16;
constexpr int max_calls = 32;
/// A row of more bytes is shared by several blocks. One multiprocessor reads about 100 GB/s from the cache, and a
/// ticket costs about a microsecond.
constexpr std::int64_t split_bytes = 128 * 1024;
/// Two blocks of a cluster fit a multiprocessor: one reads while the other waits. Larger ones, of which one fits, take
/// longer than blocks at grid barriers (bench/NOTES.md).
constexpr int cluster_block = 512;
constexpr int largest_cluster = 8;  ///< runs wherever there are clusters
/// Longer rows that values run along are cut into tiles; to look back at them costs a few steps of a block.
constexpr std::int64_t look_back_length = 8192;

/// Accesses of a thread of a short row that bring functions some work: a thread with fewer has idle lanes beside it, as
/// lanes are a power of two, and combines its sums more often. 4 x 10^7 floats in rows of 36 take 0.109 ms on an H100
/// with 8 threads per row and 0.069 with 2 (log(1 + exp(x))), 0.068 and 0.063 (exp(x)), 0.060 and 0.064 (x alone).
int accesses_beside_functions(const loop_nest& k) {
    int functions = 0;
    for (const value& v : k.values)
        if (v.op != nullptr && v.loop >= 0) functions += traits_of(*v.op).functions * (has_doubles(k, v) ? 2 : 1);
    return functions == 0 || k.loops.size() > 1 || has_scans(k) ? 1 : functions == 1 ? 4 : 8;
}

int threads_for(std::int64_t accesses, int bytes, int least) {
    // A short row: two accesses of 16 bytes per thread, up to eight of fewer, so that single elements, too, fill the
    // room for bytes under way: rows of 7, 31 and 127 floats take 0.072, 0.072 and 0.067 ms for 2^26 elements with
    // eight single elements per thread, and 0.095, 0.086 and 0.086 with four. Then one warp up to 128 accesses.
    const int most = std::max(std::clamp(32 / bytes, 2, 8), least);
    if (accesses <= 16 * most) return power_of_two(divide_up(accesses, most), 32);
    return accesses <= 128 ? 32 : accesses <= 384 ? 64 : accesses <= 2048 ? 128 : 256;
}

// Whether neighbours of an array lie across the rows: another kernel stored it in the other order, as the operand of a
// transpose.
bool reads_across(const loop_nest& k) {
    return std::any_of(k.values.begin(), k.values.end(), [&](const value& v) {
        if (v.what != value_kind::load || v.loop < 0 || v.in[0] >= 0) return false;
        const std::vector<int>& axes = k.loops[static_cast<std::size_t>(v.loop)].axes;
        return !axes.empty() && std::abs(stride_of(k, v.at, axes.back())) > 1 &&
               std::abs(stride_of(k, v.at, k.outer.back())) == 1;
    });
}

// The accesses of one step, so that the loop's last step is not mostly idle.
int unroll_for(std::int64_t accesses_per_thread, int most) {
    const std::int64_t steps = divide_up(std::max<std::int64_t>(accesses_per_thread, 1), most);
    return power_of_two(divide_up(accesses_per_thread, steps), most);
}

// Rows that another array lies across, and of which nothing is kept: a warp covers several, so that it reads whole
// sectors either way, and a block so many that it uses the lines that it reads across. The fewer threads a row has, the
// better, as long as they occupy the device.
bool cover_rows(const loop_nest& k, const device_properties& m, std::int64_t accesses, int most_unroll, schedule& s) {
    constexpr int fewest = 8, most = 32, threads_of_multiprocessor = 512;
    if (k.outer.empty() || has_scans(k) || bytes_read_again(k) > 0 || !reads_across(k)) return false;
    if (s.vector_width > 1 || s.blocks_per_output > 1) return false;
    const std::int64_t wanted = std::int64_t{m.multiprocessors} * threads_of_multiprocessor;
    int threads = std::min(s.threads_per_output, fewest);
    while (threads < most && outer_size(k) * threads < wanted) threads *= 2;
    if (outer_size(k) * threads < wanted) return false;
    s.threads_per_output = threads;
    s.block_threads = 256;
    s.unroll = unroll_for(divide_up(accesses, threads), most_unroll);
    return true;
}

// One row is one block's, and idle threads of a device's only block cost nothing: few blocks serve rows of all lengths.
void make_only_block(schedule& s, int unroll) {
    s.threads_per_output = s.threads_per_output <= 32 ? 32 : s.threads_per_output <= 256 ? 256 : 1024;
    s.unroll = unroll;
}

/// Whether loops load nothing but what is kept in registers: so many bytes of each step.
bool loads_what_is_kept(const loop_nest& k, int kept) {
    for (int l = 0; l < static_cast<int>(k.loops.size()); ++l)
        if (bytes_per_iteration(k, l) > kept) return false;
    return true;
}

// Two loops or more over the same elements: they are read once when all of a row fits the registers of one block. Of
// blocks of 1024 threads one is resident, and nothing runs while it waits for its row or at a barrier: two of 512 with
// twice the accesses take 0.352 ms for softmax of 16384 rows of 10007 floats (one H200), one 0.532. What is loaded
// beside has no room in their registers.
void make_resident(const loop_nest& k, schedule& s, std::int64_t accesses, int calls, int bytes) {
    if (bytes == 0 || k.outer.empty() || s.register_cached) return;
    const int kept = bytes_read_again(k);
    const int most = std::max(1, max_cached_bytes / bytes);
    // half the room, so that more threads have accesses under way: layer_norm of rows of 4096 takes 0.135 ms with 256
    // threads per row and 0.147 with 128, argmax 0.0627 and 0.0631
    const int roomy_unroll = std::max(1, most / 2);
    const int largest = loads_what_is_kept(k, kept) ? 512 : 1024;  // before all room is taken
    // single halves may take 48 of the 64 registers of two blocks: 6144 rows of 4099, of three arrays, take 0.318 ms
    // with 512 threads that keep 16 of each, and 0.343 with 1024 that keep 8
    constexpr int max_bytes_of_singles = 192;
    const int most_singles = bytes > kept * s.vector_width ? max_bytes_of_singles / bytes : most;
    for (int group = std::max(s.threads_per_output, 1); group <= 1024; group *= 2) {
        const int unroll = power_of_two(divide_up(accesses, group), 1 << 20);
        // few copies of the loops' functions, as long as there are threads to add
        const bool roomy = unroll <= roomy_unroll && (unroll == 1 || unroll * s.vector_width * calls <= 2 * max_calls);
        if (roomy || (group >= largest && unroll <= (group == 512 ? most_singles : most))) {
            s.threads_per_output = group;
            s.unroll = unroll;
            s.register_cached = true;
            return;
        }
    }
}

// Accesses of a thread that can be kept: each has copies of the loops' functions, which cost compile time.
int max_kept(const schedule& s, int calls) { return std::max(1, 2 * max_calls / std::max(1, s.vector_width * calls)); }

// Rows too long for the registers of one block, but not for those of a few: a cluster, whose blocks are guaranteed to
// be resident together and read each other's shared memory.
bool make_cluster(const loop_nest& k, const device_properties& m, schedule& s, std::int64_t accesses, int calls,
                  int bytes) {
    if (m.arch < 90 || bytes == 0 || k.outer.empty() || !can_share_by_barriers(k)) return false;
    const auto room = static_cast<unsigned>(std::max(1, std::min(max_cached_bytes / bytes, max_kept(s, calls))));
    const int most = static_cast<int>(std::bit_floor(room));  // one kernel for each size of clusters
    for (int cluster = 2; cluster <= std::min(largest_cluster, m.multiprocessors); cluster *= 2) {
        const int unroll = power_of_two(divide_up(divide_up(accesses, cluster_block), cluster), 1 << 20);
        if (unroll > most || outer_size(k) * cluster < m.multiprocessors) continue;
        s.block_threads = s.threads_per_output = cluster_block;
        s.unroll = most;
        s.cluster = cluster;
        s.blocks_per_multiprocessor = 1024 / cluster_block;  // at 64 registers per thread
        s.register_cached = true;
        return true;
    }
    return false;
}

// Shares each row among several blocks: four blocks of 256 threads fit every multiprocessor at 64 registers per thread.
// Of more than that a few would run in a second wave, alone: dice_loss of 64 rows takes 0.0378 ms on an H200 with 9
// blocks a row, and 0.0291 with 8. But 200 rows by 2 blocks take longer than by 3. The indices of gathers take
// registers that are hard to foresee, so that these are bounded.
void share_rows(const loop_nest& k, const device_properties& m, std::int64_t accesses, schedule& s) {
    constexpr int resident = 4;
    constexpr double full = 0.9;
    const std::int64_t wave = std::int64_t{resident} * m.multiprocessors;
    const std::int64_t groups = std::max<std::int64_t>(outer_size(k), 1);
    const std::int64_t worthwhile = divide_up(accesses, static_cast<std::int64_t>(s.threads_per_output) * s.unroll);
    const auto share = [&](std::int64_t blocks) {
        s.blocks_per_output = static_cast<int>(std::max<std::int64_t>(std::min(blocks, worthwhile), 1));
    };
    const std::int64_t within = wave / groups;
    share(divide_up(wave, groups));
    if (static_cast<double>(within * groups) >= full * static_cast<double>(wave) ||
        work_of(k, work_of(k), s, m).waves > 1)
        share(within);
    if (!gathers_of(k).empty() && s.blocks_per_output <= within) s.blocks_per_multiprocessor = resident;
}

// Rows for which one block each is slow: too few of them, or too long for its registers.
bool share_by_barriers(const loop_nest& k, const device_properties& m, schedule& s, std::int64_t accesses, int most,
                       int calls, int bytes) {
    schedule shared = s;
    // Small blocks let several groups of blocks share a multiprocessor; a single group waits for fewer blocks.
    shared.block_threads = shared.threads_per_output = k.outer.empty() ? 512 : 256;
    shared_loops loops;
    loops.tiles = outer_size(k);
    loops.steps = divide_up(accesses, shared.threads_per_output);
    loops.kept_bytes = bytes;
    loops.max_kept = max_kept(s, calls);
    loops.max_unroll = most;
    if (!share_by_grid_barriers(k, m, loops, shared)) return false;
    s = shared;
    return true;
}

void choose_block(const loop_nest& k, schedule& s) {
    // rows of one thread are done so soon that half as many blocks are better: 2^25 rows of 2 floats take 0.124 ms with
    // 256 threads per block, 0.163 with 128
    s.block_threads = k.outer.empty() ? std::max(s.threads_per_output, 32)
                                      : std::max(s.threads_per_output, s.threads_per_output == 1 ? 256 : 128);
    if (k.outer.empty()) s.threads_per_output = s.block_threads;  // one row: the whole block is its
    if (s.blocks_per_output > 1) s.block_threads = s.threads_per_output;
}

}  // namespace

// A branch around a fold of few instructions becomes predicates, and ptxas then moves each load behind the fold before
// it, so that one waits for the other; without branches all loads of a step are under way at once. Where folds are
// longer, or several elements arrive at once, branches keep the loads apart from them, and copies of accumulators only
// cost (bench/NOTES.md). What may be folded in vain reads no memory, calls no function of the user's and stores
// nothing.
bool folds_past_the_end(const loop_nest& k, const schedule& s, int loop) {
    constexpr std::size_t most_copies = 4;
    if (s.form != schedule_form::rows || s.vector_width > 1 || s.unroll == 1 || s.threads_per_output == 1) return false;
    if (s.blocks_per_output > 1 || s.cluster > 1 || s.grid_barrier || has_scans(k)) return false;
    const std::vector<int>& folds = k.loops[static_cast<std::size_t>(loop)].reductions;
    if (folds.empty() || folds.size() > most_copies) return false;
    const auto is_struct = [&](int r) { return detail::is_accumulator(k.values[static_cast<std::size_t>(r)].type); };
    const auto forbids = [&](const value& v) {
        return (v.loop == loop && is_gather(v)) ||
               ((v.loop == loop || v.over == loop) && v.op != nullptr && v.op->builtin < 0);
    };
    return std::none_of(folds.begin(), folds.end(), is_struct) &&
           std::none_of(k.values.begin(), k.values.end(), forbids) &&
           std::none_of(k.stores.begin(), k.stores.end(), [&](const kernel_store& st) { return st.loop == loop; });
}

namespace {

using width_of_loop = int (*)(const loop_nest&, const std::vector<int>&, int, const std::vector<int>&);

int width_of_rows(const loop_nest& k, const std::vector<int>& alignment, width_of_loop width) {
    const std::vector<access> all = accesses_of(k);
    int vector = 0;
    std::vector<int> still;
    for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
        const std::vector<int>& axes = k.loops[static_cast<std::size_t>(l)].axes;
        const bool moves = std::any_of(all.begin(), all.end(), [&](const access& a) {
            return a.loop == l && !axes.empty() && stride_of(k, a, axes.back()) != 0;
        });
        if (!moves) {
            still.push_back(l);
            continue;
        }
        const int own = width(k, axes, l, alignment);
        vector = vector == 0 ? own : std::min(vector, own);
    }
    if (vector == 0) {
        for (int l : still) {
            const int own = vector_width(k, k.loops[static_cast<std::size_t>(l)].axes, l, alignment);
            vector = vector == 0 ? own : std::min(vector, own);
        }
        return std::max(vector, 1);
    }
    for (int l : still) {
        const std::vector<int>& axes = k.loops[static_cast<std::size_t>(l)].axes;
        while (vector > 1 && !axes.empty() && extent_of(k, axes.back()) % vector != 0) vector /= 2;
    }
    return vector;
}

}  // namespace

int rows_vector(const loop_nest& k, const std::vector<int>& alignment) {
    return width_of_rows(k, alignment, vector_width);
}

namespace {

// The elements of an access, and whether rows are peeled so that it can be wide.
void set_width(const loop_nest& k, const std::vector<int>& alignment, schedule& s) {
    s.vector_width = rows_vector(k, alignment);
    if (const int peeled = peeled_vector(k, alignment); peeled >= 4 * s.vector_width) {
        s.peeled = true;
        s.vector_width = peeled;
    }
    // of kept elements, single halves would take a register each
    if (s.vector_width == 1 && !has_scans(k) && k.nest_axis < 0 && bytes_read_again(k) > 0)
        s.vector_width = width_of_rows(k, alignment, vector_width_beside_strided);
}

// Which threads and blocks have a row. What is kept has gathers where there is room for them, too; a row keeps
// `kept_accesses`.
void divide(const loop_nest& k, const device_properties& m, schedule& s, std::int64_t accesses,
            std::int64_t kept_accesses, int most, int calls) {
    const std::array<int, 2> kept{register_bytes_read_again(k, s.vector_width),
                                  register_bytes_read_again(k, s.vector_width, false)};
    for (const int each : kept) make_resident(k, s, kept_accesses, calls, each);
    const auto is_cluster = [&](int each) { return make_cluster(k, m, s, accesses, calls, each); };
    const auto meets = [&](int each) {
        schedule shared = s;
        if (!share_by_barriers(k, m, shared, accesses, most, calls, each)) return false;
        if (!shared.register_cached && each != kept.back()) return false;
        s = shared;
        return true;
    };
    if (!cover_rows(k, m, accesses, most, s) &&
        (s.register_cached ||
         (std::none_of(kept.begin(), kept.end(), is_cluster) && std::none_of(kept.begin(), kept.end(), meets))))
        choose_block(k, s);
}

}  // namespace

schedule schedule_rows(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment) {
    schedule s;
    s.form = schedule_form::rows;
    const std::int64_t groups = std::max<std::int64_t>(outer_size(k), 1);
    const std::int64_t length = longest_loop(k);
    set_width(k, alignment, s);
    const std::int64_t accesses = divide_up(length, s.vector_width);

    int bytes = 1, calls = 0;
    bool reads = false;
    for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
        bytes = std::max(bytes, bytes_per_iteration(k, l) * s.vector_width);
        reads = reads || bytes_per_iteration(k, l) > 0;
        calls += function_calls(k, l);
    }
    const bool single = s.vector_width == 1 && reads && !has_scans(k);
    const int max_single = std::max(max_unroll, single ? fewest_bytes_under_way / bytes : 1);
    const auto max_in = [&](int room) {
        int n = single ? max_single : max_unroll;
        while (n > 1 && (n * bytes > room || n * s.vector_width * calls > max_calls)) n /= 2;
        return n;
    };
    const int most = std::min(max_in(max_bytes_under_way), s.vector_width > 1 && !has_scans(k) ? max_wide : max_single);

    // single bytes: the threads of a row of as many words
    s.threads_per_output =
        threads_for(max_single > max_unroll ? divide_up(accesses, 4) : accesses, bytes, accesses_beside_functions(k));
    if (s.peeled) s.threads_per_output = std::max(s.threads_per_output, 2 * s.vector_width);  // the ends of a row
    // few rows: more threads each, to occupy the device
    while (groups * s.threads_per_output < static_cast<std::int64_t>(m.multiprocessors) * 1024 &&
           s.threads_per_output < 1024 && accesses >= 4 * s.threads_per_output)
        s.threads_per_output *= 2;
    s.unroll = unroll_for(divide_up(accesses, s.threads_per_output), most);
    if (k.outer.empty() && !has_scans(k)) make_only_block(s, most);

    if (can_split(k) && groups < 2 * m.multiprocessors && length * std::max(bytes / s.vector_width, 4) > split_bytes) {
        s.threads_per_output = 256;
        s.unroll = most;
        share_rows(k, m, accesses, s);
    }
    if (can_look_back(k) && groups < 2 * m.multiprocessors && length > look_back_length) {
        // A tile is one step of a block, and several blocks share a multiprocessor: some wait while others read. How
        // long a tile waits hardly depends on its length, so more elements under way are faster, as far as registers
        // go: one row of 2^26 floats takes 0.187 ms with 32 per thread, 0.210 with 16 (bench/NOTES.md).
        s.threads_per_output = 256;
        s.unroll = max_in(bytes_of_tile);
        s.blocks_per_output =
            static_cast<int>(divide_up(accesses, static_cast<std::int64_t>(s.threads_per_output) * s.unroll));
    }
    divide(k, m, s, accesses, s.peeled ? length / s.vector_width : accesses, most, calls);  // peeled: whole vectors
    const int beyond =
        has_scans(k) ? 1 : std::max(s.blocks_per_output, s.cluster);  // parts that a thread may look past the end
    s.wide_index =
        needs_wide_index(k, static_cast<std::int64_t>(s.block_threads) * s.vector_width * s.unroll * (beyond + 1));
    return s;
}

}  // namespace sinter::codegen
