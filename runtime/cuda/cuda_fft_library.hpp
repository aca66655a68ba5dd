// The cuFFT functions that transforms use, loaded from libcufft at run time. Declared here instead of including
// <cufftXt.h>, so that a build needs only <cuda.h> and <nvrtc.h>; tests compare the declarations.
// https://docs.nvidia.com/cuda/cufft/#cufftxtmakeplanmany
#pragma once

#include <cstddef>

struct CUstream_st;

namespace sinter::codegen::cufft {

using handle = int;
using status = int;  ///< 0 is success

// Values of the library's enumerations.
enum data_type : int { r_32f = 0, r_64f = 1, c_32f = 4, c_64f = 5 };
enum direction : int { forward = -1, inverse = 1 };

struct library {
    status (*create)(handle*) = nullptr;
    status (*destroy)(handle) = nullptr;
    status (*set_auto_allocation)(handle, int) = nullptr;
    status (*make_plan_many)(handle, int rank, long long* n, long long* embed_in, long long stride_in,
                             long long distance_in, data_type in, long long* embed_out, long long stride_out,
                             long long distance_out, data_type out, long long batch, std::size_t* workspace_bytes,
                             data_type computed_in) = nullptr;
    status (*set_stream)(handle, CUstream_st*) = nullptr;
    status (*set_work_area)(handle, void*) = nullptr;
    status (*exec)(handle, void* in, void* out, int direction) = nullptr;
};

/// Null if not found. Searched once per process: SINTER_CUFFT (a file or `off`), then the loader's and toolkit's
/// folders, and NVIDIA's Python wheels.
const library* find();

}  // namespace sinter::codegen::cufft
