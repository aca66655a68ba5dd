// The emulated device for thousands of kernels: texts are collected while plans are made, and compiled together.
// Launches before that do nothing, so every case is evaluated twice, the second time for real.
#pragma once

#include <tests/emulate/emulated_device.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sinter::fuzz {

class collecting_device final : public codegen::kernel_device {
public:
    const std::string& name() const override { return inner_.name(); }
    const codegen::machine& properties() const override { return inner_.properties(); }

    void* allocate(std::size_t bytes) override { return inner_.allocate(bytes); }
    void deallocate(void* p, std::size_t bytes) noexcept override { inner_.deallocate(p, bytes); }
    void copy_from_host(void* to, const void* from, std::size_t n) override { inner_.copy_from_host(to, from, n); }
    void copy_to_host(void* to, const void* from, std::size_t n) override { inner_.copy_to_host(to, from, n); }
    void copy_within(void* to, const void* from, std::size_t n) override { inner_.copy_within(to, from, n); }
    void fill_zero(void* p, std::size_t bytes) override { inner_.fill_zero(p, bytes); }
    void synchronize() override { inner_.synchronize(); }
    codegen::time_mark* mark() override { return inner_.mark(); }
    double seconds_between(const codegen::time_mark& from, const codegen::time_mark& to) override {
        return inner_.seconds_between(from, to);
    }

    /// Gives the text itself: there is nothing else yet.
    std::string compile(const std::string& source) override { return source; }
    std::string toolchain() const override { return inner_.toolchain(); }
    codegen::loaded_kernel* load(const std::string& image, const std::string& entry) override;
    /// Does nothing as long as the kernel is not compiled.
    void launch(codegen::loaded_kernel* kernel, std::int64_t grid, int block, unsigned shared_bytes,
                void** arguments) override;

    /// Compiles what has been collected. A text that the compiler refuses makes its launches throw, and no others.
    void compile_collected();
    void set_order(emulate::run_order order) { inner_.set_order(order); }
    std::size_t kernels() const { return kernels_.size(); }

private:
    struct collected final : codegen::loaded_kernel {
        std::string text, entry, refusal;
        codegen::loaded_kernel* ready = nullptr;
    };

    emulate::emulated_device inner_;
    std::vector<std::unique_ptr<collected>> kernels_;
    std::size_t compiled_ = 0;  ///< of the kernels
};

}  // namespace sinter::fuzz
