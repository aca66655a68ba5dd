// An expression that only run time knows: what expr<Tree> is to the C++ compiler, with dtypes and ranks as values.
#pragma once

#include <codegen/ir/graph.hpp>

#include <memory>
#include <variant>
#include <vector>

namespace sinter::spoken {

using codegen::extents;

struct node;
/// Nodes are never changed, so that several may share an operand. Lowering writes it down once for each use, as a type
/// does that mentions another one twice.
using node_ref = std::shared_ptr<const node>;

struct node {
    ir::kind what{};
    dtype type{};
    int rank = 0;
    extents shape{};
    const op_row* op = nullptr;  ///< elementwise and reduction
    std::vector<node_ref> in;
    std::uint32_t axes = 0;              ///< reduction and scan
    bool keepdims = false;               ///< reduction
    bool exclusive = false;              ///< scan
    bool reverse = false;                ///< scan
    ir::scalar_bits value;               ///< scalar; constant and store, in `bits`
    std::vector<std::int64_t> integers;  ///< index_map, reshape and iota: as the IR has them; of custom rows: the row
    detail::storage_ref array;           ///< leaf
    bool named = false;                  ///< lowering writes it down once for all uses: what let() names
    std::vector<node_ref> before;        ///< named nodes that lowering writes down before this one's operands
};

/// A C++ number: weak in the promotion of dtypes, as a literal is.
struct number {
    dtype type = dtype::int32;  ///< bool, int32, int64, float32 or float64
    std::int64_t integer = 0;   ///< of bool and the integers
    double real = 0;            ///< of the floating ones

    double as_double() const { return is_floating(type) ? real : static_cast<double>(integer); }
};

/// What stands between the parentheses of a function or beside an operator.
using argument = std::variant<node_ref, number>;

// The operations of expressions, by the rules that the templates apply. All throw sinter::error.

/// Storage without memory: enough to explain an expression. `place` tells it from others.
detail::storage_ref imagined(dtype type, int rank, const extents& shape, std::uintptr_t place);

node_ref leaf_of(detail::storage_ref array);
node_ref constant_number(const number& n, dtype type, const char* function = "scalar");
node_ref cast(node_ref in, dtype type);
/// The argument in a dtype: a number becomes a scalar of it, an array a cast if it must. Throws, in the function's
/// name, for a number that the dtype does not hold.
node_ref in_dtype(const argument& a, dtype type, const char* function = "scalar");
/// A row applied elementwise: dtype rule, casts, broadcast. As many arguments as the row has operands.
node_ref applied(const op_row& row, const std::vector<argument>& arguments);
/// The same without conversions: `type` is the result's.
node_ref join(const op_row& row, dtype type, std::vector<node_ref> in);

/// The operand among `rank` axes: its axis i goes along axis to[i], and it has an extent of 1 along the others.
node_ref spread(node_ref in, int rank, const int* to);
/// What a launch of its own stores before others read it.
node_ref stored(node_ref in, ir::product what);
/// What gradients take for a constant.
node_ref held(node_ref in);
/// The derivative of a loss, of rank 0, by another node.
node_ref gradient(const node_ref& loss, const node_ref& by);

/// Broadcast to a shape, which it must broadcast to.
node_ref stretched(node_ref in, const extents& shape, int rank);

struct reduce_options {
    std::uint32_t axes = 0;
    bool keepdims = false;
    node_ref mask;  ///< where=
    const number* initial = nullptr;
};
node_ref reduce(const op_row& row, const node_ref& in, const reduce_options& options);
/// Throws unless a mask is of bools and broadcasts to the operand that it is for.
void check_mask(const char* function, const node& mask, const node& operand);
/// The row folded along one axis, up to each element.
node_ref scan(const op_row& row, const node_ref& in, int axis, bool exclusive, bool reverse);

/// Several results of one program. Everything it points to lives as long as it does.
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
/// Writes the nodes down as lower.hpp does for types. Throws for more than 1024 nodes.
lowered lower(const std::vector<node_ref>& roots);

}  // namespace sinter::spoken
