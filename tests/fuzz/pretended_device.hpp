// A device that is said to be another machine: what is planned for it is planned for the machine, and runs on the
// device. Few multiprocessors make small arrays reach the schedules of large ones.
#pragma once

#include <runtime/devices/device.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sinter::fuzz {

/// Work goes to the device's own stream: streams of its own it has none.
class pretended_device final : public codegen::kernel_device {
public:
    explicit pretended_device(codegen::kernel_device& on) : real_(on), properties_(on.properties()) {}

    void set_machine(codegen::device_properties m) { properties_ = std::move(m); }
    const codegen::device_properties& properties() const override { return properties_; }
    const std::string& name() const override { return real_.name(); }

    using device::deallocate;
    void* allocate(std::size_t bytes) override { return real_.allocate(bytes); }
    void deallocate(void* p, std::size_t bytes, codegen::stream_uses uses) noexcept override {
        real_.deallocate(p, bytes, uses);
    }
    void copy_from_host(void* to, const void* from, std::size_t bytes) override {
        real_.copy_from_host(to, from, bytes);
    }
    void copy_to_host(void* to, const void* from, std::size_t bytes) override { real_.copy_to_host(to, from, bytes); }
    void copy_within(void* to, const void* from, std::size_t bytes) override { real_.copy_within(to, from, bytes); }
    void fill_zero(void* p, std::size_t bytes) override { real_.fill_zero(p, bytes); }
    void synchronize() override { real_.synchronize(); }
    codegen::time_mark* mark() override { return real_.mark(); }
    double seconds_between(const codegen::time_mark& from, const codegen::time_mark& to) override {
        return real_.seconds_between(from, to);
    }

    using kernel_device::compile;
    using kernel_device::launch;
    std::string compile(const std::string& source, const codegen::compile_options& options) override {
        return real_.compile(source, options);
    }
    std::string toolchain() const override { return real_.toolchain(); }
    codegen::loaded_kernel* load(const std::string& image, const std::string& entry) override {
        return real_.load(image, entry);
    }
    void launch(codegen::loaded_kernel* kernel, const codegen::launch_shape& shape, void** arguments) override {
        real_.launch(kernel, shape, arguments);
    }

private:
    codegen::kernel_device& real_;
    codegen::device_properties properties_;
};

}  // namespace sinter::fuzz
