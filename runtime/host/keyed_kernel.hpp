// Runs reductions by key: each value is folded into its group's row of a table.
#pragma once

#include <codegen/host/keyed_reduction.hpp>
#include <runtime/host/host_kernel.hpp>

#include <memory>
#include <vector>

namespace sinter::codegen {

class keyed_kernel {
public:
    /// Null if the kernel is no reduction by key. `p`: its plan.
    static std::shared_ptr<const keyed_kernel> of(const loop_nest& k, const blocked::plan& p, compiled_loops when);

    keyed_kernel(blocked::keyed_reduction what, compiled_loops when);

    /// Whether the result with these scalars is the loop's.
    bool fits(const ir::scalar_bits* scalars) const;
    void run(const void* const* inputs, void* const* outputs, const ir::scalar_bits* scalars) const;

private:
    const blocked::keyed_reduction what_;
    const host_kernel keys_, values_, results_;
    const bool lists_values_;  ///< all values are listed by inputs
};

}  // namespace sinter::codegen
