// A kernel's values as a tree, and a map from the lines of its source to these values.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/loop_nest.hpp>
#include <sinter/explain.hpp>

namespace sinter::codegen {

/// The kernel's values, followed by one node per store.
std::vector<tree_node> values_of(const loop_nest& k);

/// For each line of the source, the index of its value in values_of(k). A line that names none belongs to the line
/// before it; lines before the first one that names a value belong to the first result.
std::vector<int> source_map_of(const loop_nest& k, const std::string& text);

/// The nodes of a graph, in order.
std::vector<tree_node> nodes_of(const graph& g);

}  // namespace sinter::codegen
