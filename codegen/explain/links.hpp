// The values of a kernel as a tree to show, and which of them each line of the kernel's text is about.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/kernel.hpp>
#include <sinter/explain.hpp>

namespace sinter::codegen {

/// The kernel's values, and behind them one node for each of its stores.
std::vector<tree_node> values_of(const kernel& k);

/// For each line of the text the value, a place in values_of(k). A line that names none goes with the line before it;
/// the lines before the first that does, with the first result.
std::vector<int> links_of(const kernel& k, const std::string& text);

/// The nodes of a graph, in their order.
std::vector<tree_node> nodes_of(const graph& g);

}  // namespace sinter::codegen
