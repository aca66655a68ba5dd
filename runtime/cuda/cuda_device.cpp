// A CUDA device: streams in its primary context, pooled memory, kernels from NVRTC's images.
#include <runtime/cuda/cuda_device.hpp>

#include <runtime/cache/image.hpp>
#include <runtime/cuda/cuda_blas.hpp>
#include <runtime/cuda/cuda_blas_library.hpp>
#include <runtime/cuda/cuda_context.hpp>
#include <runtime/cuda/cuda_streams.hpp>
#include <runtime/nvrtc/nvrtc.hpp>
#include <runtime/order/capture.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sinter::codegen {

namespace {

struct cuda_kernel final : loaded_kernel {
    CUfunction function = nullptr;
    /// The function's current limit of dynamic shared memory; more than 48 KiB must be requested.
    std::atomic<unsigned> shared_limit{48 * 1024};
};

constexpr std::int64_t max_blocks = std::numeric_limits<std::int32_t>::max();  // along x

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
        : here_(d, index),
          memory_(here_),
          pool_(memory_, here_.name, limit_from_environment()),
          properties_(properties_of(here_)) {}

    const std::string& name() const override { return here_.name; }
    const device_properties& properties() const override { return properties_; }

    void* allocate(std::size_t bytes) override {
        retired_.collect();
        try {
            return pool_.allocate(bytes, list());
        } catch (const error&) {
            retired_.collect_all();
            return pool_.allocate(bytes, list());
        }
    }
    using device::deallocate;
    void deallocate(void* p, std::size_t bytes, stream_uses uses) noexcept override {
        const int home = uses.writer();
        if (uses == stream_uses::only(home)) return pool_.deallocate(p, bytes, home);
        try {
            std::vector<CUevent> last_uses;
            for (int other = 0; other < max_streams; ++other)
                if (uses.by(other) && other != home) last_uses.push_back(streams_.record(other));
            retired_.add(p, bytes, home, std::move(last_uses));
        } catch (...) {  // the device has failed; its memory is lost anyway
        }
    }

    void* allocate_pinned(std::size_t bytes) override { return pinned_pool_.allocate(bytes); }
    void deallocate_pinned(void* p, std::size_t bytes) noexcept override { pinned_pool_.deallocate(p, bytes); }

    void copy_from_host(void* to, const void* from, std::size_t bytes) override {
        if (bytes == 0) return;
        here_.enter();
        if (stream_now() != 0) return staging_.copy(to, from, bytes, stream_now());
        check(cuda_.memcpy_htod_async(address(to), from, bytes, stream()), "copying to the device");
        // The driver reads small blocks of pageable memory before it returns. Large blocks and memory known to it
        // (pinned or managed) may be read later.
        unsigned kind = 0;  // stays 0 for memory that the driver does not know
        CUpointer_attribute wanted = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        void* answer = &kind;
        check(cuda_.pointer_get_attributes(1, &wanted, &answer, address(from)), "querying the kind of memory");
        if (bytes > 64 * 1024 || kind != 0) streams_.wait_on_host(stream_now());
    }

    void copy_to_host(void* to, const void* from, std::size_t bytes) override {
        start_copy_to_host(to, from, bytes);
        streams_.wait_on_host(stream_now());
    }
    void start_copy_to_host(void* to, const void* from, std::size_t bytes) override {
        here_.enter();
        if (bytes > 0) check(cuda_.memcpy_dtoh_async(to, address(from), bytes, stream()), "copying to the host");
    }

    void copy_within(void* to, const void* from, std::size_t bytes) override {
        if (bytes == 0) return;
        here_.enter();
        check(cuda_.memcpy_dtod_async(address(to), address(from), bytes, stream()), "copying on the device");
    }

    void fill_zero(void* p, std::size_t bytes) override {
        if (bytes == 0) return;
        here_.enter();
        if (bytes % 4 == 0 && address(p) % 4 == 0)
            check(cuda_.memset_d32_async(address(p), 0, bytes / 4, stream()), "filling memory");
        else
            check(cuda_.memset_d8_async(address(p), 0, bytes, stream()), "filling memory");
    }

    void synchronize() override { streams_.wait_on_host(); }

    int acquire_stream() override { return streams_.acquire(); }
    void release_stream(int number) noexcept override { streams_.release(number); }
    bool make_urgent_stream() override {
        streams_.make_urgent();
        return true;
    }
    void synchronize_stream(int number) override { streams_.wait_on_host(number); }
    void* native_stream(int number) override { return streams_[number]; }
    void wait_for_stream(int earlier) override { streams_.order(stream_now(), earlier); }
    void wait_for_native(void* other) override { streams_.order(stream(), static_cast<CUstream>(other)); }
    void let_native_wait(void* other) override { streams_.order(static_cast<CUstream>(other), stream()); }
    void wait_for_mark(const time_mark& m) override {
        here_.enter();
        check(cuda_.stream_wait_event(stream(), static_cast<const cuda_mark&>(m).event, 0), "waiting for an event");
    }

