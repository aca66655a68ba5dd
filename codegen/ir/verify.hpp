// Invariants of the graph and of the loop nest, checked between passes.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/loop_nest.hpp>

namespace sinter::codegen {

/// Throws sinter::error, naming the pass and the node, if the graph is malformed. Checks SSA order, arity, dtypes,
/// ranks, broadcast shapes, and that axes and index maps are in range.
void verify(const graph& g, const char* after_pass);

/// The same for loop nests: SSA order, each axis in one loop or level, no value used outside or before its loop.
void verify(const loop_nest& k, const char* after_pass);

}  // namespace sinter::codegen
