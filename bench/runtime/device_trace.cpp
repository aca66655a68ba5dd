// A library that records when a program's kernels and copies ran on the devices, by CUPTI. The driver loads it:
//
//     CUDA_INJECTION64_PATH=build/release/bench/libdevice_trace.so DEVICE_TRACE=trace.csv heat --members 2
//
// A line per kernel or copy: device, stream, begin and end in nanoseconds, name.
#include <cupti.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

std::mutex guard;
std::FILE* file = nullptr;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
    *bytes = 8 << 20;
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *bytes));
    *records = 0;
}

template <class Record>
void write(const Record& r, const char* name) {
    std::fprintf(file, "%u,%u,%llu,%llu,%s\n", r.deviceId, r.streamId, static_cast<unsigned long long>(r.start),
                 static_cast<unsigned long long>(r.end), name);
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t filled) {
    const std::lock_guard lock(guard);
    CUpti_Activity* next = nullptr;
    while (cuptiActivityGetNextRecord(buffer, filled, &next) == CUPTI_SUCCESS) {
        if (next->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
            const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel10*>(next);
            write(kernel, kernel.name);
        } else if (next->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
            write(*reinterpret_cast<const CUpti_ActivityMemcpy6*>(next), "copy within a device or from the host");
        } else if (next->kind == CUPTI_ACTIVITY_KIND_MEMCPY2) {
            write(*reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(next), "copy between devices");
        }
    }
    std::free(buffer);
}

void finish() {
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    std::fclose(file);
}

}  // namespace

/// The driver calls this when a program that it is to be injected into initialises CUDA.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    const char* const path = std::getenv("DEVICE_TRACE");
    file = std::fopen(path != nullptr ? path : "device_trace.csv", "w");
    if (file == nullptr) return 0;
    std::fputs("device,stream,begin,end,name\n", file);
    for (const CUpti_ActivityKind kind :
         {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2})
        cuptiActivityEnable(kind);
    cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
    std::atexit(finish);
    return 1;
}
