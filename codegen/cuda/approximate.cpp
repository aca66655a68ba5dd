// The snippets of include/sinter/number that replace functions. Those whose names begin with approximate_ are for some
// kernels, with short_, double_ and integer_ for bodies of these types in every kernel.
#include <codegen/cuda/approximate.hpp>

#include <codegen/analysis/device_snippets.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

namespace {

/// What the names of a type's own functions begin with.
std::string_view prefix_of(std::string_view type) {
    if (type == "double") return "double_";
    if (type.starts_with("int") || type == "short" || type == "uint8" || type == "uint16") return "integer_";
    return "short_";
}

}  // namespace

std::string function_name(std::string_view called, std::string_view type, arithmetic precision) {
    const std::string approximate = fmt::format("approximate_{}", called);
    const std::string of_type = fmt::format("{}{}", prefix_of(type), called);
    if (precision != arithmetic::exact && !piece_named(approximate).empty()) return approximate;
    return piece_named(of_type).empty() ? std::string(called) : of_type;
}

std::vector<std::string> compile_flags(arithmetic precision) {
    switch (precision) {
        case arithmetic::half: return {"--prec-div=false", "--prec-sqrt=false", "--ftz=true"};
        case arithmetic::fast: return {"--use_fast_math"};
        default: return {};
    }
}

}  // namespace sinter::codegen
