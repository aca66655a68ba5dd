// What tiles of a contraction take of a block and of a thread, and the clock cycles that they take.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <cstddef>
#include <cstdint>

namespace sinter::codegen {

inline constexpr int threads_that_run = 512;  ///< on a multiprocessor, at 128 registers per thread
inline constexpr std::int64_t slack_of_tiles =
    4096;  ///< how far threads behind the last row or column may look past it

/// The loads that are staged, and what they and the results take of a block and of a thread.
struct tile_demand {
    int row_bytes = 0, column_bytes = 0;  ///< of one element of every load along rows, along columns
    int other_bytes = 0;                  ///< along neither
    int result_bytes = 0;
    int widest = 1;
    int loads = 0;
    int calls = 0;
    int operations = 0;                         ///< of one fold
    int later_bytes = 0, later_operations = 0;  ///< nested: of a row's later reductions, and for each result
    bool nested = false, folds_columns = false, wide_index = false;
    bool along_steps = false;  ///< a load is staged by threads side by side along the steps
};

tile_demand tile_demand_of(const loop_nest& k, const contraction_tile& t);

inline int threads_of(const contraction_tile& t) { return t.thread_rows * t.thread_columns * t.thread_steps; }

/// Registers of a thread: an estimate.
int registers_of_tile(const device_properties& m, const tile_demand& d, const contraction_tile& t);

std::size_t shared_bytes_of_tile(const tile_demand& d, const contraction_tile& t, int vector);

/// Clock cycles of the device for one step of all tiles, where `parts` blocks divide the steps of each.
double cycles_of_tiles(const loop_nest& k, const device_properties& m, const tile_demand& d, const contraction_tile& t,
                       std::int64_t parts);

/// The same for groups one by one.
double cycles_without_tiles(const loop_nest& k, const device_properties& m, const tile_demand& d);

/// Seconds of a launch of a kernel that is not nested, with this schedule of the form contraction, where memory does
/// not bind it: within a quarter of what two thirds of 39 take on an H200 (bench/NOTES.md, *Sums that blocks share*).
double contraction_seconds(const loop_nest& k, const schedule& s, const device_properties& m);

/// Chooses the tile, the number of threads and the blocks that share a tile. `over_columns`: of a nested kernel, a
/// block goes over the tiles of its rows. False if groups one by one take less.
bool find_tile(const loop_nest& k, const device_properties& m, const tile_demand& d, bool over_columns, schedule& s);

}  // namespace sinter::codegen
