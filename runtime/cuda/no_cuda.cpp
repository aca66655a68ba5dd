// Replacements for CUDA devices and NVRTC in a build without CUDA's headers.
#include <runtime/cuda/cuda_device.hpp>
#include <runtime/cuda/cuda_fft.hpp>
#include <runtime/cuda/cuda_solver.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <sinter/error.hpp>

namespace sinter::codegen {
namespace {

constexpr const char* reason =
    "this build of Sinter has no CUDA support: configure it again where CUDA's headers are found, or use host()";

}  // namespace

int cuda_device_count() noexcept { return 0; }
kernel_device& cuda_device_at(int) { throw error(reason); }
std::string cuda_unavailable_reason() { return reason; }
pool* cuda_pool(device&) { return nullptr; }
void enter_cuda(const device&) {}

std::unique_ptr<const library_function> fft_by_library(device&, const call_site&) { return nullptr; }
std::unique_ptr<const library_function> solve_by_library(device&, const call_site&) { return nullptr; }
std::unique_ptr<const library_function> invert_by_library(device&, const call_site&) { return nullptr; }
std::unique_ptr<const library_function> cholesky_by_library(device&, const call_site&) { return nullptr; }
std::unique_ptr<const library_function> lu_by_library(device&, const call_site&) { return nullptr; }
std::unique_ptr<const library_function> det_by_library(device&, const call_site&) { return nullptr; }
std::unique_ptr<const library_function> qr_by_library(device&, const call_site&) { return nullptr; }
std::unique_ptr<const library_function> eigh_by_library(device&, const call_site&) { return nullptr; }
std::unique_ptr<const library_function> svd_by_library(device&, const call_site&) { return nullptr; }
std::unique_ptr<const library_function> eig_by_library(device&, const call_site&) { return nullptr; }

compiled compile_cuda(const std::string&, int, const compile_options&, bool) { throw error(reason); }
bool nvrtc_available() { return false; }
std::string nvrtc_version() { return ""; }
bool nvrtc_makes_tensor_maps() { return true; }
std::string nvrtc_toolchain(int) { return "no NVRTC"; }

}  // namespace sinter::codegen
