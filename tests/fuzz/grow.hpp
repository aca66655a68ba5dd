// Growing a random graph node by node. The reference runs along: a node of whose values it knows too little to find a
// mistake is not taken.
#pragma once

#include <tests/fuzz/random.hpp>
#include <tests/fuzz/reference.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace sinter::fuzz {

/// No node: what was tried did not work out.
inline constexpr int nothing = -1;

dtype any_dtype(random& r);

class grower {
public:
    /// No node has more than `budget` elements.
    grower(std::uint64_t seed, std::int64_t budget) : r(seed), budget_(budget) { c.seed = seed; }

    random r;
    fuzz_case c;
    bool with_calls = false;    ///< whether there are functions of whole arrays
    bool with_layouts = false;  ///< whether elements are moved, and may have any bits
    bool in_part = false;       ///< whether nodes are taken of which too little is known: the parts of a join

    const node_values& values(int node) const { return values_[static_cast<std::size_t>(node)]; }
    std::int64_t budget() const { return budget_; }
    int node_count() const { return static_cast<int>(c.nodes.size()); }

    /// Takes a node unless it makes no sense, is too large, or tells too little. Gives its position or nothing.
    int add(ir::node n);
    /// What has been made so far, to come back to.
    struct mark {
        std::size_t nodes, buffers, leaves, scalars, integers;
    };
    mark here() const;
    void back_to(const mark& m);

    // Arguments (arguments.cpp)
    dtype any_type();
    /// A shape of this rank that fits the budget, with the extents at which kernels change their ways.
    extents any_shape(int rank);
    /// A shape that broadcasts with this one.
    extents partner(const extents& shape, int rank, int& partner_rank);
    int add_leaf(dtype type, const extents& shape, int rank);
    /// A leaf over another leaf's elements, of the same shape: the same array, or its axes exchanged where they may be.
    int add_twin();
    int add_scalar(dtype type);
    int add_integer(std::int64_t value);  ///< an int64 scalar of this value
    int add_scalar(dtype type, word value);
    int add_constant(dtype type);
    /// A place for the last root: in an array that is there, which may be read as well, or in one of its own.
    void choose_region();

    // Nodes of nodes (nodes.cpp); of an operand that is nothing they make nothing
    int any_node();
    int add_cast(int from, dtype to);
    /// A cast, also to the dtype that there is: it rounds elements of a half type, which kernels do not by themselves.
    int add_conversion(int from, dtype to);
    /// An op of these operands, just as they are, with a result of that dtype.
    int add_node(const op_row& op, dtype result, std::initializer_list<int> operands);
    int add_elementwise(const op_row& op, int first);
    /// A row of two operands, in this order.
    int add_binary(const op_row& op, int x, int y);
    int add_reduction(const op_row& op, int operand, std::uint32_t axes, bool keepdims);
    /// A reduction of an operand of a dtype that it takes, without a cast.
    int add_fold(const op_row& op, int operand, std::uint32_t axes, bool keepdims);
    /// Along this axis, or any, in any way.
    int add_scan(const op_row& op, int operand, int axis = -1);
    /// A view: each source axis gets its triple from `maps`; `places` is where an axis is read that says from_operand.
    int add_view(int operand, const extents& shape, int rank, const std::vector<std::int64_t>& maps,
                 int places = nothing);
    /// A view of the shape wanted, of whatever part of the operand fits.
    int add_view_of_shape(int operand, const extents& shape, int rank);
    /// Result 0 or 1 of sorting along the last axis.
    int add_sort(int operand, bool descending, int result);
    int add_reshape(int operand, const extents& shape, int rank);
    int add_iota(std::int64_t extent);
    /// int64 elements between 0 and extent - 1, of whatever shape.
    int add_places(std::int64_t extent);
    /// An operand of that dtype that broadcasts with this shape.
    int add_operand(const extents& shape, int rank, dtype type);

private:
    extents strides_for(const extents& shape, int rank, std::int64_t& least, std::int64_t& most);
    bool lay_out_over(leaf& l, dtype type);
    word any_element(dtype type, int style);

    std::int64_t budget_;
    std::vector<node_values> values_;
};

/// What a graph's arrays may have: mostly few elements, or mostly as many as several blocks share.
enum class sizes { all, large };

/// The graph of a seed. With functions of whole arrays, or with steps that move elements, a seed has another graph.
fuzz_case generate(std::uint64_t seed, sizes wanted, bool with_calls = false, bool with_layouts = false);

/// The rows of the op table that the fuzzer knows the meaning of; and those it does not, in words.
const std::vector<const op_row*>& known_rows(bool reductions);
const std::vector<std::string>& unknown_rows();

/// One of those that are known, operators first.
const op_row& any_row(random& r, bool reduction);
const op_row& binary_row(random& r);

}  // namespace sinter::fuzz
