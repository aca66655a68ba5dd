// Element functions as CUDA C++: what a call's kernels compute in place of an operand, or do in place of storing a
// result. They are lowered and printed as kernels are, but as a struct that a kernel of the call holds.
#pragma once

#include <codegen/device/parameter.hpp>
#include <codegen/lower/kernel_class.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sinter::codegen {

/// The function of an operand has `from[i]`, its element i; that of a result has `to.store(i, x)`.
struct printed_element {
    std::string declarations;       ///< a namespace, which precedes the kernel's text and needs device_snippets
    std::string type;               ///< of the struct: "load_0::elements"
    std::string parameters;         ///< of the kernel, each followed by a comma: "const float* load_0_x0,"
    std::string arguments;          ///< which initialise the struct: "{load_0_x0}"
    std::vector<parameter> values;  ///< what a launch passes for them
};

/// A translation unit whose kernel has the function in place of an array. `parameter`: the array's, as the text has it
/// up to the next one, "sources from, ". What uses it must accept the function's type, or `type`, a struct of the text
/// whose only member is one.
std::string with_function(std::string text, std::string_view parameter, const printed_element& function,
                          std::string_view type = {});

/// `name`: of the namespace. `given`: as for lower_element. `heading`: the comment at the top.
printed_element print_element(const kernel_class& c, int given, const std::string& name, const std::string& heading);

}  // namespace sinter::codegen
