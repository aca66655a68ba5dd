// A node of a graph as one line.
#pragma once

#include <codegen/ir/graph.hpp>

#include <string>

namespace sinter::codegen {

/// The node as an expression in the graph's leaves x0, x1 and scalars s0, s1: "sqrt(sum(x0 * x0, axis=1))". Views do
/// not show, but for "take". Cut at about 160 characters.
std::string expression_text(const graph& g, int node);

}  // namespace sinter::codegen