    bool copy_from_peer(void* to, const void* from, std::size_t bytes, device& source) override {
        auto* const other = dynamic_cast<cuda_device*>(&source);
        if (other == nullptr) return false;
        if (bytes == 0) return true;
        reach(*other);
        other->reach(*this);
        const std::unique_ptr<const time_mark> ready(other->mark());
        wait_for_mark(*ready);
        check(cuda_.memcpy_peer_async(address(to), here_.context, address(from), other->here_.context, bytes, stream()),
              "copying from another device");
        const std::unique_ptr<const time_mark> done(mark());
        other->wait_for_mark(*done);
        return true;
    }

    std::unique_ptr<library_call> library_for(const gemm& g, const std::vector<int>& alignment) override {
        // cuBLASLt takes float8 only with both factors along the steps, and with scales
        if (is_float8(g.a.type) || (is_small(g) && !cublaslt::takes_small_ones())) return nullptr;
        return blas_.call_for(g, alignment, *this);
    }

    void begin_recording() override { streams_.begin_recording(); }
    std::unique_ptr<recorded_work> end_recording() override;

    time_mark* mark() override { return new cuda_mark(cuda_, streams_.record(stream_now(), CU_EVENT_DEFAULT)); }

    double seconds_between(const time_mark& from, const time_mark& to) override {
        here_.enter();
        const CUevent begin = static_cast<const cuda_mark&>(from).event, end = static_cast<const cuda_mark&>(to).event;
        check(cuda_.event_synchronize(end), "waiting for an event");
        float milliseconds = 0;
        check(cuda_.event_elapsed_time(&milliseconds, begin, end), "measuring the time between two events");
        return static_cast<double>(milliseconds) * 1e-3;
    }

    std::string compile(const std::string& source, const compile_options& options) override {
        return compile_image(source, properties_.arch, options);
    }

    std::string toolchain() const override { return nvrtc_toolchain(properties_.arch); }

