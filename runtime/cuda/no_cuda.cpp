// What a build without CUDA's headers has in place of CUDA devices and NVRTC.
#include <runtime/cuda/cuda_device.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <sinter/error.hpp>

namespace sinter::codegen {
namespace {

constexpr const char* reason =
    "this build of Sinter is for the host alone: configure it anew where CUDA's headers are found, or use host()";

}  // namespace

int cuda_device_count() noexcept { return 0; }
kernel_device& cuda_device_at(int) { throw error(reason); }
std::string cuda_unavailable_reason() { return reason; }
pool* cuda_pool(device&) { return nullptr; }
void enter_cuda(const device&) {}

compiled compile_cuda(const std::string&, int, const compile_options&, bool) { throw error(reason); }
bool nvrtc_available() { return false; }
std::string nvrtc_version() { return ""; }
std::string nvrtc_toolchain(int) { return "no NVRTC"; }

}  // namespace sinter::codegen
