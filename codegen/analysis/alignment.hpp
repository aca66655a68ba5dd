// How addresses are aligned, which decides how wide accesses may be.
#pragma once

#include <codegen/ir/bindings.hpp>
#include <codegen/ir/kernel.hpp>

#include <vector>

namespace sinter::codegen {

/// The largest power of two, at most 16 (what the widest access needs), that divides a storage's or region's address.
int alignment_of(const detail::storage& s);
int alignment_of(const detail::region& r);

/// The same for each input and then for each output of a kernel. Without `to_results` the program's results go to fresh
/// arrays, whatever `b` says.
std::vector<int> alignments(const kernel& k, const bindings& b, bool to_results);

}  // namespace sinter::codegen
