// Ranges by which profilers (Nsight Systems) show which evaluation a launch belongs to: NVTX, domain "Sinter".
#pragma once

#include <atomic>
#include <string>

namespace sinter::codegen {

/// NVTX's domain: null while nobody has asked for it; `no_profiler` where no profiler is attached, or without NVTX.
inline constinit std::atomic<void*> profiler_domain{nullptr};
inline constinit char no_profiler = 0;

/// Asks NVTX for the domain, which opens the profiler's library where there is one.
void* find_profiler_domain();

class profiler_range {
public:
    /// Begins a range of this thread. name() is called where a profiler is attached alone.
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
