// A schedule says which threads compute which elements. Lowering makes no decision that is not one of its members.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace sinter::codegen {

/// The properties of a device that schedules depend on. The defaults are those of an H200 (data sheet; bandwidth as
/// measured by a device-to-device copy), which is assumed where there is no device.
struct device_properties {
    std::string name = "H200 (assumed: no GPU in use)";
    int arch = 90;  ///< compute capability, 10 * major + minor
    int multiprocessors = 132;
    int threads_per_multiprocessor = 2048;
    std::size_t shared_per_block = 48 * 1024;
    std::size_t dynamic_shared_per_block = 227 * 1024;  ///< that a launch may ask for
    std::size_t l2_bytes = 60u << 20;
    double bytes_per_second = 4.27e12;
    double operations_per_second = 3.35e13;  ///< of float32, a fused multiply-add counting as one
    bool makes_tensor_maps = true;           ///< on 9.0, as far as its compiler knows: NVRTC 12.3 and newer
};

enum class schedule_form : std::uint8_t {
    elementwise,  ///< no inner loop: a thread computes `vector` neighbours, `unroll` times
    tiled,        ///< no inner loop: a block computes a tile, and transposes loads in shared memory
    stencil,      ///< no inner loop: a thread computes a few rows of neighbours from windows kept in registers
    channels,     ///< no inner loop: a thread computes all channels of `vector` neighbours: see schedule/channels.hpp
    windows,  ///< short inner loops, unrolled: a thread computes a few neighbouring groups from windows in registers
    rows,     ///< neighbouring threads share a group and walk along its inner axes
    columns,  ///< neighbouring threads have neighbouring groups; thread rows divide a group's inner axes
    contraction,  ///< a thread computes a tile of groups along two outer axes: see schedule/contraction.cpp
    tensor,       ///< the same by warps, on tensor cores: see schedule/tensor.cpp
};

/// The form `contraction`: how blocks and threads divide the groups along two outer axes, "rows" and "columns".
struct contraction_tile {
    int row_axis = -1, column_axis = -1;      ///< the other outer axes are one tile each
    int rows = 1, columns = 1;                ///< groups of a thread along both
    int thread_rows = 1, thread_columns = 1;  ///< threads of a block along both
    int thread_steps = 1;                     ///< sets of them, which take turns at the steps of a slice
    int depth = 1;                            ///< steps of the loop that are staged in shared memory at once
    bool whole = false;                       ///< the loop is a whole number of such slices
    std::uint64_t wide_loads = 0;             ///< bit i: the i-th load of the kernel moves `vector` neighbours
    bool wide_stores = false;                 ///< all stores do
    bool over_columns = false;                ///< nested: a block goes over all tiles of its rows, one after the other
    bool one_slice = false;                   ///< over_columns: a slice has all steps of the loop

    bool operator==(const contraction_tile&) const = default;
};

/// The form `tensor`: how blocks and warps divide the groups along two outer axes, "rows" and "columns".
struct tensor_tile {
    int row_axis = -1, column_axis = -1;  ///< the other outer axes are one tile each
    int rows = 16, columns = 16;          ///< groups of a block along both: a warp has a multiple of 16 of each
    int warp_rows = 1, warp_columns = 1;  ///< warps of a block along both
    int depth = 16;                       ///< steps of the loop that are staged in shared memory at once
    int stages = 2;                       ///< slices in shared memory or in flight
    bool rows_along_steps = false;        ///< the rows' factor is staged as neighbours along the steps,
    bool columns_along_steps = false;     ///< and the columns'; else along the rows and columns
    std::uint64_t wide_loads = 0;         ///< bit i: the i-th load of the kernel moves neighbours: neighbours_of()
    bool wide_stores = false;             ///< all stores move 2,
    bool exchanges = false;               ///< or 8: the 4 lanes that have results of a row exchange them
    bool rows_in_registers = false;       ///< online: a warp keeps the fragments of its rows
    bool skips = false;                   ///< online: slices are left out in which masks exclude every score
    bool last_rows_first = false;         ///< the first blocks have the last rows, which have the most to do
    bool warpgroups = false;              ///< groups of 4 warps multiply 64 rows at once, from shared memory (wgmma)
    bool divides_steps = false;           ///< `blocks_per_output` blocks, or one, divide the steps of a tile's sums
    bool fetches = false;                 ///< what factors are computed of is copied to shared memory, too
    int rows_together = 1;      ///< tiles of rows whose blocks go along the columns together, one below the other
    int persistent_blocks = 0;  ///< that take one tile after the other, while a warpgroup of its own copies slices by
                                ///< boxes: lower/tensor_pipeline.cpp; 0: a block has one tile

    bool operator==(const tensor_tile&) const = default;
};

