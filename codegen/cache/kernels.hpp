// The process's kernels: each is rendered, compiled and loaded once.
#pragma once

#include <codegen/launch/device.hpp>

#include <functional>
#include <string>

namespace sinter::codegen {

struct ready_kernel {
    loaded_kernel* loaded = nullptr;
    resources usage;
    double compile_seconds = 0;  ///< what the compiler took, or, from disk, reading and loading
    bool from_disk = false;
};

/// The kernel of a class on a device. `key` is the class's (render_key); `make_source` gives its text, whose kernel is
/// named `entry`, and is called only when this process has not loaded the class yet. The text is then looked up on
/// disk, else compiled and written there. Thread-safe: one class is compiled once however many ask, and several compile
/// at once. When compiling throws, the next request tries again. The reference stays valid.
const ready_kernel& get_kernel(kernel_device& where, const std::string& key, const std::string& entry,
                               const std::function<std::string()>& make_source, const compile_options& options = {});

}  // namespace sinter::codegen
