// Columns. Tiles 32 columns wide (a warp reads 128 bytes of float) and 8 threads deep, as for outer and middle axes in
// PyTorch's and nvFuser's reductions; independent accumulators keep about 32 bytes a thread under way.
#include <codegen/schedule/forms.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {
constexpr int most_unroll = 8;
constexpr int most_calls = 32;
constexpr std::int64_t split_length = 1024;
// Few columns, all of whose loops need the whole column. A tile may be narrower than a warp, down to the 32 bytes that
// memory moves at once: then a team needs fewer blocks to keep it, and several teams are under way, so that some move
// data while others wait.
bool meet_at_barriers(const kernel& k, const machine& m, int width, int bytes, int most, int calls, schedule& s) {
    const std::int64_t columns = outer_size(k);
    const int narrowest = std::min(width, power_of_two(divide_up(32, bytes), 32));
    schedule best = s;
    for (; width >= narrowest; width /= 2) {
        schedule shared = s;
        shared.block = 256;
        shared.group = shared.block / width;
        shared_loops loops;
        loops.tiles = divide_up(columns, width);
        loops.steps = divide_up(longest_loop(k), shared.group);
        loops.kept_bytes = bytes_read_again(k);
        loops.most_kept = std::min(2 * most_calls / std::max(1, calls), m.arch >= 100 ? 16 : 32);  // spills otherwise
        loops.most_unroll = most;
        if (!meet_at_grid_barriers(k, m, loops, shared)) continue;
        if (!best.grid_barrier || shared.resident) best = shared;
        if (best.resident && best.teams >= std::min<std::int64_t>(loops.tiles, 2)) break;
    }
    s = best;
    return s.grid_barrier;
}

}  // namespace

schedule schedule_columns(const kernel& k, const machine& m) {
    schedule s;
    s.form = schedule_form::columns;
    const std::int64_t columns = std::max<std::int64_t>(outer_size(k), 1);
    const std::int64_t length = std::max<std::int64_t>(longest_loop(k), 1);
    int width = power_of_two(columns, 32);
    s.group = power_of_two(divide_up(length, 4), 256 / width);

    int bytes = 1, calls = 0;
    for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
        bytes = std::max(bytes, bytes_an_iteration(k, l));
        calls += function_calls(k, l);
    }
    int most = most_unroll;
    while (most > 1 && (most * bytes > 128 || most * calls > most_calls)) most /= 2;

    const std::int64_t wanted = 2 * static_cast<std::int64_t>(m.multiprocessors);
    const std::int64_t tiles = divide_up(columns, width);
    if (can_split(k) && tiles < wanted && length > split_length) {
        const std::int64_t blocks = divide_up(4 * static_cast<std::int64_t>(m.multiprocessors), tiles);
        const std::int64_t worthwhile = divide_up(length, static_cast<std::int64_t>(s.group) * most);
        s.split = static_cast<int>(std::max<std::int64_t>(std::min(blocks, worthwhile), 1));
    } else if (tiles < wanted && meet_at_barriers(k, m, width, bytes, most, calls, s)) {
        s.wide_index = needs_wide_index(k, static_cast<std::int64_t>(s.block) * s.unroll * (s.split + 1));
        return s;
    } else if (tiles < m.multiprocessors) {
        // too few tiles: deeper blocks, then narrower ones, down to the 32 bytes that memory moves at once
        const auto element = static_cast<int>(std::max(1, bytes));
        while (width * s.group < 1024 && length >= 8 * s.group) s.group *= 2;
        while (width > std::max(1, 32 / element) && divide_up(columns, width) < m.multiprocessors &&
               length >= 8 * s.group) {
            width /= 2;
            s.group *= 2;
        }
    }
    // every reduction keeps one value a thread in shared memory
    std::size_t shared = 0;
    for (const value& v : k.values)
        if (v.what == value_kind::reduce) shared += size_of(v.type);
    while (s.group > 1 && shared * static_cast<std::size_t>(width * s.group) > m.shared_per_block) s.group /= 2;
    while (width * s.group < 32) width *= 2;
    s.block = width * s.group;
    s.unroll = power_of_two(divide_up(length, s.group), most);
    s.wide_index = needs_wide_index(k, static_cast<std::int64_t>(s.block) * s.unroll * (s.split + 1));
    return s;
}

}  // namespace sinter::codegen
