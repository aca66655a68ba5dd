// Rows. The threads that share a row grow with its length as in QuACK's tables for Hopper (8 to 256 for rows of 64 to
// more than 16384 elements), here counted in accesses; several of them are under way in each thread.
#include <codegen/schedule/forms.hpp>

#include <algorithm>
#include <bit>

namespace sinter::codegen {

namespace {

constexpr int most_bytes_under_way = 128;  ///< a thread: 32 registers
constexpr int most_resident_bytes = 128;   ///< a thread: what a row may occupy from loop to loop
constexpr int most_unroll = 8;
/// Of wide accesses: four under way in each of more threads are as fast as eight or faster, and half as much to
/// compile. 2^26 floats in rows of 1000, 4096 and 2^20 take 0.0617, 0.0613 and 0.0640 ms on an H200, with eight 0.0622,
/// 0.0620 and 0.0702.
constexpr int most_wide = 4;
constexpr int most_calls = 32;
/// A row of more bytes is shared by several blocks. One multiprocessor reads about 100 GB/s from the cache, and a
/// ticket costs about a microsecond.
constexpr std::int64_t split_bytes = 128 * 1024;
/// Two blocks of a cluster fit a multiprocessor: one reads while the other waits. Larger ones, of which one fits, take
/// longer than teams at grid barriers (bench/NOTES.md).
constexpr int cluster_block = 512;
constexpr int largest_cluster = 8;  ///< runs wherever there are clusters
/// Longer rows that values run along are cut into tiles; to look back at them costs a few steps of a block.
constexpr std::int64_t look_back_length = 8192;

int threads_for(std::int64_t accesses, int bytes) {
    // A short row: two accesses of 16 bytes a thread, up to eight of fewer, so that single elements, too, fill the room
    // for bytes under way: rows of 7, 31 and 127 floats take 0.072, 0.072 and 0.067 ms for 2^26 elements with eight
    // single elements a thread, and 0.095, 0.086 and 0.086 with four. Then one warp up to 128 accesses.
    const int most = std::clamp(32 / bytes, 2, 8);
    if (accesses <= 16 * most) return power_of_two(divide_up(accesses, most), 32);
    return accesses <= 128 ? 32 : accesses <= 384 ? 64 : accesses <= 2048 ? 128 : 256;
}

// The accesses of one step, so that the loop's last step is not mostly idle.
int unroll_for(std::int64_t accesses_a_thread, int most) {
    const std::int64_t steps = divide_up(std::max<std::int64_t>(accesses_a_thread, 1), most);
    return power_of_two(divide_up(accesses_a_thread, steps), most);
}

// Two loops or more over the same elements: they are read once when all of a row fits the registers of one block.
void make_resident(const kernel& k, schedule& s, std::int64_t accesses, int calls) {
    const int bytes = bytes_read_again(k) * s.vector;
    if (bytes == 0 || k.outer.empty()) return;
    const int most = std::max(1, most_resident_bytes / bytes);
    // half the room, so that more threads have accesses under way: layer_norm of rows of 4096 takes 0.135 ms with 256
    // threads a row and 0.147 with 128, argmax 0.0627 and 0.0631
    const int roomy_unroll = std::max(1, most / 2);
    for (int group = std::max(s.group, 1); group <= 1024; group *= 2) {
        const int unroll = power_of_two(divide_up(accesses, group), 1 << 20);
        // few copies of the loops' functions, as long as there are threads to add
        const bool roomy = unroll <= roomy_unroll && (unroll == 1 || unroll * s.vector * calls <= 2 * most_calls);
        if (roomy || (group == 1024 && unroll <= most)) {
            s.group = group;
            s.unroll = unroll;
            s.resident = true;
            return;
        }
    }
}

// Accesses of a thread that can be kept: each has copies of the loops' functions, which cost compile time.
int most_kept(const schedule& s, int calls) { return 2 * most_calls / std::max(1, s.vector * calls); }

// Rows too long for the registers of one block, but not for those of a few: these are a cluster, whose blocks surely
// run at once, and read each other's results where they are.
bool make_cluster(const kernel& k, const machine& m, schedule& s, std::int64_t accesses, int calls) {
    const int bytes = bytes_read_again(k) * s.vector;
    if (m.arch < 90 || bytes == 0 || k.outer.empty() || !can_meet(k)) return false;
    const auto room = static_cast<unsigned>(std::max(1, std::min(most_resident_bytes / bytes, most_kept(s, calls))));
    const int most = static_cast<int>(std::bit_floor(room));  // one kernel for each size of clusters
    for (int cluster = 2; cluster <= std::min(largest_cluster, m.multiprocessors); cluster *= 2) {
        const int unroll = power_of_two(divide_up(divide_up(accesses, cluster_block), cluster), 1 << 20);
        if (unroll > most || outer_size(k) * cluster < m.multiprocessors) continue;
        s.block = s.group = cluster_block;
        s.unroll = most;
        s.cluster = cluster;
        s.blocks_per_multiprocessor = 1024 / cluster_block;  // at 64 registers a thread
        s.resident = true;
        return true;
    }
    return false;
}

// Rows that no single block can do justice: too few of them, or too long for its registers.
bool meet_at_barriers(const kernel& k, const machine& m, schedule& s, std::int64_t accesses, int most, int calls) {
    schedule shared = s;
    // Small blocks let several teams share a multiprocessor. One team gains by having fewer blocks to wait for.
    shared.block = shared.group = k.outer.empty() ? 512 : 256;
    shared_loops loops;
    loops.tiles = outer_size(k);
    loops.steps = divide_up(accesses, shared.group);
    loops.kept_bytes = bytes_read_again(k) * s.vector;
    loops.most_kept = most_kept(s, calls);
    loops.most_unroll = most;
    if (!meet_at_grid_barriers(k, m, loops, shared)) return false;
    s = shared;
    return true;
}

void settle_block(const kernel& k, schedule& s) {
    // rows of one thread are done so soon that half as many blocks are better: 2^25 rows of 2 floats take 0.124 ms with
    // 256 threads a block, 0.163 with 128
    s.block = k.outer.empty() ? std::max(s.group, 32) : std::max(s.group, s.group == 1 ? 256 : 128);
    if (k.outer.empty()) s.group = s.block;  // one row: the whole block is its
    if (s.split > 1) s.block = s.group;
}

}  // namespace

int rows_vector(const kernel& k, const std::vector<int>& alignment) {
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
        const int own = vector_width(k, axes, l, alignment);
        vector = vector == 0 ? own : std::min(vector, own);
    }
    vector = std::max(vector, 1);
    for (int l : still) {
        const std::vector<int>& axes = k.loops[static_cast<std::size_t>(l)].axes;
        while (vector > 1 && !axes.empty() && extent_of(k, axes.back()) % vector != 0) vector /= 2;
    }
    return vector;
}

