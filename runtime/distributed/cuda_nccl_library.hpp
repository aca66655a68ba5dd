// The NCCL functions that meshes use, loaded from libnccl.so.2 at run time. Declared here instead of including
// <nccl.h>, so that a build needs only <cuda.h> and <nvrtc.h>; tests compare the declarations.
// https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api.html
#pragma once

#include <cstddef>
#include <string>

struct CUstream_st;

namespace sinter::codegen::nccl {

using communicator = void*;
using status = int;  ///< 0 is success

struct unique_id {
    char bytes[128];
};

// Values of the library's enumerations.
enum data_type : int { uint8 = 1, int64 = 4, uint64 = 5, float32 = 7, float64 = 8 };
enum reduction : int { sum = 0 };
inline constexpr status in_progress = 7;

struct library {
    status (*get_version)(int*) = nullptr;
    status (*get_unique_id)(unique_id*) = nullptr;
    status (*init_rank)(communicator*, int size, unique_id, int rank) = nullptr;
    status (*destroy)(communicator) = nullptr;
    status (*abort)(communicator) = nullptr;
    status (*async_error)(communicator, status*) = nullptr;
    const char* (*error_text)(status) = nullptr;
    status (*all_reduce)(const void*, void*, std::size_t, data_type, reduction, communicator, CUstream_st*) = nullptr;
    status (*send)(const void*, std::size_t, data_type, int to, communicator, CUstream_st*) = nullptr;
    status (*receive)(void*, std::size_t, data_type, int from, communicator, CUstream_st*) = nullptr;
    status (*group_start)() = nullptr;
    status (*group_end)() = nullptr;

    std::string version_text;  ///< "2.27.3"
};

/// Null if not found. Searched once per process: SINTER_NCCL (a file or `off`), then the loader's and toolkit's
/// folders, and NVIDIA's Python wheels.
const library* find();
/// Whether SINTER_NCCL is `off`.
bool is_off();

}  // namespace sinter::codegen::nccl
