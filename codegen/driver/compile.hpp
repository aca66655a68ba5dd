// The compiler: a program with its bindings, a target and settings give the kernels to run. It reads nothing else (no
// environment, no file, no device), so equal calls give equal kernels. Evaluation, explain(), source(), tuning and the
// recording of kernels for embedding all call it and differ in target and settings alone.
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
    bool is_host = false;  ///< loops over blocks on the processor; else kernels of threads on `device`
    machine device;
    /// Whether a library of the device computes a product; `alignment` is that of the kernel's pointers. Empty: none.
    std::function<bool(const gemm&, const std::vector<int>& alignment)> library;
};

/// How they are compiled.
struct compile_settings {
    fusion mode = fusion::on;
    bool fast_math = false;
    std::string* trace = nullptr;  ///< the program after each transform is appended
    /// The schedule of a kernel on a device; empty: choose_schedule.
    std::function<schedule(const kernel&, const std::vector<int>& alignment)> choose = {};
};

/// One kernel: a library's product, a call of a function of whole arrays, or a schedule on a device; on the host none
/// of the three, or a call. One whose results have no elements is not run (stores_nothing).
struct compiled_kernel {
    kernel body;
    std::vector<int> alignment;  ///< of its inputs and outputs
    std::optional<gemm> product;
    std::optional<schedule> chosen;
};

struct compiled_program {
    kernel_cut cut;                        ///< of the program's graph, before products were joined with their readers
    std::vector<compiled_kernel> kernels;  ///< in the order in which they run
    std::uint32_t in_place = 0;            ///< bit r: result r may be written over the leaf that shares its memory
    std::uint32_t by_detour = 0;  ///< bit r: result r cannot be written where it shall go by the kernel that makes it
    std::uint32_t early = 0;      ///< bit r: kernels follow the one that makes result r
};

compiled_program compile(const bindings& b, const target& to, const compile_settings& how);

}  // namespace sinter::codegen
