// What may be changed about a cut: which values are one, and which are stored before they are read.
#pragma once

#include <codegen/transforms/cut.hpp>

#include <cstddef>
#include <vector>

namespace sinter::codegen {

/// The graph in which equal values are one node.
graph with_distinct_nodes(graph g);

/// The graph in which a node is stored, and each of its readers reads it from there. `alone`: by a kernel that stores
/// nothing else.
graph with_store(const graph& g, int node, bool alone = false);

/// The graph of the statements that assign a node to an array and then compute the results of that array: what both
/// need is computed twice, and the array is stored by a kernel that stores nothing else.
graph with_assigned(const graph& g, int node);

/// At most `max` values that with_assigned may assign.
std::vector<int> worth_assigning(const graph& g, std::size_t max);

/// At most `max` values that are worth storing: what several kernels compute; what is stored but may have been taken
/// for computed when the kernels that load it were formed; and, of few kernels, each reduction, since it may have
/// decided the axes, and what is computed of a stored value, since it may be smaller or have more readers.
std::vector<int> worth_storing(const kernel_cut& cut, std::size_t max);

}  // namespace sinter::codegen
