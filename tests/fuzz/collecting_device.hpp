// The emulated device for thousands of kernels: texts are collected while plans are made, and compiled together.
// Launches before that do nothing, so every case is evaluated twice, the second time for real.
#pragma once

#include <tests/emulate/emulated_device.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sinter::fuzz {

class collecting_device final : public emulate::emulated_device {
public:
    /// Gives the text itself: there is nothing else yet.
    std::string compile(const std::string& source, const codegen::compile_options&) override { return source; }
    codegen::loaded_kernel* load(const std::string& image, const std::string& entry) override;
    /// Does nothing as long as the kernel is not compiled.
    void launch(codegen::loaded_kernel* kernel, const codegen::launch_shape& shape, void** arguments) override;

    /// Compiles what has been collected. A text that the compiler refuses makes its launches throw, and no others.
    void compile_collected();
    std::size_t kernels() const { return kernels_.size(); }

private:
    struct collected final : codegen::loaded_kernel {
        std::string text, entry, refusal;
        codegen::loaded_kernel* ready = nullptr;
    };

    std::mutex adding_;  ///< the kernels of one evaluation are loaded by several threads
    std::vector<std::unique_ptr<collected>> kernels_;
    std::size_t compiled_ = 0;  ///< of the kernels
};

}  // namespace sinter::fuzz
