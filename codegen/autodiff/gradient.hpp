// Reverse-mode differentiation: nodes of kind gradient become the nodes that compute them.
//
// It works on the graph rather than on the type of the expression, since only the graph knows which arrays and which
// parts of an expression are the same, and along which axes operands were broadcast. It runs when a plan is made.
#pragma once

#include <codegen/autodiff/terms.hpp>

namespace sinter::codegen {

/// Replaces the gradients. Expects that equal nodes are one.
void differentiate(graph& g);

/// All that makes a graph with gradients one without: equal arrays and nodes become one before and after.
void expand_gradients(graph& g);

namespace gradient {

/// The operands and the result of a node, and the derivative by the result.
struct operands {
    term x, y, z, r, g;
};

/// What a row of the op table says of its derivatives.
struct derivative {
    term (*by[ir::max_operands])(
        const operands&) = {};                  ///< each operand of a function, or of a reduction of two values
    term (*folded)(const operands&) = nullptr;  ///< the elements of a reduction
};

/// The row's derivative; one without rules where it has none.
const derivative& derivative_of(const op_row& row);

/// The derivative by the operand of a view, given that by the view itself. None for a view without elements.
term through_view(builder& b, int view, term g);

}  // namespace gradient
}  // namespace sinter::codegen
