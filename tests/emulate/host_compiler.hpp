// Compiles generated CUDA source to a shared object of the host, and loads it into the process.
#pragma once

#include <tests/emulate/abi.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace sinter::emulate {

/// Compiles the source after the shim. Throws sinter::error with the compiler's log and the numbered source, and for
/// options that are not macro definitions.
std::string compile_for_host(const std::string& text, const std::vector<std::string>& options = {});

/// The same for many sources at once, which takes little longer than one of them. The kernel `name` of source i
/// becomes entry_among(name, i). Sources with dynamic shared memory are refused.
std::string compile_for_host(const std::vector<std::string>& texts);
std::string entry_among(const std::string& name, std::size_t text);

/// Everything besides the source that determines compile_for_host's result: compiler, flags and shim.
const std::string& host_toolchain();

/// A shared object in the process, until it is destroyed.
class shared_object {
public:
    explicit shared_object(const std::string& bytes);
    ~shared_object();
    shared_object(const shared_object&) = delete;
    shared_object& operator=(const shared_object&) = delete;

    void* find(const std::string& symbol) const;  ///< null if there is none

private:
    void* handle_ = nullptr;
};

/// One kernel of a shared object.
class image {
public:
    image(std::shared_ptr<const shared_object> object, const std::string& entry);

    sinter_emulate::image_state* state = nullptr;  ///< one for all kernels of the object
    void (*kernel)(void** arguments) = nullptr;
    int max_threads = 0;  ///< per block, by __launch_bounds__; 0 without it
    int cluster = 1;      ///< blocks, by __cluster_dims__
    std::vector<std::size_t> parameter_bytes;
    char* shared_begin = nullptr;  ///< the __shared__ arrays of its source
    char* shared_end = nullptr;
    char* dynamic_shared = nullptr;  ///< the extern __shared__ array, if there is one
    std::size_t dynamic_capacity = 0;

private:
    std::shared_ptr<const shared_object> object_;
};

}  // namespace sinter::emulate
