// Finds libcublasLt and loads its functions.
#include <runtime/cuda/cuda_blas_library.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/cuda/cuda_toolkit.hpp>
#include <runtime/system/environment.hpp>
#include <runtime/system/shared_library.hpp>

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace sinter::codegen::cublaslt {
namespace {

std::vector<std::string> candidates() {
    std::vector<std::string> files;
    for (const std::string& folder : toolkit_folders("cublas"))
        for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"})
            files.push_back(folder + name);
    return files;
}

std::optional<library> open(const std::string& path) {
    void* const h = open_library(path);
    if (h == nullptr) return std::nullopt;
    library l;
    const bool complete = find_function(h, "cublasLtCreate", l.create) &&
                          find_function(h, "cublasLtGetVersion", l.get_version) &&
                          find_function(h, "cublasLtMatmulDescCreate", l.desc_create) &&
                          find_function(h, "cublasLtMatmulDescDestroy", l.desc_destroy) &&
                          find_function(h, "cublasLtMatmulDescSetAttribute", l.desc_set) &&
                          find_function(h, "cublasLtMatrixLayoutCreate", l.layout_create) &&
                          find_function(h, "cublasLtMatrixLayoutDestroy", l.layout_destroy) &&
                          find_function(h, "cublasLtMatrixLayoutSetAttribute", l.layout_set) &&
                          find_function(h, "cublasLtMatmulPreferenceCreate", l.preference_create) &&
                          find_function(h, "cublasLtMatmulPreferenceDestroy", l.preference_destroy) &&
                          find_function(h, "cublasLtMatmulPreferenceSetAttribute", l.preference_set) &&
                          find_function(h, "cublasLtMatmulAlgoGetHeuristic", l.get_heuristic) &&
                          find_function(h, "cublasLtMatmul", l.matmul);
    if (!complete) return std::nullopt;
    // 10000 * major + 100 * minor + patch; 1000 * major before CUDA 12
    const std::size_t version = l.get_version(), thousands = version < 100000 ? 1000 : 10000;
    l.version_text = fmt::format("{}.{}", version / thousands, version % thousands / 100);
    return l;
}

std::optional<library> search() {
    const std::string wish = environment("SINTER_CUBLASLT");
    if (wish == "off") return std::nullopt;
    if (!wish.empty() && !takes_small_ones()) return opened_by_name("SINTER_CUBLASLT", wish, open);
    return first_opened(candidates(), open);
}

}  // namespace

const library* find() {
    static constinit std::atomic<const std::optional<library>*> place{nullptr};
    const auto* const found = &created_once(place, [] { return new std::optional<library>(search()); });
    return found->has_value() ? &**found : nullptr;
}

bool takes_small_ones() { return environment("SINTER_CUBLASLT") == "always"; }

}  // namespace sinter::codegen::cublaslt
