// Nodes of a graph as values: what the rules of derivatives are written in. The functions and operators of the op table
// append a node to the graph and broadcast as arrays do; a number beside a term has its dtype.
#pragma once

#include <codegen/ir/graph.hpp>
#include <sinter/op/functions.hpp>

#include <initializer_list>
#include <numbers>

namespace sinter::codegen::gradient {

class builder;

/// A node of the graph that a builder extends; or nothing at all.
struct term {
    builder* in = nullptr;
    int node = -1;

    bool exists() const { return node >= 0; }
    const graph_node& operator*() const;
};

/// What a rule gives where no derivative is to be passed on.
inline constexpr term none{};

/// An operand of a function: a term or a number.
struct arg {
    term t;
    double number = 0;
    // implicit, so that rules can say 2.0 * x
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
    /// x, which a launch of its own stores.
    term stored(term x) { return push(of(ir::kind::store, x)); }
    /// A reduction; the axes stay, with extent 1.
    term fold(const op_row& row, term x, std::uint32_t axes);
    term constant(dtype type, double value);
    /// An extent or a step as an int64. It is an argument of the kernel: other shapes do not need another text.
    term number(std::int64_t n);
    /// A view: `map` has an entry for each axis of x.
    term view(term x, int rank, const extents& shape, const std::array<mapped_axis, ir::max_rank>& map);
    term reshape(term x, int rank, const extents& shape);
    /// x in the larger shape that it broadcasts to.
    term broadcast(term x, int rank, const extents& shape);
    /// x with leading axes of extent 1.
    term with_rank(term x, int rank);
    /// 0, 1, 2 ... along one of `rank` axes; the others have extent 1.
    term along(int axis, int rank, std::int64_t extent);
    /// x read along one axis, which becomes one of `extent`, where the int64 term says.
    term gather(term x, int axis, std::int64_t extent, term index);
    /// x, which broadcasts to `from`, summed over the axes along which an operand of shape `to` was repeated.
    term sum_to(term x, int from_rank, const extents& from, int to_rank, const extents& to);
    /// x times an extent.
    term times(term x, std::int64_t n);

    /// The axes that sum(x) and prod(x) of a reduction's rule go over.
    std::uint32_t folded_axes = 0;
    /// The dtype of what is differentiated: of numbers that stand beside no term of it.
    dtype type{};

private:
    /// A node of one operand, with its dtype and shape.
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
#include <sinter/op/table.def>

// What rules have besides.

using std::numbers::inv_sqrtpi;
using std::numbers::ln10;
using std::numbers::ln2;
using std::numbers::pi;
using std::numbers::sqrt2;

/// 1 where a condition holds, 0 elsewhere.
term number(const term& condition);
/// g where the operand decides the result; half of it where both do.
term shared(const term& decides, const term& both, const term& g);
/// g in equal parts to the folded elements of which the condition holds.
term evenly(const term& condition, const term& g);
/// The derivative of lgamma. M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 6.3.5, 6.3.7 and 6.3.18.
term digamma(const term& x);
/// Of each element the product of all others that are folded with it, also where some are 0.
term product_of_others(const term& x);

}  // namespace sinter::codegen::gradient
