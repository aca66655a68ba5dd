// The cuBLASLt functions that products use, loaded from libcublasLt at run time. Declared here instead of including
// <cublasLt.h>, so that a build needs only <cuda.h> and <nvrtc.h>; tests compare the declarations.
// https://docs.nvidia.com/cuda/cublas/#using-the-cublaslt-api
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

struct CUstream_st;

namespace sinter::codegen::cublaslt {

using handle = void*;
using matmul_desc = void*;
using matrix_layout = void*;
using preference = void*;
using status = int;  ///< 0 is success

struct algorithm {
    std::uint64_t data[8];
};
struct heuristic_result {
    algorithm algo;
    std::size_t workspace_bytes;
    status state;
    float waves;
    int reserved[4];
};

// Values of the library's enumerations.
enum data_type : int { r_32f = 0, r_64f = 1, r_16f = 2, c_32f = 4, c_64f = 5, r_16bf = 14 };
enum compute_type : int { compute_32f = 68, compute_64f = 70, compute_32f_fast_tf32 = 77 };
enum operation : int { op_n = 0, op_t = 1 };
enum epilogue : std::uint32_t { epilogue_default = 1, epilogue_bias = 4 };
enum desc_attribute : int { desc_trans_a = 3, desc_trans_b = 4, desc_epilogue = 7, desc_bias_pointer = 8 };
enum layout_attribute : int { layout_batch_count = 5, layout_batch_offset = 6 };
enum preference_attribute : int {
    prefer_workspace_bytes = 1,
    prefer_alignment_a = 5,
    prefer_alignment_b = 6,
    prefer_alignment_c = 7,
    prefer_alignment_d = 8
};

struct library {
    status (*create)(handle*) = nullptr;
    std::size_t (*get_version)() = nullptr;
    status (*desc_create)(matmul_desc*, compute_type, data_type) = nullptr;
    status (*desc_destroy)(matmul_desc) = nullptr;
    status (*desc_set)(matmul_desc, desc_attribute, const void*, std::size_t) = nullptr;
    status (*layout_create)(matrix_layout*, data_type, std::uint64_t, std::uint64_t, std::int64_t) = nullptr;
    status (*layout_destroy)(matrix_layout) = nullptr;
    status (*layout_set)(matrix_layout, layout_attribute, const void*, std::size_t) = nullptr;
    status (*preference_create)(preference*) = nullptr;
    status (*preference_destroy)(preference) = nullptr;
    status (*preference_set)(preference, preference_attribute, const void*, std::size_t) = nullptr;
    status (*get_heuristic)(handle, matmul_desc, matrix_layout, matrix_layout, matrix_layout, matrix_layout, preference,
                            int, heuristic_result*, int*) = nullptr;
    status (*matmul)(handle, matmul_desc, const void* alpha, const void* a, matrix_layout, const void* b, matrix_layout,
                     const void* beta, const void* c, matrix_layout, void* d, matrix_layout, const algorithm*,
                     void* workspace, std::size_t workspace_bytes, CUstream_st*) = nullptr;

    std::string version_text;  ///< "13.0.2"
};

/// Null if not found. Searched once per process: SINTER_CUBLASLT (a file or `off`), then the loader's and toolkit's
/// folders, and NVIDIA's Python wheels.
const library* find();

/// Whether SINTER_CUBLASLT=always sends small products to the library, too: see is_small.
bool takes_small_ones();

}  // namespace sinter::codegen::cublaslt
