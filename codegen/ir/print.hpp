// The graph and the kernel as text, for people.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/kernel.hpp>

#include <string>

namespace sinter::codegen {

/// "(1000, 100)"; NumPy's form, so that messages look familiar: "(3,)" for one axis.
std::string shape_text(const std::int64_t* shape, int rank);
/// What a node is, without its operands: "sum axis=1 keepdims".
std::string label(const graph_node& n);
/// One SSA value a line: "%2 = multiply %0 %1 : float64 (1000, 100, 1000)".
std::string print(const graph& g);
/// The loop form: axes, values by loop and stage, stores; the numbers in brackets are strides along a0, a1 ...
std::string print(const kernel& k);
/// The graph as a tree from the root down, with dtypes and shapes.
std::string print_tree(const graph& g);
/// The kernel's stores as expressions in its inputs x0, x1 and scalars s0, s1: "sqrt(sum(x0 * x0))". Depends on the
/// kernel's class alone. Cut at about 160 characters.
std::string expression_text(const kernel& k);
/// A call with its operands: "sort(x0)".
std::string expression_text(const call_site& call);

}  // namespace sinter::codegen
