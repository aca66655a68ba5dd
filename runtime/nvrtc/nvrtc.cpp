// Compiles CUDA C++ source by NVRTC, and reads registers, shared memory and spills from ptxas's report.
#include <runtime/nvrtc/nvrtc.hpp>

#include <runtime/nvrtc/nvrtc_library.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

namespace sinter::codegen {

namespace {

// The generated source is C++17. By default NVRTC raises the stack limit of the whole process while it compiles; a
// library must not. -v makes ptxas report resources, at no measurable cost.
constexpr std::array base_options = {"--std=c++17", "--modify-stack-limit=false"};
constexpr const char* report_option = "--ptxas-options=-v";
// Older NVRTC versions lack these; the least known option comes last. The first omits declarations of texture and
// run-time functions, which kernels here do not use, and saves 3 of 30 ms. The second keeps NVRTC 13 from using the
// driver's cache in addition to Sinter's.
constexpr std::array newer_options = {"--minimal", "--no-cache"};
std::atomic<std::size_t> newer_options_known{newer_options.size()};

struct target {
    int arch;
    bool ptx;
    bool own;  ///< instructions of this architecture alone may be used
};

/// Products of warpgroups are no part of sm_90 but of sm_90a, which no other architecture runs.
const char* suffix(int arch) { return arch == 90 ? "a" : ""; }

/// A cubin if NVRTC knows the architecture, else PTX for the newest older one, which the driver translates.
target choose_target(const nvrtc_library& nvrtc, int arch, bool ptx_only) {
    const auto after = std::upper_bound(nvrtc.archs.begin(), nvrtc.archs.end(), arch);
    if (after == nvrtc.archs.begin())
        throw error(
            fmt::format("NVRTC {} ({}) compiles for sm_{} and newer, not for this device's sm_{}: set SINTER_NVRTC "
                        "to an older libnvrtc, such as CUDA 12's",
                        nvrtc.version_text, nvrtc.path, nvrtc.archs.front(), arch));
    const int nearest = *std::prev(after);
    return {nearest, ptx_only || nearest != arch, nearest == arch};
}

class program {
public:
    program(const nvrtc_library& nvrtc, const std::string& source) : nvrtc_(nvrtc) {
        check(nvrtc_.create_program(&program_, source.c_str(), "sinter.cu", 0, nullptr, nullptr), "take the source");
    }
    ~program() { nvrtc_.destroy_program(&program_); }
    program(const program&) = delete;
    program& operator=(const program&) = delete;

    nvrtcResult compile(const std::vector<const char*>& options) {
        return nvrtc_.compile_program(program_, static_cast<int>(options.size()), options.data());
    }
    std::string image(bool ptx) const {
        return ptx ? text(nvrtc_.get_ptx_size, nvrtc_.get_ptx) : text(nvrtc_.get_cubin_size, nvrtc_.get_cubin);
    }
    std::string log() const {
        std::string s = text(nvrtc_.get_program_log_size, nvrtc_.get_program_log);
        while (!s.empty() && (s.back() == '\0' || s.back() == '\n')) s.pop_back();
        return s;
    }

private:
    void check(nvrtcResult r, const char* what) const {
        if (r != NVRTC_SUCCESS)
            throw error(fmt::format("NVRTC {} could not {}: {}; check that {} is intact", nvrtc_.version_text, what,
                                    nvrtc_.get_error_string(r), nvrtc_.path));
    }
    template <class Size, class Get>
    std::string text(Size size, Get get) const {
        std::size_t n = 0;
        check(size(program_, &n), "tell the size of its result");
        std::string s(n, '\0');
        if (n > 0) check(get(program_, s.data()), "give its result");
        return s;
    }

