// Implements the device interface with the emulator.
#include <tests/emulate/emulated_device.hpp>
#include <tests/emulate/host_compiler.hpp>
#include <tests/emulate/interpreted_kernels.hpp>
#include <tests/emulate/plain_gemm.hpp>

#include <runtime/order/capture.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace sinter::emulate {
namespace {

/// Compiled code, or a program, or both.
struct emulated_kernel final : codegen::loaded_kernel {
    emulated_kernel(std::optional<image> compiled, std::shared_ptr<const interpret::kernel> interpreted,
                    const std::string& entry)
        : code(std::move(compiled)), program(std::move(interpreted)), name(entry) {
        parameter_bytes = code ? code->parameter_bytes : program->parameter_bytes;
        parameters_known = true;
        max_threads = code ? code->max_threads : program->block_threads;
        cluster = code ? code->cluster : program->cluster;
        dynamic_capacity = code ? code->dynamic_capacity : program->dynamic_shared_bytes;
        // The dynamic array's size is that of each launch, so it does not count.
        shared_bytes = code ? static_cast<std::size_t>(code->shared_end - code->shared_begin) - dynamic_capacity
                            : program->shared_bytes;
    }
    std::optional<image> code;
    std::shared_ptr<const interpret::kernel> program;
    std::string name;
    int max_threads = 0, cluster = 1;
    unsigned launches = 0;
    std::size_t dynamic_capacity = 0, shared_bytes = 0;
};

struct emulated_mark final : codegen::time_mark {
    explicit emulated_mark(const stream_times& t) : before(t) {}
    stream_times before;
    std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
};

run_order order_from_environment() {
    const char* set = std::getenv("SINTER_EMULATE_ORDER");
    const std::string order = set != nullptr ? set : "";
    if (order.empty() || order == "forward") return run_order::forward;
    if (order == "reverse") return run_order::reverse;
    if (order == "shuffled") return run_order::shuffled;
    throw error(fmt::format("SINTER_EMULATE_ORDER is \"{}\"; set it to forward, reverse or shuffled", order));
}

}  // namespace

codegen::device_properties small_machine() {
    codegen::device_properties m;
    m.name = "emulated";
    m.multiprocessors = 4;
    m.threads_per_multiprocessor = 1024;
    m.l2_bytes = 1u << 20;
    m.bytes_per_second = 1e10;
    return m;
}

emulated_device::emulated_device(codegen::device_properties device_properties, std::size_t memory_bytes)
    : properties_(std::move(device_properties)),
      memory_(memory_bytes),
      programs_(std::make_unique<interpreted_kernels>(memory_, runner_)),
      order_(order_from_environment()) {}

emulated_device::~emulated_device() = default;

void* emulated_device::allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    return memory_.allocate(bytes);
}

void emulated_device::deallocate(void* p, std::size_t bytes, codegen::stream_uses uses) noexcept {
    const std::lock_guard lock(mutex_);
    memory_.deallocate(p, bytes, uses);
}

void emulated_device::require(const void* p, std::size_t bytes, const char* doing, bool writes) {
    std::string unordered;
    if (bytes == 0 || memory_.use(p, bytes, writes, unordered)) {
        if (!unordered.empty()) throw error(fmt::format("emulated: {}: {}", doing, unordered));
        return;
    }
    throw error(fmt::format("emulated: {} of {} bytes begins {}; pass memory of this device", doing, bytes,
                            memory_.describe(p)));
}

void emulated_device::check_memory() {
    if (const std::string complaint = memory_.complaint(); !complaint.empty()) throw error(complaint);
}

void emulated_device::copy_from_host(void* to, const void* from, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    memory_.streams().begin(stream_now());
    require(to, bytes, "a copy from the host", true);
    if (bytes != 0) std::memcpy(to, from, bytes);
}

void emulated_device::copy_to_host(void* to, const void* from, std::size_t bytes) {
    start_copy_to_host(to, from, bytes);
    synchronize_stream(stream_now());
}

void emulated_device::start_copy_to_host(void* to, const void* from, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    memory_.streams().begin(stream_now());
    require(from, bytes, "a copy to the host", false);
    if (bytes != 0) std::memcpy(to, from, bytes);
    check_memory();
}