    loaded_kernel* load(const std::string& image, const std::string& entry) override {
        const opened_image opened = open_image(image);
        if (opened.binary.empty())
            throw error(name() + ": this is not the image of a CUDA kernel; load what compile returned");
        here_.enter();
        CUmodule module = nullptr;  // never unloaded: the device lives as long as the process
        check(cuda_.module_load_data(&module, opened.binary.data()), "loading a kernel");
        auto k = std::make_unique<cuda_kernel>();
        check(cuda_.module_get_function(&k->function, module, entry.c_str()), "finding a kernel by its name");
        k->usage = opened.usage;
        if (k->usage.registers < 0) {  // PTX: the driver has just compiled it
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
        if (grid.x <= 0 || grid.y <= 0 || grid.z <= 0 || grid.x > max_blocks) [[unlikely]]
            return refuse_grid(grid);
        here_.enter();
        const auto one_at_a_time = meet(shape.blocks_meet);
        if (shape.shared_bytes > k.shared_limit.load(std::memory_order_relaxed)) [[unlikely]]
            raise_shared_limit(k, shape.shared_bytes);
        const auto n = [](std::int64_t extent) { return static_cast<unsigned>(extent); };
        const CUresult r = cuda_.launch_kernel(k.function, n(grid.x), n(grid.y), n(grid.z), n(block.x), n(block.y),
                                               n(block.z), shape.shared_bytes, stream(), arguments, nullptr);
        if (r != CUDA_SUCCESS) [[unlikely]]
            here_.fail(r, fmt::format("launching {} x {} x {} blocks of {} x {} x {} threads with {} bytes of shared "
                                      "memory",
                                      grid.x, grid.y, grid.z, block.x, block.y, block.z, shape.shared_bytes));
    }

    /// Launches a graph on the current stream.
    void launch(CUgraphExec graph, bool blocks_meet) {
        here_.enter();
        const auto one_at_a_time = meet(blocks_meet);
        check(cuda_.graph_launch(graph, stream()), "launching a graph");
    }
    const cuda_context& context() const { return here_; }
    pool& memory() { return pool_; }

private:
    void check(CUresult r, const char* what) const { here_.check(r, what); }

    /// Two kernels with grid sync that each have only some of their blocks resident would deadlock, so such kernels run
    /// one at a time, whatever their streams. Work submitted while the lock is held is ordered.
    std::unique_lock<std::mutex> meet(bool blocks_meet) {
        std::unique_lock<std::mutex> one_at_a_time(meeting_mutex_, std::defer_lock);
        if (!blocks_meet) return one_at_a_time;
        if (capture* const c = recording()) {
            c->blocks_meet = true;
            return one_at_a_time;
        }
        one_at_a_time.lock();
        streams_.order(stream_now(), std::exchange(meeting_stream_, stream_now()));
        return one_at_a_time;
    }
    CUstream stream() const { return streams_[stream_now()]; }
    /// The pool's free list of the current stream. Work of graphs uses that of the device's own stream.
    int list() const { return recording() == nullptr ? stream_now() : 0; }

    /// Enables peer-to-peer copies between two devices if the hardware supports them.
    void reach(const cuda_device& other) {
        const std::uint64_t bit = std::uint64_t{1} << (other.here_.device & 63);
        if (reached_.fetch_or(bit) & bit) return;
        int can = 0;
        check(cuda_.device_can_access_peer(&can, here_.device, other.here_.device), "querying peer access");
        if (can == 0) return;
        here_.enter();
        const CUresult r = cuda_.ctx_enable_peer_access(other.here_.context, 0);
        if (r != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED && r != CUDA_ERROR_TOO_MANY_PEERS)
            check(r, "enabling peer access to another device");
    }

    /// Rejects empty and too large grids.
    void refuse_grid(const extent3& grid) const {
        if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
        throw error(fmt::format("{}: a launch takes 1 to {} blocks, not {} x {} x {}; work on smaller pieces", name(),
                                max_blocks, grid.x, grid.y, grid.z));
    }

    void raise_shared_limit(cuda_kernel& k, unsigned bytes) const {
        const CUresult r = cuda_.func_set_attribute(k.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                    static_cast<int>(bytes));
        if (r != CUDA_SUCCESS) here_.fail(r, fmt::format("reserving {} bytes of shared memory per block", bytes));
        k.shared_limit.store(bytes, std::memory_order_relaxed);
    }

    const cuda_context here_;
    const driver& cuda_ = here_.cuda;
    cuda_memory memory_;
    pool pool_;
    const device_properties properties_;
    cuda_streams streams_{here_};
    cuda_retired retired_{here_, pool_};
    cuda_staging staging_{here_, streams_};
    pinned_memory pinned_memory_{here_};
    pool pinned_pool_{pinned_memory_, "the host's pinned memory"};
    cuda_blas blas_{here_};
    std::mutex meeting_mutex_;
    std::atomic<std::uint64_t> reached_{0};  ///< bitmask of devices for which `reach` was called
    int meeting_stream_ = 0;                 ///< stream of the last kernel with grid sync
    std::mutex kernels_mutex_;
    std::vector<std::unique_ptr<cuda_kernel>> kernels_;
};

/// A CUDA graph.
class cuda_graph final : public recorded_work {
public:
    cuda_graph(cuda_device& where, CUgraph recorded, bool blocks_meet) : where_(where), blocks_meet_(blocks_meet) {
        const cuda_context& c = where.context();
        const CUresult r = c.cuda.graph_instantiate(&graph_, recorded, 0);
        c.cuda.graph_destroy(recorded);
        c.check(r, "making a graph");
    }
    ~cuda_graph() override {
        const cuda_context& c = where_.context();
        if (c.cuda.ctx_set_current(c.context) == CUDA_SUCCESS) c.cuda.graph_exec_destroy(graph_);
    }
    cuda_graph(const cuda_graph&) = delete;
    cuda_graph& operator=(const cuda_graph&) = delete;

    void launch() override { where_.launch(graph_, blocks_meet_); }

private:
    cuda_device& where_;
    CUgraphExec graph_ = nullptr;
    const bool blocks_meet_;
};

std::unique_ptr<recorded_work> cuda_device::end_recording() {
    const CUgraph recorded = streams_.end_recording();
    return std::make_unique<cuda_graph>(*this, recorded, recording()->blocks_meet);
}

/// The devices created so far.
struct device_table {
    std::mutex mutex;
    std::vector<kernel_device*> devices;
};

}  // namespace

int cuda_device_count() noexcept {
    const driver* const d = cuda_driver();
    return d == nullptr ? 0 : d->devices;
}

const cuda_context* cuda_context_of(const device& d) {
    const auto* const c = dynamic_cast<const cuda_device*>(&d);
    return c == nullptr ? nullptr : &c->context();
}

pool* cuda_pool(device& d) {
    auto* const c = dynamic_cast<cuda_device*>(&d);
    return c == nullptr ? nullptr : &c->memory();
}

void enter_cuda(const device& d) {
    if (const cuda_context* const c = cuda_context_of(d)) c->enter();
}

std::string cuda_unavailable_reason() { return cuda_driver_missing(); }

kernel_device& cuda_device_at(int index) {
    refuse_after_fork("a CUDA device, only with the host (SINTER_DEVICE=host)");
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