/// A tile of an elementwise kernel: its rows lie along the axis on which the results are neighbours, its columns along
/// the one on which the elements of the transposed loads are. Its extents are powers of two, or its rows have all
/// results and a few more (choose_extents in tiled.cpp).
struct tile_shape {
    int row_axis = -1, column_axis = -1;
    int row_length = 1, column_length = 1;
    std::vector<int> transposed;  ///< the loads that are transposed in shared memory: contiguous along columns
    int column_vector = 1;        ///< neighbours that an access of such a load moves; others move `vector_width`

    bool operator==(const tile_shape&) const = default;
};

/// Neighbours along a row that a transposed load packs into one word of shared memory, which has no narrower banks.
inline int packed(dtype type) { return size_of(type) < 4 ? static_cast<int>(4 / size_of(type)) : 1; }

/// Padding after each row of a transposed load's tile, in elements, to avoid shared-memory bank conflicts.
inline int row_padding(dtype type, const tile_shape& tile) {
    return packed(type) * (tile.column_length < 32 ? 32 / tile.column_length : 1);
}

/// Elements of one array that a thread reads for one row of its results: `rows` rows, of the columns from `first` to
/// `last` beside the result's own.
struct stencil_window {
    int input = -1;  ///< that of the load with the least offset, which is at (0, 0)
    int at = -1;     ///< the layout
    int rows = 1, first = 0, last = 0;

    bool operator==(const stencil_window&) const = default;
};

/// Where in its window a load's element is.
struct stencil_read {
    int load = -1, window = -1, down = 0, along = 0;

    bool operator==(const stencil_read&) const = default;
};

struct stencil_shape {
    int row_axis = -1, column_axis = -1;
    int rows = 1;  ///< of a thread's results, along column_axis
    std::vector<stencil_window> windows;
    std::vector<stencil_read> reads;  ///< of every load

    bool operator==(const stencil_shape&) const = default;
};

/// The form `channels`: the axis whose indices are all of one thread, and that of its neighbours.
struct channel_axes {
    int channel_axis = -1, pixel_axis = -1;

    bool operator==(const channel_axes&) const = default;
};

/// Elements that the groups of a thread read, along the row axis: group `g` reads element g * group_step + t * tap_step
/// at step t of its loop. Each is loaded, or computed from indices, once.
struct group_window {
    int value = -1;                    ///< the load, or the value of the loop
    int group_step = 0, tap_step = 0;  ///< the smaller of those that are not 0 is 1
    int elements = 1;                  ///< from the first one to the last one
    int vector = 1;                    ///< elements per access
    bool moves_down = false;           ///< differs from row to row: see windows_shape::taps_down
    bool staged = false;               ///< a block has its elements once, in shared memory, before its threads do

    bool operator==(const group_window&) const = default;
};

struct windowed_value {
    int value = -1, window = -1;

    bool operator==(const windowed_value&) const = default;
};

/// The form `windows`: a thread computes the groups of `rows` rows and `columns` columns. An inner loop goes along one
/// axis whose steps ("taps") are unrolled, the only loop of a kernel also down another one, and along any others.
struct windows_shape {
    int row_axis = -1, column_axis = -1;  ///< outer axes: of neighbouring columns and, or -1, of neighbouring rows
    int rows = 1, columns = 1;            ///< groups of a thread along both
    int threads_across = 1;               ///< threads of a block along a row
    bool whole_rows = true, whole_columns = true;  ///< the extents are multiples of these
    std::vector<int> along;                        ///< by loop: its axis along the row, or -1
    std::vector<int> taps;                         ///< by loop: the extent of that axis
    int down = -1;                                 ///< axis of the only loop that goes down, or -1
    int taps_down = 1;                             ///< its extent
    int row_step = 1;                              ///< rows of a window from one row of groups to the next
    bool unrolled_down = true;                     ///< the loop over the rows of the windows is unrolled
    std::vector<group_window> windows;
    std::vector<windowed_value> reads;  ///< the values of all loops that are in windows
    std::vector<int> filters;        ///< with staged windows: loads that all groups read alike, in shared memory, too
    std::vector<int> store_vectors;  ///< by store: elements per access
    bool staged_stores = false;      ///< what loops store by several accesses goes by shared memory: see windows.cpp

    int window_rows() const { return (rows - 1) * row_step + taps_down; }
    /// Whether a window is staged: all threads of a block then have whole tiles, since they wait for each other.
    bool stages() const {
        return std::any_of(windows.begin(), windows.end(), [](const group_window& one) { return one.staged; });
    }
    int block_columns() const { return threads_across * columns; }
    int block_rows(int threads) const { return threads / threads_across * rows; }
    /// Elements of a row of a staged window: those of all threads along it.
    int staged_elements(const group_window& one) const { return block_columns() - columns + one.elements; }
    /// Its rows: those of all threads down, or one for each row of threads.
    int staged_rows(const group_window& one, int threads) const {
        return one.moves_down ? (block_rows(threads) - 1) * row_step + taps_down : threads / threads_across;
    }
    bool operator==(const windows_shape&) const = default;
};

