// Columns. Tiles 32 columns wide (a warp reads 128 bytes of float) and 8 threads deep, as for outer and middle axes in
// PyTorch's and nvFuser's reductions; independent accumulators keep about 32 bytes a thread under way.
#include <codegen/schedule/forms.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {
constexpr int most_unroll = 8;
constexpr int most_calls = 32;
constexpr std::int64_t split_length = 1024;
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
