// What a library of matrix products computes, by the plainest loops.
#pragma once

#include <runtime/devices/library_call.hpp>

namespace sinter::emulate {

/// One call: the products of gemm::batch.
void plain_gemm(const codegen::gemm& g, const codegen::gemm_pointers& p, const ir::scalar_bits& alpha,
                const ir::scalar_bits& beta);

/// From the first byte of the matrices of one call to the one behind the last; rows x columns before it is transposed.
std::size_t bytes_of(const codegen::gemm& g, const codegen::gemm_matrix& m, std::int64_t rows, std::int64_t columns,
                     std::int64_t batch_stride);

}  // namespace sinter::emulate
