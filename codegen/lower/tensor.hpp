// Contractions on tensor cores: see schedule/tensor.cpp. A block computes a tile of sums of products in the registers
// of its warps, from slices of both factors in shared memory, and then what follows them.
#pragma once

#include <codegen/lower/fragment_loops.hpp>
#include <codegen/lower/group_values.hpp>
#include <codegen/lower/shared_tile.hpp>
#include <codegen/lower/tensor_factor.hpp>
#include <codegen/schedule/tensor.hpp>

#include <functional>
#include <map>
#include <vector>

namespace sinter::codegen::lower {

class tensor_lowering : fragment_loops {
public:
    explicit tensor_lowering(lowering& lowered);
    void write();

private:
    bool is_along_rows(int v) const { return c.at(v).varies >> t.row_axis & 1; }
    std::vector<tensor_factor*> factors() { return {&left, &right}; }
    bool copies() const { return left.is_copied() || right.is_copied(); }
    bool computes() const { return !left.is_copied() || !right.is_copied(); }

    // tensor.cpp: what products of warps and of warpgroups share, and those of warps
    void let_warp();
    void stage_first(int slices);
    scalar let_slices();
    void copy_factors(const scalar& more, const scalar& buffer, const scalar& first);
    void load_factors(const scalar& more, const scalar& first);
    void write_factors(const scalar& more, const scalar& buffer, const scalar& first);
    void loop();
    void fetch_first(int slices);
    void fetch_factors(const scalar& buffer, const scalar& first);
    void write_fetched(const scalar& slice);
    void loop_of_fetched();
    void multiply(const scalar& copied, const scalar& computed);

    // blocks that divide the steps of a tile
    scalar step_of_block(const scalar& step) { return t.divides_steps ? shared.share.range.begin + step : step; }
    scalar end_of_steps() { return t.divides_steps ? shared.share.range.end : c.trips(0); }
    scalar shared_tile_number();
    void fold_divided_steps();

    // tensor_warpgroups.cpp
    void let_warp_of_group();
    void loop_of_groups();
    void multiply_by_group(const scalar& buffer, const scalar& slice = {});
    void multiply_rows(const scalar& first_sum, const scalar& i, const scalar& buffer, const scalar& step,
                       const scalar& adds);
    void multiply_float8(const scalar& buffer);

    // tensor_pipeline.cpp
    void write_persistent();
    void compute_tiles();
    void copy_tiles();
    device_ir::id declare_barriers(const char* name);
    struct slice_in_turn {
        scalar slice, buffer, parity;
    };
    void open_tiles();
    slice_in_turn open_slices();
    void close_slices();
    void release_buffer(const scalar& buffer, const scalar& where);
    void multiply_slices();
    int computing_threads() const { return t.warp_rows * t.warp_columns * warp; }
    void wait_for_tile_threads();

    // tensor_in_registers.cpp
    void write_in_registers();
    void loop_in_registers();
    void multiply_in_registers(const scalar& step, const scalar& next, const scalar& more);
    void fold_warps();
    void store_lanes();

    // tensor_results.cpp
    using element_of_row = std::function<scalar(const scalar&)>;
    bool reads_along(const tile_side& side, const std::vector<int>& values) const;
    void store();
    void store_pairs(const std::vector<int>& computed, const scalar& row, const scalar& i, const scalar& below);
    void store_exchanged(const std::vector<int>& computed, const scalar& row, const scalar& i, const scalar& below);
    void let_result(const std::vector<int>& computed, const scalar& column, const scalar& e,
                    const element_of_row& element, const std::map<int, device_ir::id>& loaded);
    std::map<int, device_ir::id> load_neighbours(const std::vector<int>& computed, int count);
    void store_each(const std::vector<int>& computed, const scalar& column, int count, const element_of_row& element);
    void store_neighbours(const std::vector<int>& computed, const scalar& row, const scalar& column, int count,
                          const element_of_row& element);

    // tensor_folds.cpp
    void fold_columns();
    std::vector<int> folds() const { return c.k.loops[1].reductions; }
    scalar part(int fold, const scalar& i, const scalar& h, const scalar& e) {
        return c.b.element(parts.at(fold), {i, h, e});
    }
    void fold_tile();
    std::map<int, device_ir::id> keep_rows(const std::vector<int>& by_row, bool reads_rows);
    void set_row_inside(const scalar& i, const scalar& h);
    void fold_lanes_and_warps(const scalar& row);
    device_ir::id publish_row(const scalar& row);
    void store_row(const scalar& row);

    const tensor_factors of;
    tile_side rows, columns;
    tensor_factor left, right;
    device_ir::id sums = device_ir::none;
    scalar warp_row, warp_column, lane;
    scalar group_row, group_column;                ///< of a warpgroup
    scalar own_warp;                               ///< of those that take turns at the steps
    device_ir::id sums_of_lane = device_ir::none;  ///< of all these warps
    tile_place place;
    shared_tile shared;  ///< where blocks divide the loop's steps
    device_ir::id ticket = device_ir::none;
    scalar all_tiles, slices_of_tile,
        slices_before;  ///< of a persistent grid: all tiles, slices of one, of this block until now
    device_ir::id filled = device_ir::none, emptied = device_ir::none;  ///< phase barriers of buffers
    std::map<int, device_ir::id> parts;  ///< by fold: what a lane has folded, of each of its rows
};

}  // namespace sinter::codegen::lower
