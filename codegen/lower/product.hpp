// The parts of a product's program: the loop that folds slices of the operands into a thread's results, and what is
// done with these afterwards.
#pragma once

#include <codegen/lower/element.hpp>
#include <codegen/lower/product_slices.hpp>
#include <codegen/lower/product_tile.hpp>

#include <map>
#include <vector>

namespace sinter::codegen::lower {

class product_lowering {
public:
    explicit product_lowering(lowering& lowered);

    void declare();
    /// The loop over slices, which leaves a thread's results in registers: "sum_4_at[a][b]".
    void loop();
    /// Stores the results, each by itself or `vector` neighbours at once.
    void store();
    /// The later loops of a nested kernel, which go over the columns of what the first one left in registers.
    void loops_over_columns();

private:
    bool is_common(int v) const;
    std::vector<int> needed(std::vector<int> wanted) const;
    void let_values(const std::vector<int>& values);
    std::vector<int> taken_of(const tile_side& side) const;
    void keep_own(const tile_side& side);
    void let_own(const tile_side& side, const scalar& counter);
    void clear_results();
    void fold_step(const scalar& buffer, const scalar& first);
    scalar result(int reduction, const scalar& a, const scalar& b);
    std::vector<int> stores_in(int loop) const;
    void store_value(int st);
    void store_vector(const std::vector<int>& computed, const scalar& a, const scalar& b, const scalar& column);
    void loop_over_columns(int l, const scalar& a, const scalar& is_row);
    void visit_column(int l, const scalar& a, const scalar& b);
    void fold_lanes(const std::vector<int>& reductions);

    lowering& c;
    element_function fold;  ///< of the loop over slices
    result_tile tile;
    operand_slices slices;
    std::vector<int> common;  ///< values outside the loop that it uses, the same for all of a thread's results
    std::vector<int> own;     ///< those that each row or column has to itself
    std::map<int, device_ir::id> kept;     ///< of them, what the loop takes: an element per row or column of a thread
    std::map<int, device_ir::id> results;  ///< of the loop's reductions: a thread's tile
};

}  // namespace sinter::codegen::lower
