// The launches of a function of whole arrays on a device: kernels in order, which share a workspace.
#pragma once

#include <codegen/cuda/source.hpp>
#include <codegen/ir/call.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen {

/// An argument of a kernel.
struct call_argument {
    enum class kind : std::uint8_t {
        operand,    ///< address of operand `index`
        result,     ///< address of result `index`, which is wanted
        workspace,  ///< address of byte `value` of the workspace
        number,     ///< `value`, an int64
        null        ///< null pointer
    };
    kind what{};
    int index = 0;
    std::int64_t value = 0;
};

/// One kernel and its launch configuration.
struct call_launch {
    std::string key;  ///< equal keys have equal source
    std::function<printed_kernel()> source;
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
