// Finds and runs the compiler. All files are in folders that only this user can access.
#include <runtime/host/loop_compiler.hpp>

#include <codegen/support/created_once.hpp>
#include <codegen/support/printable.hpp>
#include <runtime/cache/trusted.hpp>
#include <runtime/host/instruction_set.hpp>
#include <runtime/system/environment.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sinter::codegen {
namespace {

// As for the loops of codegen/rows, so that values have the same bits: no contraction or reordering. Comparisons are
// vectorised only where they may not trap. No headers, no start files, no library but libm.
constexpr std::string_view flags =
    "-std=c++20 -O3 -fPIC -shared -nostartfiles -nodefaultlibs -fvisibility=hidden -fno-math-errno "
    "-fno-trapping-math -ffp-contract=off -fwrapv -fno-strict-aliasing -fno-exceptions -fno-rtti "
    "-fno-asynchronous-unwind-tables -fno-stack-protector -w -x c++";
constexpr double max_seconds = 60;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string architecture_flag() {
#if defined(__x86_64__)
    switch (host_instruction_set()) {
        case instruction_set::baseline: return "-march=x86-64";
        case instruction_set::v3: return "-march=x86-64-v3";
        case instruction_set::v4: return "-march=x86-64-v4";
    }
#endif
    return {};
}

std::vector<std::string> words(std::string_view text) {
    std::istringstream in{std::string(text)};
    return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

/// The compiler at this path, identified by its file. Empty if there is none that may be run.
std::optional<loop_compiler> compiler_at(const std::string& path) {
    const opened file = open_trusted_file(path);
    struct stat s {};
    if (!file.file || ::fstat(file.file.get(), &s) != 0 || ::access(path.c_str(), X_OK) != 0) return std::nullopt;
    return loop_compiler{path, fmt::format("{} {} {}.{} {} {}", path, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec,
                                           flags, architecture_flag())};
}

std::optional<loop_compiler> compiler_named(const std::string& name) {
    if (name.find('/') != name.npos) return compiler_at(name);
    std::istringstream path(environment("PATH"));
    for (std::string folder; std::getline(path, folder, ':');)
        if (!folder.empty() && folder[0] == '/')
            if (auto found = compiler_at(folder + '/' + name)) return found;
    return std::nullopt;
}

loop_compiler find_compiler() {
    if (::getauxval(AT_SECURE) != 0) return {};
    const std::string wanted = environment("SINTER_HOST_COMPILER");
    if (wanted == "off") return {};
    std::optional<loop_compiler> found;
    if (!wanted.empty() && wanted != "wait") {
        found = compiler_named(wanted);
        if (!found)
            refuse_environment(
                "SINTER_HOST_COMPILER", wanted,
                "there is no such program, or others than its owner can write it; name a C++ compiler, or off");
    }
    for (const char* const name : {"c++", "g++", "clang++"})
        if (!found) found = compiler_named(name);
    loop_compiler one = found.value_or(loop_compiler{});
    one.waits = wanted == "wait";
    return one;
}

/// A new folder that only this user can access.
std::string own_folder() {
    const std::string base = environment("TMPDIR");
    std::string path = (base.empty() ? "/tmp" : base) + "/sinter-loops-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr)
        throw error(fmt::format("no folder {}: {}; set TMPDIR to one that can be written", path, std::strerror(errno)));
    return path;
}

void write_file(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void remove_folder(const std::string& folder) {
    for (const char* const name : {"loops.cpp", "loops.so", "log"}) ::unlink((folder + '/' + name).c_str());
    ::rmdir(folder.c_str());
}

}  // namespace

const loop_compiler& host_loop_compiler() {
    static constinit std::atomic<const loop_compiler*> found{nullptr};
    return created_once(found, [] { return new loop_compiler(find_compiler()); });
}

compilation::compilation(const std::string& source) : owner_(::getpid()), deadline_(now() + max_seconds) {
    try {
        folder_ = own_folder();
        write_file(file("loops.cpp"), source);
        start();
    } catch (const error& e) {
        why_ = e.what();
    }
}

void compilation::start() {
    std::vector<std::string> arguments = {host_loop_compiler().path};
    for (const std::string& word : words(flags)) arguments.push_back(word);
    if (const std::string flag = architecture_flag(); !flag.empty()) arguments.push_back(flag);
    for (const std::string& word : {file("loops.cpp"), std::string("-o"), file("loops.so"), std::string("-lm")})
        arguments.push_back(word);
    std::vector<char*> argv;
    for (std::string& word : arguments) argv.push_back(word.data());
    argv.push_back(nullptr);

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, file("log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
#endif
#endif
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    pid_t child = -1;
    const int failed = ::posix_spawn(&child, argv[0], &files, &how, argv.data(), environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) throw error(fmt::format("{} does not start: {}", argv[0], std::strerror(failed)));
    child_ = child;
}

compilation::~compilation() {
    if (owner_ != ::getpid()) return;
    if (child_ >= 0) {
        ::kill(child_, SIGKILL);
        while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    if (!folder_.empty()) remove_folder(folder_);
}

bool compilation::is_over(bool wait) {
    if (child_ < 0 || owner_ != ::getpid()) return true;
    int status = 0;
    pid_t ended = 0;
    do ended = ::waitpid(child_, &status, wait ? 0 : WNOHANG);
    while (ended < 0 && errno == EINTR);
    if (ended == 0 && now() < deadline_) return false;
    if (ended == 0) {
        ::kill(child_, SIGKILL);
        while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
        }
        why_ = fmt::format("{} takes more than {} s", host_loop_compiler().path, max_seconds);
    }
    child_ = -1;
    // A program that waits for any child may have taken the status; then the object file decides, which is linked last.
    succeeded_ = why_.empty() && (ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return true;
}

std::string compilation::image() const { return succeeded_ ? read_file(file("loops.so")) : std::string(); }

std::string compilation::failure() const {
    if (!why_.empty()) return why_;
    const std::string log = read_file(file("log"));
    return fmt::format("{} says \"{}\"", host_loop_compiler().path, printable(log.substr(0, log.find('\n')), 160));
}

loaded_loops::loaded_loops(const std::string& image) {
    const std::string folder = own_folder(), file = folder + "/loops.so";
    write_file(file, image);
    handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    const char* const why = handle_ == nullptr ? ::dlerror() : nullptr;
    const std::string said = why != nullptr ? printable(why, 160) : "";
    remove_folder(folder);
    if (handle_ == nullptr) throw error("the compiled loops cannot be loaded: " + said);
}

void* loaded_loops::find(const std::string& function) const { return ::dlsym(handle_, function.c_str()); }

}  // namespace sinter::codegen
