// A CUDA device's primary context: calling its functions, reporting errors, and its memory sources.
#pragma once

#include <codegen/schedule/schedule.hpp>
#include <runtime/cuda/cuda_driver.hpp>
#include <runtime/memory/pool.hpp>
#include <runtime/system/fork.hpp>

#include <atomic>
#include <string>

namespace sinter::codegen {

inline CUdeviceptr address(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

struct cuda_context {
    const driver& cuda;
    const std::string name;
    CUdevice device = 0;
    CUcontext context = nullptr;

    cuda_context(const driver& d, int index);

    /// Makes the context current for this thread. Querying the current one costs a few nanoseconds; caching it would
    /// fail as soon as other code on the thread made its own context current.
    void enter() const {
        refuse_after_fork("a CUDA device, only with the host (SINTER_DEVICE=host)");
        CUcontext current = nullptr;
        cuda.ctx_get_current(&current);
        if (current != context) [[unlikely]]
            check(cuda.ctx_set_current(context), "making the device current");
    }

    void check(CUresult r, const char* what) const {
        if (r != CUDA_SUCCESS) [[unlikely]]
            fail(r, what);
    }
    [[noreturn]] void fail(CUresult r, const std::string& what) const;

    /// Marks the device as failed: every later wait for its work throws, with the first reason given.
    void lose(std::string why) const;
    void expect_whole() const {
        if (lost_.load(std::memory_order_acquire) != nullptr) [[unlikely]]
            throw_lost();
    }

    int attribute(CUdevice_attribute which) const;

private:
    [[noreturn]] void throw_lost() const;
    mutable std::atomic<const std::string*> lost_{nullptr};  // never freed
};

/// The device properties that schedules need.
device_properties properties_of(const cuda_context& c);

/// Plain device memory.
class cuda_memory final : public memory_source {
public:
    explicit cuda_memory(const cuda_context& c) : context_(c) {}
    void* allocate(std::size_t bytes) override;
    void release(void* p, std::size_t) noexcept override;
    state query() const noexcept override;

private:
    const cuda_context& context_;
};

/// Pinned host memory, from and to which the device copies asynchronously.
class pinned_memory final : public memory_source {
public:
    explicit pinned_memory(const cuda_context& c) : context_(c) {}
    void* allocate(std::size_t bytes) override;
    void release(void* p, std::size_t) noexcept override;
    state query() const noexcept override { return host_memory().query(); }

private:
    const cuda_context& context_;
};

}  // namespace sinter::codegen
