// Approximate functions are the snippets of include/sinter/number whose names begin with approximate_; those whose
// names begin with short_ are exact enough for every kernel.
#include <codegen/cuda/approximate.hpp>

#include <codegen/analysis/device_snippets.hpp>

namespace sinter::codegen {

std::string function_name(std::string_view called, arithmetic precision) {
    const std::string name(called), approximate = "approximate_" + name, shorter = "short_" + name;
    if (precision != arithmetic::exact && !piece_named(approximate).empty()) return approximate;
    return piece_named(shorter).empty() ? name : shorter;
}

std::vector<std::string> compile_flags(arithmetic precision) {
    switch (precision) {
        case arithmetic::half: return {"--prec-div=false", "--prec-sqrt=false", "--ftz=true"};
        case arithmetic::fast: return {"--use_fast_math"};
        default: return {};
    }
}

}  // namespace sinter::codegen
