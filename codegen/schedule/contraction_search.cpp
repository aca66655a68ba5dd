// The tile of a contraction: the cheapest of a few, or, for a nested kernel, of all shapes.
#include <codegen/ir/round.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/contraction_cost.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sinter::codegen {

namespace {

constexpr int registers_per_thread = 128;           ///< at 512 threads per multiprocessor
constexpr int max_calls_of_tile = 16;               ///< copies of function bodies in one kernel: they cost compile time
constexpr std::int64_t fewest_slices_of_share = 4;  ///< of a share of a tile's steps
/// Blocks that go over the tiles of a row one after the other, for each multiprocessor: fewer wait too long. For 1000
/// rows and 200000 columns 63 of them take 8.0 ms on an H200, two kernels 1.3.
constexpr std::int64_t blocks_over_columns = 2;

/// Tiles of a kernel that is not nested. Few serve all shapes: blocks divide the steps where tiles are few, and so do
/// sets of the threads of a block where results are few.
constexpr contraction_tile tile_of(int rows, int columns, int thread_rows, int thread_columns, int thread_steps = 1) {
    contraction_tile t;
    t.rows = rows;
    t.columns = columns;
    t.thread_rows = thread_rows;
    t.thread_columns = thread_columns;
    t.thread_steps = thread_steps;
    return t;
}
constexpr contraction_tile contraction_tiles[] = {
    tile_of(8, 8, 16, 16),  tile_of(8, 4, 16, 16),   tile_of(4, 8, 16, 16),    tile_of(8, 4, 8, 16),
    tile_of(4, 4, 16, 16),  tile_of(8, 4, 32, 8),    tile_of(4, 8, 8, 32),     tile_of(4, 4, 8, 8),
    tile_of(2, 2, 16, 16),  tile_of(1, 1, 16, 16),   tile_of(8, 4, 16, 1, 8),  tile_of(4, 8, 1, 16, 8),
    tile_of(4, 4, 4, 4, 8), tile_of(4, 4, 2, 2, 32), tile_of(4, 4, 1, 1, 128),
};
constexpr int max_depth_of_sets = 8;  ///< steps of a slice for each set of threads

// How many blocks a tile may have: one; or so many that all run at once, once or twice, each with a few slices, and
// none without any.
std::array<std::int64_t, 3> numbers_of_parts(const loop_nest& k, const device_properties& m, const tile_demand& d,
                                             const contraction_tile& t) {
    std::array<std::int64_t, 3> all{1, 1, 1};
    const std::int64_t slices = divide_up(trip_count(k, k.loops[0]), t.depth);
    const std::int64_t run = std::int64_t{m.multiprocessors} * (threads_that_run / threads_of(t));
    if (d.nested) return all;
    for (const std::size_t i : {1, 2}) {
        const std::int64_t most =
            std::min(run / static_cast<std::int64_t>(i) / tiles_of(k, t), slices / fewest_slices_of_share);
        if (most > 1) all[i] = divide_up(slices, divide_up(slices, most));
    }
    return all;
}

// Tries all tiles, the best for many results first; another must be much better, so that few kernels serve all shapes.
// A nested kernel folds rows, each by shuffles among the threads across: better few rows of many columns per thread,
// and small blocks, some of which fold while others multiply. The nearest of 64 centres for 262144 points takes 0.0557
// ms with 8 x 8 per thread in blocks of 128, 0.0570 in blocks of 256, and 0.0585 with 4 x 8.
class tile_search {
public:
    tile_search(const loop_nest& of, const device_properties& on, const tile_demand& takes, bool over_columns,
                schedule& into)
        : k(of), m(on), d(takes), over(over_columns), s(into), most(cycles_without_tiles(of, on, takes)) {}

    bool find() {
        if (d.nested)
            each_of_nested();
        else
            each_common();
        return found;
    }

private:
    /// Small tiles wait for their slices, the less the deeper these are.
    void each_common() {
        const std::int64_t steps = trip_count(k, k.loops[0]);
        for (contraction_tile t : contraction_tiles) {
            // deep slices that are transposed on their way to shared memory meet in few of its banks
            if (t.thread_steps > 1 && d.along_steps) continue;
            const int first = std::max(8, t.thread_steps), last = t.thread_steps > 1        ? max_depth_of_sets * first
                                                                  : t.rows * t.columns <= 8 ? 32
                                                                                            : 8;
            for (t.depth = first; t.depth <= last; t.depth *= 2)
                if (t.depth == 8 || t.depth <= steps) consider(t);
        }
    }

    void each_of_nested() {
        for (const auto& [longer, shorter] : {std::pair(8, 8), {8, 4}, {4, 8}, {4, 4}, {4, 2}, {2, 4}, {2, 2}, {1, 1}})
            for (const int block : {128, 256, 64})
                for (const int across : {16, 8, 32, 4}) each_depth(tile_of(shorter, longer, block / across, across));
    }

    void each_depth(contraction_tile t) {
        const std::int64_t steps = trip_count(k, k.loops[0]);
        for (t.depth = 4; t.depth <= 32; t.depth *= 2)
            if ((t.depth <= 8 || t.depth <= steps) && (t.depth != 4 || (steps <= 4 && over))) consider(t);
    }

    void consider(contraction_tile t) {
        t.row_axis = s.product.row_axis;
        t.column_axis = s.product.column_axis;
        t.over_columns = over;
        if (d.nested && !over && t.columns * t.thread_columns < extent_of(k, k.nest_axis)) return;
        if (over && tiles_of(k, t) < blocks_over_columns * m.multiprocessors) return;
        const int vector = std::min({16 / d.widest, t.rows, t.columns});
        while (t.depth > t.thread_steps && shared_bytes_of_tile(d, t, vector) > m.shared_per_block) t.depth /= 2;
        if (shared_bytes_of_tile(d, t, vector) > m.shared_per_block ||
            registers_of_tile(m, d, t) > registers_per_thread)
            return;
        if (t.rows * t.columns * d.calls > max_calls_of_tile && t.rows * t.columns > 1) return;
        for (const std::int64_t parts : numbers_of_parts(k, m, d, t)) {
            const double cost = cycles_of_tiles(k, m, d, t, parts);
            if (cost >= most) continue;
            most = 0.85 * cost;
            found = true;
            s.product = t;
            s.block_threads = threads_of(t);
            s.vector_width = vector;
            s.blocks_per_output = static_cast<int>(parts);
        }
    }

    const loop_nest& k;
    const device_properties& m;
    const tile_demand& d;
    const bool over;
    schedule& s;
    double most;  ///< that the next tile may cost
    bool found = false;
};

}  // namespace

bool find_tile(const loop_nest& k, const device_properties& m, const tile_demand& d, bool over_columns, schedule& s) {
    return tile_search(k, m, d, over_columns, s).find();
}

}  // namespace sinter::codegen
