// Interprets kernels, and compares the results with those of compiled kernels.
#include <tests/emulate/interpreted_kernels.hpp>

#include <sinter/error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace sinter::emulate {
namespace {

constexpr std::string_view mark = "sinter interpreted kernel\n";
constexpr int usual_share = 25;

/// By instructions that the host does not have.
bool multiplies_matrices(const std::string& source) {
    return source.find("mma.sync") != std::string::npos || source.find("wgmma.mma_async") != std::string::npos;
}

int share_from_environment() {
    const char* const set = std::getenv("SINTER_EMULATE_COMPILE");
    if (set == nullptr || *set == '\0') return usual_share;
    int share = -1;
    const char* const end = set + std::strlen(set);
    if (std::from_chars(set, end, share).ptr != end || share < 0)
        throw error(fmt::format("SINTER_EMULATE_COMPILE is \"{}\"; set it to 0, 1 or a larger number", set));
    return share;
}

std::string heading_of(const std::string& source) {
    const std::string line = source.substr(0, source.find('\n'));
    return line.starts_with("// ") ? line.substr(3) : line;
}

template <class T>
bool is_nan_at(const char* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return std::isnan(value);
}

/// Equal bytes, or NaN with any sign and payload: C++ does not specify which operand's NaN results.
bool agree(dtype type, const char* a, const char* b) {
    const std::size_t size = size_of(type);
    if (std::memcmp(a, b, size) == 0) return true;
    switch (type) {
        case dtype::float32: return is_nan_at<float>(a) && is_nan_at<float>(b);
        case dtype::float64: return is_nan_at<double>(a) && is_nan_at<double>(b);
        case dtype::complex64: return agree(dtype::float32, a, b) && agree(dtype::float32, a + 4, b + 4);
        case dtype::complex128: return agree(dtype::float64, a, b) && agree(dtype::float64, a + 8, b + 8);
        case dtype::float8_e4m3:
        case dtype::float8_e5m2: {
            const int greatest = type == dtype::float8_e4m3 ? 0x7e : 0x7c;
            return (*a & 0x7f) > greatest && (*b & 0x7f) > greatest;
        }
        case dtype::float16:
        case dtype::bfloat16: {
            const unsigned infinity = type == dtype::float16 ? 0x7c00 : 0x7f80;
            std::uint16_t x = 0, y = 0;
            std::memcpy(&x, a, sizeof x);
            std::memcpy(&y, b, sizeof y);
            return (x & 0x7fffu) > infinity && (y & 0x7fffu) > infinity;
        }
        default: return false;
    }
}

/// Saves the memory around a pointer, and restores it.
struct saved_memory {
    char* at = nullptr;
    std::vector<char> bytes;

    void restore() const {
        if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    }
};

saved_memory save(const memory& from, const void* p) {
    const auto [begin, end] = from.bounds(p);
    return {const_cast<char*>(begin), std::vector<char>(begin, end)};
}

const char* pointer_at(void* const* arguments, std::size_t i) {
    const char* p = nullptr;
    std::memcpy(&p, arguments[i], sizeof p);
    return p;
}

}  // namespace

std::string interpreted_image::pack() const { return fmt::format("{}{}\n", mark, source.size()) + source + object; }

std::optional<interpreted_image> interpreted_image::unpack(const std::string& image) {
    if (!image.starts_with(mark)) return std::nullopt;
    const std::size_t line = image.find('\n', mark.size());
    const std::size_t size = std::stoul(image.substr(mark.size(), line - mark.size()));
    return interpreted_image{image.substr(line + 1, size), image.substr(line + 1 + size)};
}

interpreted_kernels::interpreted_kernels(memory& device_memory, block_runner& compiled)
    : compile_one_in(share_from_environment()),
      memory_(device_memory),
      checked_(device_memory, compiled.races()),
      runner_(checked_) {}

void interpreted_kernels::announce(const std::string& source,
                                   const std::shared_ptr<const codegen::device_ir::program>& program) {
    const bool is_only_compiled = compile_one_in == 0 && !multiplies_matrices(source);
    if (is_only_compiled || program == nullptr) return;
    auto kernel = interpret::kernel::of(program, heading_of(source));
    if (kernel == nullptr) return;
    const std::lock_guard lock(mutex_);
    known_[source] = std::move(kernel);
}

bool interpreted_kernels::knows(const std::string& source) const {
    const std::lock_guard lock(mutex_);
    return known_.count(source) != 0;
}

std::shared_ptr<const interpret::kernel> interpreted_kernels::take(const std::string& source) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(source);
    if (found == known_.end()) return nullptr;
    auto kernel = std::move(found->second);
    known_.erase(found);
    return kernel;
}

// PTX instructions are not C++.
bool interpreted_kernels::is_compiled_too(const std::string& source) const {
    if (multiplies_matrices(source)) return false;
    return std::hash<std::string>()(source) % static_cast<std::size_t>(std::max(compile_one_in, 1)) == 0;
}

std::string interpreted_kernels::run(const interpret::kernel& k, const interpret::launch_request& request) {
    return runner_.run(k, request);
}

std::string interpreted_kernels::run_both(const interpret::kernel& k, const interpret::launch_request& request,
                                          const std::function<std::string()>& compiled) {
    std::vector<saved_memory> before, interpreted;
    for (const std::size_t i : k.written) before.push_back(save(memory_, pointer_at(request.arguments, i)));
    if (std::string failure = run(k, request); !failure.empty()) return failure;
    for (const auto& [i, type] : k.results) interpreted.push_back(save(memory_, pointer_at(request.arguments, i)));
    for (const saved_memory& m : before) m.restore();
    if (std::string failure = compiled(); !failure.empty()) return failure;
    for (std::size_t r = 0; r < k.results.size(); ++r) {
        const auto [parameter, type] = k.results[r];
        const saved_memory& ours = interpreted[r];
        const std::size_t size = size_of(type);
        const auto first = static_cast<std::size_t>(pointer_at(request.arguments, parameter) - ours.at) % size;
        for (std::size_t at = first; at + size <= ours.bytes.size(); at += size)
            if (!agree(type, ours.bytes.data() + at, ours.at + at))
                return fmt::format(
                    "the interpreter and the compiled source differ in parameter {}, byte {} of its memory", parameter,
                    at);
    }
    return {};
}

std::string interpreted_kernels::checked_memory::access(const void* p, std::size_t bytes, interpret::access_kind kind) {
    using interpret::access_kind;
    const bool reads = kind != access_kind::write && kind != access_kind::volatile_write;
    const bool writes = kind != access_kind::read && kind != access_kind::volatile_read;
    if (reads && !memory_.is_written(p, bytes)) return "that nothing has written, " + describe(p);
    std::string wrong;
    memory_.use(p, bytes, writes, wrong);
    if (!wrong.empty() || !has_blocks_) return wrong;
    race_cell* const cells = memory_.race_cells(p, bytes);
    if (cells == nullptr) return "and the host has no memory left to find races in; use smaller arrays";
    const std::int64_t other = races_.access(cells, p, bytes, kind);
    if (other < 0) return {};
    return fmt::format("that block {} uses too, one of them writing, and no fence, flag or barrier orders the two, {}",
                       other, describe(p));
}

void interpreted_kernels::checked_memory::start_launch(std::int64_t blocks) {
    has_blocks_ = blocks > 1;
    races_.start();
}

}  // namespace sinter::emulate
