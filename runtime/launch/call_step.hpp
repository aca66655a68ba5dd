// A step of a plan that is a call of a function of whole arrays: its function on the host, its kernels on a device.
#pragma once

#include <codegen/functions/launches.hpp>
#include <runtime/cache/kernels.hpp>
#include <runtime/devices/device.hpp>

#include <memory>
#include <vector>

namespace sinter::codegen {

/// A call that is ready to run. Used by any thread.
class call_step {
public:
    /// On a device of kernels, these are compiled and loaded here.
    call_step(const call_site& call, device& where);

    /// Runs on the present stream, and does not wait. `results` has null for those that are not wanted.
    void run(const void* const* operands, void* const* results) const;

private:
    void run_kernels(const void* const* operands, void* const* results) const;

    const call_site call_;
    device& where_;
    std::unique_ptr<const library_function> library_;
    call_launches launches_;
    std::vector<const ready_kernel*> ready_;
};

/// The kernels that a call launches, as the cache of kernels is asked for them.
std::vector<kernel_request> requests_for(const call_launches& all);

}  // namespace sinter::codegen
