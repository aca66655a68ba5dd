// Replacements for NCCL in a build without CUDA's headers.
#include <runtime/cuda/cuda_device.hpp>
#include <runtime/distributed/link.hpp>
#include <sinter/error.hpp>

namespace sinter::codegen {

std::unique_ptr<link> make_nccl_link(std::vector<device*>, int, int, process_group*) {
    throw error(cuda_unavailable_reason());
}
std::string gpu_identity(const device&) { return ""; }

}  // namespace sinter::codegen
