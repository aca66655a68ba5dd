// The primary context, its error messages, device and pinned memory, and the device's properties.
#include <runtime/cuda/cuda_context.hpp>

#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/tensor.hpp>
#include <runtime/devices/device_failure.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

namespace {

/// Whether an error comes from a kernel that ran earlier; any later call may return it.
bool is_of_a_kernel(CUresult r) {
    switch (r) {
        case CUDA_ERROR_ILLEGAL_ADDRESS:
        case CUDA_ERROR_LAUNCH_FAILED:
        case CUDA_ERROR_LAUNCH_TIMEOUT:
        case CUDA_ERROR_MISALIGNED_ADDRESS:
        case CUDA_ERROR_ILLEGAL_INSTRUCTION:
        case CUDA_ERROR_INVALID_ADDRESS_SPACE:
        case CUDA_ERROR_INVALID_PC:
        case CUDA_ERROR_ASSERT:
        case CUDA_ERROR_HARDWARE_STACK_ERROR: return true;
        default: return false;
    }
}

const char* cure(CUresult r) {
    if (is_of_a_kernel(r))
        return "a kernel failed, perhaps one of an earlier launch, and this process can no longer use the device; "
               "SINTER_DEBUG=sync finds out which";
    switch (r) {
        case CUDA_ERROR_NO_BINARY_FOR_GPU:
        case CUDA_ERROR_INVALID_IMAGE:
        case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
        case CUDA_ERROR_INVALID_PTX:
            return "the driver is older than NVRTC; update the driver, or set SINTER_NVRTC to an older libnvrtc";
        case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
            return "the block needs more registers or shared memory than the device has";
        case CUDA_ERROR_OUT_OF_MEMORY: return "release arrays that are no longer needed";
        case CUDA_ERROR_DEVICE_UNAVAILABLE: return "another process uses the device exclusively; use another device";
        default: return "see the CUDA driver's documentation of this error";
    }
}

}  // namespace

cuda_context::cuda_context(const driver& d, int index) : cuda(d), name(fmt::format("cuda({})", index)) {
    check(cuda.device_get(&device, index), "opening the device");
    check(cuda.primary_ctx_retain(&context, device), "starting the device");
}

void cuda_context::fail(CUresult r, const std::string& what) const {
    const std::string reason = describe(cuda, r);
    throw device_failure(fmt::format("{}: {} failed with {}: {}", name, what, reason, cure(r)), name, reason,
                         is_of_a_kernel(r));
}

void cuda_context::lose(std::string why) const {
    auto* const reason = new std::string(std::move(why));
    const std::string* none = nullptr;
    if (!lost_.compare_exchange_strong(none, reason, std::memory_order_acq_rel)) delete reason;
}

void cuda_context::throw_lost() const {
    const std::string& why = *lost_.load(std::memory_order_acquire);
    throw device_failure(why, name, why, true);
}

int cuda_context::attribute(CUdevice_attribute which) const {
    int value = 0;
    check(cuda.device_get_attribute(&value, which, device), "querying the device's properties");
    return value;
}

void* cuda_memory::allocate(std::size_t bytes) {
    context_.enter();
    CUdeviceptr p = 0;
    const CUresult r = context_.cuda.mem_alloc(&p, bytes);
    if (r == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
    context_.check(r, "allocating memory");
    return reinterpret_cast<void*>(p);
}

void cuda_memory::release(void* p, std::size_t) noexcept {
    if (context_.cuda.ctx_set_current(context_.context) == CUDA_SUCCESS) context_.cuda.mem_free(address(p));
}

memory_source::state cuda_memory::query() const noexcept {
    state s;
    context_.cuda.ctx_set_current(context_.context);
    context_.cuda.mem_get_info(&s.free_bytes, &s.total_bytes);
    return s;
}

void* pinned_memory::allocate(std::size_t bytes) {
    context_.enter();
    void* p = nullptr;
    const CUresult r = context_.cuda.mem_host_alloc(&p, bytes, CU_MEMHOSTALLOC_PORTABLE);
    if (r == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
    context_.check(r, "allocating pinned memory");
    return p;
}

void pinned_memory::release(void* p, std::size_t) noexcept {
    if (context_.cuda.ctx_set_current(context_.context) == CUDA_SUCCESS) context_.cuda.mem_free_host(p);
}

device_properties properties_of(const cuda_context& c) {
    device_properties m;
    char name[256] = "";
    c.check(c.cuda.device_get_name(name, sizeof name, c.device), "querying the device's name");
    m.name = name;
    m.arch = 10 * c.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
             c.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    m.multiprocessors = c.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    m.threads_per_multiprocessor = c.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    m.shared_per_block = static_cast<std::size_t>(c.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
    m.dynamic_shared_per_block =
        static_cast<std::size_t>(c.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    m.l2_bytes = static_cast<std::size_t>(c.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    // Two transfers per clock over the bus width. A copy reaches 87 % of that (4.27 of 4.92 TB/s on an H200).
    const double clock = 1e3 * c.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    const double data_sheet = 2 * clock * c.attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
    if (data_sheet > 0) m.bytes_per_second = 0.87 * data_sheet;
    if (m.arch == warpgroup_arch) m.makes_tensor_maps = nvrtc_makes_tensor_maps();
    const int lanes = architecture_of(m.arch).lanes;
    m.operations_per_second = 1e3 * c.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * lanes * m.multiprocessors;
    return m;
}

}  // namespace sinter::codegen
