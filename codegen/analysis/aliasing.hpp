// Memory shared by results and operands, and whether a result may overwrite an operand.
#pragma once

#include <codegen/ir/bindings.hpp>
#include <codegen/ir/loop_nest.hpp>

#include <vector>

namespace sinter::codegen {

/// Whether a byte of the storage may be one that the result is written to.
bool shares_memory(const detail::storage& s, const detail::evaluation_result& r);

/// The first leaf that shares memory with result `r`; -1 if none does.
int shared_leaf(const bindings& b, int r);

/// Whether result `r` may overwrite the leaves that share its memory: each element is read at the index at which it is
/// stored and by the same threads, and no later kernel reads it.
bool overwrites_safely(const std::vector<loop_nest>& kernels, const bindings& b, int r);

/// Whether all results of a kernel are empty. Such a kernel is not run.
bool stores_nothing(const loop_nest& k);

}  // namespace sinter::codegen
