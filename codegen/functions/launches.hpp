// The launches of a function of whole arrays on a device: kernels in order, which share a workspace.
#pragma once

#include <codegen/cuda/print_element.hpp>
#include <codegen/cuda/source.hpp>
#include <codegen/ir/call.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen {

/// An argument of a kernel.
struct call_argument {
    enum class kind : std::uint8_t {
        operand,    ///< address of operand `index`; of a computed one, the arguments of its function
        result,     ///< address of result `index`, which is wanted; of a consumed one, the arguments of its function
        workspace,  ///< address of byte `value` of the workspace
        number,     ///< `value`, an int64
        null        ///< null pointer
    };
    kind what{};
    int index = 0;
    std::int64_t value = 0;
};

/// The element functions among a kernel's arguments; null for arrays.
struct argument_functions {
    std::array<const printed_element*, ir::max_operands> operands{};
    std::array<const printed_element*, ir::max_call_results> results{};
};

/// One kernel and its launch configuration.
struct call_launch {
    std::string key;  ///< equal keys, and equal functions among the arguments, have equal source
    std::function<printed_kernel(const argument_functions&)> source;
    std::int64_t blocks = 0;
    int threads = 0;
    std::vector<call_argument> arguments;
    unsigned shared_bytes = 0;  ///< dynamic shared memory
};

/// The launches of one call. The workspace is uninitialised, except that its first `zeroed` bytes are 0 when the first
/// kernel runs.
struct call_launches {
    std::vector<call_launch> kernels;
    std::int64_t workspace_bytes = 0;
    std::int64_t zeroed = 0;
};

}  // namespace sinter::codegen
