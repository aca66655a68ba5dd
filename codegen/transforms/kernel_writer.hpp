// Puts one kernel's loop form together: axes, loops, loads, arithmetic of indices. Asked for twice, a thing is made
// once.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/kernel.hpp>
#include <codegen/transforms/place.hpp>

#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace sinter::codegen {

class kernel_writer {
protected:
    int new_axis(std::int64_t extent);
    /// The loop for reductions and stores of this depth over axes of these extents: an existing one if there is one.
    int loop_over(int depth, const std::vector<std::int64_t>& extents_wanted);

    /// The distance from an array's first element to the one at a place, as a coordinate.
    coordinate total(const place& at, const extents& strides, int rank) const;

    /// A coordinate as the kernel computes it: constant start, a layout, and a value (or -1) that is added.
    struct position {
        std::int64_t start = 0;
        int layout = -1;
        int value = -1;
    };
    position position_of(const coordinate& c);

    /// A coordinate as an int64 value.
    int index_value(const coordinate& c);

    /// An argument that holds what the shapes decide.
    int number(std::int64_t n);
    /// The argument for a scalar of the program.
    int scalar_of(int argument, dtype type);

    int input_of(int leaf, dtype type, std::int64_t offset, std::int64_t elements);
    int loop_of_axis(int axis) const { return loop_of_axis_[axis]; }
    std::uint32_t varies_by(int layout_position) const;
    /// Adds a value, or finds the one that computes the same.
    int push(value v, int node);
    /// A reduction over a loop, or the one that is there already.
    int push_reduction(value v);

    /// Drops what nobody uses and brings loops and values into the order in which they run.
    void finish();

    kernel k_;
    digits digits_;

private:
    int new_loop(int depth, const std::vector<int>& axes);
    int computed(const op_row& op, int x, int y);
    int digit_value(int id);
    void drop_unused();
    void order_loops();
    void find_stages();

    std::vector<int> loop_of_axis_;
    std::vector<int> loop_depth_;
    std::map<std::pair<int, std::vector<std::int64_t>>, int> loops_;
    std::map<coordinate, int> indices_;
    std::map<std::tuple<const op_row*, int, int>, int> computed_;
    int find_equal(const value& v) const;

    std::map<std::int64_t, int> numbers_;
};

}  // namespace sinter::codegen
