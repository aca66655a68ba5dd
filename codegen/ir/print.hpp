// Prints graphs and kernels as text for people.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/loop_nest.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// "(1000, 100)"; as NumPy prints shapes: "(3,)" for one axis.
std::string shape_text(const std::int64_t* shape, int rank);
/// A node without its operands: "sum axis=1 keepdims".
std::string label(const graph_node& n);
/// One SSA value per line: "%2 = multiply %0 %1 : float64 (1000, 100, 1000)".
std::string print(const graph& g);
/// The loop nest: axes, values by loop and stage, stores. The numbers in brackets are strides along a0, a1 ...
std::string print(const loop_nest& k);
/// The graph as a tree, root first, with dtypes and shapes. `equal`: for each node, the first node of the same value.
/// A computed value that occurs several times has a number, as "exp #1", and is "#1 (above)" from the second time on.
std::string print_tree(const graph& g, const std::vector<int>& equal);
/// The kernel's stores as expressions of its inputs x0, x1 and scalars s0, s1: "sqrt(sum(x0 * x0))". Depends only on
/// the kernel's class. Cut off at about 160 characters.
std::string expression_text(const loop_nest& k);
/// A call with its operands: "sort(x0)".
std::string expression_text(const call_site& call);

}  // namespace sinter::codegen
