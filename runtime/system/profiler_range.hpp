// NVTX ranges in the domain "Sinter", by which profilers (Nsight Systems) attribute launches to evaluations.
#pragma once

#include <atomic>
#include <string>

namespace sinter::codegen {

/// NVTX's domain: null before the first query; `no_profiler` without an attached profiler or NVTX.
inline constinit std::atomic<void*> profiler_domain{nullptr};
inline constinit char no_profiler = 0;

/// Requests the domain from NVTX, which loads the profiler's library if there is one.
void* find_profiler_domain();

class profiler_range {
public:
    /// Begins a range of this thread. name() is only called if a profiler is attached.
    template <class Name>
    explicit profiler_range(const Name& name) : domain_(profiler_domain.load(std::memory_order_acquire)) {
        if (domain_ == nullptr) [[unlikely]]
            domain_ = find_profiler_domain();
        if (domain_ != &no_profiler) [[unlikely]]
            begin(name());
    }
    ~profiler_range() {
        if (domain_ != &no_profiler) [[unlikely]]
            end();
    }
    profiler_range(const profiler_range&) = delete;
    profiler_range& operator=(const profiler_range&) = delete;

private:
    void begin(const std::string& name) const;
    void end() const;

    void* domain_;
};

}  // namespace sinter::codegen
