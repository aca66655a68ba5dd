// Sums over the nest axis of what is computed of products for each element of it: see schedule/nested_products.hpp. A
// block has some rows, a warp a multiple of 16 of them, and iterates over the nest axis in slices: it multiplies
// fragments for all products of a slice, computes the weights of them in registers, and multiplies these, already laid
// out as factors, by the slices of what they are summed with.
#pragma once

#include <codegen/lower/fragment_loops.hpp>
#include <codegen/lower/group_values.hpp>
#include <codegen/lower/index_range.hpp>
#include <codegen/lower/tensor_factor.hpp>
#include <codegen/schedule/nested_products.hpp>

#include <deque>
#include <string>
#include <vector>

namespace sinter::codegen::lower {

class nested_lowering : fragment_loops {
public:
    explicit nested_lowering(lowering& lowered);
    void write();

private:
    int slice_fragments() const { return nested_slice(c.s) / device_ir::fragment_rows; }
    scalar row_of(const scalar& i, const scalar& h) {
        return rows.first + (warp_row + i * device_ir::fragment_rows + h * 8 + lane / 4);
    }

    // nested_products.cpp: the loop over slices
    void locate();
    void declare();
    void find_ranges();
    void begin();
    void stage(tensor_factor& f, const scalar& buffer, const scalar& first);
    bool repeats() const { return of.repeat_axis >= 0; }
    void stage_slice(const scalar& buffer, const scalar& first, const scalar& repeat);
    void loop();

    // nested_quotients.cpp: what is divided by a number of a row, an element or the block
    struct divisor {
        int value = -1;
        scalar scale, factor;  ///< a quotient is (x * scale) * factor; no scale is 1
        device_ir::id scale_of_rows = device_ir::none, factor_of_rows = device_ir::none;
    };
    void find_divisors();
    void let_divisor(divisor& d);
    void let_divisors_of(const std::vector<int>& values);
    void keep_divisors_of_row(const scalar& i, const scalar& h);
    void take_divisors_of_row(const scalar& i, const scalar& h);
    bool is_quotient(int v) const;
    scalar quotient(int v);
    scalar exponential(int v);

    // nested_elements.cpp: products, and what is computed of them
    void sort_values();
    void find_inside();
    void let_row_values();
    void set_row(const scalar& row);
    void set_element(const scalar& element);
    void multiply_scores(const scalar& buffer);
    void compute_weights(const scalar& first);
    void compute_slice(const scalar& first, bool is_inside);
    void let_values(const std::vector<int>& values, bool is_inside);
    void let_element(const scalar& i, const scalar& h, const scalar& j, const scalar& at, bool is_inside,
                     const scalar& exists);
    const selection* selection_at(int v) const;
    scalar is_unmasked(const scalar& first);

    // nested_results.cpp
    void multiply_results(const scalar& buffer);
    void store();
    void store_rows();
    void store_pair(const std::vector<int>& computed, const scalar& i, const scalar& h, const scalar& j);

    const nested_products of;
    const std::vector<support> masks;  ///< of each sum, if any slice is skipped
    tile_side rows, columns, nest;
    std::deque<tensor_factor> left, right;                    ///< of each product
    std::deque<tensor_factor> ys;                             ///< of each sum
    std::vector<int> common, of_rows, of_steps, of_elements;  ///< values, by what they vary along
    std::vector<char> needed_inside;       ///< by value: whether it is needed where no mask excludes anything
    std::vector<int> kept;                 ///< values of rows that elements take
    std::vector<device_ir::id> kept_rows;  ///< these, by row
    std::vector<divisor> divisors;         ///< of elements' quotients
    std::vector<device_ir::id> scores;     ///< by product
    std::vector<device_ir::id> weights;    ///< by sum
    std::vector<device_ir::id> results;    ///< by sum
    scalar warp_row, lane;
    index_range some, all;  ///< of the nest axis: where weights may differ from 0, and where no mask excludes any
    scalar first_slice, last_slice;
};

}  // namespace sinter::codegen::lower
