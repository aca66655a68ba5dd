// Windows in registers: their declaration, their loads, and the elements that groups read from them.
#pragma once

#include <codegen/lower/element.hpp>

#include <map>
#include <vector>

namespace sinter::codegen::lower {

/// Where a block stages windows: the indices of its first group, and the thread's place among those along a row and
/// among the rows of threads.
struct staging_place {
    scalar first_column, first_row, lane, line;
};

class register_windows {
public:
    explicit register_windows(lowering& shared);

    /// The values that are in windows, of all loops.
    const std::vector<int>& values() const { return values_; }
    /// Whether a value is in a window in which a step to the next column is a step to the next tap.
    bool slides(int value) const;
    /// The values from outside the loop that a window's elements are computed from.
    const std::vector<int>& outside_of(int window) const {
        return all_[static_cast<std::size_t>(window)].computes.outside;
    }
    /// Declares the windows that differ from row to row, or the others.
    void declare(bool moving_down);
    /// Loads or computes one row of them, at the current indices of all other axes.
    void load(bool moving_down);
    /// Declares the staged windows and the filters.
    void declare_staged();
    /// The block loads or computes them; `again`: in a loop, in which they may still be read.
    void stage(const staging_place& where, bool again);
    /// The element of a value for a column of the tile and a tap (empty: 0); empty if it is in no window.
    scalar element(int value, const scalar& column, const scalar& tap);

private:
    struct entry {
        const group_window* shape = nullptr;
        device_ir::id held = device_ir::none, staged = device_ir::none;
        element_function computes = {};
    };
    /// The axis along which a step is a step from element to element.
    int unit_axis(const entry& one) const;
    void load_elements(const entry& one);
    void compute_elements(const entry& one);
    void assign_computed(const entry& one, const scalar& target);
    void stage_rows(const entry& one);
    void stage_row(const entry& one, const scalar& row);
    void stage_filter(int load, device_ir::id to);
    void read_staged(const entry& one);

    lowering& c;
    std::vector<entry> all_;
    std::vector<int> values_;
    std::map<int, device_ir::id> filters_;  ///< by load
    staging_place where_;
};

/// The axes of a value's loop, after the outer ones.
std::vector<int> axes_around(const lowering& c, int loop);
/// n * x, without the multiplication by 1.
scalar scaled(const scalar& x, int n);

}  // namespace sinter::codegen::lower
