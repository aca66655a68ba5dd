// Explains the compiler's decisions from its output. Compiles no source itself.
#pragma once

#include <codegen/driver/compile.hpp>
#include <sinter/explain.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen {

/// The CUDA compiler's resource report of one kernel.
struct kernel_usage {
    int registers = 0;  ///< per thread
    int spill_bytes = 0;
    int shared_bytes = 0;  ///< per block
    std::int64_t image_bytes = 0;
};

/// What an explanation asks the runtime. Empty functions are not called.
struct explanation_sources {
    /// Describes a library's call for a product.
    std::function<std::string(const loop_nest&, const gemm&, const std::vector<int>& alignment)> library_call;
    /// Whether the schedule of a kernel was the fastest of those measured.
    std::function<bool(const loop_nest&, const std::vector<int>& alignment)> was_measured;
    /// The resources of a kernel's source; called only for kernels that are explained in full.
    std::function<kernel_usage(const kernel_report&)> usage;
};

/// Every operand must exist: see require_operands.
explanation explain(const bindings& b, const target& to, const compile_settings& how, const explanation_sources& from);

/// The source of all kernels, in order.
std::string source(const bindings& b, const target& to, const compile_settings& how, const explanation_sources& from);

}  // namespace sinter::codegen
