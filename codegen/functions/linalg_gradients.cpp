// Derivatives of linear algebra for real matrices. M. Giles, "An extended collection of matrix derivative results for
// forward and reverse mode algorithmic differentiation", Oxford University Computing Laboratory, 2008.
#include <codegen/functions/linalg.hpp>

#include <sinter/call.hpp>
#include <sinter/error.hpp>

#include <utility>

namespace sinter::codegen {
namespace {

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// The matrices' transposes.
gradient::term transposed(gradient::builder& b, gradient::term x) {
    const graph_node from = *x;
    extents shape = from.shape;
    std::swap(shape[at(from.rank - 1)], shape[at(from.rank - 2)]);
    std::array<mapped_axis, ir::max_rank> map{};
    for (int a = 0; a < from.rank; ++a) map[at(a)] = {a, 0, 1};
    std::swap(map[at(from.rank - 1)], map[at(from.rank - 2)]);
    return b.view(x, from.rank, shape, map);
}

/// x reshaped with axes of extent 1: `added` of them follow the axes before the last `kept` ones.
gradient::term with_axes(gradient::builder& b, gradient::term x, int kept, int added) {
    const graph_node from = *x;
    extents shape{};
    std::array<mapped_axis, ir::max_rank> map{};
    for (int a = 0; a < from.rank + added; ++a) shape[at(a)] = 1;
    for (int a = 0; a < from.rank; ++a) {
        const int to = a < from.rank - kept ? a : a + added;
        map[at(a)] = {to, 0, 1};
        shape[at(to)] = from.shape[at(a)];
    }
    return b.view(x, from.rank + added, shape, map);
}

/// The matrix product x y^T: element (i, j) is the sum over k of x(i, k) y(j, k).
gradient::term product_with_transpose(gradient::builder& b, gradient::term x, gradient::term y) {
    const int rank = (*x).rank;
    if (rank == ir::max_rank)
        throw error("grad: gradients of linear algebra take arrays of at most 7 axes; reshape the batch axes into one");
    const gradient::term sums = b.fold(op::sum::row, with_axes(b, x, 1, 1) * with_axes(b, y, 2, 1), 1U << rank);
    const graph_node wide = *sums;
    std::array<mapped_axis, ir::max_rank> map{};
    for (int a = 0; a < rank; ++a) map[at(a)] = {a, 0, 1};
    map[at(rank)] = {-1, 0, 0};
    extents shape = wide.shape;
    shape[at(rank)] = 0;
    return b.view(sums, rank, shape, map);
}

/// g broadcast to the shape of the node that it is the derivative of, since calls read operands from memory.
gradient::term whole(gradient::builder& b, gradient::term g, const graph_node& n) {
    return b.broadcast(g, n.rank, n.shape);
}

/// A call of another function whose results have the shape and dtype of `like`.
gradient::term called(gradient::builder& b, const ir::call_row& callee, gradient::term like,
                      std::initializer_list<gradient::term> operands, std::int64_t integer = 0) {
    graph_node n;
    n.what = ir::kind::call;
    n.type = (*like).type;
    n.rank = (*like).rank;
    n.shape = (*like).shape;
    n.callee = &callee;
    n.integers[0] = integer;
    int i = 0;
    for (const gradient::term& t : operands) n.in[at(i++)] = t.node;
    return b.push(n);
}

/// Row and column indices, to tell elements below, on and above the diagonal.
struct triangle {
    gradient::term row, column;
    triangle(gradient::builder& b, const graph_node& n)
        : row(b.along(n.rank - 2, n.rank, n.shape[at(n.rank - 2)])),
          column(b.along(n.rank - 1, n.rank, n.shape[at(n.rank - 1)])) {}
};

}  // namespace

gradient::term gradient_of_solve(gradient::builder& b, int call, int operand, gradient::term g) {
    const graph_node n = b[call];
    const graph_node a = b[n.in[0]], right = b[n.in[1]];
    const gradient::term by_right =
        called(b, sinter::detail::calls::solve, b.at(call), {transposed(b, b.at(n.in[0])), whole(b, g, n)});
    if (operand == 1) return b.sum_to(by_right, n.rank, n.shape, right.rank, right.shape);
    const gradient::term by_a = -product_with_transpose(b, by_right, b.at(call));
    return b.sum_to(by_a, n.rank, (*by_a).shape, a.rank, a.shape);
}

gradient::term gradient_of_inv(gradient::builder& b, int call, int, gradient::term g) {
    const graph_node n = b[call];
    const gradient::term y = b.at(call);  // -y^T g y^T
    const gradient::term right = product_with_transpose(b, whole(b, g, n), y);
    return -product_with_transpose(b, transposed(b, y), transposed(b, right));
}

gradient::term gradient_of_cholesky(gradient::builder& b, int call, int, gradient::term g) {
    const graph_node n = b[call];
    const bool upper = n.integers[0] != 0;
    const auto lower = [&](gradient::term x) { return upper ? transposed(b, x) : x; };
    const gradient::term l = lower(b.at(call)), of_l = lower(whole(b, g, n));
    const triangle in(b, *l);
    // lower half of l^T g with half its diagonal, then symmetrise l^-T (...) l^-1
    const gradient::term both = product_with_transpose(b, transposed(b, l), transposed(b, of_l));
    const gradient::term half =
        gradient::where(in.row > in.column, both, gradient::where(in.row == in.column, 0.5 * both, 0.0));
    const gradient::term across = transposed(b, l);
    const auto& solve = sinter::detail::calls::solve;
    const gradient::term left = called(b, solve, l, {across, half});
    const gradient::term whole_of_a = called(b, solve, l, {across, transposed(b, left)});
    return 0.5 * (whole_of_a + transposed(b, whole_of_a));
}

gradient::term gradient_of_det(gradient::builder& b, int call, int, gradient::term g) {
    const graph_node n = b[call];
    if (n.bits == 1) return gradient::none;  // the sign is constant
    const gradient::term a = b.at(n.in[0]);
    const gradient::term inverse = called(b, sinter::detail::calls::inv, a, {a}, 1);
    const gradient::term factor = n.bits == 0 ? g * b.at(call) : g;
    return with_axes(b, b.broadcast(factor, n.rank, n.shape), 0, 2) * transposed(b, inverse);
}

}  // namespace sinter::codegen
