// Matrix products of a library, by naive loops.
#pragma once

#include <runtime/devices/library_call.hpp>

namespace sinter::emulate {

/// One call: the products of gemm::batch.
void plain_gemm(const codegen::gemm& g, const codegen::gemm_pointers& p, const ir::scalar_bits& alpha,
                const ir::scalar_bits& beta);

/// From the first byte of one call's matrices to one past the last; rows x columns before transposition.
std::size_t bytes_of(const codegen::gemm& g, const codegen::gemm_matrix& m, std::int64_t rows, std::int64_t columns,
                     std::int64_t batch_stride);

}  // namespace sinter::emulate