struct schedule {
    schedule_form form = schedule_form::elementwise;
    int block_threads = 256;     ///< threads per block
    int threads_per_output = 1;  ///< threads that share one group: a power of two
    int vector_width = 1;        ///< elements a memory access; in columns, so many neighbouring columns per thread
    int unroll = 1;  ///< independent accumulators (rows, columns), accesses (elementwise, tiled), channels or steps
                     ///< (contraction) of a thread
    int blocks_per_output =
        1;  ///< blocks that share a group (columns: a tile of them); without grid_barrier it has one
            ///< reduction loop, finished by the last of its blocks
    bool grid_barrier = false;  ///< the blocks of a group synchronise after every reduction loop, and all continue:
                                ///< see schedule/grid_barrier.cpp
    int cluster = 1;            ///< rows and columns: blocks that share a group and read each other's shared memory
    int block_groups = 1;  ///< grid_barrier: groups (tiles) in progress at once; `blocks_per_output` blocks share each
    int folding_blocks = 0;             ///< blocks that divide all groups and fold their results, which the last block
                                        ///< finishes; 0: a kernel that folds no groups
    int blocks_per_multiprocessor = 0;  ///< that must be resident at once; 0: any number
    bool peeled = false;  ///< rows: the whole vectors of a row begin at its first aligned element; a thread each
                          ///< has the elements before and after them: see schedule/peeled_rows.cpp
    bool register_cached = false;    ///< the group's elements are loaded once and kept in registers for all loops
    std::uint64_t wide_gathers = 0;  ///< bit i: the i-th gather moves `vector_width` neighbours: schedule/gathers.cpp
    std::uint64_t realigned = 0;     ///< bit i: the i-th gather, a wide one, begins at any element: its neighbours are
                                     ///< taken from the two aligned accesses around them
    bool evict_first = false;        ///< columns: loads with an evict-first hint
    bool wide_index = false;         ///< 64-bit index arithmetic
    tile_shape tile;                 ///< tiled only
    stencil_shape stencil;           ///< stencil; elementwise, channels: windows of interleaved loads (interleaved.hpp)
    channel_axes channels;           ///< channels only
    windows_shape windows;           ///< windows only
    contraction_tile product;        ///< contraction only
    tensor_tile tensor;              ///< tensor only

    bool operator==(const schedule&) const = default;
};

/// On every architecture: CUDA C++ Programming Guide, compute capabilities.
inline constexpr int registers_of_multiprocessor = 65536;

/// Blocks that share a tile of a product fold what they have by sets of so many: lower/shared_tile.hpp.
inline constexpr int shares_of_set = 16;

/// Accumulators that a thread keeps for each reduction: more accesses than that share them.
inline constexpr int max_accumulators = 8;

/// Groups that one block computes (elementwise: elements / (vector * unroll * block) is the grid instead).
inline int groups_per_block(const schedule& s) {
    const int of_thread = s.form == schedule_form::columns   ? s.vector_width
                          : s.form == schedule_form::windows ? s.windows.rows * s.windows.columns
                                                             : 1;
    return s.block_threads / s.threads_per_output * of_thread;
}

/// The schedule for a kernel on a device: deterministic in extents, strides, dtypes, pointer alignment and device.
/// `alignment` holds, for each input and then for each output, the largest power of two (at most 16) that divides its
/// address.
schedule choose_schedule(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment);

/// The schedule of choose_schedule, then others that are worth measuring.
std::vector<schedule> schedule_variants(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment);

/// Makes fewer kernels of a program's where its shapes allow: equal ones become one (transforms/merge_identical.cpp),
/// and one is nested in its only reader where a schedule of both is known and pays
/// (transforms/fuse_producer_reduction.cpp). `leaves` is the number of the program's leaves: inputs with larger numbers
/// are results of earlier kernels.
std::vector<loop_nest> merge_kernels(std::vector<loop_nest> kernels, int leaves, const device_properties& m);

/// Blocks to launch for these extents.
std::int64_t grid_size(const loop_nest& k, const schedule& s);

/// One line in words: "rows: 32 threads per row, 8 rows per block, 2 elements per access, 4 accumulators per thread".
std::string describe(const schedule& s);

/// The same for a kernel's class: without the numbers that a launch passes.
std::string describe_class(const schedule& s);

}  // namespace sinter::codegen
