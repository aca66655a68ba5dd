// Fourier transforms by cuFFT.
#pragma once

#include <codegen/ir/call.hpp>
#include <runtime/devices/device.hpp>

#include <memory>

namespace sinter::codegen {

/// Null if the device is not a CUDA device, cuFFT is missing, or it does not support the transform.
std::unique_ptr<const library_function> fft_by_library(device& where, const call_site& call);

}  // namespace sinter::codegen
