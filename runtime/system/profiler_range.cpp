// Uses NVTX's headers only: without a profiler they do nothing; without the headers this file does nothing.
#include <runtime/system/profiler_range.hpp>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define SINTER_WITH_NVTX 1
#else
#define SINTER_WITH_NVTX 0
#endif

namespace sinter::codegen {

#if SINTER_WITH_NVTX

void* find_profiler_domain() {
    void* domain = nvtxDomainCreateA("Sinter");
    if (domain == nullptr) domain = &no_profiler;
    profiler_domain.store(domain, std::memory_order_release);
    return domain;
}

void profiler_range::begin(const std::string& name) const {
    nvtxEventAttributes_t range{};
    range.version = NVTX_VERSION;
    range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    range.messageType = NVTX_MESSAGE_TYPE_ASCII;
    range.message.ascii = name.c_str();
    nvtxDomainRangePushEx(static_cast<nvtxDomainHandle_t>(domain_), &range);
}

void profiler_range::end() const { nvtxDomainRangePop(static_cast<nvtxDomainHandle_t>(domain_)); }

#else

void* find_profiler_domain() {
    profiler_domain.store(&no_profiler, std::memory_order_release);
    return &no_profiler;
}

void profiler_range::begin(const std::string&) const {}
void profiler_range::end() const {}

#endif

}  // namespace sinter::codegen
