// A CUDA device: one stream in its primary context, memory from a pool, kernels from NVRTC's images.
#include <codegen/launch/cuda_device.hpp>

#include <codegen/compile/nvrtc.hpp>
#include <codegen/launch/cuda_driver.hpp>
#include <codegen/launch/pool.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace sinter::codegen {

namespace {

CUdeviceptr address(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

const char* cure(CUresult r) {
    switch (r) {
        case CUDA_ERROR_ILLEGAL_ADDRESS:
        case CUDA_ERROR_LAUNCH_FAILED:
        case CUDA_ERROR_MISALIGNED_ADDRESS:
        case CUDA_ERROR_ILLEGAL_INSTRUCTION:
        case CUDA_ERROR_HARDWARE_STACK_ERROR:
            return "a kernel failed, and this process cannot use the device any more; compute-sanitizer finds the "
                   "kernel";
        case CUDA_ERROR_NO_BINARY_FOR_GPU:
        case CUDA_ERROR_INVALID_IMAGE:
        case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
        case CUDA_ERROR_INVALID_PTX:
            return "the driver is older than NVRTC; update the driver, or set SINTER_NVRTC to an older libnvrtc";
        case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
            return "the block needs more registers or shared memory than there are";
        case CUDA_ERROR_OUT_OF_MEMORY: return "let go of arrays that are no longer needed";
        case CUDA_ERROR_DEVICE_UNAVAILABLE: return "another process has the device for itself; use another device";
        default: return "see the CUDA driver's documentation of this error";
    }
}

/// What the disk cache keeps of a kernel besides the image that the driver loads. 32 bytes: what follows them stays as
/// aligned as they are.
struct image_header {
    char magic[12];
    std::int32_t registers, shared_bytes, spill_bytes;
    std::uint64_t image_bytes;
};
static_assert(sizeof(image_header) == 32);
constexpr char image_magic[12] = "sinter-cuda";

struct cuda_kernel final : loaded_kernel {
    CUfunction function = nullptr;
    /// Dynamic shared memory that the function may use so far: more than 48 KiB must be asked for.
    std::atomic<unsigned> shared_limit{48 * 1024};
};

constexpr std::int64_t most_blocks = std::numeric_limits<std::int32_t>::max();  // along x

/// A device's primary context, and how its errors are told.
struct cuda_context {
    const driver& cuda;
    const std::string name;
    CUdevice device = 0;
    CUcontext context = nullptr;

    cuda_context(const driver& d, int index) : cuda(d), name(fmt::format("cuda({})", index)) {
        check(cuda.device_get(&device, index), "finding the device");
        check(cuda.primary_ctx_retain(&context, device), "starting the device");
    }

    /// Makes the context current for this thread. Asking what is current costs a few nanoseconds; remembering it
    /// instead would go wrong as soon as other code on the thread made a context of its own current.
    void enter() const {
        CUcontext current = nullptr;
        cuda.ctx_get_current(&current);
        if (current != context) [[unlikely]]
            check(cuda.ctx_set_current(context), "making the device current");
    }

    void check(CUresult r, const char* what) const {
        if (r != CUDA_SUCCESS) [[unlikely]]
            fail(r, what);
    }
    [[noreturn]] void fail(CUresult r, const std::string& what) const {
        throw error(fmt::format("{}: {} failed with {}: {}", name, what, describe(cuda, r), cure(r)));
    }

    int attribute(CUdevice_attribute which) const {
        int value = 0;
        check(cuda.device_get_attribute(&value, which, device), "asking for the device's properties");
        return value;
    }
};

/// Plain device memory.
class cuda_memory final : public memory_source {
public:
    explicit cuda_memory(const cuda_context& c) : context_(c) {}

    void* allocate(std::size_t bytes) override {
        context_.enter();
        CUdeviceptr p = 0;
        const CUresult r = context_.cuda.mem_alloc(&p, bytes);
        if (r == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
        context_.check(r, "allocating memory");
        return reinterpret_cast<void*>(p);
    }
    void release(void* p, std::size_t) noexcept override {
        if (context_.cuda.ctx_set_current(context_.context) == CUDA_SUCCESS) context_.cuda.mem_free(address(p));
    }
    state query() const noexcept override {
        state s;
        context_.cuda.ctx_set_current(context_.context);
        context_.cuda.mem_get_info(&s.free_bytes, &s.total_bytes);
        return s;
    }

private:
    const cuda_context& context_;
};

machine describe_machine(const cuda_context& c) {
    machine m;
    char name[256] = "";
    c.check(c.cuda.device_get_name(name, sizeof name, c.device), "asking for the device's name");
    m.name = name;
    m.arch = 10 * c.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
             c.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    m.multiprocessors = c.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    m.threads_per_multiprocessor = c.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    m.shared_per_block = static_cast<std::size_t>(c.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
    m.l2_bytes = static_cast<std::size_t>(c.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    // Two transfers a clock over the bus's width. A copy reaches 87 % of that (4.27 of 4.92 TB/s on an H200).
    const double clock = 1e3 * c.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    const double data_sheet = 2 * clock * c.attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
    if (data_sheet > 0) m.bytes_per_second = 0.87 * data_sheet;
    return m;
}

struct cuda_mark final : time_mark {
    cuda_mark(const driver& d, CUevent e) : cuda(d), event(e) {}
    ~cuda_mark() override { cuda.event_destroy(event); }
    cuda_mark(const cuda_mark&) = delete;
    cuda_mark& operator=(const cuda_mark&) = delete;

    const driver& cuda;
    const CUevent event;
};

class cuda_device final : public kernel_device {
public:
    cuda_device(const driver& d, int index)
        : here_(d, index), memory_(here_), pool_(memory_, here_.name), machine_(describe_machine(here_)) {
        here_.enter();
        check(cuda_.stream_create(&stream_, CU_STREAM_NON_BLOCKING), "making a stream");
    }

    const std::string& name() const override { return here_.name; }
    const machine& properties() const override { return machine_; }

    void* allocate(std::size_t bytes) override { return pool_.allocate(bytes); }
    void deallocate(void* p, std::size_t bytes) noexcept override { pool_.deallocate(p, bytes); }

    void copy_from_host(void* to, const void* from, std::size_t bytes) override {
        if (bytes == 0) return;
        here_.enter();
        check(cuda_.memcpy_htod_async(address(to), from, bytes, stream_), "copying to the device");
        // The driver takes small blocks of ordinary memory before it returns. It may read others later: large ones, and
        // those in memory that it knows (pinned or managed).
        unsigned kind = 0;  // stays 0 for memory that the driver does not know
        CUpointer_attribute wanted = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        void* answer = &kind;
        check(cuda_.pointer_get_attributes(1, &wanted, &answer, address(from)), "asking what memory this is");
        if (bytes > 64 * 1024 || kind != 0) synchronize();
    }

    void copy_to_host(void* to, const void* from, std::size_t bytes) override {
        here_.enter();
        if (bytes > 0) check(cuda_.memcpy_dtoh_async(to, address(from), bytes, stream_), "copying to the host");
        synchronize();
    }

    void copy_within(void* to, const void* from, std::size_t bytes) override {
        if (bytes == 0) return;
        here_.enter();
        check(cuda_.memcpy_dtod_async(address(to), address(from), bytes, stream_), "copying on the device");
    }

    void fill_zero(void* p, std::size_t bytes) override {
        if (bytes == 0) return;
        here_.enter();
        if (bytes % 4 == 0 && address(p) % 4 == 0)
            check(cuda_.memset_d32_async(address(p), 0, bytes / 4, stream_), "filling memory");
        else
            check(cuda_.memset_d8_async(address(p), 0, bytes, stream_), "filling memory");
    }

    void synchronize() override {
        here_.enter();
        check(cuda_.stream_synchronize(stream_), "waiting for the device");
    }

    time_mark* mark() override {
        here_.enter();
        CUevent event = nullptr;
        check(cuda_.event_create(&event, CU_EVENT_DEFAULT), "making an event");
        auto m = std::make_unique<cuda_mark>(cuda_, event);
        check(cuda_.event_record(event, stream_), "recording an event");
        return m.release();
    }

    double seconds_between(const time_mark& from, const time_mark& to) override {
        here_.enter();
        const CUevent begin = static_cast<const cuda_mark&>(from).event, end = static_cast<const cuda_mark&>(to).event;
        check(cuda_.event_synchronize(end), "waiting for an event");
        float milliseconds = 0;
        check(cuda_.event_elapsed_time(&milliseconds, begin, end), "measuring the time between two events");
        return static_cast<double>(milliseconds) * 1e-3;
    }

    std::string compile(const std::string& source, const compile_options& options) override {
        const compiled c = compile_cuda(source, machine_.arch, options);
        image_header h{{}, c.usage.registers, c.usage.shared_bytes, c.usage.spill_bytes, c.image.size()};
        std::memcpy(h.magic, image_magic, sizeof h.magic);
        return std::string(reinterpret_cast<const char*>(&h), sizeof h) + c.image;
    }

    std::string toolchain() const override { return nvrtc_toolchain(machine_.arch); }

    loaded_kernel* load(const std::string& image, const std::string& entry) override {
        image_header h{};
        if (image.size() >= sizeof h) std::memcpy(&h, image.data(), sizeof h);
        if (std::memcmp(h.magic, image_magic, sizeof h.magic) != 0 || h.image_bytes != image.size() - sizeof h)
            throw error(name() + ": this is not the image of a CUDA kernel; load what compile returned");
        here_.enter();
        CUmodule module = nullptr;  // stays loaded as long as the device, which is as long as the process
        check(cuda_.module_load_data(&module, image.data() + sizeof h), "loading a kernel");
        auto k = std::make_unique<cuda_kernel>();
        check(cuda_.module_get_function(&k->function, module, entry.c_str()), "finding a kernel by its name");
        k->usage = {h.registers, h.shared_bytes, h.spill_bytes, h.image_bytes};
        if (h.registers < 0) {  // PTX: the driver has compiled it just now, and knows
            cuda_.func_get_attribute(&k->usage.registers, CU_FUNC_ATTRIBUTE_NUM_REGS, k->function);
            cuda_.func_get_attribute(&k->usage.shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, k->function);
        }
        if (cuda_.func_get_param_info != nullptr) {
            std::size_t offset = 0, bytes = 0;
            for (std::size_t i = 0; cuda_.func_get_param_info(k->function, i, &offset, &bytes) == CUDA_SUCCESS; ++i)
                k->parameter_bytes.push_back(bytes);
            k->parameters_known = true;
        }
        const std::lock_guard lock(kernels_mutex_);
        return kernels_.emplace_back(std::move(k)).get();
    }

    using kernel_device::launch;
    void launch(loaded_kernel* kernel, const launch_shape& shape, void** arguments) override {
        auto& k = *static_cast<cuda_kernel*>(kernel);
        const extent3 grid = shape.grid, block = shape.block;
        if (grid.x <= 0 || grid.y <= 0 || grid.z <= 0 || grid.x > most_blocks) [[unlikely]]
            return refuse_grid(grid);
        here_.enter();
        if (shape.shared_bytes > k.shared_limit.load(std::memory_order_relaxed)) [[unlikely]]
            raise_shared_limit(k, shape.shared_bytes);
        const auto n = [](std::int64_t extent) { return static_cast<unsigned>(extent); };
        const CUresult r = cuda_.launch_kernel(k.function, n(grid.x), n(grid.y), n(grid.z), n(block.x), n(block.y),
                                               n(block.z), shape.shared_bytes, stream_, arguments, nullptr);
        if (r != CUDA_SUCCESS) [[unlikely]]
            here_.fail(r, fmt::format("launching {} x {} x {} blocks of {} x {} x {} threads with {} bytes of shared "
                                      "memory",
                                      grid.x, grid.y, grid.z, block.x, block.y, block.z, shape.shared_bytes));
    }

private:
    void check(CUresult r, const char* what) const { here_.check(r, what); }

    /// No blocks are no work; too many cannot be launched.
    void refuse_grid(const extent3& grid) const {
        if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
        throw error(fmt::format("{}: a launch takes 1 to {} blocks, not {} x {} x {}; work on smaller pieces", name(),
                                most_blocks, grid.x, grid.y, grid.z));
    }

    void raise_shared_limit(cuda_kernel& k, unsigned bytes) const {
        const CUresult r = cuda_.func_set_attribute(k.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                    static_cast<int>(bytes));
        if (r != CUDA_SUCCESS) here_.fail(r, fmt::format("asking for {} bytes of shared memory a block", bytes));
        k.shared_limit.store(bytes, std::memory_order_relaxed);
    }

    const cuda_context here_;
    const driver& cuda_ = here_.cuda;
    cuda_memory memory_;
    pool pool_;
    const machine machine_;
    CUstream stream_ = nullptr;
    std::mutex kernels_mutex_;
    std::vector<std::unique_ptr<cuda_kernel>> kernels_;
};

/// The devices made so far.
struct device_table {
    std::mutex mutex;
    std::vector<kernel_device*> devices;
};

}  // namespace

int cuda_device_count() noexcept {
    const driver* const d = cuda_driver();
    return d == nullptr ? 0 : d->devices;
}

std::string cuda_unavailable_reason() { return cuda_driver_missing(); }

kernel_device& cuda_device_at(int index) {
    const driver* const d = cuda_driver();
    if (d == nullptr) throw error(fmt::format("cuda({}): {}", index, cuda_driver_missing()));
    if (index < 0 || index >= d->devices)
        throw error(d->devices == 1 ? fmt::format("cuda({}): there is one CUDA device; use cuda(0)", index)
                                    : fmt::format("cuda({}): there are {} CUDA devices; use cuda(0) to cuda({})", index,
                                                  d->devices, d->devices - 1));
    static device_table& table = *new device_table;  // never destroyed: arrays may outlive every static object
    const std::lock_guard lock(table.mutex);
    table.devices.resize(static_cast<std::size_t>(d->devices));
    kernel_device*& device = table.devices[static_cast<std::size_t>(index)];
    if (device == nullptr) device = new cuda_device(*d, index);
    return *device;
}

}  // namespace sinter::codegen
