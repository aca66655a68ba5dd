// Approximate functions are the snippets of include/sinter/number whose names begin with approximate_; those whose
// names begin with short_ are exact enough for every kernel.
#include <codegen/cuda/approximate.hpp>

#include <codegen/analysis/device_snippets.hpp>

namespace sinter::codegen {

std::string function_name(std::string_view called, arithmetic precision) {
    for (const char* prefix : {"approximate_", "short_"}) {
        if (precision == arithmetic::exact && *prefix == 'a') continue;
        const std::string name = prefix + std::string(called);
        if (!piece_named(name).empty()) return name;
    }
    return std::string(called);
}

std::vector<std::string> compile_flags(arithmetic precision) {
    switch (precision) {
        case arithmetic::half: return {"--prec-div=false", "--prec-sqrt=false", "--ftz=true"};
        case arithmetic::fast: return {"--use_fast_math"};
        default: return {};
    }
}

}  // namespace sinter::codegen
