// The intermediate representation shared by the templates in include/ and the code generator.
//
// A program is a list of nodes in SSA order: operands precede their users. Values are arrays; elementwise operands
// broadcast as in NumPy (aligned at the last axis). Extents, strides, pointers and scalars are arguments, not part of
// the program, so one program serves every shape.
#pragma once

#include <sinter/ir/call.hpp>
#include <sinter/op/row.hpp>

#include <cstdint>

namespace sinter::ir {

inline constexpr int max_rank = 8;
inline constexpr int max_operands = 3;
inline constexpr int max_nodes = 1024;

enum class kind : std::uint8_t {
    leaf,           ///< an array argument; `argument` is its position among the leaves
    scalar,         ///< a run-time scalar; `argument` is its position among the scalars
    constant,       ///< a compile-time value, stored in `bits`
    elementwise,    ///< op(in[0], in[1], in[2])
    cast,           ///< in[0] converted to `type`
    reduction,      ///< op reduced over `axes` of in[0]
    scan,           ///< op scanned along the single axis in `axes` of in[0]
    index_map,      ///< a view of in[0]; `argument` is the first of its integers (see below)
    reshape,        ///< the elements of in[0], in row-major order, with the extents given by its integers
    iota,           ///< 0, 1, 2 ... along one axis; its integer is the extent
    materialize,    ///< in[0], stored by its own launch before other nodes read it; `bits` is a product
    gradient,       ///< the derivative of in[0], of rank 0, with respect to in[1]; has in[1]'s shape
    stop_gradient,  ///< in[0], treated as a constant by gradients
    call,           ///< result number `bits` of a whole-array function; `argument` is the first of its integers
};

/// The kind of a materialized value. The last two are contractions of two operands, which a library may compute.
enum class product : std::uint8_t {
    none,
    exact,  ///< in the operands' precision
    tf32,   ///< float32 operands may be rounded to 11 significant bits, as on tensor cores
};

/// The integers of an index_map from source rank m to result rank n: for each source axis a triple (result axis or -1,
/// start, step), meaning source index = start + step * result index; then the n extents. One source axis may have
/// from_operand in place of a result axis: it is gathered at in[1], an int64 within the axis's extent, which broadcasts
/// to the result like an elementwise operand.
inline constexpr int from_operand = -2;
constexpr int index_map_integers(int source_rank, int result_rank) { return 3 * source_rank + result_rank; }

struct node {
    kind what{};
    dtype type{};
    std::int8_t rank = 0;
    bool keepdims = false;   ///< reductions: keep the reduced axes, with extent 1
    bool axes_known = true;  ///< reductions and scans: `axes` holds the set; else integers[argument] does
    bool exclusive = false;  ///< scans: exclude each element itself
    bool reverse = false;    ///< scans: from the end of the axis to the beginning
    std::int16_t in[max_operands] = {-1, -1, -1};
    std::int16_t argument = -1;
    std::uint32_t axes = 0;      ///< reductions and scans: bit a is set if axis a of the operand is reduced or scanned
    std::uint64_t bits = 0;      ///< constants: the value, little-endian; materialize: a product; call: a result number
    const op_row* op = nullptr;  ///< elementwise, reduction and scan
    const call_row* callee = nullptr;  ///< call
};

/// A scalar argument: the value's bytes in its node's dtype, little-endian; float32 if that is a storage type.
/// Scalars with origins from here on, one per dtype, are those that the library's functions write: they are copies if
/// their values are equal, too. No process makes as many other scalars.
inline constexpr std::uint64_t fixed_origin = std::uint64_t{1} << 63;

struct scalar_bits {
    std::uint64_t bits = 0;
    std::uint64_t more = 0;          ///< the imaginary part of a complex128
    std::uint64_t origin = 0;        ///< equal for copies of one scalar; 0: unique; from fixed_origin on: see there
    const op_row* reader = nullptr;  ///< overrides the row of the node that reads the scalar
};

inline constexpr int max_roots = 8;

/// A lowered expression. Everything it points to has static storage.
struct program {
    const node* nodes = nullptr;
    int node_count = 0;
    const int* roots = nullptr;  ///< the result nodes
    int root_count = 0;
    int leaves = 0;
    int scalars = 0;
    int integers = 0;
    std::uint64_t hash = 0;  ///< of all nodes, computed at compile time
    bool gradients = false;  ///< whether the program has gradient nodes
};

}  // namespace sinter::ir