void emulated_device::copy_within(void* to, const void* from, std::size_t bytes) {
    if (auto* const c = recording()) return c->record([=, this] { copy_within(to, from, bytes); });
    const std::lock_guard lock(mutex_);
    memory_.streams().begin(stream_now());
    require(from, bytes, "a copy", false);
    const std::vector<unsigned char> written = memory_.written(from, bytes);
    require(to, bytes, "a copy", true);
    if (bytes != 0) std::memmove(to, from, bytes);
    memory_.set_written(to, written);
}

void emulated_device::fill_zero(void* p, std::size_t bytes) {
    if (auto* const c = recording()) return c->record([=, this] { fill_zero(p, bytes); });
    const std::lock_guard lock(mutex_);
    memory_.streams().begin(stream_now());
    require(p, bytes, "a fill", true);
    if (bytes != 0) std::memset(p, 0, bytes);
}

void emulated_device::synchronize() {
    const std::lock_guard lock(mutex_);
    ++waits_;
    memory_.streams().host_waits();
    check_memory();
}

int emulated_device::acquire_stream() {
    const std::lock_guard lock(mutex_);
    return numbers_.acquire();
}

void emulated_device::release_stream(int number) noexcept {
    const std::lock_guard lock(mutex_);
    numbers_.release(number);
}

void emulated_device::synchronize_stream(int number) {
    const std::lock_guard lock(mutex_);
    memory_.streams().host_waits(number);
    check_memory();
}

void emulated_device::wait_for_stream(int earlier) {
    const std::lock_guard lock(mutex_);
    memory_.streams().wait(stream_now(), memory_.streams().seen_by(earlier));
}

void emulated_device::wait_for_mark(const codegen::time_mark& earlier) {
    const std::lock_guard lock(mutex_);
    memory_.streams().wait(stream_now(), static_cast<const emulated_mark&>(earlier).before);
}

codegen::time_mark* emulated_device::mark() {
    const std::lock_guard lock(mutex_);
    return new emulated_mark(memory_.streams().seen_by(stream_now()));
}

double emulated_device::seconds_between(const codegen::time_mark& from, const codegen::time_mark& to) {
    const auto& begin = static_cast<const emulated_mark&>(from);
    const auto& end = static_cast<const emulated_mark&>(to);
    return std::chrono::duration<double>(end.at - begin.at).count();
}

std::string emulated_device::compile(const std::string& source, const codegen::compile_options& options) {
    {
        const std::lock_guard lock(mutex_);
        ++compilations_;
        max_compiling_ = std::max(max_compiling_, ++compiling_);
    }
    const std::shared_ptr<void> end(nullptr, [this](void*) {
        const std::lock_guard lock(mutex_);
        --compiling_;
    });
    if (!programs_->knows(source)) return compile_for_host(source, options.flags);
    const bool too = programs_->is_compiled_too(source);
    return interpreted_image{source, too ? compile_for_host(source, options.flags) : ""}.pack();
}

void emulated_device::announce(const std::string& source,
                               const std::shared_ptr<const codegen::device_ir::program>& program) {
    programs_->announce(source, program);
}

void emulated_device::set_compile_one_in(int kernels) { programs_->compile_one_in = kernels; }

std::string emulated_device::toolchain() const { return host_toolchain() + "; interpreter"; }

codegen::loaded_kernel* emulated_device::load(const std::string& image, const std::string& entry) {
    const std::optional<interpreted_image> parts = interpreted_image::unpack(image);
    if (!parts) return load_all(image, {entry})[0];
    auto program = programs_->take(parts->source);
    std::optional<emulate::image> code;
    if (!parts->object.empty() || program == nullptr)  // cached by a process that knew the program
        code.emplace(std::make_shared<const shared_object>(parts->object.empty() ? compile_for_host(parts->source)
                                                                                 : parts->object),
                     entry);
    return keep(std::make_unique<emulated_kernel>(std::move(code), std::move(program), entry));
}

std::vector<codegen::loaded_kernel*> emulated_device::load_all(const std::string& image,
                                                               const std::vector<std::string>& entries) {
    const auto object = std::make_shared<const shared_object>(image);
    std::vector<codegen::loaded_kernel*> loaded;
    for (const std::string& entry : entries) {
        loaded.push_back(keep(std::make_unique<emulated_kernel>(emulate::image(object, entry), nullptr, entry)));
    }
    return loaded;
}

