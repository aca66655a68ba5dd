// Runs a disassembler of the CUDA toolkit.
#include <sinter/error.hpp>
#include <tools/explain/disassemble.hpp>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace sinter::spoken {
namespace {

namespace fs = std::filesystem;

/// The path of the program with that name, or empty.
fs::path found(const char* name) {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(std::string(path ? path : "") + ":/usr/local/cuda/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return fs::path(folder) / name;
    return {};
}

/// A file that is deleted at the end of its scope.
struct temporary_file {
    fs::path path = fs::temp_directory_path() / ("sinter-explain-" + std::to_string(getpid()) + ".cubin");
    temporary_file() = default;
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    ~temporary_file() {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
};

}  // namespace

std::string disassembled(const std::string& cubin) {
    std::string command;
    if (const fs::path nvdisasm = found("nvdisasm"); !nvdisasm.empty())
        command = "'" + nvdisasm.string() + "' ";
    else if (const fs::path cuobjdump = found("cuobjdump"); !cuobjdump.empty())
        command = "'" + cuobjdump.string() + "' --dump-sass ";
    else
        throw error("--sass: neither nvdisasm nor cuobjdump was found; both come with the CUDA toolkit");
    const temporary_file file;
    std::ofstream(file.path, std::ios::binary) << cubin;
    std::FILE* const pipe = popen((command + "'" + file.path.string() + "'").c_str(), "r");
    if (pipe == nullptr) throw error("--sass: cannot run " + command);
    std::string text;
    char part[4096];
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
    if (pclose(pipe) != 0) throw error("--sass: " + command + "failed; it must be of a toolkit as new as NVRTC");
    return text;
}

}  // namespace sinter::spoken
