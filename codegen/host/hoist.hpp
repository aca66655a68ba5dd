// Loop-invariant code motion for elementwise kernels: a value that does not vary along a row, or from row to row, is
// computed once.
#pragma once

#include <codegen/host/specialise.hpp>

namespace sinter::codegen::blocked {

/// Makes an inner loop of the fastest outer axis if computed values do not vary along it, or of the other axes if
/// computed values vary along the fastest alone: those values then are computed before the loop.
void hoist(region& r);

}  // namespace sinter::codegen::blocked
