// Two contractions with a softmax between them, in one pass, whatever expression gives the scores: see
// schedule/online.hpp. A block has some rows, a warp a multiple of 16 of them. It iterates over the nest axis in
// slices: multiplies fragments for the scores of a slice, computes their expression in registers, raises the running
// maximum, rescales the sums so far, and multiplies the exponentials, already laid out as a factor, by the slice of y.
// The order of the loops follows Dao, FlashAttention-2, 2023.
//
// Warpgroups multiply from shared memory, with the exponentials in registers. Their tensor cores are so fast that the
// instructions per score decide: a scale common to all scores becomes part of the exponential's multiply-add, and the
// sums are rescaled only when a maximum has risen by more than a few units, since what is relative to a smaller number
// than the maximum is as precise.
#pragma once

#include <codegen/lower/fragment_loops.hpp>
#include <codegen/lower/group_values.hpp>
#include <codegen/lower/index_range.hpp>
#include <codegen/lower/tensor_factor.hpp>
#include <codegen/schedule/factor_parts.hpp>
#include <codegen/schedule/online.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sinter::codegen::lower {

inline constexpr float log2_of_e = 1.44269504f;

/// Float32 weights are multiplied by the first number before they multiply y, and results by the second one: as many
/// keys as there may be times the greatest float32 number are no infinity then, before they are divided by the total.
inline constexpr float weights_are_multiplied_by = 0x1p-24f, sums_are_multiplied_by = 0x1p24f;

class online_lowering : fragment_loops {
public:
    explicit online_lowering(lowering& lowered);
    void write();

private:
    bool is_along_nest(int v) const { return c.at(v).varies >> c.k.nest_axis & 1; }
    int score_fragments() const { return nest_elements(c.s) / device_ir::fragment_rows; }
    scalar number(float x);
    scalar op(int v, const scalar& a, const scalar& b);
    scalar times(const scalar& a, const scalar& b) { return op(c.at(of.result).in[0], a, b); }
    scalar plus(const scalar& a, const scalar& b);
    scalar power(const scalar& exponent);
    scalar row_of(const scalar& i, const scalar& h) {
        return rows.first + (warp_row + i * rows_apart() + h * 8 + lane / 4);
    }
    /// Folds over the 4 lanes that share a row.
    void fold_lanes(int reduction, const scalar& own);

    // online.cpp: the loop over slices
    factor_slices loaded_late(factor_slices slices) const;
    void let_warp();
    void let_common();
    bool is_common(int v) const;
    void declare_sums();
    void stage(tensor_factor& f, const scalar& buffer, const scalar& first);
    void stage_whole(tensor_factor& f, const scalar& buffer, const scalar& first);
    void stage_rest(tensor_factor& f, const scalar& buffer, const scalar& first);
    void stage_first(const scalar& slice);
    void begin();
    void loop();
    void slices(const scalar& from, const scalar& to);

    // online_ranges.cpp: the slices that are needed
    void find_ranges();
    void demand_infinity(index_ranges& ranges);
    void passes();
    scalar rows_behind();

    // online_scores.cpp: what the maximum is taken of
    device_ir::id multiply_scores(const scalar& buffer);
    void read_rows(const scalar& step);
    void add_lesser_parts(device_ir::id scores, device_ir::id lesser);
    /// Calls body(j, h, at, beside) per score of a lane and a fragment of rows: its fragment, upper or lower half,
    /// register, and offset along the nest axis.
    template <class Body>
    void each_score(Body body) {
        unrolled("j", score_fragments(), [&](const scalar& j) {
            unrolled("h", 2, [&](const scalar& h) {
                unrolled("e", device_ir::fragment_elements / 2,
                         [&](const scalar& e) { body(j, h, h * 2 + e % 2 + e / 2 * 4, e % 2 + e / 2 * 8); });
            });
        });
    }
    std::vector<int> values_inside() const;
    std::vector<int> element_axes() const;
    const selection* selection_at(int v) const;
    void let_score(const std::vector<int>& values, bool is_inside);
    scalar is_unmasked(const scalar& first);
    void compute_scores(device_ir::id scores, const scalar& first);
    void let_indices(const scalar& row, const scalar& key);
    std::vector<int> own_values(std::vector<int> values) const;
    bool is_pair(int v) const;
    std::vector<device_ir::id> load_pairs(const std::vector<int>& computed);
    void let_neighbour(const std::vector<int>& computed, const std::vector<device_ir::id>& pairs, const scalar& e,
                       bool is_inside);
    void compute_inside(device_ir::id scores, const scalar& first);
    void compute_masked(device_ir::id scores, const scalar& first);

