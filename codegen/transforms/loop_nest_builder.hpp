// Builds the loop nest of one kernel: axes, loops, loads, index arithmetic. Equal requests return the same object.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/loop_nest.hpp>
#include <codegen/transforms/index_expression.hpp>

#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace sinter::codegen {

class loop_nest_builder {
protected:
    int new_axis(std::int64_t extent);
    /// The loop for reductions and stores at this depth over axes of these extents; created if absent.
    int loop_over(int depth, const std::vector<std::int64_t>& extents_wanted);

    /// The offset of an element from its array's first one, as an index expression.
    index_expression total(const element_index& at, const extents& strides, int rank) const;

    /// An index_expression as the kernel computes it: constant start, a layout, and a value (or -1) that is added.
    struct position {
        std::int64_t start = 0;
        int layout = -1;
        int value = -1;
    };
    position position_of(const index_expression& c);

    /// An index_expression as an int64 value.
    int index_value(const index_expression& c);

    /// An operation on indices.
    int computed(const op_row& op, int x, int y);
    /// An index in another type.
    int converted(int index, dtype type, int node);

    /// Begins a nest with the scalars, arrays and results of another one, but without axes, values and stores.
    void begin_as(const loop_nest& from);

    /// An argument for a number that the shapes determine.
    int number(std::int64_t n);
    /// The argument for a scalar of the program.
    int scalar_of(int argument, dtype type);

    int input_of(int leaf, dtype type, std::int64_t offset, std::int64_t elements);
    int loop_of_axis(int axis) const { return loop_of_axis_[axis]; }
    std::uint32_t varies_by(int layout_position) const;
    /// Adds a value, or finds an equal one.
    int push(value v, int node);
    /// Adds a reduction over a loop, or finds an equal one.
    int push_reduction(value v);

    /// Drops what is unused and sorts loops and values into execution order.
    void finish();

    loop_nest k_;
    delinearization delinearized_;

private:
    int new_loop(int depth, const std::vector<int>& axes);
    int delinearized_value(int id);
    void order_loops();
    void find_stages();

    std::vector<int> loop_of_axis_;
    std::vector<int> loop_depth_;
    std::map<std::pair<int, std::vector<std::int64_t>>, int> loops_;
    std::map<index_expression, int> indices_;
    std::map<std::tuple<const op_row*, int, int>, int> computed_;
    int find_equal(const value& v) const;

    std::map<std::int64_t, int> numbers_;
};

}  // namespace sinter::codegen