codegen::loaded_kernel* emulated_device::load_program(const std::string& source, const std::string& entry) {
    if (!programs_->knows(source) || programs_->is_compiled_too(source)) return nullptr;
    return keep(std::make_unique<emulated_kernel>(std::nullopt, programs_->take(source), entry));
}

void emulated_device::add_program(codegen::loaded_kernel& kernel, const std::string& source) {
    static_cast<emulated_kernel&>(kernel).program = programs_->take(source);
}

codegen::loaded_kernel* emulated_device::keep(std::unique_ptr<codegen::loaded_kernel> loaded) {
    const auto& k = static_cast<const emulated_kernel&>(*loaded);
    if (k.shared_bytes > properties_.shared_per_block)
        throw error(
            fmt::format("emulated: kernel {} declares {} bytes of shared memory and a block may have {}; use less",
                        k.name, k.shared_bytes, properties_.shared_per_block));
    const std::lock_guard lock(mutex_);
    kernels_.push_back(std::move(loaded));
    return kernels_.back().get();
}

void emulated_device::record_launch(codegen::loaded_kernel* kernel, const codegen::launch_shape& shape,
                                    void** arguments) {
    std::vector<std::vector<char>> values;
    for (std::size_t i = 0; i < kernel->parameter_bytes.size(); ++i) {
        const char* const bytes = static_cast<const char*>(arguments[i]);
        values.emplace_back(bytes, bytes + kernel->parameter_bytes[i]);
    }
    recording()->record([this, kernel, shape, values]() mutable {
        std::vector<void*> pointers;
        for (std::vector<char>& v : values) pointers.push_back(v.data());
        launch(kernel, shape, pointers.data());
    });
}

void emulated_device::launch(codegen::loaded_kernel* kernel, const codegen::launch_shape& shape, void** arguments) {
    if (recording() != nullptr) return record_launch(kernel, shape, arguments);
    const std::lock_guard lock(mutex_);
    auto& k = static_cast<emulated_kernel&>(*kernel);
    const auto refuse = [&](const std::string& why) {
        throw error(fmt::format("emulated kernel {}: {}", k.name, why));
    };
    const std::int64_t grid = shape.grid.x * shape.grid.y * shape.grid.z;
    const auto block = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
    const unsigned shared_bytes = shape.shared_bytes;
    if (grid < 1 || grid > std::numeric_limits<std::int32_t>::max())
        refuse(fmt::format("a grid of {} blocks; launch 1 to 2147483647", grid));
    if (block < 1 || block > 1024) refuse(fmt::format("a block of {} threads; launch 1 to 1024", block));
    if (k.max_threads != 0 && block > k.max_threads)
        refuse(fmt::format("a block of {} threads where __launch_bounds__ says {}; launch fewer or raise the bounds",
                           block, k.max_threads));
    if (shared_bytes > k.dynamic_capacity)
        refuse(
            fmt::format("{} bytes of dynamic shared memory where {} can be had; declare an extern __shared__ array "
                        "or ask for less",
                        shared_bytes, k.dynamic_capacity));
    if (k.cluster > 1 && (properties_.arch < 90 || k.cluster > 8))
        refuse(
            fmt::format("clusters of {} blocks; devices of compute capability 9.0 and newer run up to 8", k.cluster));
    if (shape.grid.x % k.cluster != 0)
        refuse(fmt::format("{} blocks along x in clusters of {}; launch a multiple of it", shape.grid.x, k.cluster));
    ++launches_;
    memory_.streams().begin(stream_now());
    if (const std::string failure = run(k, shape, arguments); !failure.empty()) refuse(failure);
    if (const std::string complaint = memory_.complaint(); !complaint.empty()) refuse(complaint);
}

std::string emulated_device::run(codegen::loaded_kernel& kernel, const codegen::launch_shape& shape, void** arguments) {
    auto& k = static_cast<emulated_kernel&>(kernel);
    const std::int64_t grid = shape.grid.x * shape.grid.y * shape.grid.z;
    const auto block = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
    const std::int64_t max_resident =
        static_cast<std::int64_t>(properties_.multiprocessors) * (properties_.threads_per_multiprocessor / block);
    const auto compiled = [&] { return run_compiled(kernel, shape, arguments, max_resident); };
    if (k.program == nullptr) return compiled();
    ++interpreted_launches_;
    // counts the kernel's own launches, so a failing graph fails again when it runs alone
    const unsigned seed = 3 * k.launches++ + static_cast<unsigned>(order_);
    const interpret::launch_request request{grid, block, max_resident, arguments, seed};
    return k.code ? programs_->run_both(*k.program, request, compiled) : programs_->run(*k.program, request);
}

