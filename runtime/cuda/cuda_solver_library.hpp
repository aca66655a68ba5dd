// The cuSOLVER functions that linear algebra uses, loaded from libcusolver at run time. Declared here instead of
// including <cusolverDn.h>, so that a build needs only <cuda.h> and <nvrtc.h>; tests compare the declarations.
// https://docs.nvidia.com/cuda/cusolver/#cusolverdn-64-bit-api-reference
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace sinter::codegen::cusolver {

using handle = void*;
using params = void*;
using status = int;  ///< 0 is success

// Values of the library's enumerations.
enum data_type : int { r_32f = 0, r_64f = 1, c_32f = 4, c_64f = 5 };
enum operation : int { op_n = 0, op_t = 1 };
enum triangle : int { lower_triangle = 0, upper_triangle = 1 };
enum vectors : int { without_vectors = 0, with_vectors = 1 };

/// ?orgqr or ?ungqr for one dtype.
struct unitary {
    status (*size)(handle, int m, int n, int k, const void* a, int lda, const void* tau, int* elements) = nullptr;
    status (*make)(handle, int m, int n, int k, void* a, int lda, const void* tau, void* work, int elements,
                   int* info) = nullptr;
};

// Workspace sizes come in pairs: device, then host.
struct library {
    status (*create)(handle*) = nullptr;
    status (*create_params)(params*) = nullptr;
    status (*set_stream)(handle, CUstream_st*) = nullptr;
    status (*getrf_size)(handle, params, std::int64_t m, std::int64_t n, data_type, const void* a, std::int64_t lda,
                         data_type, std::size_t*, std::size_t*) = nullptr;
    status (*getrf)(handle, params, std::int64_t m, std::int64_t n, data_type, void* a, std::int64_t lda,
                    std::int64_t* pivots, data_type, void*, std::size_t, void*, std::size_t, int* info) = nullptr;
    status (*getrs)(handle, params, operation, std::int64_t n, std::int64_t sides, data_type, const void* a,
                    std::int64_t lda, const std::int64_t* pivots, data_type, void* b, std::int64_t ldb,
                    int* info) = nullptr;
    status (*potrf_size)(handle, params, triangle, std::int64_t n, data_type, const void* a, std::int64_t lda,
                         data_type, std::size_t*, std::size_t*) = nullptr;
    status (*potrf)(handle, params, triangle, std::int64_t n, data_type, void* a, std::int64_t lda, data_type, void*,
                    std::size_t, void*, std::size_t, int* info) = nullptr;
    status (*geqrf_size)(handle, params, std::int64_t m, std::int64_t n, data_type, const void* a, std::int64_t lda,
                         data_type, const void* tau, data_type, std::size_t*, std::size_t*) = nullptr;
    status (*geqrf)(handle, params, std::int64_t m, std::int64_t n, data_type, void* a, std::int64_t lda, data_type,
                    void* tau, data_type, void*, std::size_t, void*, std::size_t, int* info) = nullptr;
    status (*syevd_size)(handle, params, vectors, triangle, std::int64_t n, data_type, const void* a, std::int64_t lda,
                         data_type, const void* values, data_type, std::size_t*, std::size_t*) = nullptr;
    status (*syevd)(handle, params, vectors, triangle, std::int64_t n, data_type, void* a, std::int64_t lda, data_type,
                    void* values, data_type, void*, std::size_t, void*, std::size_t, int* info) = nullptr;
    status (*gesvd_size)(handle, params, signed char, signed char, std::int64_t m, std::int64_t n, data_type,
                         const void* a, std::int64_t lda, data_type, const void* values, data_type, const void* u,
                         std::int64_t ldu, data_type, const void* vh, std::int64_t ldvh, data_type, std::size_t*,
                         std::size_t*) = nullptr;
    status (*gesvd)(handle, params, signed char, signed char, std::int64_t m, std::int64_t n, data_type, void* a,
                    std::int64_t lda, data_type, void* values, data_type, void* u, std::int64_t ldu, data_type,
                    void* vh, std::int64_t ldvh, data_type, void*, std::size_t, void*, std::size_t,
                    int* info) = nullptr;
    unitary orthogonal[4];  ///< by float32, float64, complex64, complex128

    // Since CUDA 12.8; null in older versions.
    status (*geev_size)(handle, params, vectors, vectors, std::int64_t n, data_type, const void* a, std::int64_t lda,
                        data_type, const void* values, data_type, const void* left, std::int64_t, data_type,
                        const void* right, std::int64_t, data_type, std::size_t*, std::size_t*) = nullptr;
    status (*geev)(handle, params, vectors, vectors, std::int64_t n, data_type, void* a, std::int64_t lda, data_type,
                   void* values, data_type, void* left, std::int64_t, data_type, void* right, std::int64_t, data_type,
                   void*, std::size_t, void*, std::size_t, int* info) = nullptr;
};

/// Null if not found. Searched once per process: SINTER_CUSOLVER (a file or `off`), then the loader's and toolkit's
/// folders, and NVIDIA's Python wheels.
const library* find();

/// Whether SINTER_CUSOLVER=always sends matrices of any size to the library: see solves_by_library.
bool takes_small_ones();

}  // namespace sinter::codegen::cusolver
