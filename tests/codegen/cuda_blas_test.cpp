// The declarations of cuBLASLt's functions, against NVIDIA's header where there is one; and that its library has them.
#include <runtime/cuda/cuda_blas_library.hpp>

#include <gtest/gtest.h>
#include <tests/codegen/declared_alike.hpp>

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>

namespace sinter::codegen::cublaslt {
namespace {

using testing::as_declared;
using testing::same;

static_assert(sizeof(heuristic_result) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(heuristic_result, workspace_bytes) == offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(heuristic_result, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(sizeof(algorithm) == sizeof(cublasLtMatmulAlgo_t));

static_assert(same(r_32f, CUDA_R_32F) && same(r_64f, CUDA_R_64F) && same(r_16f, CUDA_R_16F));
static_assert(same(c_32f, CUDA_C_32F) && same(c_64f, CUDA_C_64F) && same(r_16bf, CUDA_R_16BF));
static_assert(same(compute_32f, CUBLAS_COMPUTE_32F) && same(compute_64f, CUBLAS_COMPUTE_64F));
static_assert(same(compute_32f_fast_tf32, CUBLAS_COMPUTE_32F_FAST_TF32));
static_assert(same(op_n, CUBLAS_OP_N) && same(op_t, CUBLAS_OP_T));
static_assert(same(epilogue_default, CUBLASLT_EPILOGUE_DEFAULT) && same(epilogue_bias, CUBLASLT_EPILOGUE_BIAS));
static_assert(same(desc_trans_a, CUBLASLT_MATMUL_DESC_TRANSA) && same(desc_trans_b, CUBLASLT_MATMUL_DESC_TRANSB));
static_assert(same(desc_epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE));
static_assert(same(desc_bias_pointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER));
static_assert(same(layout_batch_count, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT));
static_assert(same(layout_batch_offset, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET));
static_assert(same(prefer_workspace_bytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES));
static_assert(same(prefer_alignment_a, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES));
static_assert(same(prefer_alignment_b, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES));
static_assert(same(prefer_alignment_c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES));
static_assert(same(prefer_alignment_d, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES));

static_assert(as_declared<decltype(library::create), decltype(&cublasLtCreate)>);
static_assert(as_declared<decltype(library::get_version), decltype(&cublasLtGetVersion)>);
static_assert(as_declared<decltype(library::desc_create), decltype(&cublasLtMatmulDescCreate)>);
static_assert(as_declared<decltype(library::desc_destroy), decltype(&cublasLtMatmulDescDestroy)>);
static_assert(as_declared<decltype(library::desc_set), decltype(&cublasLtMatmulDescSetAttribute)>);
static_assert(as_declared<decltype(library::layout_create), decltype(&cublasLtMatrixLayoutCreate)>);
static_assert(as_declared<decltype(library::layout_destroy), decltype(&cublasLtMatrixLayoutDestroy)>);
static_assert(as_declared<decltype(library::layout_set), decltype(&cublasLtMatrixLayoutSetAttribute)>);
static_assert(as_declared<decltype(library::preference_create), decltype(&cublasLtMatmulPreferenceCreate)>);
static_assert(as_declared<decltype(library::preference_destroy), decltype(&cublasLtMatmulPreferenceDestroy)>);
static_assert(as_declared<decltype(library::preference_set), decltype(&cublasLtMatmulPreferenceSetAttribute)>);
static_assert(as_declared<decltype(library::get_heuristic), decltype(&cublasLtMatmulAlgoGetHeuristic)>);
static_assert(as_declared<decltype(library::matmul), decltype(&cublasLtMatmul)>);

}  // namespace
}  // namespace sinter::codegen::cublaslt
#endif

namespace sinter::codegen {
namespace {

TEST(cuda_blas, the_library_is_found_whole_or_not_at_all) {
#if SINTER_WITH_CUDA
    const cublaslt::library* const l = cublaslt::find();
    if (l == nullptr) GTEST_SKIP() << "there is no libcublasLt";
    EXPECT_NE(l->matmul, nullptr);
    EXPECT_GE(l->version_text, "1");
#endif
}

}  // namespace
}  // namespace sinter::codegen
