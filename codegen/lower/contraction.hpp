// Lowering of a contraction: the loop that folds slices of the operands into a thread's results, and what follows it.
#pragma once

#include <codegen/lower/contraction_slices.hpp>
#include <codegen/lower/contraction_tile.hpp>
#include <codegen/lower/element.hpp>
#include <codegen/lower/group_values.hpp>
#include <codegen/lower/shared_tile.hpp>

#include <map>
#include <utility>
#include <vector>

namespace sinter::codegen::lower {

class contraction_lowering {
public:
    explicit contraction_lowering(lowering& lowered);

    void declare();
    /// A whole nested kernel whose blocks iterate over the tiles of their rows.
    void fold_over_columns();
    /// The loop over slices. Afterwards a thread's results are in registers: "sum_4_at[a][b]".
    void loop();
    /// Where sets of threads took turns at the steps: the first set has the results of all.
    void fold_sets();
    /// Where several blocks share the tile: the last of them continues, with the results of all.
    void fold_shares();
    /// Stores the results, one by one or `vector_width` neighbours per access.
    void store();
    /// The later loops of a nested kernel, over the columns whose results the first loop left in registers.
    void loops_over_columns();

private:
    bool is_shared() const { return c.s.blocks_per_output > 1; }
    bool has_sets() const { return c.s.product.thread_steps > 1; }
    scalar is_first_set() const { return tile.set < 1; }
    std::vector<thread_results> results_of_thread();
    void fold_set(int reduction);
    bool is_common(int v) const;
    std::vector<int> needed(std::vector<int> wanted) const { return group_values_needed(c, std::move(wanted)); }
    void let_values(const std::vector<int>& values) { let_group_values(c, values, tile.axes); }
    std::vector<int> taken_of(const tile_side& side) const;
    void keep_own(const tile_side& side);
    void let_own(const tile_side& side, const scalar& counter);
    template <class Body>
    void each_result(int run, const Body& body);
    void clear_results();
    void fold_step(const scalar& buffer, const scalar& first);
    scalar load_first_slice();
    void fold_slice_of_tile(const scalar& now);
    void write_next_slice(const scalar& now);
    scalar result(int reduction, const scalar& a, const scalar& b);
    std::vector<int> stores_in(int loop) const;
    void store_value(int st);
    void store_vector(const std::vector<int>& computed, const scalar& a, const scalar& b, const scalar& column);
    void loop_over_columns(int l, const scalar& a, const scalar& is_row);
    bool depends_on_row(int loop) const;
    scalar locate_row(const scalar& a);
    void let_stage(int stage);
    void visit_columns(int l, const scalar& a, const scalar& is_row);
    void fold_columns(int l, const scalar& a, const scalar& fits, bool whole = false);
    void fold_columns_quickly(int l, const scalar& a);
    std::vector<int> computed_in(int loop) const;
    void store_rows(const scalar& is_row);
    void visit_column(int l, const scalar& a, const scalar& b, const scalar& is_column = {}, const scalar& fits = {});
    void fold_lanes(const std::vector<int>& reductions);

    lowering& c;
    element_function fold;  ///< body of the loop over slices
    result_tile tile;
    operand_slices slices;
    shared_tile shared;                    ///< where several blocks divide the steps
    std::vector<int> common;               ///< values outside the loop that it uses, common to all results of a thread
    std::vector<int> own;                  ///< likewise, but one value per row or column
    std::map<int, device_ir::id> kept;     ///< the part of `own` that the loop uses: one element per row or column
    std::map<int, device_ir::id> results;  ///< by reduction of the loop: a thread's tile
    std::vector<int> of_row;               ///< nested: values computed once per row
};

}  // namespace sinter::codegen::lower
