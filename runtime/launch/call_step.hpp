// A step of a plan that calls a function of whole arrays: its function on the host, its kernels on a device.
#pragma once

#include <codegen/functions/fused_call.hpp>
#include <runtime/cache/kernels.hpp>
#include <runtime/devices/device.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace sinter::codegen {

/// What one run of a call accesses.
struct call_pointers {
    const void* const* operands;     ///< of the call; any value for those that are computed
    void* const* results;            ///< null for each result that is not wanted, or that is consumed
    const void* const* inputs;       ///< of the loop nest: what element functions read
    void* const* outputs;            ///< of the loop nest: what they store
    const ir::scalar_bits* scalars;  ///< of the program
};

/// A call that is ready to run. Thread-safe.
class call_step {
public:
    /// On a kernel device, compiles and loads the kernels of `k`, which is a call, unless `library` computes it.
    call_step(const loop_nest& k, device& where, std::shared_ptr<const library_function> library);

    /// Runs on the current stream without waiting.
    void run(const call_pointers& at) const;

private:
    class argument_list;
    /// The element function that an argument stands for, or -1; and how many numbers and addresses a launch passes.
    int function_of(const call_argument& a) const;
    std::size_t count(const std::vector<call_argument>& arguments) const;
    void run_kernels(const call_pointers& at) const;

    const call_site call_;
    const std::vector<loop_nest> functions_;
    device& where_;
    std::shared_ptr<const library_function> library_;
    fused_call fused_;
    std::vector<const ready_kernel*> ready_;
};

/// The kernels that a call launches, as requests to the kernel cache.
std::vector<kernel_request> requests_for(const call_launches& all);

}  // namespace sinter::codegen
