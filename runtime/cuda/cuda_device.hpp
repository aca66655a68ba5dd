// The CUDA devices of this machine. Declared without <cuda.h>; a host-only build has none of them.
#pragma once

#include <runtime/devices/device.hpp>

#include <string>

namespace sinter::codegen {

/// 0 without a driver or a device.
int cuda_device_count() noexcept;
/// Created on first use and never destroyed, so that arrays can be freed at any time during program exit. Throws
/// sinter::error with the reason if there is no such device.
kernel_device& cuda_device_at(int index);
/// A device's context; null if it is not a CUDA device.
struct cuda_context;
const cuda_context* cuda_context_of(const device& d);
/// A device's memory pool; null if it is not a CUDA device.
class pool;
pool* cuda_pool(device& d);
/// Makes a CUDA device's context current for this thread.
void enter_cuda(const device& d);
/// Why there are no devices, in one line with the cure; empty if there are some.
std::string cuda_unavailable_reason();

}  // namespace sinter::codegen
