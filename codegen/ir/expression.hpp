// Prints a node of a graph on one line.
#pragma once

#include <codegen/ir/graph.hpp>

#include <string>

namespace sinter::codegen {

/// The node as an expression of the leaves x0, x1 and scalars s0, s1: "sqrt(sum(x0 * x0, axis=1))". Views are not
/// shown, except "take". Cut off at about 160 characters.
std::string expression_text(const graph& g, int node);

}  // namespace sinter::codegen
