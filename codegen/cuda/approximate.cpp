// Approximate functions are the snippets of include/sinter/number whose names begin with approximate_.
#include <codegen/cuda/approximate.hpp>

#include <codegen/analysis/device_snippets.hpp>

namespace sinter::codegen {

std::string function_name(std::string_view called, arithmetic precision) {
    const std::string approximate = "approximate_" + std::string(called);
    return std::string(precision != arithmetic::exact && !piece_named(approximate).empty() ? approximate : called);
}

std::vector<std::string> compile_flags(arithmetic precision) {
    switch (precision) {
        case arithmetic::half: return {"--prec-div=false", "--prec-sqrt=false", "--ftz=true"};
        case arithmetic::fast: return {"--use_fast_math"};
        default: return {};
    }
}

}  // namespace sinter::codegen
