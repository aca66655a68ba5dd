// Runs the host's compiler on generated source. For each kernel it appends a function that unpacks a launch's
// arguments.
#include <tests/emulate/host_compiler.hpp>
#include <tests/support/content.hpp>

#include <sinter/error.hpp>

#include <dlfcn.h>
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

extern char** environ;

namespace sinter::emulate {
namespace {

constexpr std::size_t dynamic_capacity = 227 * 1024;

// -O1 and no library but libm keep a compilation near 0.1 s. The sanitizers' hooks are in the shim, so none of their
// libraries is linked. Threads that go wrong are unwound, through calls that the compiler takes not to throw, so the
// text is compiled to know no exceptions at all. Nothing is contracted, as in the host back end that results are
// compared with. A signed overflow is reported: nvcc takes it never to happen. The table's bodies ask every type
// whether it is NaN (x != x), integers too, and multiply and negate bool as well. That clang does not unroll a loop
// that asks for it is no fault of the text; nor is a guess of g++'s, who does not see that two conditions are one:
// what is read before it is written the interpreter finds.
constexpr const char* flags =
    "-std=c++20 -O1 -fPIC -fvisibility=hidden -fno-exceptions -fasynchronous-unwind-tables "
    "-Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-tautological-compare -Wno-int-in-bool-context -Wno-bool-operation "
    "-Wno-unknown-warning-option -Wno-pass-failed -Wno-maybe-uninitialized "  // clang++ and g++ know one of these each
    "-fno-strict-aliasing -ffp-contract=off -fno-math-errno "
    "-fsanitize=thread,alignment,bounds,signed-integer-overflow";
constexpr const char* link_flags = "-shared -nostartfiles -nodefaultlibs -Wl,--no-as-needed -lm";

constexpr const char* here = SINTER_TEST_DIR "/emulate/";

/// Appends the words of a text to others.
std::vector<std::string> words(const std::string& text, std::vector<std::string> all = {}) {
    std::istringstream in(text);
    all.insert(all.end(), std::istream_iterator<std::string>(in), std::istream_iterator<std::string>());
    return all;
}

/// A temporary folder for one compilation or one load, removed with its contents.
class scratch_folder {
public:
    scratch_folder() {
        const char* base = std::getenv("TMPDIR");
        path_ = fmt::format("{}/sinter-emulate-XXXXXX", base != nullptr && *base != '\0' ? base : "/tmp");
        if (mkdtemp(path_.data()) == nullptr)
            throw error(fmt::format("emulated: cannot create a folder {}; set TMPDIR to a writable one", path_));
    }
    ~scratch_folder() {
        for (const char* name : {"kernel.cu", "kernel.so", "log"}) unlink(file(name).c_str());
        rmdir(path_.c_str());
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    std::string file(const char* name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

/// Runs a program with its output in a file. True when it succeeded.
bool run_program(const std::vector<std::string>& arguments, const std::string& log) {
    std::vector<char*> argv;
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), 0x241 /* write, create, truncate */, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        throw error(fmt::format("emulated: cannot run the C++ compiler {}; install it or set CXX", arguments[0]));
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The compiler's command: $CXX, else the compiler that built the tests.
std::vector<std::string> compiler() {
    const char* set = std::getenv("CXX");
    return words(set != nullptr && *set != '\0' ? set : SINTER_CXX);
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The source with its comments blanked, for searches.
std::string without_comments(std::string text) {
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        const std::string_view at(text.data() + i, 2);
        const char* const close = at == "//" ? "\n" : at == "/*" ? "*/" : nullptr;
        if (close == nullptr) continue;
        std::size_t end = text.find(close, i + 2);
        if (end == std::string::npos) end = text.size();
        for (; i < end; ++i)
            if (text[i] != '\n') text[i] = ' ';
    }
    return text;
}

struct declaration {
    std::string name;
    std::string bounds = "0";   ///< of __launch_bounds__
    std::string cluster = "1";  ///< of __cluster_dims__
};

/// The kernels of a source: the name before the parameter list that follows __global__.
std::vector<declaration> kernels_of(const std::string& text) {
    constexpr std::string_view global = "__global__";
    std::vector<declaration> found;
    for (std::size_t at = text.find(global); at != std::string::npos; at = text.find(global, at + 1)) {
        declaration kernel;
        std::size_t open = text.find('(', at);
        for (;;) {
            if (open == std::string::npos) return found;
            std::size_t end = open;
            while (end > at && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
            std::size_t begin = end;
            while (begin > at && is_name(text[begin - 1])) --begin;
            kernel.name = text.substr(begin, end - begin);
            const bool bounds = kernel.name == "__launch_bounds__", cluster = kernel.name == "__cluster_dims__";
            if (!bounds && !cluster) break;
            (bounds ? kernel.bounds : kernel.cluster) =
                text.substr(open + 1, text.find_first_of(",)", open) - open - 1);
            open = text.find('(', text.find(')', open));
        }
        found.push_back(kernel);
    }
    return found;
}

/// Replaces `extern __shared__ T name[]` by a plain declaration; returns the array's name, empty without one.
std::string take_dynamic_shared(std::string& text, const std::string& searchable) {
    const std::size_t at = searchable.find("extern __shared__");
    if (at == std::string::npos) return {};
    text.replace(at, 17, "extern           ");
    const std::size_t bracket = searchable.find('[', at);
    std::size_t begin = bracket;
    while (begin > at && is_name(searchable[begin - 1])) --begin;
    return searchable.substr(begin, bracket - begin);
}

/// The symbols that the emulator looks up per kernel: its entry, its bounds, its shared memory. `suffix` distinguishes
/// the kernels of several sources.
std::string entries(const std::string& searchable, const std::string& suffix) {
    std::string all = "\n#line 1 \"entries\"\n";
    for (const declaration& kernel : kernels_of(searchable))
        all += fmt::format(
            "extern \"C\" __attribute__((visibility(\"default\"), no_sanitize(\"thread\", \"alignment\"))) "
            "void {0}{2}__emulate(void** arguments) {{ sinter_emulate::call(&{0}, arguments); }}\n"
            "extern \"C\" {{ extern __attribute__((visibility(\"default\"))) const int {0}{2}__most_threads;\n"
            "const int {0}{2}__most_threads = {1};\n"
            "extern __attribute__((visibility(\"default\"))) const int {0}{2}__cluster;\n"
            "const int {0}{2}__cluster = {3};\n"
            "extern __attribute__((visibility(\"default\"))) char* const {0}{2}__shared[2];\n"
            "char* const {0}{2}__shared[2] = {{__start_emulated_shared{2}, __stop_emulated_shared{2}}};\n"
            "extern __attribute__((visibility(\"default\"))) const size_t* const {0}{2}__parameter_bytes;\n"
            "const size_t* const {0}{2}__parameter_bytes = sinter_emulate::parameters<&{0}>::bytes; }}\n",
            kernel.name, kernel.bounds, suffix, kernel.cluster);
    return all;
}

std::string with_entries(const std::string& text) {
    const std::string searchable = without_comments(text);
    std::string all = text;
    const std::string dynamic = take_dynamic_shared(all, searchable);
    all = "#line 1 \"kernel.cu\"\n" + all + entries(searchable, "");
    if (!dynamic.empty())
        all += fmt::format(
            "extern \"C\" {{ __attribute__((visibility(\"default\"), aligned(16), section(\"emulated_shared\"))) char "
            "sinter_emulate_dynamic[{}]; }}\n__asm__(\".set {}, sinter_emulate_dynamic\");\n",
            dynamic_capacity, dynamic);
    return all;
}

/// CUDA's functions that a source overloads for complex numbers: in a namespace, its overloads would hide CUDA's.
std::string overloaded(const std::string& searchable) {
    std::string all;
    for (const char* name : {"abs",  "exp",  "log",  "log2", "log10", "sqrt",  "pow",   "sin",  "cos",
                             "tan",  "asin", "acos", "atan", "asinh", "acosh", "atanh", "sinh", "__shfl_xor_sync",
                             "cosh", "tanh"})
        if (searchable.find(fmt::format(" {}(const complex<R>", name)) != std::string::npos ||
            searchable.find(fmt::format(" {}(const unsigned mask, const complex<R>", name)) != std::string::npos)
            all += fmt::format("using ::{};\n", name);
    return all;
}

/// One of several sources: in a separate namespace, with separate shared memory and kernel names.
std::string one_among(const std::string& text, const std::string& suffix) {
    const std::string searchable = without_comments(text);
    if (searchable.find("extern __shared__") != std::string::npos)
        throw error("emulated: one of several texts has dynamic shared memory; compile it alone");
    std::string renamed, named_again;
    for (const declaration& kernel : kernels_of(searchable)) {
        renamed += fmt::format("#define {0} {0}{1}\n", kernel.name, suffix);
        named_again += fmt::format("#undef {}\n", kernel.name);
    }
    return fmt::format(
        "#undef SINTER_EMULATE_SHARED\n#define SINTER_EMULATE_SHARED \"emulated_shared{0}\"\n"
        "extern \"C\" {{ extern char __start_emulated_shared{0}[] __attribute__((weak, visibility(\"hidden\")));\n"
        "extern char __stop_emulated_shared{0}[] __attribute__((weak, visibility(\"hidden\"))); }}\n"
        "namespace text{0} {{\n{5}{1}#line 1 \"kernel{0}.cu\"\n{2}{3}{4}}}\n",
        suffix, renamed, text, entries(searchable, suffix), named_again, overloaded(searchable));
}

std::string numbered(const std::string& text) {
    std::istringstream in(text);
    std::string all, line;
    for (int n = 1; std::getline(in, line); ++n) all += fmt::format("{:4} | {}\n", n, line);
    return all;
}

std::uint64_t hash_of(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

/// The option with which the sanitizer distinguishes volatile accesses.
std::string volatile_flags() {
    return host_toolchain().find("clang") != std::string::npos ? " -mllvm -tsan-distinguish-volatile=1"
                                                               : " --param tsan-distinguish-volatile=1";
}

/// The shim's file to include. Parsing it is a fifth of a compilation, so the first process that needs it precompiles
/// it for all processes with the same toolchain. If that fails, the plain file is used.
const std::string& shim() {
    static const std::string path = [] {
        const std::string plain = std::string(here) + "cuda_shim.hpp";
        const std::string kept = fmt::format("{}/shim_{:016x}.hpp", SINTER_TEST_BUILD_DIR, hash_of(host_toolchain()));
        const std::string precompiled = kept + ".gch";  // the compiler looks for that name
        if (access(precompiled.c_str(), R_OK) == 0) return kept;
        const std::string made =
            fmt::format("{}.{}", precompiled, getpid());  // renamed when complete: others may read it
        std::ofstream(made) << fmt::format("#include \"{}\"\n", plain);
        if (std::rename(made.c_str(), kept.c_str()) != 0) return plain;
        std::vector<std::string> arguments = words(flags + volatile_flags(), compiler());
        arguments.insert(arguments.end(), {"-o", made, "-x", "c++-header", kept});
        const bool done =
            run_program(arguments, scratch_folder().file("log")) && std::rename(made.c_str(), precompiled.c_str()) == 0;
        return done ? kept : plain;
    }();
    return path;
}

std::string compile(const std::string& prepared, const std::string& text, const std::vector<std::string>& options) {
    const scratch_folder folder;
    const std::string source = folder.file("kernel.cu"), object = folder.file("kernel.so"), log = folder.file("log");
    std::ofstream(source, std::ios::binary) << prepared;
    std::vector<std::string> arguments = words(flags + volatile_flags() + " " + link_flags, compiler());
    for (const std::string& option : options) {
        // the options of a kernel that need not be exact: the host is exact
        if (option.starts_with("--prec-") || option.starts_with("--ftz") || option == "--use_fast_math") continue;
        if (!option.starts_with("-D"))
            throw error(fmt::format("emulated: the host's compiler takes no option {}; use -D alone", option));
        arguments.push_back(option);
    }
    arguments.insert(arguments.end(), {"-include", shim(), "-o", object, "-x", "c++", source});
    if (!run_program(arguments, log))
        throw error(
            fmt::format("emulated: the host's C++ compiler refuses the generated source; its log says why\n{}\n{}",
                        test::content(log), numbered(text)));
    return test::content(object);
}

}  // namespace

std::string entry_among(const std::string& name, std::size_t text) { return fmt::format("{}_{}", name, text); }

std::string compile_for_host(const std::string& text, const std::vector<std::string>& options) {
    return compile(with_entries(text), text, options);
}

std::string compile_for_host(const std::vector<std::string>& texts) {
    std::string all;
    for (std::size_t i = 0; i < texts.size(); ++i) all += one_among(texts[i], entry_among("", i));
    return compile(all, all, {});
}

const std::string& host_toolchain() {
    static const std::string all = [] {
        const scratch_folder folder;
        std::vector<std::string> arguments = compiler();
        arguments.emplace_back("--version");
        run_program(arguments, folder.file("log"));
        const std::string version = test::content(folder.file("log"));
        std::string headers;
        for (const char* name : {"abi.hpp", "cuda_math.hpp", "cuda_shim.hpp", "../../include/sinter/op/special.def"})
            headers += test::content(std::string(here) + name);
        return fmt::format("emulated; {}; {} {}; shim {:016x}", version.substr(0, version.find('\n')), flags,
                           link_flags, hash_of(headers));
    }();
    return all;
}

shared_object::shared_object(const std::string& bytes) {
    // The loader identifies a file by its inode, so each object needs a separate file, which may be removed once open.
    const scratch_folder folder;
    const std::string object = folder.file("kernel.so");
    std::ofstream(object, std::ios::binary) << bytes;
    handle_ = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw error(fmt::format("emulated: cannot load a compiled kernel: {}", dlerror()));
}

shared_object::~shared_object() { dlclose(handle_); }

void* shared_object::find(const std::string& symbol) const { return dlsym(handle_, symbol.c_str()); }

image::image(std::shared_ptr<const shared_object> object, const std::string& entry) : object_(std::move(object)) {
    state = static_cast<sinter_emulate::image_state*>(object_->find("sinter_emulate_image"));
    kernel = reinterpret_cast<void (*)(void**)>(object_->find(entry + "__emulate"));
    const void* most = object_->find(entry + "__most_threads");
    const void* shared = object_->find(entry + "__shared");
    if (state == nullptr || kernel == nullptr || most == nullptr || shared == nullptr)
        throw error(
            fmt::format("emulated: the image holds no kernel {}; name a __global__ function of the source", entry));
    max_threads = *static_cast<const int*>(most);
    cluster = *static_cast<const int*>(object_->find(entry + "__cluster"));
    shared_begin = static_cast<char* const*>(shared)[0];
    shared_end = static_cast<char* const*>(shared)[1];
    const auto* sizes = static_cast<const std::size_t* const*>(object_->find(entry + "__parameter_bytes"));
    for (const std::size_t* size = *sizes; *size != 0; ++size) parameter_bytes.push_back(*size);
    dynamic_shared = static_cast<char*>(object_->find("sinter_emulate_dynamic"));
    if (dynamic_shared != nullptr) dynamic_capacity = emulate::dynamic_capacity;
}

}  // namespace sinter::emulate
