// The CUDA driver's functions, from libcuda.so.1, which is opened at run time. For codegen/launch/cuda_*.cpp alone.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

namespace sinter::codegen {

// Member, symbol in the library, function of <cuda.h> whose type it has. The symbols are the oldest with that type, so
// that a program built with new headers starts on an older driver; <cuda.h> may rename the function to a newer symbol.
#define SINTER_CUDA_FUNCTIONS(X)                                                                 \
    X(get_error_name, "cuGetErrorName", cuGetErrorName)                                          \
    X(get_error_string, "cuGetErrorString", cuGetErrorString)                                    \
    X(init, "cuInit", cuInit)                                                                    \
    X(driver_get_version, "cuDriverGetVersion", cuDriverGetVersion)                              \
    X(device_get_count, "cuDeviceGetCount", cuDeviceGetCount)                                    \
    X(device_get, "cuDeviceGet", cuDeviceGet)                                                    \
    X(device_get_name, "cuDeviceGetName", cuDeviceGetName)                                       \
    X(device_get_attribute, "cuDeviceGetAttribute", cuDeviceGetAttribute)                        \
    X(primary_ctx_retain, "cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain)                  \
    X(ctx_get_current, "cuCtxGetCurrent", cuCtxGetCurrent)                                       \
    X(ctx_set_current, "cuCtxSetCurrent", cuCtxSetCurrent)                                       \
    X(device_get_uuid, "cuDeviceGetUuid", cuDeviceGetUuid)                                       \
    X(device_can_access_peer, "cuDeviceCanAccessPeer", cuDeviceCanAccessPeer)                    \
    X(ctx_enable_peer_access, "cuCtxEnablePeerAccess", cuCtxEnablePeerAccess)                    \
    X(mem_get_info, "cuMemGetInfo_v2", cuMemGetInfo)                                             \
    X(mem_alloc, "cuMemAlloc_v2", cuMemAlloc)                                                    \
    X(mem_free, "cuMemFree_v2", cuMemFree)                                                       \
    X(mem_host_alloc, "cuMemHostAlloc", cuMemHostAlloc)                                          \
    X(mem_free_host, "cuMemFreeHost", cuMemFreeHost)                                             \
    X(memcpy_htod_async, "cuMemcpyHtoDAsync_v2", cuMemcpyHtoDAsync)                              \
    X(memcpy_dtoh_async, "cuMemcpyDtoHAsync_v2", cuMemcpyDtoHAsync)                              \
    X(memcpy_dtod_async, "cuMemcpyDtoDAsync_v2", cuMemcpyDtoDAsync)                              \
    X(memcpy_peer_async, "cuMemcpyPeerAsync", cuMemcpyPeerAsync)                                 \
    X(memset_d8_async, "cuMemsetD8Async", cuMemsetD8Async)                                       \
    X(memset_d32_async, "cuMemsetD32Async", cuMemsetD32Async)                                    \
    X(pointer_get_attributes, "cuPointerGetAttributes", cuPointerGetAttributes)                  \
    X(ctx_get_stream_priority_range, "cuCtxGetStreamPriorityRange", cuCtxGetStreamPriorityRange) \
    X(stream_create, "cuStreamCreateWithPriority", cuStreamCreateWithPriority)                   \
    X(stream_synchronize, "cuStreamSynchronize", cuStreamSynchronize)                            \
    X(stream_wait_event, "cuStreamWaitEvent", cuStreamWaitEvent)                                 \
    X(stream_begin_capture, "cuStreamBeginCapture_v2", cuStreamBeginCapture)                     \
    X(stream_end_capture, "cuStreamEndCapture", cuStreamEndCapture)                              \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", cuGraphInstantiateWithFlags)             \
    X(graph_launch, "cuGraphLaunch", cuGraphLaunch)                                              \
    X(graph_destroy, "cuGraphDestroy", cuGraphDestroy)                                           \
    X(graph_exec_destroy, "cuGraphExecDestroy", cuGraphExecDestroy)                              \
    X(event_create, "cuEventCreate", cuEventCreate)                                              \
    X(event_destroy, "cuEventDestroy_v2", cuEventDestroy)                                        \
    X(event_record, "cuEventRecord", cuEventRecord)                                              \
    X(event_query, "cuEventQuery", cuEventQuery)                                                 \
    X(event_synchronize, "cuEventSynchronize", cuEventSynchronize)                               \
    X(event_elapsed_time, "cuEventElapsedTime", cuEventElapsedTime)                              \
    X(module_load_data, "cuModuleLoadData", cuModuleLoadData)                                    \
    X(module_get_function, "cuModuleGetFunction", cuModuleGetFunction)                           \
    X(func_get_attribute, "cuFuncGetAttribute", cuFuncGetAttribute)                              \
    X(func_set_attribute, "cuFuncSetAttribute", cuFuncSetAttribute)                              \
    X(launch_kernel, "cuLaunchKernel", cuLaunchKernel)

struct driver {
#define SINTER_MEMBER(member, symbol, function) decltype(&::function) member = nullptr;
    SINTER_CUDA_FUNCTIONS(SINTER_MEMBER)
#undef SINTER_MEMBER

    /// Since CUDA 12.4; null in older drivers.
    CUresult (*func_get_param_info)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;

    int devices = 0;  ///< at least one
    int version = 0;  ///< 1000 * major + 10 * minor of the newest CUDA it supports
};

/// Null without a driver or a device. Opened once per process.
const driver* cuda_driver() noexcept;
/// The reason if there is no driver, in one line with the cure; else empty.
const std::string& cuda_driver_missing();

/// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
std::string describe(const driver& d, CUresult result);

}  // namespace sinter::codegen
