// The naive evaluator: node by node and element by element, as include/sinter/ir/node.hpp defines the nodes. It knows
// nothing of codegen/, and of each element it says what any right evaluation may give.
#pragma once

#include <tests/fuzz/case.hpp>
#include <tests/fuzz/known.hpp>

#include <vector>

namespace sinter::fuzz {

/// The array that a node is.
struct node_values {
    dtype type{};
    int rank = 0;
    extents shape{};
    std::vector<known> at;  ///< row-major

    std::int64_t size() const { return static_cast<std::int64_t>(at.size()); }
};

/// The shape of a node, from those of its operands. Throws sinter::error where the node makes no sense: operands that
/// do not broadcast, an index map beyond its operand, an extreme of nothing.
extents shape_of(const fuzz_case& c, const ir::node& n, const std::vector<node_values>& before);

/// The values of a node, from those of all nodes before it.
node_values evaluate(const fuzz_case& c, const ir::node& n, const std::vector<node_values>& before);

/// All nodes in turn; and of these the roots.
std::vector<node_values> evaluate_all(const fuzz_case& c);
std::vector<node_values> results_of(const fuzz_case& c, const std::vector<node_values>& values);

}  // namespace sinter::fuzz
