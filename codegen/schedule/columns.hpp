// What the choice among tiles of columns knows of a kernel (columns.cpp), and how blocks share a tile
// (shared_columns.cpp).
#pragma once

#include <codegen/ir/round.hpp>
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sinter::codegen {

inline constexpr int threads_of_tile = 256;           ///< where a multiprocessor has several blocks
inline constexpr int max_column_calls = 32;           ///< of functions, in the body of one loop
inline constexpr std::int64_t shortest_split = 1024;  ///< columns that several blocks share are longer
inline constexpr int tiles_per_multiprocessor = 8;    ///< at least so many, so that the last ones cost little

/// The largest power of two that is not above `n`.
inline int power_of_two_within(int n) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(n))); }

/// What the choice depends on, apart from the kinds of tiles.
struct column_demand {
    std::int64_t columns = 1, length = 1;
    int accumulated = 0;  ///< bytes of a column's reductions and scans, which each thread has in shared memory
    int bytes = 1;        ///< of a step's loads
    int calls = 0;

    /// The most accesses of `vector` columns that a thread can have under way in `room` bytes.
    int max_in(int vector, int room) const;
    int max_accesses(int vector) const { return max_in(vector, vector > 1 ? 64 : 128); }
    /// The most thread rows in `room` threads, `width` of them across: each has at least four elements.
    int max_rows(int width, int room) const {
        return power_of_two(divide_up(length, 4), static_cast<int>(divide_up(room, width)));
    }
};

column_demand demand_of(const loop_nest& k);

/// The schedule with the width of its indices; each column's elements are divided among `parts` blocks.
schedule with_index_width(const loop_nest& k, schedule s, int parts);

/// A tile that many shapes have, where the launch is done so soon that it takes as long as with the best tile, which is
/// predicted to take `seconds`; else the best one.
schedule with_common_tile(const loop_nest& k, const device_properties& m, const column_demand& d, schedule best,
                          double seconds);

/// Tiles whose blocks meet at grid barriers, if that is possible and pays. `vector` columns a thread.
bool share_by_barriers(const loop_nest& k, const device_properties& m, int vector, const column_demand& d, schedule& s);

/// Tiles of a few steps of columns that values run along.
schedule look_back(const loop_nest& k, const device_properties& m, int vector, const column_demand& d, schedule s);

/// Shares each tile among several blocks, down to one where tiles suffice, and returns its threads across.
int split_tiles(const loop_nest& k, const device_properties& m, const column_demand& d, schedule& s);

}  // namespace sinter::codegen
