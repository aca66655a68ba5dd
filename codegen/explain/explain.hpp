// Explanations: what the compiler decided, read from what it gives. Nothing is compiled here.
#pragma once

#include <codegen/driver/compile.hpp>
#include <sinter/explain.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen {

/// What a compiler of CUDA C++ says of one kernel.
struct kernel_usage {
    int registers = 0;  ///< per thread
    int spill_bytes = 0;
    int shared_bytes = 0;  ///< per block
    std::int64_t image_bytes = 0;
};

/// What an explanation asks of those who run kernels. An empty one is not asked.
struct explanation_sources {
    /// A library's call for a product, in words.
    std::function<std::string(const kernel&, const gemm&, const std::vector<int>& alignment)> library_call;
    /// Whether the schedule of a kernel was the fastest of those measured.
    std::function<bool(const kernel&, const std::vector<int>& alignment)> was_measured;
    /// Of a kernel's source; called only for kernels that are explained in full.
    std::function<kernel_usage(const kernel_report&)> usage;
};

/// Every operand must be there: see require_operands.
explanation explain(const bindings& b, const target& to, const compile_settings& how, const explanation_sources& from);

/// The source of every kernel, one after the other.
std::string source(const bindings& b, const target& to, const compile_settings& how, const explanation_sources& from);

}  // namespace sinter::codegen