std::string emulated_device::run_compiled(codegen::loaded_kernel& kernel, const codegen::launch_shape& shape,
                                          void** arguments, std::int64_t max_resident) {
    const image& code = *static_cast<emulated_kernel&>(kernel).code;
    code.state->shared_begin = code.shared_begin;
    code.state->shared_end = code.shared_end;
    launch_request request;
    request.image = code.state;
    request.kernel = code.kernel;
    request.arguments = arguments;
    const auto in_words = [](const codegen::extent3& e) {
        return sinter_emulate::index3{static_cast<unsigned>(e.x), static_cast<unsigned>(e.y),
                                      static_cast<unsigned>(e.z)};
    };
    request.grid = shape.grid.x * shape.grid.y * shape.grid.z;
    request.block = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
    request.grid_size = in_words(shape.grid);
    request.block_size = in_words(shape.block);
    request.cluster = code.cluster;
    request.dynamic_shared = code.dynamic_shared;
    request.dynamic_bytes = shape.shared_bytes;
    request.dynamic_capacity = code.dynamic_capacity;
    request.max_resident = max_resident;
    return runner_.run(request, order_);
}

class emulated_gemm final : public codegen::library_call {
public:
    emulated_gemm(emulated_device& where, const codegen::gemm& g, std::size_t algorithm = 0)
        : where_(where), what_(g), algorithm_(algorithm) {}
    std::string describe() const override {
        return "emulated: " + codegen::describe(what_) +
               (algorithm_ == 0 ? "" : fmt::format(", algorithm {}", algorithm_));
    }
    std::vector<std::shared_ptr<const library_call>> others() const override {
        std::vector<std::shared_ptr<const library_call>> all;
        for (std::size_t i = 1; i < where_.algorithms_.size(); ++i)
            all.push_back(std::make_shared<emulated_gemm>(where_, what_, i));
        return all;
    }
    void run(const codegen::gemm_pointers& p, const ir::scalar_bits& alpha,
             const ir::scalar_bits& beta) const override {
        const std::chrono::microseconds time = where_.algorithms_.at(algorithm_);
        if (time.count() < 0) throw error(describe() + " fails");
        if (time.count() > 0) std::this_thread::sleep_for(time);
        where_.multiply(what_, p, alpha, beta);
    }

private:
    emulated_device& where_;
    const codegen::gemm what_;
    const std::size_t algorithm_;
};

std::unique_ptr<codegen::library_call> emulated_device::library_for(const codegen::gemm& g, const std::vector<int>&) {
    return has_library_ ? std::make_unique<emulated_gemm>(*this, g) : nullptr;
}

void emulated_device::multiply(const codegen::gemm& g, const codegen::gemm_pointers& p, const ir::scalar_bits& alpha,
                               const ir::scalar_bits& beta) {
    if (auto* const c = recording()) return c->record([this, g, p, alpha, beta] { multiply(g, p, alpha, beta); });
    const std::lock_guard lock(mutex_);
    memory_.streams().begin(stream_now());
    require(p.a, bytes_of(g, g.a, g.rows, g.depth, g.batch.a), "a product's first operand", false);
    require(p.b, bytes_of(g, g.b, g.depth, g.columns, g.batch.b), "a product's second operand", false);
    if (p.c != nullptr) require(p.c, bytes_of(g, g.c, g.rows, g.columns, g.batch.c), "what is added", false);
    if (p.bias != nullptr)
        require(p.bias, static_cast<std::size_t>(g.columns) * size_of(g.d.type), "a product's bias", false);
    require(p.d, bytes_of(g, g.d, g.rows, g.columns, g.batch.d), "a product", true);
    plain_gemm(g, p, alpha, beta);
    ++library_calls_;
}

std::size_t emulated_device::live_allocations() const {
    const std::lock_guard lock(mutex_);
    return memory_.allocations();
}

}  // namespace sinter::emulate
