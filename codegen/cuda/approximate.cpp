// The snippets of include/sinter/number that replace functions. Those whose names begin with approximate_ or fast_ are
// for some kernels, with short_, double_ and integer_ for bodies of float, double and integers in every kernel.
#include <codegen/cuda/approximate.hpp>

#include <codegen/analysis/device_snippets.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

namespace {

/// What the names of a type's own functions begin with.
std::string_view prefix_of(std::string_view type) {
    if (type == "double") return "double_";
    if (type.starts_with("int") || type == "short" || type == "uint8" || type == "uint16") return "integer_";
    return type == "float" ? "short_" : "";
}

}  // namespace

std::string function_name(std::string_view called, std::string_view type, arithmetic precision) {
    const auto named = [&](std::string_view prefix) { return fmt::format("{}{}", prefix, called); };
    const auto exists = [&](std::string_view prefix) { return !piece_named(named(prefix)).empty(); };
    if (precision == arithmetic::fast && exists("fast_")) return named("fast_");
    if (precision != arithmetic::exact && exists("approximate_")) return named("approximate_");
    return exists(prefix_of(type)) ? named(prefix_of(type)) : std::string(called);
}

std::vector<std::string> compile_flags(arithmetic precision) {
    switch (precision) {
        case arithmetic::half: return {"--prec-div=false", "--prec-sqrt=false"};
        case arithmetic::half_flushed: return {"--prec-div=false", "--prec-sqrt=false", "--ftz=true"};
        case arithmetic::fast: return {"--use_fast_math"};
        default: return {};
    }
}

}  // namespace sinter::codegen
