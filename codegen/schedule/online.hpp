// Nested kernels whose loops one pass can do: sums over terms that are scaled by exp(-maximum), whose maximum another
// loop finds. When a new element raises the maximum from m to n, what has been summed so far is multiplied by
// exp(m - n): the sums commute with scaling. (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018.)
#pragma once

#include <codegen/analysis/linear.hpp>
#include <codegen/analysis/support.hpp>
#include <codegen/schedule/tensor.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen {

/// sum(half(f(exp(x - max(x)))) * y) along the nest axis, where x is computed of a sum of products of halves for each
/// element of it, y is a half type's, and f is linear: it divides by sum(exp(x - max(x))), and may multiply by numbers
/// of the element that depend on no score, as dropout does. Either product may be of float32 numbers instead, which
/// tensor cores multiply by parts (factor_parts.hpp). Values of the kernel.
struct online_sums {
    tensor_factors scores;                      ///< loop 0: of the products
    int x = -1;                                 ///< as loop 1 computes it
    int maximum = -1, total = -1, result = -1;  ///< the reductions of loops 1, 2 and 3
    int exponential = -1, difference = -1;      ///< of loop 2: exp(x - maximum), x - maximum
    int weight = -1, y = -1;                    ///< the halves, or float32 numbers, that loop 3 multiplies
    std::vector<linear_value> of_weights;       ///< f of an exponential: what differs along the nest axis,
    std::vector<linear_value> of_sums;          ///< and what does not, such as the division by the total
};

/// The values beside the weights that linear values are computed of.
std::vector<int> operands_beside(const loop_nest& k, const std::vector<linear_value>& f);

/// What each weight takes beside its exponential, in loop 3.
std::vector<int> values_of_weights(const loop_nest& k, const online_sums& sums);

/// Nothing where the kernel is not of this kind.
std::optional<online_sums> online_sums_of(const loop_nest& k);

/// How such a kernel is dealt out, in the members of a schedule of the form `tensor`: `rows` along `row_axis` and all
/// columns along `column_axis` of a block, a warp 16 rows of them; `depth` is all steps of loop 0. These are the other
/// two: how many elements of the nest axis are staged at once, and how y is.
inline int nest_elements(const schedule& s) { return s.unroll; }
bool is_y_along_steps(const loop_nest& k, const online_sums& sums, const tensor_tile& t);

/// Where along the nest axis the scores may not be masked.
support support_of_scores(const loop_nest& k, const online_sums& sums, const tensor_tile& t);
/// Whether later rows have more such elements than earlier ones.
bool last_rows_need_most(const loop_nest& k, const support& mask, const tensor_tile& t);
/// The share of slices that blocks do not skip, as far as shapes tell.
double share_of_slices(const loop_nest& k, const online_sums& sums, const schedule& s);
/// The same for slices of so many elements that a mask excludes.
double share_of_slices(const loop_nest& k, const support& mask, const tensor_tile& t, std::int64_t elements);

/// The axis along which neighbours of a load are loaded at once, and how many: 8 where they are staged, 2 of what
/// scores and weights are computed of. -1 for other loads.
inline int neighbours_loaded(const value& load, const tensor_tile& t) {
    return load.loop == 1 || (load.loop == 3 && (load.varies >> t.column_axis & 1) == 0) ? 2 : 8;
}
int neighbours_axis(const loop_nest& k, const value& load, const tensor_tile& t, bool y_along_steps);

inline constexpr int max_registers_of_thread = 255;

/// An estimate of the registers of a thread: its sums, scores, a factor of 16 exponentials and its rows.
int online_registers(const loop_nest& k, const online_sums& sums, const schedule& s);

/// Of a factor's slice that is split into parts: those of a thread for what the slice is computed of. Where they do not
/// fit, a slice is loaded only when the slice before is no longer computed with.
int staging_registers(const loop_nest& k, const online_sums& sums, const schedule& s);
bool loads_ahead(const loop_nest& k, const online_sums& sums, const schedule& s);
/// False where the compiler would spill, except for the least of all tiles of halves.
bool fits_registers(const loop_nest& k, const online_sums& sums, const schedule& s);

/// Whether the product that gives the scores, and the one of the weights, is of float32 numbers; or either of them.
bool has_split_scores(const loop_nest& k, const online_sums& sums);
bool has_split_weights(const loop_nest& k, const online_sums& sums);
inline bool has_split_factors(const loop_nest& k, const online_sums& sums) {
    return has_split_scores(k, sums) || has_split_weights(k, sums);
}

/// What kernels do for each row and element of the nest axis, or for each element of the latter, of a tile.
struct online_work {
    double products = 0;              ///< multiply-adds of fragments
    double of_nest = 0, of_rows = 0;  ///< halves that are staged, for an element and for a row
    double bytes = 0;                 ///< read for an element
    double splitting = 0;             ///< instructions for an element whose factors are split
    double instructions = 0;          ///< for a score, beside those of products of halves
    double cycles_of_load = 0;        ///< of a slice that is loaded only when it is needed
};
online_work work_of_online(const loop_nest& k, const online_sums& sums, const schedule& s);

/// Shared memory of a block.
std::size_t online_shared_bytes(const loop_nest& k, const online_sums& sums, const schedule& s);

/// Fills in what follows from a tile.
void settle_online(const loop_nest& k, const online_sums& sums, const std::vector<int>& alignment, schedule& s);

/// The schedules of such a kernel of which schedule_online takes the cheapest, the first one of equals.
std::vector<schedule> online_candidates(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment);

/// Nothing where the kernel is not of this kind, or does not fit.
std::optional<schedule> schedule_online(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment);

/// Makes one kernel of three, a product, a softmax of what it gives and a product with that, where a schedule is known
/// and takes less time. `leaves` as in merge_kernels.
void chain_kernels(std::vector<loop_nest>& kernels, int leaves, const device_properties& m);

/// Seconds of such a kernel, launch included.
double online_seconds(const loop_nest& k, const schedule& s, const device_properties& m);

}  // namespace sinter::codegen
