// A cuBLASLt for tests, in a library of its own that SINTER_CUBLASLT can name: it has five algorithms, of which the
// third does not support what it is asked for, and multiplies nothing. The result's first elements say what would have
// been run: the algorithm and how much workspace it got.
#include <runtime/cuda/cuda_blas_library.hpp>

#include <algorithm>

using namespace sinter::codegen::cublaslt;

namespace {

constexpr int algorithms = 5, unsupported = 2;
int something = 0;  // what handles and descriptors point to

status made(void** object) {
    *object = &something;
    return 0;
}

}  // namespace

extern "C" {

status cublasLtCreate(handle* h) { return made(h); }
std::size_t cublasLtGetVersion() { return 130002; }
status cublasLtMatmulDescCreate(matmul_desc* d, compute_type, data_type) { return made(d); }
status cublasLtMatmulDescDestroy(matmul_desc) { return 0; }
status cublasLtMatmulDescSetAttribute(matmul_desc, desc_attribute, const void*, std::size_t) { return 0; }
status cublasLtMatrixLayoutCreate(matrix_layout* l, data_type, std::uint64_t, std::uint64_t, std::int64_t) {
    return made(l);
}
status cublasLtMatrixLayoutDestroy(matrix_layout) { return 0; }
status cublasLtMatrixLayoutSetAttribute(matrix_layout, layout_attribute, const void*, std::size_t) { return 0; }
status cublasLtMatmulPreferenceCreate(preference* p) { return made(p); }
status cublasLtMatmulPreferenceDestroy(preference) { return 0; }
status cublasLtMatmulPreferenceSetAttribute(preference, preference_attribute, const void*, std::size_t) { return 0; }

status cublasLtMatmulAlgoGetHeuristic(handle, matmul_desc, matrix_layout, matrix_layout, matrix_layout, matrix_layout,
                                      preference, int most, heuristic_result* results, int* found) {
    *found = std::min(most, algorithms);
    for (int i = 0; i < *found; ++i)
        results[i] = {{{static_cast<std::uint64_t>(100 + i)}}, std::size_t{256} * i, i == unsupported ? 15 : 0, 1, {}};
    return 0;
}

status cublasLtMatmul(handle, matmul_desc, const void*, const void*, matrix_layout, const void*, matrix_layout,
                      const void*, const void*, matrix_layout, void* d, matrix_layout, const algorithm* a,
                      void* workspace, std::size_t workspace_bytes, CUstream_st*) {
    if ((workspace == nullptr) != (workspace_bytes == 0)) return 7;
    static_cast<float*>(d)[0] = static_cast<float>(a->data[0]);
    static_cast<float*>(d)[1] = static_cast<float>(workspace_bytes);
    return 0;
}

}  // extern "C"
