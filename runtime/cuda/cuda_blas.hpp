// Matrix products by cuBLASLt. Internal to the CUDA back end.
#pragma once

#include <runtime/cuda/cuda_context.hpp>
#include <runtime/devices/device.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace sinter::codegen {

/// cuBLASLt on one device: nothing is loaded before the first product.
class cuda_blas {
public:
    explicit cuda_blas(const cuda_context& c) : here_(c) {}

    /// Null if there is no library, or no algorithm for this product. `alignment` is that of the kernel's inputs, then
    /// of its result.
    std::unique_ptr<library_call> call_for(const gemm& g, const std::vector<int>& alignment, device& where);

private:
    void* handle();

    const cuda_context& here_;
    std::once_flag started_;
    void* handle_ = nullptr;  ///< lives until the process ends, like the context
};

}  // namespace sinter::codegen
