// Several blocks to a group whose result is used again inside the group: x / sum(x), softmax of a few long rows.
//
// A split reduction can leave the end of the work to its last block. Here every block needs the result, so all blocks
// of a group wait for each other: after each reduction loop they meet at a barrier in device memory, and each goes on
// with its own part of the group. Such blocks are a group of blocks.
//
//   block 0  | max of part 0 | barrier | sum of part 0 | barrier | store part 0 |
//   block 1  | max of part 1 | barrier | sum of part 1 | barrier | store part 1 |  ...
//
// A block that waits for one that is not resident would wait for ever, so the grid is never larger than what is
// guaranteed to be resident: the compiler is told how many blocks must fit a multiprocessor (__launch_bounds__) and
// limits the registers accordingly. Where there are more tiles than groups of blocks, a group takes one after the
// other; blocks of several groups share a multiprocessor, so that one group computes while another waits.
//
// Parts that fit the threads' registers stay there: the group is then read once, however many loops go over it.
#include <codegen/schedule/grid_barrier.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>
#include <bit>

namespace sinter::codegen {

namespace {

// Every device since 7.5 runs 1024 threads per multiprocessor at 64 registers each.
constexpr int threads_that_fit = 1024;
constexpr std::int64_t shortest_loop = 8192;
constexpr int max_block_groups = 1024;

// Shared memory of a block: rows keep a value a warp for every reduction, columns one per thread and neighbour.
std::size_t shared_bytes(const loop_nest& k, const schedule& s) {
    std::size_t bytes = 0;
    for (const value& v : k.values)
        if (v.what == value_kind::reduce) bytes += size_of(v.type);
    return bytes * static_cast<std::size_t>(s.form == schedule_form::columns ? s.block_threads * s.vector_width
                                                                             : s.block_threads / 32);
}

// Blocks that a multiprocessor holds at once, whatever else there is to know of them.
int blocks_that_fit(const loop_nest& k, const device_properties& m, const schedule& s) {
    const std::size_t shared = std::max<std::size_t>(shared_bytes(k, s), 1);
    const int by_threads = std::min(threads_that_fit, m.threads_per_multiprocessor) / s.block_threads;
    // a multiprocessor has at least what one block may have
    return static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(by_threads), m.shared_per_block / shared));
}

// Accesses of a thread: as many as it can keep, or a quarter of them where the device has room for all tiles even so.
// Two numbers serve groups of all lengths with two kernels.
int spread(const shared_loops& loops, std::int64_t blocks, int most) {
    const int fewer = std::max(1, most / 4);
    return divide_up(loops.steps, fewer) * loops.tiles <= blocks ? fewer : most;
}

bool keep_in_registers(const shared_loops& loops, std::int64_t blocks, schedule& s) {
    if (loops.kept_bytes == 0 || loops.kept_bytes > max_cached_bytes) return false;
    const int most = std::min(max_cached_bytes / loops.kept_bytes, loops.max_kept);
    s.unroll = spread(loops, blocks, static_cast<int>(std::bit_floor(static_cast<unsigned>(most))));
    const std::int64_t parts = divide_up(loops.steps, s.unroll);
    if (parts > blocks) return false;
    // every group of blocks takes as many tiles; the remaining blocks make the parts shorter
    const std::int64_t rounds = divide_up(loops.tiles, std::min<std::int64_t>(blocks / parts, max_block_groups));
    if (rounds > 1 && s.unroll * loops.kept_bytes < max_cached_bytes / 2) return false;  // more waiting than reading
    s.block_groups = static_cast<int>(divide_up(loops.tiles, rounds));
    s.blocks_per_output = static_cast<int>(std::min(blocks / s.block_groups, loops.steps));
    s.register_cached = true;
    return true;
}

// Parts are read again by every loop: worth it where groups alone would leave much of the device idle.
void read_again(const shared_loops& loops, std::int64_t blocks, schedule& s) {
    s.unroll = loops.max_unroll;
    s.blocks_per_output = static_cast<int>(std::min(blocks / loops.tiles, divide_up(loops.steps, s.unroll)));
    s.block_groups = static_cast<int>(std::min<std::int64_t>(loops.tiles, max_block_groups));
}

}  // namespace

bool share_by_grid_barriers(const loop_nest& k, const device_properties& m, const shared_loops& loops, schedule& s) {
    if (!can_share_by_barriers(k) || longest_loop(k) <= shortest_loop || outer_size(k) == 0) return false;
    schedule shared = s;
    shared.blocks_per_multiprocessor = blocks_that_fit(k, m, s);
    const std::int64_t blocks = static_cast<std::int64_t>(m.multiprocessors) * shared.blocks_per_multiprocessor;
    if (!keep_in_registers(loops, blocks, shared)) read_again(loops, blocks, shared);
    if (shared.blocks_per_output < 2) return false;
    shared.grid_barrier = true;
    s = shared;
    return true;
}

}  // namespace sinter::codegen
