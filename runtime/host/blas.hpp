// Matrix products by the processor's BLAS, which is opened at run time.
#pragma once

#include <codegen/schedule/gemm.hpp>

#include <string>

namespace sinter::codegen {

/// Whether a BLAS was found that computes in a dtype: all but the storage types. SINTER_BLAS names its file, or is
/// `off`; the default is OpenBLAS, MKL or BLIS, if the loader finds one.
bool blas_has(dtype d);

/// Whether the BLAS can compute this: it adds neither a row nor, without a copy, a matrix.
bool blas_takes(const gemm& g);

/// The product, on all of the BLAS's threads. Requires blas_takes.
void run_blas(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta);

/// The file of the BLAS.
const std::string& blas_name();

}  // namespace sinter::codegen
