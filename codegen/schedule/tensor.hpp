// Kernels that tensor cores can compute: sums of products of two factors of a half type, or of float8 numbers.
#pragma once

#include <codegen/schedule/features.hpp>
#include <codegen/schedule/gemm.hpp>
#include <codegen/schedule/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen {

/// sum(float32(rows) * float32(columns)) over the kernel's one loop: the factors are values of the loop, of one half
/// type. A product of two such numbers is exact in float32, as it is on tensor cores.
struct tensor_factors {
    int sum = -1, rows = -1, columns = -1;  ///< values; which factor goes along rows, the axes say
};

/// Nothing where the kernel is no such sum.
std::optional<tensor_factors> tensor_factors_of(const loop_nest& k);
/// The same of one loop of a kernel that may have others.
std::optional<tensor_factors> tensor_factors_in(const loop_nest& k, int loop = 0);

/// Whether a kernel has one loop and nothing around it but groups.
bool has_one_loop(const loop_nest& k);
/// The float32 products whose sum is all that a loop computes: the sum and both sides, whatever these are.
std::optional<tensor_factors> summed_product_in(const loop_nest& k, int loop);
/// The half number of a loop that a float32 is; -1 where it is none.
int half_of(const loop_nest& k, int v, int loop);

/// The arrays of float8 numbers that both factors are casts of; nothing for other factors.
std::optional<tensor_factors> float8_factors(const loop_nest& k, const tensor_factors& f);
/// Whether all results have so few bits that sums of 128 float8 products may lose those below the first 14.
bool tolerates_float8_sums(const loop_nest& k);
/// The values whose slices a schedule stages: a persistent grid multiplies arrays, also of float8 numbers, as they are.
tensor_factors staged_factors(const loop_nest& k, const tensor_tile& t);
inline bool multiplies_float8(const loop_nest& k, const tensor_tile& t) {
    return is_float8(k.values[static_cast<std::size_t>(staged_factors(k, t).rows)].type);
}

/// Those of a nested kernel whose other loop folds the columns of such sums, or what is computed of them, as in
/// argmax(matmul(x, y), axis=1): `columns` goes along the nest axis. See schedule/tensor_folds.cpp.
std::optional<tensor_factors> folded_factors_of(const loop_nest& k);
/// Whether a schedule is one of such a kernel: its tiles' columns lie along the nest axis.
inline bool folds_product(const loop_nest& k, const tensor_tile& t) {
    return k.nest_axis >= 0 && t.column_axis == k.nest_axis;
}
/// Divides the columns among blocks, one tile each. False where there would be too many partial results.
bool divide_columns(const loop_nest& k, schedule& s);

/// The factors with the one that goes along `axis` as columns: one of them does.
tensor_factors with_columns_along(const loop_nest& k, tensor_factors f, int axis);

/// The values of a loop that a factor is computed of, itself included, last ones first.
std::vector<int> values_of_factor(const loop_nest& k, int factor, int loop);

/// mma of 16 x 8 x 16 elements and cp.async are there from this architecture on.
inline constexpr int oldest_tensor_arch = 80;

/// How far threads may look past the last row, column or step.
inline constexpr std::int64_t tensor_overshoot = 8192;

/// Whether a factor's slices are staged with steps as neighbours, rather than elements along `axis`: as the first of
/// its loads lies that goes along both.
bool is_staged_along_steps(const loop_nest& k, int factor, int loop, int axis);

/// What a factor may be made of.
bool is_plain(const value& v);

/// Whether a factor is made of loads, ops and casts of its loop alone.
bool is_plain_factor(const loop_nest& k, int factor, int loop);

/// Elements behind each line of a staged slice: then the 8 rows of 16 bytes that ldmatrix reads at once are in
/// different banks.
inline constexpr int tensor_padding = 8;

/// Columns of the results that 4 lanes exchange.
inline constexpr int exchanged_columns = 32;

/// The axis along which neighbours of a load are loaded at once, and how many: 8 where they are staged, as many as are
/// stored where results are computed of them. -1 for other loads.
inline int neighbours_of(const value& load, const tensor_tile& t) { return load.loop == 0 || t.exchanges ? 8 : 2; }
int neighbours_axis(const loop_nest& k, const value& load, const tensor_tile& t);

/// Of each value, whether it is a load that moves neighbours.
std::vector<char> wide_values(const loop_nest& k, const tensor_tile& t);

/// Whether what the loop computes its factors of can be copied ahead: neighbours of 8 or 16 bytes. Not where both
/// factors are copied as they are.
bool can_fetch(const loop_nest& k, const tensor_factors& f, const tensor_tile& t);

/// Whether what the loop computes its factors of are neighbours of 8, so that a warp may load them itself.
bool has_wide_steps(const loop_nest& k, const tensor_factors& f, const tensor_tile& t);

/// Bytes that are fetched for an element of a factor; 0 where it is copied as it is.
std::size_t fetched_bytes(const loop_nest& k, const tensor_tile& t, int factor);

/// A factor that is float16 numbers of neighbouring bytes, times a number of its side if `scale` is given: a float16
/// value outside the loop. Products of two such numbers are rounded once, in float16 as in float32.
struct scaled_bytes {
    int load = -1, scale = -1;
};
std::optional<scaled_bytes> scaled_bytes_of(const loop_nest& k, int factor, const std::vector<char>& wide);

/// Fills in what follows from a schedule's tile: how the factors are staged, which accesses can be wide.
void settle_tensor(const loop_nest& k, const tensor_factors& f, const std::vector<int>& alignment, schedule& s);

/// The schedules of such a kernel of which schedule_tensor takes the cheapest, the first one of equals.
std::vector<schedule> tensor_candidates(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment);

/// Seconds of a product by a kernel of this form, and by a library's, launch included.
double tensor_seconds(const loop_nest& k, const schedule& s, const device_properties& m);
double library_seconds(const gemm& g, const device_properties& m);
/// Of a product of halves or float32 numbers, by a library if it is marked as one, or by a kernel. Infinite where there
/// is neither.
double product_seconds(const loop_nest& k, const device_properties& m);

/// Arrays of their own are aligned: what other alignments cost is little, and the same for one kernel and for several.
std::vector<int> aligned(const loop_nest& k);
/// Seconds of a kernel of such arrays by the model of rows and columns, launch included.
double aligned_seconds(const loop_nest& k, const device_properties& m);

/// Products of warpgroups are there on this architecture alone.
inline constexpr int warpgroup_arch = 90;

/// Shared memory of a block.
std::size_t tensor_shared_bytes(const loop_nest& k, const tensor_tile& t);

/// How many tiles there are, one per block.
std::int64_t tiles_of(const loop_nest& k, const tensor_tile& t);

/// Whether a warp loads its factors to registers, of steps of its own, and computes them there: without slices in
/// shared memory. See lower/tensor_in_registers.cpp.
inline bool is_in_registers(const tensor_tile& t) { return t.stages == 0; }
inline constexpr int warps_beside_steps = 4;  ///< of such a tile, which take turns at the steps
inline constexpr int columns_of_registers = 64;
/// Those that a warp has loaded.
inline int steps_of_registers(const tensor_tile& t) { return t.depth / warps_beside_steps; }

/// Adds what a kernel with such a schedule does.
void count_tensor(const loop_nest& k, const schedule& s, schedule_features& made);

}  // namespace sinter::codegen
