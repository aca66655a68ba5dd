// Reverse-mode differentiation: replaces gradient nodes by the nodes that compute them.
//
// Works on the graph, not on the expression's type: only the graph knows which arrays and subexpressions are equal, and
// along which axes operands were broadcast. Runs when a plan is made.
#pragma once

#include <codegen/autodiff/terms.hpp>

namespace sinter::codegen {

/// Replaces the gradients. Requires that equal nodes are merged.
void differentiate(graph& g);

/// Removes all gradient nodes; merges equal arrays before, and equal nodes before and after.
void expand_gradients(graph& g);

namespace gradient {

/// The operands and the result of a node, and the derivative w.r.t. the result.
struct operands {
    term x, y, z, r, g;
};

/// The derivatives of a row of the op table.
struct derivative {
    term (*by[ir::max_operands])(const operands&) = {};  ///< w.r.t. each operand of a function or of a reduction's op
    term (*folded)(const operands&) = nullptr;           ///< w.r.t. the elements of a reduction
};

/// The row's derivative; without rules if it has none.
const derivative& derivative_of(const op_row& row);

/// The derivative w.r.t. a view's operand, given the derivative w.r.t. the view. `none` for a view without elements.
term through_view(builder& b, int view, term g);

}  // namespace gradient
}  // namespace sinter::codegen
