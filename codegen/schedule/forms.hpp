// One function a form, and what they share: how a kernel's accesses lie.
#pragma once

#include <codegen/ir/round.hpp>
#include <codegen/schedule/schedule.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace sinter::codegen {

/// The schedule of an element function: one element at a time.
schedule element_schedule(const loop_nest& k);
schedule schedule_elementwise(const loop_nest& k, const machine& m, const std::vector<int>& alignment);
/// The schedules of columns of which schedule_columns takes the cheapest.
std::vector<schedule> column_candidates(const loop_nest& k, const machine& m, const std::vector<int>& alignment);
/// Empty if no load is transposed with respect to the results, or if tiles would not pay.
std::optional<schedule> schedule_tiled(const loop_nest& k, const machine& m, const std::vector<int>& alignment);
/// Empty if no array is read at indices a few rows apart, or if windows would not pay.
std::optional<schedule> schedule_stencil(const loop_nest& k, const machine& m, const std::vector<int>& alignment);
/// Nothing where loops are long, or where neighbouring groups share nothing that they read.
std::optional<schedule> schedule_windows(const loop_nest& k, const machine& m, const std::vector<int>& alignment);
schedule schedule_rows(const loop_nest& k, const machine& m, const std::vector<int>& alignment);
schedule schedule_columns(const loop_nest& k, const machine& m, const std::vector<int>& alignment);
/// Nothing when the kernel's loops are not those of a product, or when a tile would not pay.
std::optional<schedule> schedule_contraction(const loop_nest& k, const machine& m, const std::vector<int>& alignment);

/// Nothing when the kernel is no product of factors of a half type, or on a device without tensor cores for them.
std::optional<schedule> schedule_tensor(const loop_nest& k, const machine& m, const std::vector<int>& alignment);

/// rows: the widest access that suits every loop; a loop without accesses suits any width that divides it.
int rows_vector(const loop_nest& k, const std::vector<int>& alignment);

/// rows that begin at any element: the neighbours that an access can move from the first aligned element on, or 1 where
/// that would not pay.
int peeled_vector(const loop_nest& k, const std::vector<int>& alignment);

/// Whether a layout moves along all outer axes: in a peeled schedule its accesses are wide, as their rows begin at the
/// same distance from an aligned element. Others, which rows share, are single.
inline bool moves_with_rows(const loop_nest& k, int layout_position) {
    const layout& l = k.layouts[static_cast<std::size_t>(layout_position)];
    return std::all_of(k.outer.begin(), k.outer.end(),
                       [&](int axis) { return l.stride[static_cast<std::size_t>(axis)] != 0; });
}

/// Whether elements of a layout may stay in registers from loop to loop. Where blocks go over many rows to fold
/// columns, what all rows share is read again: it is in the L1 cache, and registers are few.
inline bool may_stay(const loop_nest& k, int layout_position) {
    return k.block_axis < 0 || moves_with_rows(k, layout_position);
}

/// The whole vectors of all peeled rows, each in so many parts, and the elements around them.
struct peeled_counts {
    std::int64_t wide = 0, single = 0;
};
/// Threads past the last row repeat it: `repeated` times.
peeled_counts count_peeled(const loop_nest& k, const schedule& s, std::int64_t trips, int parts, std::int64_t repeated);

/// columns: the most neighbouring columns that an access can move and a thread can have; `calls` are those of functions
/// in the kernel's loops.
int columns_vector(const loop_nest& k, const std::vector<int>& alignment, int calls);

/// One load or store, as far as scheduling is concerned.
struct access {
    int layout_position = -1;
    int pointer = -1;  ///< position in `alignment`: inputs, then outputs
    dtype type{};
    int loop = group_level;
    int displacement = -1;  ///< of a gather: the value that is added to the index, which the strides leave out
};

/// Every load and store of the kernel, apart from gathers.
std::vector<access> accesses_of(const loop_nest& k);

/// Whether a load reads at a computed index.
inline bool is_gather(const value& v) { return v.what == value_kind::load && v.in[0] >= 0; }

/// How many elements a layout reaches: the extents along which it moves, or along which `moves` says that an access
/// does.
inline std::int64_t elements_touched(const loop_nest& k, int layout_position, std::uint32_t moves) {
    const layout& l = k.layouts[static_cast<std::size_t>(layout_position)];
    std::int64_t n = 1;
    for (std::size_t a = 0; a < k.extents.size(); ++a)
        if (l.stride[a] != 0 || (moves >> a & 1)) n *= k.extents[a];
    return n;
}

/// Shared memory in which the blocks of a split learn which of them is the last one.
inline constexpr std::size_t last_block_bytes = 16;

/// Every gather.
std::vector<access> gathers_of(const loop_nest& k);

/// Whether a gather can move `vector` neighbours along the axis `fast`: they have one index or run along a row, and
/// each row of the array begins at a multiple of them.
bool can_gather(const loop_nest& k, const access& a, int fast, int vector, const std::vector<int>& alignment);

/// The gathers of a schedule's loops that move as many neighbours as its accesses (schedule::wide_gathers).
std::uint64_t wide_gathers_of(const loop_nest& k, const schedule& s, const std::vector<int>& alignment);

/// For how many displacements of wide gathers a value is computed, once per access, and whether it is computed for each
/// element.
struct value_use {
    int displacements = 0;
    bool elements = true;
};
std::vector<value_use> uses_of_values(const loop_nest& k, const schedule& s);

