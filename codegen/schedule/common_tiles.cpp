// Tiles of columns for launches that are done so soon that the launch itself is most of their time. Their shapes differ
// as much as those of others, and each tile that is best for some of them would be a kernel to compile; a few tiles
// serve all within what the launch's time varies by.
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/columns.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/cost.hpp>

namespace sinter::codegen {
namespace {

constexpr double short_launch = 5e-6;  ///< seconds
constexpr double as_fast = 1.02;       ///< times the predicted time of the best tile
constexpr int accesses_of_common = 8;

struct common_tile {
    int down, across;  ///< threads
};
/// Those that serve the most shapes first.
constexpr common_tile common_tiles[] = {{16, 16}, {1, 128}, {128, 4}, {4, 128}, {64, 8}, {512, 1}, {32, 16}};

}  // namespace

schedule with_common_tile(const loop_nest& k, const device_properties& m, const column_demand& d, schedule best,
                          double seconds) {
    if (seconds > short_launch || best.vector_width > 1) return best;  // wide accesses gain more than is predicted
    const kernel_work does = work_of(k);
    for (const common_tile& tile : common_tiles) {
        schedule s;
        s.form = schedule_form::columns;
        s.threads_per_output = tile.down;
        s.block_threads = tile.down * tile.across;
        s.unroll = power_of_two(d.max_accesses(1), accesses_of_common);
        const std::size_t shared = static_cast<std::size_t>(d.accumulated * s.block_threads);
        if (tile.down > 1 && shared + last_block_bytes > m.shared_per_block) continue;
        s = with_index_width(k, s, 1);
        if (predicted_seconds(work_of(k, does, s, m), m) <= as_fast * seconds) return s;
    }
    return best;
}

}  // namespace sinter::codegen
