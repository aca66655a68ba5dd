// A step of a plan that calls a function of whole arrays: its function on the host, its kernels on a device.
#pragma once

#include <codegen/functions/launches.hpp>
#include <runtime/cache/kernels.hpp>
#include <runtime/devices/device.hpp>

#include <memory>
#include <vector>

namespace sinter::codegen {

/// A call that is ready to run. Thread-safe.
class call_step {
public:
    /// On a kernel device, compiles and loads the call's kernels.
    call_step(const call_site& call, device& where);

    /// Runs on the current stream without waiting. `results` is null for each result that is not wanted.
    void run(const void* const* operands, void* const* results) const;

private:
    void run_kernels(const void* const* operands, void* const* results) const;

    const call_site call_;
    device& where_;
    std::unique_ptr<const library_function> library_;
    call_launches launches_;
    std::vector<const ready_kernel*> ready_;
};

/// The kernels that a call launches, as requests to the kernel cache.
std::vector<kernel_request> requests_for(const call_launches& all);

}  // namespace sinter::codegen
