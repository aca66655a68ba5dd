// Changes that choose_cut tries: merging equal values, and storing a value before it is read.
#pragma once

#include <codegen/transforms/cut.hpp>

#include <cstddef>
#include <vector>

namespace sinter::codegen {

/// The graph with equal values merged into one node.
graph with_distinct_nodes(graph g);

/// The graph with a node stored, and read from memory by all its users. `alone`: its kernel stores nothing else.
graph with_store(const graph& g, int node, bool alone = false);

/// The graph of two statements: one assigns a node to an array, the other computes the results from that array. Values
/// that both need are computed twice; a kernel that stores nothing else stores the array.
graph with_assigned(const graph& g, int node);

/// At most `max` candidates for with_assigned.
std::vector<int> worth_assigning(const graph& g, std::size_t max);

/// At most `max` values worth storing: values computed by several kernels; values that are stored but that loading
/// kernels may have counted as computed when they were formed; and, if there are few kernels, each reduction (it may
/// have set the outer axes) and values computed from a stored one (they may be smaller or have more readers).
std::vector<int> worth_storing(const kernel_cut& cut, std::size_t max);

/// At most `max` values for whose sake a kernel may be slow beyond its bytes: what is broadcast or read through
/// indices, which is computed more than once or in loops before others; scans; and arrays that are read against their
/// order.
std::vector<int> worth_a_launch(const kernel_cut& cut, std::size_t max);

}  // namespace sinter::codegen
