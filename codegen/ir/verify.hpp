// The invariants of the graph and of the kernel, checked between passes.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/kernel.hpp>

namespace sinter::codegen {

/// Throws sinter::error, naming the pass and the node, when the graph is not well formed: SSA order, arity, dtypes,
/// ranks, broadcast shapes, axes and index maps within range.
void verify(const graph& g, const char* after_pass);

/// The same for the loop form: SSA order, every axis in one loop, values used only where and when they are there.
void verify(const kernel& k, const char* after_pass);

}  // namespace sinter::codegen
