// The host back end: runs a kernel in cache-sized blocks over all cores.
#pragma once

#include <codegen/ir/kernel.hpp>

namespace sinter::codegen {

/// Computes the kernel's outputs. `inputs` are already displaced, in the order of kernel::inputs; `scalars` is in the
/// order of kernel::scalars. The result's bits do not depend on the number of threads.
void evaluate_on_host(const kernel& k, const void* const* inputs, void* const* outputs, const ir::scalar_bits* scalars);

}  // namespace sinter::codegen
