// The tile of groups that a thread computes in the form `windows`: where it is, and the functions of its elements.
#pragma once

#include <codegen/lower/windows.hpp>

#include <functional>
#include <map>
#include <vector>

namespace sinter::codegen::lower {

class window_tile {
public:
    explicit window_tile(lowering& shared);

    /// Computes the index of the thread's first group, and ends threads without groups.
    void place();
    /// Sets the indices of the outer axes to those of a group of the tile; empty: the first one.
    void place_group(const scalar& row_of_tile, const scalar& column_of_tile);
    /// The loop over the rows of the tile; empty if it has one.
    scalar open_rows() { return w.rows > 1 ? c.b.open_unrolled("r", w.rows) : scalar(); }
    void close_rows() {
        if (w.rows > 1) c.b.close();
    }
    /// Calls the function of loop l for the element of a group at a tap.
    void call_at(int l, const scalar& row_of_tile, const scalar& column_of_tile, const scalar& tap,
                 std::function<scalar(int)> accumulated, std::function<scalar(int)> result);
    /// Whether the last thread of a row, or the last block, begins before its own first group.
    bool is_shifted() const { return column.at != own_column.at; }
    bool is_row_shifted() const { return row.at != own_row.at; }
    /// Whether the block begins at its own first column; empty where threads are moved back, not blocks.
    scalar is_own_place() { return w.stages() ? staging.first_column == own_column : scalar(); }

    lowering& c;
    const windows_shape& w;
    register_windows windows;
    std::vector<element_function> functions;  ///< one per loop
    scalar own_column, own_row;  ///< of the first group that the thread stores or, with staged windows, its block
    scalar block_column;         ///< of the block's first group
    scalar column, row;          ///< of the thread's first group
    scalar end_across, end_down;
    staging_place staging;  ///< of windows in shared memory

private:
    void place_whole(const scalar& thread);
    void place_own();

    std::vector<int> rest_;  ///< the outer axes along which a block has one index
};

/// Folds the only loop of a kernel: each row of the windows into all groups that it is a part of.
class window_folds {
public:
    explicit window_folds(window_tile& of) : tile(of), c(of.c), w(of.w) {}

    void declare_accumulators();
    /// Folds row y of the windows, which are loaded; empty: their only row.
    void fold_row(const scalar& y);
    scalar accumulator(int reduction, const scalar& row_of_tile, const scalar& column_of_tile);

private:
    using arrays = std::map<int, device_ir::id>;  ///< by reduction

    bool folds_alike() const;
    const std::vector<int>& reductions() const { return tile.functions[0].reductions; }
    arrays declare_partial();
    arrays fold_columns();
    arrays fold_few_taps();

    window_tile& tile;
    lowering& c;
    const windows_shape& w;
    arrays accumulators;
};

}  // namespace sinter::codegen::lower
