// The invariants of the graph, checked between passes.
#pragma once

#include <codegen/ir/graph.hpp>

namespace sinter::codegen {

/// Throws sinter::error, naming the pass and the node, when the graph is not well formed: SSA order, arity, dtypes,
/// ranks, broadcast shapes, axes and index maps within range.
void verify(const graph& g, const char* after_pass);

}  // namespace sinter::codegen
