// Loop-invariant code motion for elementwise kernels: what does not change from one element of a row to the next, or
// from one row to the next, is computed once.
#pragma once

#include <codegen/host/specialise.hpp>

namespace sinter::codegen::blocked {

/// Makes a loop of the fastest outer axis where values are computed that do not vary along it, or of the others where
/// values are computed that vary along it alone: those values come to stand before the loop.
void hoist(region& r);

}  // namespace sinter::codegen::blocked
