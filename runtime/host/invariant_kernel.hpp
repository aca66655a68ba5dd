// Runs a kernel that is cut at its loop-invariant values: these first, into arrays, then the rest.
#pragma once

#include <codegen/host/invariant_values.hpp>
#include <runtime/host/host_kernel.hpp>

#include <memory>
#include <vector>

namespace sinter::codegen {

class invariant_kernel {
public:
    /// Null if the kernel has no such values, or is a reduction by key, whose values are few.
    static std::shared_ptr<const invariant_kernel> of(const loop_nest& k, compiled_loops when);

    invariant_kernel(const blocked::invariant_cut& what, compiled_loops when);

    bool is_compiled() const { return rest_.is_compiled(); }
    void run(const void* const* inputs, void* const* outputs, const ir::scalar_bits* scalars) const;

private:
    struct part {
        host_kernel body;
        std::vector<std::int64_t> arrays;  ///< by output: where it begins
    };

    std::vector<std::unique_ptr<const part>> parts_;
    host_kernel rest_;
    std::size_t own_inputs_ = 0;
    std::int64_t bytes_ = 0;
};

}  // namespace sinter::codegen
