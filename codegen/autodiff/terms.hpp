// Graph nodes as C++ values, in which derivative rules are written. Functions and operators of the op table append a
// node to the graph and broadcast; a number takes the dtype of the terms it is combined with.
#pragma once

#include <codegen/ir/graph.hpp>
#include <sinter/op/functions.hpp>

#include <initializer_list>
#include <numbers>

namespace sinter::codegen::gradient {

class builder;

/// A node of the graph that a builder extends, or nothing.
struct term {
    builder* in = nullptr;
    int node = -1;

    bool exists() const { return node >= 0; }
    const graph_node& operator*() const;
};

/// The result of a rule that propagates no derivative.
inline constexpr term none{};

/// An operand of a function: a term or a number.
struct arg {
    term t;
    double number = 0;
    // implicit, so that rules can contain 2.0 * x
    arg(term operand) : t(operand) {}
    arg(double value) : number(value) {}
};

class builder {
public:
    explicit builder(graph& g) : g_(g) {}

    term at(int node) { return {this, node}; }
    const graph_node& operator[](int node) const { return g_.nodes[static_cast<std::size_t>(node)]; }
    term push(const graph_node& n);

    term elementwise(const op_row& row, std::initializer_list<arg> operands);
    term cast(term x, dtype to);
    /// x, materialized by a launch of its own.
    term stored(term x) { return push(of(ir::kind::materialize, x)); }
    /// A sum of products, as a matrix product.
    term product(term sum, ir::product how);
    /// x, computed in float32, as a half number.
    term rounded(term x) { return push(of(ir::kind::cast, x)); }
    /// A reduction that keeps the reduced axes with extent 1.
    term fold(const op_row& row, term x, std::uint32_t axes);
    term constant(dtype type, double value);
    /// Whether x is the constant 1 of a floating dtype.
    bool is_one(term x) const;
    /// An extent or a step as an int64. It is a kernel argument, so that other shapes use the same source.
    term number(std::int64_t n);
    /// A view: `map` has an entry per axis of x.
    term view(term x, int rank, const extents& shape, const std::array<mapped_axis, ir::max_rank>& map);
    term reshape(term x, int rank, const extents& shape);
    /// x broadcast to a larger shape.
    term broadcast(term x, int rank, const extents& shape);
    /// x with leading axes of extent 1 added.
    term with_rank(term x, int rank);
    /// 0, 1, 2 ... along one of `rank` axes; the other axes have extent 1.
    term along(int axis, int rank, std::int64_t extent);
    /// x gathered along one axis at the int64 term `index`; the axis gets extent `extent`.
    term gather(term x, int axis, std::int64_t extent, term index);
    /// x, which broadcasts to `from`, summed over the axes along which an operand of shape `to` was broadcast.
    term sum_to(term x, int from_rank, const extents& from, int to_rank, const extents& to);
    /// x times an extent.
    term times(term x, std::int64_t n);

    /// The axes that sum(x) and prod(x) reduce in a reduction's rule.
    std::uint32_t folded_axes = 0;
    /// The dtype of the differentiated node: of numbers that are combined with no term.
    dtype type{};

private:
    /// A node of one operand, with the operand's dtype and shape.
    static graph_node of(ir::kind what, term x);
    term as_term(const arg& a, dtype of) { return a.t.exists() ? a.t : constant(of, a.number); }

    graph& g_;
};

inline const graph_node& term::operator*() const { return (*in)[node]; }

namespace detail {
term apply(const op_row& row, std::initializer_list<arg> operands);
term apply_fold(const op_row& row, const term& x);
}  // namespace detail

#define SINTER_ROW_UNARY(name, rule, ...) \
    inline term name(const arg& x) { return detail::apply(::sinter::op::name::row, {x}); }
#define SINTER_ROW_BINARY(name, rule, ...) \
    inline term name(const arg& x, const arg& y) { return detail::apply(::sinter::op::name::row, {x, y}); }
#define SINTER_ROW_TERNARY(name, rule, ...)                       \
    inline term name(const arg& x, const arg& y, const arg& z) {  \
        return detail::apply(::sinter::op::name::row, {x, y, z}); \
    }
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) \
    inline term operator symbol(const arg& x) { return detail::apply(::sinter::op::name::row, {x}); }
#define SINTER_ROW_INFIX(name, symbol, rule, ...) \
    inline term operator symbol(const arg& x, const arg& y) { return detail::apply(::sinter::op::name::row, {x, y}); }
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) \
    inline term name(const term& x) { return detail::apply_fold(::sinter::op::name::row, x); }
#define SINTER_INNER_ROWS
#include <sinter/op/table.def>

// Further functions for rules.

using std::numbers::inv_sqrtpi;
using std::numbers::ln10;
using std::numbers::ln2;
using std::numbers::pi;
using std::numbers::sqrt2;

/// 1 where a condition holds, 0 elsewhere.
term number(const term& condition);
/// g where the operand determines the result; half of g where both operands do.
term shared(const term& decides, const term& both, const term& g);
/// g divided evenly among the folded elements for which the condition holds.
term evenly(const term& condition, const term& g);
/// The derivative of lgamma. M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 6.3.5, 6.3.7 and 6.3.18.
term digamma(const term& x);
/// For each element, the product of all others that are folded with it; also correct if some are 0.
term product_of_others(const term& x);

}  // namespace sinter::codegen::gradient
