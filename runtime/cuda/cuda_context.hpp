// A CUDA device's primary context: how its functions are called, how errors are told, and the memory there is.
#pragma once

#include <codegen/schedule/schedule.hpp>
#include <runtime/cuda/cuda_driver.hpp>
#include <runtime/memory/pool.hpp>
#include <runtime/system/fork.hpp>

#include <string>

namespace sinter::codegen {

inline CUdeviceptr address(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

struct cuda_context {
    const driver& cuda;
    const std::string name;
    CUdevice device = 0;
    CUcontext context = nullptr;

    cuda_context(const driver& d, int index);

    /// Makes the context current for this thread. Asking what is current costs a few nanoseconds; remembering it
    /// instead would go wrong as soon as other code on the thread made a context of its own current.
    void enter() const {
        refuse_after_fork("a CUDA device; the host works there, as by SINTER_DEVICE=host");
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

    int attribute(CUdevice_attribute which) const;
};

/// What schedules need to know of the device.
machine describe_machine(const cuda_context& c);

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

/// Memory of the host that the device copies from and to by itself, while the host goes on: it never moves.
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
