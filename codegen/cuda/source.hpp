// The CUDA C++ source of a scheduled kernel, a function of the kernel's class alone.
#pragma once

#include <codegen/device/parameter.hpp>
#include <codegen/lower/kernel_class.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sinter::codegen {

namespace device_ir {
struct program;
}

struct printed_kernel {
    std::string text;   ///< a complete translation unit
    std::string entry;  ///< the kernel's name, extern "C"
    std::vector<parameter> parameters;
    unsigned shared_bytes = 0;  ///< dynamic shared memory (static arrays are declared in the source)
    std::shared_ptr<const device_ir::program> program = {};  ///< the program that the source was printed from
};

/// `heading`: the start of the comment at the top, with the expression that the kernel computes.
printed_kernel print_kernel(const kernel_class& c, const std::string& heading);
inline printed_kernel print_kernel(const loop_nest& k, const schedule& s, const std::string& heading) {
    return print_kernel(class_of(k, s), heading);
}

/// The key of the kernel's class: kernels with equal keys have equal source.
inline std::string class_key(const loop_nest& k, const schedule& s) { return key_of(class_of(k, s)); }

}  // namespace sinter::codegen
