// The public device handles and the current device.
#include <runtime/cuda/cuda_device.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/host/host_device.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/system/environment.hpp>
#include <runtime/system/process_rank.hpp>
#include <sinter/device.hpp>

#include <fmt/format.h>

#include <atomic>
#include <optional>

namespace sinter {
namespace {

thread_local codegen::device* scoped_device = nullptr;

device device_named(const std::string& text) {
    if (text == "host") return host();
    if (text == "cuda") return cuda(0);
    if (text.starts_with("cuda:"))
        if (const std::optional<int> number = codegen::whole_number(text.substr(5))) return cuda(*number);
    codegen::refuse_environment("SINTER_DEVICE", text, "no such device; use host, cuda or cuda:<number>");
}

codegen::device& choose_default_device() {
    const std::string wanted = codegen::environment("SINTER_DEVICE");
    if (!wanted.empty()) return device_named(wanted).get();
    const int count = cuda_count();
    return count > 0 ? cuda(codegen::rank_from_environment().local % count).get() : host().get();
}

/// Decided once: the environment does not change while a program runs.
codegen::device& default_device() {
    static constinit std::atomic<codegen::device*> chosen{nullptr};
    codegen::device* known = chosen.load(std::memory_order_acquire);
    if (known == nullptr) [[unlikely]] {  // concurrent threads choose the same
        known = &choose_default_device();
        chosen.store(known, std::memory_order_release);
    }
    return *known;
}

}  // namespace

const std::string& device::name() const { return d_->name(); }
bool device::is_host() const { return d_->is_host(); }

std::string device::description() const {
    const codegen::device_properties& m = d_->properties();
    if (d_->is_host()) return m.name;
    return fmt::format("{}, sm_{}, {} multiprocessors", m.name, m.arch, m.multiprocessors);
}

device host() { return device(codegen::host_device_instance()); }

int cuda_count() noexcept { return codegen::cuda_device_count(); }

device cuda(int index) {
    const int count = cuda_count();
    if (index < 0 || index >= count) {
        if (count == 0)
            throw error(fmt::format("cuda({}): no CUDA device: {}; use host(), or SINTER_DEVICE=host", index,
                                    codegen::cuda_unavailable_reason()));
        throw error(fmt::format("cuda({}): there are {} CUDA devices, numbered from 0", index, count));
    }
    return device(codegen::cuda_device_at(index));
}

device current_device() { return device(scoped_device ? *scoped_device : default_device()); }

device_scope::device_scope(device d) : set_(scoped_device, &d.get()) {}

void synchronize() {
    codegen::refuse_in_capture("synchronize()");
    current_device().get().synchronize();
}

}  // namespace sinter
