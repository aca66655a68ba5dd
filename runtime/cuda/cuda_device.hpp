// The CUDA devices of this machine. Declared without <cuda.h>; a host-only build has none of them.
#pragma once

#include <runtime/devices/device.hpp>

#include <string>

namespace sinter::codegen {

/// 0 without a driver or a device.
int cuda_device_count() noexcept;
/// Made when first asked for and never destroyed, so that arrays may be given back to it at any time of a program's
/// end. Throws sinter::error where there is no such device, with the reason.
kernel_device& cuda_device_at(int index);
/// A device's context; null where it is no CUDA device.
struct cuda_context;
const cuda_context* cuda_context_of(const device& d);
/// Where its memory is from; null where it is no CUDA device.
class pool;
pool* cuda_pool(device& d);
/// Makes a CUDA device's context current for this thread.
void enter_cuda(const device& d);
/// Why there are no devices, in one line with the cure; empty where there are.
std::string cuda_unavailable_reason();

}  // namespace sinter::codegen
