// Finds libcusolver and loads its functions.
#include <runtime/cuda/cuda_solver_library.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/cuda/cuda_toolkit.hpp>
#include <runtime/system/environment.hpp>
#include <runtime/system/shared_library.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen::cusolver {
namespace {

bool find_orthogonal(void* h, unitary& of, const std::string& name) {
    return find_function(h, (name + "_bufferSize").c_str(), of.size) && find_function(h, name.c_str(), of.make);
}

std::optional<library> open(const std::string& path) {
    void* const h = open_library(path);
    if (h == nullptr) return std::nullopt;
    library l;
    const auto pair = [h](const char* name, auto& size, auto& function) {
        return find_function(h, (std::string(name) + "_bufferSize").c_str(), size) && find_function(h, name, function);
    };
    const bool complete =
        find_function(h, "cusolverDnCreate", l.create) && find_function(h, "cusolverDnCreateParams", l.create_params) &&
        find_function(h, "cusolverDnSetStream", l.set_stream) && pair("cusolverDnXgetrf", l.getrf_size, l.getrf) &&
        find_function(h, "cusolverDnXgetrs", l.getrs) && pair("cusolverDnXpotrf", l.potrf_size, l.potrf) &&
        pair("cusolverDnXgeqrf", l.geqrf_size, l.geqrf) && pair("cusolverDnXsyevd", l.syevd_size, l.syevd) &&
        pair("cusolverDnXgesvd", l.gesvd_size, l.gesvd) && find_orthogonal(h, l.orthogonal[0], "cusolverDnSorgqr") &&
        find_orthogonal(h, l.orthogonal[1], "cusolverDnDorgqr") &&
        find_orthogonal(h, l.orthogonal[2], "cusolverDnCungqr") &&
        find_orthogonal(h, l.orthogonal[3], "cusolverDnZungqr");
    if (!complete) return std::nullopt;
    if (!pair("cusolverDnXgeev", l.geev_size, l.geev)) l.geev = nullptr;
    return l;
}

std::optional<library> search() {
    const std::string wish = environment("SINTER_CUSOLVER");
    if (wish == "off") return std::nullopt;
    if (!wish.empty() && !takes_small_ones()) return opened_by_name("SINTER_CUSOLVER", wish, open);
    std::vector<std::string> files;
    for (const std::string& folder : toolkit_folders("cusolver"))
        for (const char* name : {"libcusolver.so.12", "libcusolver.so.11"}) files.push_back(folder + name);
    return first_opened(files, open);
}

}  // namespace

const library* find() {
    static constinit std::atomic<const std::optional<library>*> place{nullptr};
    const auto* const found = &created_once(place, [] { return new std::optional<library>(search()); });
    return found->has_value() ? &**found : nullptr;
}

bool takes_small_ones() { return environment("SINTER_CUSOLVER") == "always"; }

}  // namespace sinter::codegen::cusolver
