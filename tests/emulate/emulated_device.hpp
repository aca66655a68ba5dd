// A device without a GPU: kernels whose device program is known are interpreted (tests/interpret). Sources, and a few
// of those kernels, are compiled for the host and run thread by thread. It reports errors that a GPU would silently
// ignore.
#pragma once

#include <runtime/devices/device.hpp>
#include <tests/emulate/block_runner.hpp>
#include <tests/emulate/memory.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sinter::emulate {

class interpreted_kernels;

/// A small machine, so small shapes reach every schedule.
codegen::device_properties small_machine();

/// Launches run at once, in the calling thread, and throw sinter::error for: a barrier or a warp collective that not
/// all its threads reach, a mask without the caller, a race on shared memory, a read or write outside the device's
/// memory, a misaligned vector, an array index out of bounds; a race of two blocks on global memory,
/// for example because of a missing __threadfence; unordered uses of memory by two streams; a deadlock of blocks, or
/// more waiting blocks than the machine can have resident. A loop that waits for another block must call
/// __nanosleep. New memory is poison (NaN), and so is shared memory before each block.
///
/// It does not detect races on global memory between threads of one block.
/// SINTER_EMULATE_ORDER=forward|reverse|shuffled orders blocks and threads.
class emulated_device : public codegen::kernel_device {
public:
    explicit emulated_device(codegen::device_properties device_properties = small_machine(),
                             std::size_t memory_bytes = std::size_t{4} << 30);
    ~emulated_device() override;

    const std::string& name() const override { return name_; }
    const codegen::device_properties& properties() const override { return properties_; }

    void* allocate(std::size_t bytes) override;
    using device::deallocate;
    void deallocate(void* p, std::size_t bytes, codegen::stream_uses uses) noexcept override;
    void copy_from_host(void* to, const void* from, std::size_t bytes) override;
    void copy_to_host(void* to, const void* from, std::size_t bytes) override;
    void start_copy_to_host(void* to, const void* from, std::size_t bytes) override;
    void copy_within(void* to, const void* from, std::size_t bytes) override;
    void fill_zero(void* p, std::size_t bytes) override;
    void synchronize() override;
    int acquire_stream() override;
    bool make_urgent_stream() override { return true; }
    void release_stream(int number) noexcept override;
    void synchronize_stream(int number) override;
    void wait_for_stream(int earlier) override;
    void wait_for_mark(const codegen::time_mark& earlier) override;
    codegen::time_mark* mark() override;
    double seconds_between(const codegen::time_mark& from, const codegen::time_mark& to) override;

    using kernel_device::compile;
    /// A source printed from a program is not compiled, except for a few: the program is interpreted.
    void announce(const std::string& source,
                  const std::shared_ptr<const codegen::device_ir::program>& program) override;
    /// Of the options, only macro definitions are used.
    std::string compile(const std::string& source, const codegen::compile_options& options) override;
    std::string toolchain() const override;
    codegen::loaded_kernel* load(const std::string& image, const std::string& entry) override;
    using kernel_device::launch;
    void launch(codegen::loaded_kernel* kernel, const codegen::launch_shape& shape, void** arguments) override;
    /// Several kernels of one image.
    std::vector<codegen::loaded_kernel*> load_all(const std::string& image, const std::vector<std::string>& entries);
    /// A kernel that is only interpreted; null for a source that is compiled.
    codegen::loaded_kernel* load_program(const std::string& source, const std::string& entry);
    /// Attaches the program of its source, if known, to a kernel that was compiled with others.
    void add_program(codegen::loaded_kernel& kernel, const std::string& source);

    /// For tests: the target machine, the execution order, and the events so far.
    void set_machine(const codegen::device_properties& device_properties) { properties_ = device_properties; }
    void set_order(run_order order) { order_ = order; }
    /// One of this many kernels with a known program is also compiled, and compared. 0: all are compiled and none is
    /// interpreted. The initial value is SINTER_EMULATE_COMPILE.
    void set_compile_one_in(int kernels);
    int interpreted_launches() const { return interpreted_launches_; }
    /// Enables a library for matrix products that supports every request to cuBLASLt; initially there is none.
    void set_library(bool has) { has_library_ = has; }
    /// Minimum time of each of the library's algorithms, below 0 for one that fails; initially there is one algorithm.
    void set_library_algorithms(std::vector<std::chrono::microseconds> times) { algorithms_ = std::move(times); }
    std::unique_ptr<codegen::library_call> library_for(const codegen::gemm& g, const std::vector<int>&) override;
    int library_calls() const { return library_calls_; }
    std::size_t live_allocations() const;
    int compilations() const { return compilations_; }
    int max_compilations_at_once() { return std::exchange(max_compiling_, 0); }  ///< since the last call
    int launches() const { return launches_; }
    int waits() const { return waits_; }  ///< of the host, for all streams

private:
    friend class emulated_gemm;
    void multiply(const codegen::gemm& g, const codegen::gemm_pointers& p, const ir::scalar_bits& alpha,
                  const ir::scalar_bits& beta);
    codegen::loaded_kernel* keep(std::unique_ptr<codegen::loaded_kernel> loaded);
    std::string run(codegen::loaded_kernel& kernel, const codegen::launch_shape& shape, void** arguments);
    std::string run_compiled(codegen::loaded_kernel& kernel, const codegen::launch_shape& shape, void** arguments,
                             std::int64_t max_resident);
    void record_launch(codegen::loaded_kernel* kernel, const codegen::launch_shape& shape, void** arguments);
    void require(const void* p, std::size_t bytes, const char* doing, bool writes);
    void check_memory();

    std::string name_ = "emulated";
    codegen::device_properties properties_;
    mutable std::mutex mutex_;
    memory memory_;
    block_runner runner_{memory_};
    std::unique_ptr<interpreted_kernels> programs_;
    std::vector<std::unique_ptr<codegen::loaded_kernel>> kernels_;
    run_order order_;
    codegen::stream_numbers numbers_;
    int waits_ = 0;
    int compilations_ = 0;
    int compiling_ = 0, max_compiling_ = 0;
    int launches_ = 0, interpreted_launches_ = 0;
    bool has_library_ = false;
    std::vector<std::chrono::microseconds> algorithms_{{}};
    int library_calls_ = 0;
};

}  // namespace sinter::emulate