schedule schedule_rows(const kernel& k, const machine& m, const std::vector<int>& alignment) {
    schedule s;
    s.form = schedule_form::rows;
    const std::int64_t groups = std::max<std::int64_t>(outer_size(k), 1);
    const std::int64_t length = longest_loop(k);
    s.vector = rows_vector(k, alignment);
    const std::int64_t accesses = divide_up(length, s.vector);

    int bytes = 1, calls = 0;
    for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
        bytes = std::max(bytes, bytes_an_iteration(k, l) * s.vector);
        calls += function_calls(k, l);
    }
    const auto most_in = [&](int room) {
        int n = most_unroll;
        while (n > 1 && (n * bytes > room || n * s.vector * calls > most_calls)) n /= 2;
        return n;
    };
    const int most = std::min(most_in(most_bytes_under_way), s.vector > 1 && !has_scans(k) ? most_wide : most_unroll);

    s.group = threads_for(accesses, bytes);
    // few rows: more threads each, to occupy the device
    while (groups * s.group < static_cast<std::int64_t>(m.multiprocessors) * 1024 && s.group < 1024 &&
           accesses >= 4 * s.group)
        s.group *= 2;
    s.unroll = unroll_for(divide_up(accesses, s.group), most);

    if (can_split(k) && groups < 2 * m.multiprocessors && length * std::max(bytes / s.vector, 4) > split_bytes) {
        // four blocks of 256 threads fit every multiprocessor at 64 registers a thread: one wave
        s.group = 256;
        s.unroll = most;
        const std::int64_t blocks = divide_up(4 * static_cast<std::int64_t>(m.multiprocessors), groups);
        const std::int64_t worthwhile = divide_up(accesses, static_cast<std::int64_t>(s.group) * s.unroll);
        s.split = static_cast<int>(std::max<std::int64_t>(std::min(blocks, worthwhile), 1));
    }
    if (can_look_back(k) && groups < 2 * m.multiprocessors && length > look_back_length) {
        // A tile is one step of a block, and several blocks share a multiprocessor: some wait while others read. How
        // long a tile waits hardly depends on its length, so more elements under way are faster, as far as registers
        // go: one row of 2^26 floats takes 0.187 ms with 32 a thread, 0.210 with 16 (bench/NOTES.md).
        s.group = 256;
        s.unroll = most_in(bytes_of_tile);
        s.split = static_cast<int>(divide_up(accesses, static_cast<std::int64_t>(s.group) * s.unroll));
    }
    make_resident(k, s, accesses, calls);
    if (s.resident || (!make_cluster(k, m, s, accesses, calls) && !meet_at_barriers(k, m, s, accesses, most, calls)))
        settle_block(k, s);
    const int beyond = has_scans(k) ? 1 : std::max(s.split, s.cluster);  // parts that a thread may look past the end
    s.wide_index = needs_wide_index(k, static_cast<std::int64_t>(s.block) * s.vector * s.unroll * (beyond + 1));
    return s;
}

}  // namespace sinter::codegen
