// The host back end: runs a kernel in cache-sized blocks on all cores.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <memory>

namespace sinter::codegen {

/// The prepared evaluation of a kernel, valid for any number of threads.
class host_kernel;
using host_plan = std::shared_ptr<const host_kernel>;

/// When a C++ compiler makes loops for a kernel. They give the same bits as the library's own loops.
enum class compiled_loops {
    when_they_pay,  ///< in the background, once the kernel has run for as long as a compilation takes
    at_once,        ///< if a compiler is found
    never
};
host_plan plan_on_host(const loop_nest& k, compiled_loops when = compiled_loops::when_they_pay);

/// Whether the next evaluation runs compiled loops. For kernels whose indices do not depend on scalars.
bool runs_compiled_loops(const host_kernel& k);

/// Computes the kernel's outputs. `inputs` include the offsets, in the order of loop_nest::inputs; `scalars` are in the
/// order of loop_nest::scalars. The result's bits do not depend on the number of threads.
void evaluate_on_host(const host_kernel& k, const void* const* inputs, void* const* outputs,
                      const ir::scalar_bits* scalars);
inline void evaluate_on_host(const loop_nest& k, const void* const* inputs, void* const* outputs,
                             const ir::scalar_bits* scalars) {
    evaluate_on_host(*plan_on_host(k), inputs, outputs, scalars);
}

}  // namespace sinter::codegen
