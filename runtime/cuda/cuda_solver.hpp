// Linear algebra by cuSOLVER, for matrices too large for single-block kernels.
#pragma once

#include <codegen/ir/call.hpp>
#include <runtime/devices/device.hpp>

#include <memory>

namespace sinter::codegen {

// Null if the device is not a CUDA device, cuSOLVER is missing, or generated kernels are expected to be faster.
std::unique_ptr<const library_function> solve_by_library(device& where, const call_site& call);
std::unique_ptr<const library_function> invert_by_library(device& where, const call_site& call);
std::unique_ptr<const library_function> cholesky_by_library(device& where, const call_site& call);
std::unique_ptr<const library_function> lu_by_library(device& where, const call_site& call);
std::unique_ptr<const library_function> det_by_library(device& where, const call_site& call);
std::unique_ptr<const library_function> qr_by_library(device& where, const call_site& call);
std::unique_ptr<const library_function> eigh_by_library(device& where, const call_site& call);
std::unique_ptr<const library_function> svd_by_library(device& where, const call_site& call);
std::unique_ptr<const library_function> eig_by_library(device& where, const call_site& call);

}  // namespace sinter::codegen