    const nvrtc_library& nvrtc_;
    nvrtcProgram program_ = nullptr;
};

/// The number before `unit` in a line, as 32 in "Used 32 registers"; 0 if there is none.
int number_before(std::string_view line, std::string_view unit) {
    const std::size_t end = line.find(unit);
    if (end == std::string_view::npos) return 0;
    std::size_t begin = end;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
    int n = 0;
    std::from_chars(line.data() + begin, line.data() + end, n);
    return n;
}

/// Parses ptxas's report and removes it from the log; what remains are warnings.
void read_report(compiled& c, const std::string& log) {
    resources& u = c.usage;
    for (std::size_t from = 0; from < log.size();) {
        const std::size_t to = std::min(log.find('\n', from), log.size());
        const std::string_view line = std::string_view(log).substr(from, to - from);
        from = to + 1;
        if (line.find(" spill stores") != std::string_view::npos) {
            const int spilled = number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
            u.spill_bytes = std::max(u.spill_bytes, 0) + spilled;
        } else if (line.starts_with("ptxas info") && line.find(" registers") != std::string_view::npos) {
            u.registers = std::max(u.registers, number_before(line, " registers"));
            u.shared_bytes = std::max(u.shared_bytes, number_before(line, " bytes smem"));
        } else if ((!line.starts_with("ptxas info") && !line.empty()) ||
                   line.find("Potential Performance Loss") != std::string_view::npos) {
            c.log.append(line).push_back('\n');
        }
    }
}

std::string numbered(const std::string& source) {
    std::string text;
    int number = 0;
    for (std::size_t from = 0; from < source.size();) {
        const std::size_t to = std::min(source.find('\n', from), source.size());
        text += fmt::format("{:4}  {}\n", ++number, std::string_view(source).substr(from, to - from));
        from = to + 1;
    }
    return text;
}

[[noreturn]] void throw_refused(const nvrtc_library& nvrtc, nvrtcResult result, const std::string& options,
                                const std::string& author, const std::string& log, const std::string& source) {
    const std::string what = author.empty() ? "the kernel" : author;
    const char* const cure = author.empty()
                                 ? "if the expression contains an op of your own, correct its body; otherwise this is "
                                   "an internal error, please report it with the source below"
                                 : "correct its source or its options; the log says where";
    throw error(fmt::format("NVRTC {} did not compile {} ({}; {}): {}\n{}\n{}", nvrtc.version_text, what,
                            nvrtc.get_error_string(result), options, cure, log, numbered(source)));
}

}  // namespace

compiled compile_cuda(const std::string& source, int arch, const compile_options& wanted, bool ptx_only) {
    const nvrtc_library& nvrtc = require_nvrtc();
    const target t = choose_target(nvrtc, arch, ptx_only);
    const std::string architecture =
        fmt::format("--gpu-architecture={}_{}{}", t.ptx ? "compute" : "sm", t.arch, t.own ? suffix(t.arch) : "");
    for (;;) {
        std::vector<const char*> options{architecture.c_str()};
        options.insert(options.end(), base_options.begin(), base_options.end());
        for (const std::string& flag : wanted.flags) options.push_back(flag.c_str());
        if (!t.ptx) options.push_back(report_option);
        const std::size_t newer = newer_options_known;
        options.insert(options.end(), newer_options.begin(),
                       std::next(newer_options.begin(), static_cast<std::ptrdiff_t>(newer)));
        program p(nvrtc, source);
        const nvrtcResult result = p.compile(options);
        if (result == NVRTC_ERROR_INVALID_OPTION && newer > 0) {
            newer_options_known = newer - 1;
            continue;
        }
        if (result != NVRTC_SUCCESS)
            throw_refused(nvrtc, result, fmt::format("{}", fmt::join(options, " ")), wanted.author, p.log(), source);
        compiled c;
        c.image = p.image(t.ptx);
        c.usage.image_bytes = c.image.size();
        read_report(c, p.log());
        return c;
    }
}

bool nvrtc_available() { return find_nvrtc() != nullptr; }

std::string nvrtc_version() {
    const nvrtc_library* const nvrtc = find_nvrtc();
    return nvrtc == nullptr ? "" : nvrtc->version_text;
}

bool nvrtc_makes_tensor_maps() {
    constexpr int major = 12, minor = 3;
    return nvrtc_is_at_least(major, minor);
}

std::string nvrtc_toolchain(int arch) {
    return fmt::format("{}; sm_{}{} {}", nvrtc_identity(), arch, suffix(arch), fmt::join(base_options, " "));
}

}  // namespace sinter::codegen
