// Helpers for tests that launch kernels by hand.
#pragma once

#include <sinter/error.hpp>
#include <tests/emulate/emulated_device.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sinter::emulate {

/// An array in a device's memory.
template <class T>
struct device_array {
    device_array(codegen::device& device, std::size_t n)
        : on(device), p(static_cast<T*>(device.allocate(n * sizeof(T)))), size(n) {}
    device_array(codegen::device& device, const std::vector<T>& values) : device_array(device, values.size()) {
        on.copy_from_host(p, values.data(), size * sizeof(T));
    }
    ~device_array() { on.deallocate(p, size * sizeof(T)); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;

    std::vector<T> values() const {
        std::vector<T> all(size);
        on.copy_to_host(all.data(), p, size * sizeof(T));
        return all;
    }

    codegen::device& on;
    T* p;
    std::size_t size;
};

/// A kernel compiled from source.
class kernel_source {
public:
    kernel_source(codegen::kernel_device& device, const std::string& entry, const std::string& text)
        : device_(device), kernel_(device.load(device.compile(text), entry)) {}

    /// The arguments' types must equal those of the kernel's parameters, except for const.
    template <class... A>
    void launch(std::int64_t grid, int block, A... arguments) const {
        launch_with_shared(0, grid, block, arguments...);
    }
    template <class... A>
    void launch_with_shared(unsigned shared_bytes, std::int64_t grid, int block, A... arguments) const {
        void* pointers[] = {&arguments..., nullptr};
        device_.launch(kernel_, grid, block, shared_bytes, pointers);
    }

private:
    codegen::kernel_device& device_;
    codegen::loaded_kernel* kernel_;
};

}  // namespace sinter::emulate
