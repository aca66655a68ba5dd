// Windows in registers: their declaration, their loads, and the elements that groups read from them.
#pragma once

#include <codegen/lower/element.hpp>

#include <vector>

namespace sinter::codegen::lower {

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
    /// The element of a value for a column of the tile and a tap (empty: 0); empty if it is in no window.
    scalar element(int value, const scalar& column, const scalar& tap);

private:
    struct entry {
        const group_window* shape = nullptr;
        device_ir::id held = device_ir::none;
        element_function computes = {};
    };
    /// The axis along which a step is a step from element to element.
    int unit_axis(const entry& one) const;
    void load_elements(const entry& one);
    void compute_elements(const entry& one);

    lowering& c;
    std::vector<entry> all_;
    std::vector<int> values_;
};

/// The axes of a value's loop, after the outer ones.
std::vector<int> axes_around(const lowering& c, int loop);
/// n * x, without the multiplication by 1.
scalar scaled(const scalar& x, int n);

}  // namespace sinter::codegen::lower
