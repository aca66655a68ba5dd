// Finds libcufft and loads its functions.
#include <runtime/cuda/cuda_fft_library.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/cuda/cuda_toolkit.hpp>
#include <runtime/system/environment.hpp>
#include <runtime/system/shared_library.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen::cufft {
namespace {

std::optional<library> open(const std::string& path) {
    void* const h = open_library(path);
    if (h == nullptr) return std::nullopt;
    library l;
    const bool complete =
        find_function(h, "cufftCreate", l.create) && find_function(h, "cufftDestroy", l.destroy) &&
        find_function(h, "cufftSetAutoAllocation", l.set_auto_allocation) &&
        find_function(h, "cufftXtMakePlanMany", l.make_plan_many) && find_function(h, "cufftSetStream", l.set_stream) &&
        find_function(h, "cufftSetWorkArea", l.set_work_area) && find_function(h, "cufftXtExec", l.exec);
    return complete ? std::optional(l) : std::nullopt;
}

std::optional<library> search() {
    const std::string wish = environment("SINTER_CUFFT");
    if (wish == "off") return std::nullopt;
    if (!wish.empty()) return opened_by_name("SINTER_CUFFT", wish, open);
    std::vector<std::string> files;
    for (const std::string& folder : toolkit_folders("cufft"))
        for (const char* name : {"libcufft.so.12", "libcufft.so.11"}) files.push_back(folder + name);
    return first_opened(files, open);
}

}  // namespace

const library* find() {
    static constinit std::atomic<const std::optional<library>*> place{nullptr};
    const auto* const found = &created_once(place, [] { return new std::optional<library>(search()); });
    return found->has_value() ? &**found : nullptr;
}

}  // namespace sinter::codegen::cufft
