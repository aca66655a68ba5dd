// The process's kernels: each is rendered, compiled and loaded once.
#pragma once

#include <codegen/launch/device.hpp>
#include <codegen/render/render.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen {

struct ready_kernel {
    loaded_kernel* loaded = nullptr;
    std::vector<parameter> parameters;  ///< as they were rendered
    unsigned shared_bytes = 0;
    resources usage;
    double compile_seconds = 0;  ///< what the compiler took, or, from disk or the program, reading and loading
    bool from_disk = false;
    bool embedded = false;  ///< made when the program was built
};

/// The kernel of a class on a device. `key` is the class's (render_key); `make` gives its text and is called only when
/// this process has not loaded the class yet. The text is then looked up in the program's file, then on disk, else
/// compiled and written there. Thread-safe: one class is compiled once however many ask, and several compile at once.
/// When compiling throws, the next request tries again. The reference stays valid.
const ready_kernel& get_kernel(kernel_device& where, const std::string& key, const std::function<rendered()>& make,
                               const compile_options& options = {});

}  // namespace sinter::codegen
