// Searches for libnvrtc and loads its table of functions.
#include <runtime/nvrtc/nvrtc_library.hpp>

#include <runtime/system/environment.hpp>
#include <runtime/system/shared_library.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <sys/stat.h>

namespace sinter::codegen {

namespace {

constexpr const char* library_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

/// Adds the folders of the wheels nvidia-cuda-nvrtc (CUDA 13) and nvidia-cuda-nvrtc-cu12 under `site`.
void add_wheels(std::vector<std::string>& folders, const std::string& site) {
    folders.push_back(site + "/nvidia/cu13/lib");
    folders.push_back(site + "/nvidia/cuda_nvrtc/lib");
}

/// Adds those in the site-packages of every Python under `prefix`.
void add_python(std::vector<std::string>& folders, const std::string& prefix) {
    std::error_code failed;
    for (std::filesystem::directory_iterator it(prefix + "/lib", failed), end; !failed && it != end;
         it.increment(failed))
        if (it->path().filename().string().starts_with("python3"))
            for (const char* packages : {"/site-packages", "/dist-packages"})
                add_wheels(folders, it->path().string() + packages);
}

/// Folders that may contain the library.
std::vector<std::string> search_folders() {
    std::vector<std::string> folders;
#ifdef SINTER_NVRTC_DIR
    folders.emplace_back(SINTER_NVRTC_DIR);
#endif
    const std::string loader = environment("LD_LIBRARY_PATH");
    for (std::size_t from = 0; from < loader.size();) {
        const std::size_t to = std::min(loader.find(':', from), loader.size());
        if (to > from) folders.push_back(loader.substr(from, to - from));
        from = to + 1;
    }
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const std::string home = environment(name); !home.empty()) folders.push_back(home + "/lib64");
    folders.emplace_back("/usr/local/cuda/lib64");
    for (const char* system : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"})
        folders.emplace_back(system);
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const std::string prefix = environment(name); !prefix.empty()) {
            folders.push_back(prefix + "/lib");
            add_python(folders, prefix);
        }
    if (const std::string home = environment("HOME"); !home.empty()) add_python(folders, home + "/.local");
    add_python(folders, "/usr/local");
    return folders;
}

bool is_file(const std::string& path) {
    struct stat s {};
    return stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}

/// The library's files in these folders.
std::vector<std::string> files_in(const std::vector<std::string>& folders) {
    std::vector<std::string> files;
    for (const std::string& folder : folders)
        for (const char* name : library_names)
            if (std::string path = folder + "/" + name; is_file(path)) files.push_back(std::move(path));
    return files;
}

/// The value of SINTER_NVRTC: a file, a name that the loader knows, or a folder; "" if it is not set.
std::string wished_file() {
    const std::string wish = environment("SINTER_NVRTC");
    if (wish.empty() || is_file(wish) || wish.find('/') == std::string::npos) return wish;
    std::vector<std::string> folders{wish};
    add_wheels(folders, wish);
    const std::vector<std::string> files = files_in(folders);
    if (files.empty())
        refuse_environment("SINTER_NVRTC", wish,
                           "there is no such file, and no libnvrtc.so.13, libnvrtc.so.12 or libnvrtc.so in a folder of "
                           "that name; name the library's file or its folder");
    return files.front();
}

/// Existing files, in the order of the search.
std::vector<std::string> candidate_files() {
    if (const std::string wish = wished_file(); !wish.empty()) return {wish};
    return files_in(search_folders());
}

/// For some kernels NVRTC opens a second library by its bare name. The loader does not search the folder of a toolkit
/// or a wheel, but it finds a library that is already open. If there is no such file beside NVRTC, the loader searches.
void open_builtins(const nvrtc_library& l) {
    if (l.path.find('/') == std::string::npos) return;
    std::error_code failed;
    const std::filesystem::path file = std::filesystem::canonical(l.path, failed);  // it may be a link from elsewhere
    if (!failed) open_library(file.parent_path() / ("libnvrtc-builtins.so." + l.version_text));
}

std::optional<nvrtc_library> open(const std::string& path) {
    void* const h = open_library(path);
    if (h == nullptr) return std::nullopt;
    nvrtc_library l{};
    const bool complete =
        find_function(h, "nvrtcGetErrorString", l.get_error_string) && find_function(h, "nvrtcVersion", l.version) &&
        find_function(h, "nvrtcGetNumSupportedArchs", l.get_num_supported_archs) &&
        find_function(h, "nvrtcGetSupportedArchs", l.get_supported_archs) &&
        find_function(h, "nvrtcCreateProgram", l.create_program) &&
        find_function(h, "nvrtcDestroyProgram", l.destroy_program) &&
        find_function(h, "nvrtcCompileProgram", l.compile_program) &&
        find_function(h, "nvrtcGetPTXSize", l.get_ptx_size) && find_function(h, "nvrtcGetPTX", l.get_ptx) &&
        find_function(h, "nvrtcGetCUBINSize", l.get_cubin_size) && find_function(h, "nvrtcGetCUBIN", l.get_cubin) &&
        find_function(h, "nvrtcGetProgramLogSize", l.get_program_log_size) &&
        find_function(h, "nvrtcGetProgramLog", l.get_program_log);
    int major = 0, minor = 0, count = 0;
    if (!complete || l.version(&major, &minor) != NVRTC_SUCCESS || l.get_num_supported_archs(&count) != NVRTC_SUCCESS ||
        count <= 0)
        return std::nullopt;
    l.archs.resize(static_cast<std::size_t>(count));
    if (l.get_supported_archs(l.archs.data()) != NVRTC_SUCCESS) return std::nullopt;
    std::sort(l.archs.begin(), l.archs.end());
    l.path = path;
    l.version_text = fmt::format("{}.{}", major, minor);
    open_builtins(l);
    return l;
}

/// A compilation allocates and frees about 10 MB in small pieces. Initially glibc's malloc returns free memory beyond
/// 128 KB to the system, which clears and maps pages again for the next piece: 10 to 20 % of the time. malloc keeps up
/// to twice the largest block that was ever freed, up to 64 MB (mallopt(3), M_MMAP_THRESHOLD). So freeing one large
/// block, as programs with arrays do anyway, is enough, and sets no policy for the process.
void keep_freed_memory() {
    void* volatile block = std::malloc(std::size_t{16} << 20);  // volatile: else compilers remove both calls
    std::free(block);
}

std::optional<nvrtc_library> search() {
    keep_freed_memory();
    if (const std::string wish = wished_file(); !wish.empty()) return opened_by_name("SINTER_NVRTC", wish, open);
    if (auto library = first_opened(candidate_files(), open)) return library;
    return first_opened({std::begin(library_names), std::end(library_names)}, open);  // the loader's own cache
}

std::string identify() {
    const std::vector<std::string> files = candidate_files();
    if (files.empty()) {
        const nvrtc_library* const library = find_nvrtc();
        return library == nullptr ? "no NVRTC" : fmt::format("NVRTC {} {}", library->version_text, library->path);
    }
    // An update replaces the file, so its length and time identify the version without opening the library (100 MB, 7
    // ms).
    struct stat s {};
    if (stat(files.front().c_str(), &s) != 0) return "NVRTC " + files.front();
    return fmt::format("NVRTC {} {} {}.{:09}", files.front(), s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

}  // namespace

const nvrtc_library* find_nvrtc() {
    // Never destroyed: kernels may be compiled while static objects are destroyed.
    static const auto* const library = new std::optional<nvrtc_library>(search());
    return library->has_value() ? &**library : nullptr;
}

const nvrtc_library& require_nvrtc() {
    if (const nvrtc_library* const library = find_nvrtc()) return *library;
    throw error(
        "NVRTC, which compiles the kernels, was not found (libnvrtc.so.13 or .12): install the CUDA toolkit, or `pip "
        "install nvidia-cuda-nvrtc`, and set SINTER_NVRTC to the library's path if it is still not found");
}

const std::string& nvrtc_identity() {
    static const auto* const identity = new std::string(identify());
    return *identity;
}

std::optional<bool> name_is_at_least(const std::string& file_name, int major, int minor) {
    int of_file = 0, within = 0;
    const int known = std::sscanf(file_name.c_str(), "libnvrtc.so.%d.%d", &of_file, &within);
    if (known >= 1 && of_file != major) return of_file > major;
    if (known == 2) return within >= minor;
    return std::nullopt;
}

bool nvrtc_is_at_least(int major, int minor) {
    if (const std::vector<std::string> files = candidate_files(); !files.empty()) {
        std::error_code failed;
        const std::filesystem::path file = std::filesystem::canonical(files.front(), failed);
        const auto named = failed ? std::nullopt : name_is_at_least(file.filename(), major, minor);
        if (named) return *named;
    }
    const nvrtc_library* const library = find_nvrtc();
    return library == nullptr || *name_is_at_least("libnvrtc.so." + library->version_text, major, minor);
}

}  // namespace sinter::codegen
