// Generated CUDA text to a shared object of the host, and back into the process.
#pragma once

#include <tests/emulate/abi.hpp>

#include <cstddef>
#include <string>

namespace sinter::emulate {

/// Compiles the text behind the shim. Throws sinter::error with the compiler's log and the numbered text.
std::string compile_for_host(const std::string& text);

/// What besides the text decides compile_for_host's result: compiler, flags and shim.
const std::string& host_toolchain();

/// A shared object in the process, until it is destroyed.
class image {
public:
    image(const std::string& bytes, const std::string& entry);
    ~image();
    image(const image&) = delete;
    image& operator=(const image&) = delete;

    sinter_emulate::image_state* state = nullptr;
    void (*kernel)(void** arguments) = nullptr;
    int most_threads = 0;            ///< of a block, by __launch_bounds__; 0 where it says nothing
    char* dynamic_shared = nullptr;  ///< the extern __shared__ array, if there is one
    std::size_t dynamic_capacity = 0;

private:
    void* handle_ = nullptr;
};

}  // namespace sinter::emulate
