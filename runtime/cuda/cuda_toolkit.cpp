// The library folders of CUDA toolkits.
#include <runtime/cuda/cuda_toolkit.hpp>

#include <runtime/system/environment.hpp>

namespace sinter::codegen {

std::vector<std::string> toolkit_folders([[maybe_unused]] const std::string& wheel) {
    std::vector<std::string> folders{""};
#ifdef SINTER_NVRTC_DIR
    folders.emplace_back(SINTER_NVRTC_DIR "/");
    folders.push_back(SINTER_NVRTC_DIR "/../../" + wheel + "/lib/");  // each CUDA 12 wheel has its own folder
#endif
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const std::string home = environment(name); !home.empty()) folders.push_back(home + "/lib64/");
    folders.emplace_back("/usr/local/cuda/lib64/");
    return folders;
}

}  // namespace sinter::codegen
