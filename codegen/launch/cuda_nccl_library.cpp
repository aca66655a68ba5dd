// The search for libnccl, and its table of functions.
#include <codegen/launch/cuda_nccl_library.hpp>

#include <codegen/environment.hpp>

#include <fmt/format.h>

#include <optional>
#include <vector>

#include <dlfcn.h>

namespace sinter::codegen::nccl {
namespace {

std::vector<std::string> candidates() {
    if (const std::string wish = environment("SINTER_NCCL"); !wish.empty()) return {wish};
    std::vector<std::string> files{"libnccl.so.2"};  // the loader's own search
#ifdef SINTER_NVRTC_DIR
    files.emplace_back(SINTER_NVRTC_DIR "/libnccl.so.2");
    files.emplace_back(SINTER_NVRTC_DIR "/../../nccl/lib/libnccl.so.2");  // wheels have a folder each
#endif
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const std::string home = environment(name); !home.empty()) files.push_back(home + "/lib64/libnccl.so.2");
    files.emplace_back("/usr/local/cuda/lib64/libnccl.so.2");
    return files;
}

template <class F>
bool get(void* from, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(from, name));
    return function != nullptr;
}

std::optional<library> open(const std::string& path) {
    void* const h = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays open, as CUDA's libraries ask for
    if (h == nullptr) return std::nullopt;
    library l;
    const bool complete = get(h, "ncclGetVersion", l.get_version) && get(h, "ncclGetUniqueId", l.get_unique_id) &&
                          get(h, "ncclCommInitRank", l.init_rank) && get(h, "ncclCommDestroy", l.destroy) &&
                          get(h, "ncclGetErrorString", l.error_text) && get(h, "ncclAllReduce", l.all_reduce) &&
                          get(h, "ncclSend", l.send) && get(h, "ncclRecv", l.receive) &&
                          get(h, "ncclGroupStart", l.group_start) && get(h, "ncclGroupEnd", l.group_end);
    int version = 0;
    if (!complete || l.get_version(&version) != 0) return std::nullopt;
    // 10000 * major + 100 * minor + patch since 2.9, the first with which CUDA 12 works
    l.version_text = fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
    return l;
}

std::optional<library> search() {
    for (const std::string& path : candidates())
        if (auto found = open(path)) return found;
    return std::nullopt;
}

}  // namespace

bool is_off() { return environment("SINTER_NCCL") == "off"; }

const library* find() {
    static const auto* const found = new std::optional<library>(search());  // never destroyed, as devices are not
    return found->has_value() ? &**found : nullptr;
}

}  // namespace sinter::codegen::nccl
