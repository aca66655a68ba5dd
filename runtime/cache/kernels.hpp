// The process's kernels: each is printed, compiled and loaded once.
#pragma once

#include <codegen/cuda/source.hpp>
#include <runtime/devices/device.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen {

struct ready_kernel {
    std::string name;  ///< in the source: what profilers show
    loaded_kernel* loaded = nullptr;
    std::vector<parameter> parameters;  ///< in the order of the signature
    unsigned shared_bytes = 0;
    resources usage;
    double compile_seconds = 0;  ///< by the compiler; from disk or the program, reading and loading
    bool from_disk = false;
    bool embedded = false;  ///< compiled when the program was built
};

/// A request for a class of kernels: its key (class_key), and the function that prints its source, which is called
/// only if this process has not loaded the class yet.
struct kernel_request {
    std::string key;
    std::function<printed_kernel()> make;
    compile_options options = {};
};

/// The kernel of a class on a device. Its source is looked up in the program's file, then on disk, else compiled and
/// written there. Thread-safe: concurrent requests compile a class once, and different classes compile concurrently. If
/// compiling throws, the next request tries again. The reference stays valid.
const ready_kernel& get_kernel(kernel_device& where, const kernel_request& wanted);

/// Makes all kernels that this process has not loaded yet concurrently, so that get_kernel finds them. Throws the error
/// that get_kernel would have thrown first.
void make_kernels_ready(kernel_device& where, const std::vector<kernel_request>& wanted);

}  // namespace sinter::codegen
