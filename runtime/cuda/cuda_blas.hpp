// Matrix products by cuBLASLt. For codegen/launch/cuda_*.cpp alone.
#pragma once

#include <runtime/cuda/cuda_context.hpp>
#include <runtime/devices/device.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace sinter::codegen {

/// cuBLASLt as one device uses it: nothing is opened before the first product.
class cuda_blas {
public:
    explicit cuda_blas(const cuda_context& c) : here_(c) {}

    /// Null where there is no library, or none of its algorithms takes this. `alignment` is of the kernel's inputs and
    /// then of its result.
    std::unique_ptr<library_call> call_for(const gemm& g, const std::vector<int>& alignment, device& where);

private:
    void* handle();

    const cuda_context& here_;
    std::once_flag started_;
    void* handle_ = nullptr;  ///< kept to the end of the process, as the context is
};

}  // namespace sinter::codegen
