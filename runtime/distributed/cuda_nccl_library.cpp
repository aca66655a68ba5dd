// Finds libnccl and loads its functions.
#include <runtime/distributed/cuda_nccl_library.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/cuda/cuda_toolkit.hpp>
#include <runtime/system/environment.hpp>
#include <runtime/system/shared_library.hpp>

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace sinter::codegen::nccl {
namespace {

std::vector<std::string> candidates() {
    std::vector<std::string> files = toolkit_folders("nccl");
    for (std::string& file : files) file += "libnccl.so.2";
    return files;
}

std::optional<library> open(const std::string& path) {
    void* const h = open_library(path);
    if (h == nullptr) return std::nullopt;
    library l;
    const bool complete =
        find_function(h, "ncclGetVersion", l.get_version) && find_function(h, "ncclGetUniqueId", l.get_unique_id) &&
        find_function(h, "ncclCommInitRank", l.init_rank) && find_function(h, "ncclCommDestroy", l.destroy) &&
        find_function(h, "ncclCommAbort", l.abort) && find_function(h, "ncclCommGetAsyncError", l.async_error) &&
        find_function(h, "ncclGetErrorString", l.error_text) && find_function(h, "ncclAllReduce", l.all_reduce) &&
        find_function(h, "ncclSend", l.send) && find_function(h, "ncclRecv", l.receive) &&
        find_function(h, "ncclGroupStart", l.group_start) && find_function(h, "ncclGroupEnd", l.group_end);
    int version = 0;
    if (!complete || l.get_version(&version) != 0) return std::nullopt;
    // 10000 * major + 100 * minor + patch since 2.9, the first with which CUDA 12 works
    l.version_text = fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
    return l;
}

std::optional<library> search() {
    const std::string wish = environment("SINTER_NCCL");
    if (wish == "off") return std::nullopt;
    return wish.empty() ? first_opened(candidates(), open) : opened_by_name("SINTER_NCCL", wish, open);
}

}  // namespace

bool is_off() { return environment("SINTER_NCCL") == "off"; }

const library* find() {
    static constinit std::atomic<const std::optional<library>*> place{nullptr};
    const auto* const found = &created_once(place, [] { return new std::optional<library>(search()); });
    return found->has_value() ? &**found : nullptr;
}

}  // namespace sinter::codegen::nccl
