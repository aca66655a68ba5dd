// The host back end: runs a kernel in cache-sized blocks over all cores.
#pragma once

#include <codegen/ir/kernel.hpp>

#include <memory>

namespace sinter::codegen {

/// All that a kernel decides of its evaluation, good for any number of threads.
class host_kernel;
using host_plan = std::shared_ptr<const host_kernel>;
host_plan plan_on_host(const kernel& k);

/// Computes the kernel's outputs. `inputs` are already displaced, in the order of kernel::inputs; `scalars` is in the
/// order of kernel::scalars. The result's bits do not depend on the number of threads.
void evaluate_on_host(const host_kernel& k, const void* const* inputs, void* const* outputs,
                      const ir::scalar_bits* scalars);
inline void evaluate_on_host(const kernel& k, const void* const* inputs, void* const* outputs,
                             const ir::scalar_bits* scalars) {
    evaluate_on_host(*plan_on_host(k), inputs, outputs, scalars);
}

}  // namespace sinter::codegen
