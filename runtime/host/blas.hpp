// Matrix products by the processor's BLAS, which is opened at run time.
#pragma once

#include <codegen/schedule/gemm.hpp>

#include <string>

namespace sinter::codegen {

/// Whether a BLAS was found, and computes in a dtype: all but the half types. SINTER_BLAS names its file, or is `off`;
/// else it is OpenBLAS, MKL or BLIS, where the loader finds one.
bool blas_has(dtype d);

/// Whether it computes this: it adds neither a row nor, without a copy, a matrix.
bool blas_takes(const gemm& g);

/// The product, with all its threads; to be called only for what blas_takes.
void run_blas(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta);

/// The file it was found in.
const std::string& blas_name();

}  // namespace sinter::codegen
