// The compiler: a function of a program, its bindings, a target and settings to kernels. It reads nothing else (no
// environment, files or devices), so equal calls give equal kernels. Evaluation, explain(), source(), tuning and the
// recording of kernels for embedding all call it; only target and settings differ.
#pragma once

#include <codegen/ir/bindings.hpp>
#include <codegen/schedule/gemm.hpp>
#include <codegen/schedule/schedule.hpp>
#include <codegen/transforms/cut.hpp>
#include <sinter/fusion.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sinter::codegen {

/// What kernels are compiled for.
struct target {
    bool is_host = false;  ///< blocked loops on the processor; otherwise kernels for `device`
    device_properties device;
    /// Whether a library computes a product; `alignment` is that of the kernel's pointers. Empty: no library.
    std::function<bool(const gemm&, const std::vector<int>& alignment)> library;
    /// Whether a library computes a call of a function of whole arrays. Empty: none does.
    std::function<bool(const call_site&)> library_function;
};

/// How kernels are compiled.
struct compile_settings {
    fusion mode = fusion::on;
    bool fast_math = false;
    std::string* trace = nullptr;  ///< receives the program after each transform
    /// Chooses the schedule of a kernel on a device; empty: choose_schedule.
    std::function<schedule(const loop_nest&, const std::vector<int>& alignment)> choose = {};
};

/// One kernel: a library's product, a call of a function of whole arrays, or a schedule on a device. On the host: a
/// call or loops. A kernel whose results have no elements is not run (stores_nothing).
struct compiled_kernel {
    loop_nest body;
    std::vector<int> alignment;  ///< of its inputs, then its outputs
    std::optional<gemm> product;
    std::optional<schedule> chosen;
};

struct compiled_program {
    kernel_cut cut;                        ///< of the program's graph, before products were fused with their readers
    std::vector<compiled_kernel> kernels;  ///< in launch order
    std::uint32_t in_place = 0;            ///< bit r: result r may overwrite the leaf that shares its memory
    std::uint32_t needs_staging = 0;       ///< bit r: the kernel of result r cannot write to its destination
    std::uint32_t early = 0;               ///< bit r: other launches follow the first write to result r
};

compiled_program compile(const bindings& b, const target& to, const compile_settings& how);

}  // namespace sinter::codegen
