// The intermediate representation: the one vocabulary that the templates in include/ and the code generator share.
//
// A program is a list of nodes in SSA order: a node's operands stand before it. Its values are arrays; elementwise
// operands broadcast as in NumPy (aligned at the last axis). Extents, strides, pointers and scalars are not part of the
// program but of its arguments, so one program serves every shape.
#pragma once

#include <sinter/ir/call.hpp>
#include <sinter/op/row.hpp>

#include <cstdint>

namespace sinter::ir {

inline constexpr int max_rank = 8;
inline constexpr int max_operands = 3;
inline constexpr int max_nodes = 1024;

enum class kind : std::uint8_t {
    leaf,         ///< an array argument; `argument` is its position among the leaves
    scalar,       ///< a run-time scalar; `argument` is its position among the scalars
    constant,     ///< a value known when the program was written; `bits` holds it
    elementwise,  ///< op(in[0], in[1], in[2])
    cast,         ///< in[0] converted to `type`
    reduction,    ///< op folded over `axes` of in[0]
    scan,         ///< op folded along the one axis of `axes`, up to each element of in[0]
    index_map,    ///< a view of in[0]; `argument` is the first of its integers (see below)
    reshape,      ///< the elements of in[0], in row-major order, with the extents that its integers hold
    iota,         ///< 0, 1, 2 ... along one axis, whose extent is its integer
    store,        ///< in[0], which a launch of its own stores before others read it; `bits` is a product
    gradient,     ///< the derivative of in[0], which has rank 0, by in[1]; has in[1]'s shape
    held,         ///< in[0], taken for a constant by gradients
    call,         ///< result number `bits` of a function of whole arrays; `argument` is the first of its integers
};

/// What a stored value is. The two products are sums of products of two operands, which a library may compute.
enum class product : std::uint8_t {
    none,
    exact,  ///< in the operands' precision
    tf32,   ///< float32 operands may be rounded to 11 significant bits, as tensor cores take them
};

/// The integers of an index_map whose source has rank m and whose result has rank n: for each of the m source axes the
/// triple (result axis or -1, start, step), so that source index = start + step * result index; then the n extents. One
/// of the axes may have from_operand in place of a result axis: its index is the value of in[1], an int64 within the
/// axis's extent, which broadcasts to the result as an elementwise operand does.
inline constexpr int from_operand = -2;
constexpr int index_map_integers(int source_rank, int result_rank) { return 3 * source_rank + result_rank; }

struct node {
    kind what{};
    dtype type{};
    std::int8_t rank = 0;
    bool keepdims = false;   ///< reductions: the reduced axes stay, with extent 1
    bool axes_known = true;  ///< reductions and scans: `axes` holds the set; else integers[argument] does
    bool exclusive = false;  ///< scans: up to, and without, each element
    bool reverse = false;    ///< scans: from the end of the axis on
    std::int16_t in[max_operands] = {-1, -1, -1};
    std::int16_t argument = -1;
    std::uint32_t axes = 0;      ///< reductions and scans: bit a is set when they go along axis a of the operand
    std::uint64_t bits = 0;      ///< constants: the value's bytes, low end first; store: a product; call: a result
    const op_row* op = nullptr;  ///< elementwise, reduction and scan
    const call_row* callee = nullptr;  ///< call
};

/// A scalar argument: the value's bytes in its node's dtype, low end first; as float32 where that is a half type.
struct scalar_bits {
    std::uint64_t bits = 0;
    std::uint64_t more = 0;          ///< the imaginary part of a complex128
    std::uint64_t origin = 0;        ///< of scalars with the same one, all are copies of one; 0: unlike any other
    const op_row* reader = nullptr;  ///< the row by which the node that reads it computes, instead of the node's own
};

inline constexpr int max_roots = 8;

/// A lowered expression. Everything it points to has static storage.
struct program {
    const node* nodes = nullptr;
    int node_count = 0;
    const int* roots = nullptr;  ///< the nodes that are results
    int root_count = 0;
    int leaves = 0;
    int scalars = 0;
    int integers = 0;
    std::uint64_t hash = 0;  ///< of all the nodes, computed by the C++ compiler
    bool gradients = false;  ///< whether any node is of kind gradient
};

}  // namespace sinter::ir
