// Rows whose blocks also fold columns. A block goes over many rows, and each of its threads has the same few columns of
// all of them, so a fold of a column is one register. Blocks have several rows at once where rows are short; what they
// come to is folded in shared memory, so that a block stores each column once.
#include <codegen/schedule/column_folds.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>
#include <optional>

namespace sinter::codegen {
namespace {

/// A thread's elements, which stay from loop to loop, and its folds: 32 registers.
constexpr int max_bytes = 128;
/// Two blocks are on a multiprocessor, at 64 registers per thread: one reads its next row while the other one folds.
/// Smaller ones store as many partial results each, of fewer rows.
constexpr int threads_of_block = 512, blocks_at_once = 2;
/// Of a thread, so that the blocks of a multiprocessor read at full speed while they fold other rows.
constexpr int fewest_bytes_under_way = 32;
/// Copies of functions in unrolled loops, which cost compile time.
constexpr int max_function_copies = 64;

int bytes_of_folds(const loop_nest& k) {
    int bytes = 0;
    for (int fold : column_folds(k)) bytes += static_cast<int>(size_of(k.values[static_cast<std::size_t>(fold)].type));
    return bytes;
}

/// The threads of a row and their accesses, of `vector` elements each.
struct row_division {
    int threads = 1, accesses = 1;
};

std::optional<row_division> divide_row(const loop_nest& k, const device_properties& m, int vector) {
    const int bytes = bytes_read_again(k) + bytes_of_folds(k);
    int calls = 0, loaded = bytes_read_again(k);
    for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
        calls += function_calls(k, l);
        loaded = std::max(loaded, bytes_per_iteration(k, l));
    }
    const std::int64_t accesses = divide_up(longest_loop(k), vector);
    for (int threads = 2; threads <= threads_of_block; threads *= 2) {  // as few as have room, with the most under way
        const int own = power_of_two(divide_up(accesses, threads), 1 << 20);
        if (own * vector * bytes > max_bytes) continue;
        const bool share = threads < threads_of_block;  // several rows of a block meet in shared memory
        if (share &&
            static_cast<std::size_t>(threads_of_block * own * vector * bytes_of_folds(k)) > m.shared_per_block / 4 * 3)
            continue;
        if (own * vector * calls > max_function_copies && own > 1 && share) continue;
        if (own * vector * loaded < fewest_bytes_under_way) return std::nullopt;
        return row_division{threads, own};
    }
    return std::nullopt;
}

}  // namespace

bool has_column_folds_schedule(const loop_nest& k, const device_properties& m) {
    constexpr std::int64_t shortest = 32;
    return longest_loop(k) >= shortest && divide_row(k, m, 1) && divide_row(k, m, 4);
}

schedule schedule_column_folds(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment) {
    schedule s;
    s.form = schedule_form::rows;
    s.vector_width = rows_vector(k, alignment);
    for (int fold : column_folds(k))
        s.vector_width =
            std::min(s.vector_width, 16 / static_cast<int>(size_of(k.values[static_cast<std::size_t>(fold)].type)));
    std::optional<row_division> of = divide_row(k, m, s.vector_width);
    while (!of) of = divide_row(k, m, s.vector_width /= 2);
    s.threads_per_output = of->threads;
    s.unroll = of->accesses;
    s.block_threads = threads_of_block;
    s.blocks_per_multiprocessor = blocks_at_once;
    s.register_cached = true;
    s.folding_blocks = static_cast<int>(extent_of(k, k.block_axis));
    s.wide_index = needs_wide_index(k, std::int64_t{2} * s.block_threads * s.vector_width * s.unroll);
    return s;
}

int blocks_for_column_folds(const loop_nest& k, const device_properties& m) {
    const schedule s = schedule_column_folds(k, m, {});
    const std::int64_t blocks = std::int64_t{m.multiprocessors} * blocks_at_once;
    const std::int64_t tiles = std::max<std::int64_t>(1, divide_up(outer_size(k), groups_per_block(s)));
    return static_cast<int>(divide_up(tiles, divide_up(tiles, blocks)));
}

// From registers by wide accesses, or one by one from shared memory.
void count_column_folds(const loop_nest& k, const schedule& s, int rows, schedule_features& made) {
    if (k.block_axis < 0) return;
    const int elements = rows > 1 ? 1 : s.vector_width;
    for (const kernel_store& st : k.stores)
        if (st.loop == block_level)
            made.accesses.push_back({true, st.output, elements, longest_loop(k) / elements * made.blocks});
    if (rows > 1) made.block_barriers += made.blocks;
}

}  // namespace sinter::codegen