    // online_sums.cpp: the running sums
    struct exponents {
        device_ir::id scores, shift;
        device_ir::id totals;  ///< to which terms are added
        scalar scale{};        ///< of scores; empty: log2(e)
    };
    exponents raise_maxima(device_ir::id scores);
    void rescale(const scalar& i, const scalar& h, const scalar& largest, const scalar& bounded);
    void rescale_results(const scalar& i, const scalar& h, const scalar& factor);
    void keep_precise(const exponents& e, const scalar& magnitude, device_ir::id bounded);
    void multiply_results(const exponents& e, const scalar& buffer, const scalar& first);

    // online_splits.cpp: the same of float32 weights
    void multiply_split_results(exponents e, const scalar& buffer, const scalar& first);
    device_ir::id split_weights(const exponents& e, const scalar& first);
    void add_slice(const scalar& i, const scalar& j, device_ir::id sums, device_ir::id lesser);
    void add_totals(device_ir::id of_slice);

    // online_weights.cpp: what multiplies y
    scalar term(const exponents& e, const std::vector<scalar>& of_score);
    scalar scaled(const std::vector<linear_value>& by, scalar x);
    std::vector<int> values_of_sums() const;
    /// Takes a weight, the one with that number of a lane's elements of a fragment.
    using take_weight = std::function<void(const scalar& at, const scalar& weight)>;
    void let_weights(const exponents& e, const scalar& i, const scalar& k, const scalar& first,
                     const take_weight& take);
    take_weight rounded_to(device_ir::id weights, std::vector<scalar> fragment);
    std::map<int, scalar> shared_indices(const std::vector<int>& computed);
    void let_factors(const std::vector<int>& computed, const std::vector<device_ir::id>& pairs,
                     const std::map<int, scalar>& shared, const scalar& e);

    // online_warpgroups.cpp: the same by warpgroups
    device_ir::id multiply_scores_of_group(const scalar& buffer);
    int common_scale() const;
    void compute_unscaled(device_ir::id scores, const scalar& first);
    bool needs_maximum() const;
    exponents raise_maxima_seldom(device_ir::id scores);
    void rescale_seldom(device_ir::id factors);
    void multiply_results_of_group(const exponents& e, const scalar& buffer, const scalar& first);

    // online_results.cpp
    void store();
    void let_result(const scalar& sum);
    bool is_of_row(const kernel_store& one) const;
    void define_folds(const scalar& i, const scalar& h);
    void store_row(const std::vector<int>& stores, const scalar& i, const scalar& h);
    void store_pair(const std::vector<int>& stores, const scalar& i, const scalar& h, const scalar& j);

    const online_sums of;
    const support mask;  ///< of the scores
    tile_side rows, columns, nest;
    tensor_factor left, right, ys;
    std::vector<int> common;
    std::vector<int> finite_masks;  ///< values that masks put in place of scores, unless they are minus infinity
    device_ir::id results = device_ir::none, maxima = device_ir::none, totals = device_ir::none;
    device_ir::id behind_of_warps = device_ir::none;
    scalar warp_row, lane, minus_infinity, least;
    scalar group_row;       ///< of a warpgroup
    scalar unit;            ///< of a warpgroup's scores: what they are to be multiplied by
    index_range some, all;  ///< of the nest axis: where scores may not be masked, and where none is
    scalar first_slice, last_slice, all_slices;
};

}  // namespace sinter::codegen::lower
