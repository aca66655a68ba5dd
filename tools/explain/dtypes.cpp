// The names of dtypes.
#include <tools/explain/dtypes.hpp>

#include <map>

namespace sinter::spoken {

std::optional<dtype> dtype_named(const std::string& name) {
    static const std::map<std::string, dtype> names = [] {
        std::map<std::string, dtype> all = {
            {"f16", dtype::float16},      {"half", dtype::float16},    {"bf16", dtype::bfloat16},
            {"f32", dtype::float32},      {"float", dtype::float32},   {"f64", dtype::float64},
            {"double", dtype::float64},   {"int", dtype::int32},       {"unsigned", dtype::uint32},
            {"c64", dtype::complex64},    {"c128", dtype::complex128}, {"e4m3", dtype::float8_e4m3},
            {"e5m2", dtype::float8_e5m2},
        };
        for (int d = 0; d < dtype_count; ++d) {
            const auto type = static_cast<dtype>(d);
            const std::string full = sinter::name(type);
            all[full] = type;
            if (!is_integer(type)) continue;
            all[full + "_t"] = all["std::" + full + "_t"] = type;
            all[(full[0] == 'u' ? "u" : "i") + full.substr(full.find_first_of("123468"))] = type;
        }
        return all;
    }();
    const auto found = names.find(name);
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace sinter::spoken
