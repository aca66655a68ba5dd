// Alignment of addresses, which limits the width of accesses.
#pragma once

#include <codegen/ir/bindings.hpp>
#include <codegen/ir/loop_nest.hpp>

#include <vector>

namespace sinter::codegen {

/// The largest power of two, at most 16 (the widest access), that divides the address of a storage or region.
int alignment_of(const detail::storage& s);
int alignment_of(const detail::region& r);

/// Alignments of a kernel's inputs, then of its outputs. Without `to_results` the program's results go to new arrays,
/// whatever `b` says.
std::vector<int> alignments(const loop_nest& k, const bindings& b, bool to_results);

}  // namespace sinter::codegen
