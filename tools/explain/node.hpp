// Run-time expressions: the counterpart of expr<Tree>, with dtypes and ranks as values.
#pragma once

#include <codegen/ir/graph.hpp>

#include <memory>
#include <variant>
#include <vector>

namespace sinter::spoken {

using codegen::extents;

struct node;
/// Nodes are immutable, so they can share operands. Lowering emits a shared operand once per use, as for a type that
/// contains another one twice.
using node_ref = std::shared_ptr<const node>;

struct node {
    ir::kind what{};
    dtype type{};
    int rank = 0;
    extents shape{};
    const op_row* op = nullptr;            ///< elementwise and reduction
    const ir::call_row* callee = nullptr;  ///< call
    std::vector<node_ref> in;
    std::uint32_t axes = 0;              ///< reduction and scan
    bool keepdims = false;               ///< reduction
    bool exclusive = false;              ///< scan
    bool reverse = false;                ///< scan
    ir::scalar_bits value;               ///< scalar; constant, store and call, in `bits`
    std::vector<std::int64_t> integers;  ///< index_map, reshape and iota: as in the IR; run-time ops: the row
    detail::storage_ref array;           ///< leaf
    bool named = false;                  ///< emitted once for all uses: named by let()
    std::vector<node_ref> before;        ///< named nodes to emit before this one's operands
};

/// A C++ number: weak in promotion, like a literal.
struct number {
    dtype type = dtype::int32;  ///< bool, int32, int64, float32 or float64
    std::int64_t integer = 0;   ///< for bool and integers
    double real = 0;            ///< for floating types

    double as_double() const { return is_floating(type) ? real : static_cast<double>(integer); }
};

/// An argument of a function or an operator.
using argument = std::variant<node_ref, number>;

// Operations on expressions, by the rules of the templates. All throw sinter::error.

/// Storage without memory: enough to explain an expression. `place` identifies it.
detail::storage_ref imagined(dtype type, int rank, const extents& shape, std::uintptr_t place);

node_ref leaf_of(detail::storage_ref array);
node_ref constant_number(const number& n, dtype type, const char* function = "scalar");
node_ref cast(node_ref in, dtype type);
/// Converts an argument to a dtype: a number to a scalar, an array by a cast if needed. Throws, naming the function,
/// for a number that the dtype cannot represent.
node_ref in_dtype(const argument& a, dtype type, const char* function = "scalar");
/// Applies a row elementwise: dtype rule, casts, broadcast. The number of arguments is the row's arity.
node_ref applied(const op_row& row, const std::vector<argument>& arguments);
/// As above without conversions: `type` is the result's.
node_ref join(const op_row& row, dtype type, std::vector<node_ref> in);

/// Places the operand among `rank` axes: its axis i becomes axis to[i]; the others have extent 1.
node_ref spread(node_ref in, int rank, const int* to);
/// Materializes a node: its own launch stores it before others read it.
node_ref stored(node_ref in, ir::product what);
/// Stops gradients: the node is a constant to derivatives.
node_ref held(node_ref in);
/// The derivative of a rank-0 loss with respect to another node.
node_ref gradient(const node_ref& loss, const node_ref& by);

/// Broadcasts to a shape, which must be compatible.
node_ref stretched(node_ref in, const extents& shape, int rank);

struct reduce_options {
    std::uint32_t axes = 0;
    bool keepdims = false;
    node_ref mask;  ///< where=
    const number* initial = nullptr;
};
node_ref reduce(const op_row& row, const node_ref& in, const reduce_options& options);
/// Throws unless a mask is of bools and broadcasts to its operand.
void check_mask(const char* function, const node& mask, const node& operand);
/// Result 0 of a function of whole arrays.
node_ref called(const ir::call_row& function, std::vector<node_ref> in, std::vector<std::int64_t> integers);
/// Scans along one axis with a reduction row.
node_ref scan(const op_row& row, const node_ref& in, int axis, bool exclusive, bool reverse);

/// Several results of one program. Owns everything it points to.
struct lowered {
    std::vector<ir::node> nodes;
    std::vector<int> roots;
    std::vector<detail::storage_ref> leaves;
    std::vector<ir::scalar_bits> scalars;
    std::vector<std::int64_t> integers;
    bool gradients = false;

    ir::program program() const;
    detail::arguments_view arguments() const { return {leaves.data(), scalars.data(), integers.data()}; }
};
/// Emits the nodes as lower.hpp does for types. Throws for more than 1024 nodes.
lowered lower(const std::vector<node_ref>& roots);

}  // namespace sinter::spoken