/// How many gathers come before one: its bit in schedule::wide_gathers.
int ordinal_of_gather(const loop_nest& k, int value);
/// Whether a value is a gather that moves neighbours.
bool is_wide_gather(const loop_nest& k, const schedule& s, int value);

/// Whether what an access reads or writes depends on the index along an axis.
bool varies(const loop_nest& k, const access& a, int axis);

/// Whether the threads of a row fold elements past its end, too, into copies of their accumulators that they drop.
bool folds_past_the_end(const loop_nest& k, const schedule& s, int loop);

/// Whether neighbours along an axis are neighbours in memory, but at the ends of parts; of a gather whose index depends
/// on data, those within a row.
bool is_contiguous(const loop_nest& k, const access& a, int axis);

/// Whether some value is an index, or a gather.
bool computes_indices(const loop_nest& k);

inline std::int64_t stride_of(const loop_nest& k, const access& a, int axis) {
    return stride_of(k, a.layout_position, axis);
}
inline std::int64_t extent_of(const loop_nest& k, int axis) { return k.extents[static_cast<std::size_t>(axis)]; }

/// The most neighbours along the last of `axes` (those of loop `loop`, or the outer ones) that one access can move: a
/// power of two, 1 where the accesses do not lie side by side or are not aligned.
int vector_width(const loop_nest& k, const std::vector<int>& axes, int loop, const std::vector<int>& alignment);

/// Whether an access whose elements are neighbours along the axis `fast` can move `vector` of them at once, as far as
/// its address and its other strides are concerned.
bool can_move(const loop_nest& k, const access& a, int fast, int vector, const std::vector<int>& alignment);
/// The same, whatever its step along `fast`.
bool is_aligned_beside(const loop_nest& k, const access& a, int fast, int vector, const std::vector<int>& alignment);

/// The widest access that any kernel with elements of these sizes makes: 16 bytes of the widest type, but at least 4 of
/// the narrowest.
constexpr int widest_vector(std::size_t widest, std::size_t narrowest) {
    return static_cast<int>(std::max<std::size_t>(16 / widest, 4 / narrowest));
}

/// How many functions a loop's ops call, those of include/sinter/number apart, which are a few instructions: the others
/// cost many, and unrolling them costs compile time.
int function_calls(const loop_nest& k, int loop);

/// Whether positions in the kernel may need 64 bits; `slack` is how far a thread may look past the end.
bool needs_wide_index(const loop_nest& k, std::int64_t slack);

/// Bytes that an iteration of a loop loads or scans: what is under way in a thread's registers.
int bytes_per_iteration(const loop_nest& k, int loop);

/// Rows and columns in tiles that look back at those before them: a thread's loads and running values, in bytes.
inline constexpr int bytes_of_tile = 256;

/// The longest trip count of the kernel's loops.
std::int64_t longest_loop(const loop_nest& k);

/// One reduction loop and nothing but group-level stores: what several blocks can share.
bool can_split(const loop_nest& k);

/// One loop whose scans need none of each other, and which folds nothing: what several blocks can share when each looks
/// back at those before it.
bool can_look_back(const loop_nest& k);

/// A reduction loop and something after it within a group: what several blocks can share when they meet at a grid
/// barrier.
bool can_share_by_barriers(const loop_nest& k);

/// Whether two layouts go alike along the axes of two loops: step by step, though the one axis of either may be several
/// of the other.
bool move_alike(const loop_nest& k, int layout_a, const std::vector<int>& axes_a, int layout_b,
                const std::vector<int>& axes_b);

/// Whether two loads read the same elements in the same order.
bool read_alike(const loop_nest& k, const value& a, const value& b);

/// Bytes that a group's inputs take for each of its elements when they stay in registers for all loops: 0 when no input
/// is read twice, or when the loops differ in length.
int bytes_read_again(const loop_nest& k);

/// What a form knows of the loops that blocks might share.
struct shared_loops {
    std::int64_t tiles = 1;  ///< groups, or tiles of them
    std::int64_t steps = 1;  ///< accesses of a block's threads along the longest loop
    int kept_bytes = 0;      ///< that one such access adds to a thread's registers in a resident schedule, or 0
    int max_kept = 1;        ///< accesses of a thread that can be kept, as far as compile time is concerned
    int max_unroll = 1;      ///< accesses of a thread under way at once, when they are not kept
};

/// Turns `s`, whose block and group are chosen, into a schedule with grid barriers, if that is possible and pays.
bool share_by_grid_barriers(const loop_nest& k, const machine& m, const shared_loops& loops, schedule& s);

/// product: how many tiles there are, one per block.
std::int64_t tiles_of(const loop_nest& k, const contraction_tile& t);
std::int64_t tiles_of(const loop_nest& k, const tensor_tile& t);

/// Whether an access can move `vector` neighbours along `axis`, whose extent is then a multiple of them.
bool is_wide(const loop_nest& k, const access& a, int axis, int vector, const std::vector<int>& alignment);

/// product: whether neighbouring threads stage a load's elements along the steps of the loop rather than along its
/// tiled axis (-1 for none): as its elements lie.
bool staged_along_steps(const loop_nest& k, const value& load, int tiled_axis);

/// product: fills in what follows from a schedule's tile: which accesses can be wide.
void choose_wide_accesses(const loop_nest& k, const std::vector<int>& alignment, schedule& s);

/// The least power of two that is not below n, and not above `most`.
int power_of_two(std::int64_t n, int most);

}  // namespace sinter::codegen
