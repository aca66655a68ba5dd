// Which memory results and operands share, and whether a result may be written over an operand.
#pragma once

#include <codegen/ir/bindings.hpp>
#include <codegen/ir/kernel.hpp>

#include <vector>

namespace sinter::codegen {

/// Whether some byte of the storage may be among those that the result is written to.
bool shares_memory(const detail::storage& s, const detail::evaluation_result& r);

/// The first leaf that shares memory with result `r`; -1 for none.
int shared_leaf(const bindings& b, int r);

/// Whether result `r` may be written over the leaves that share its memory: each of their elements is read at the index
/// at which the result's is stored and by the same threads, and no later kernel reads it.
bool overwrites_safely(const std::vector<kernel>& kernels, const bindings& b, int r);

/// Whether all that a kernel makes is without elements. Such a kernel is not run.
bool stores_nothing(const kernel& k);

}  // namespace sinter::codegen
