// The archive of images, its section in the program's file, and the run that fills it.
#include <runtime/cache/embedded.hpp>

#include <codegen/support/created_once.hpp>
#include <codegen/support/printable.hpp>
#include <runtime/cache/image.hpp>
#include <runtime/cache/sha256.hpp>
#include <runtime/cache/trusted.hpp>
#include <runtime/system/environment.hpp>
#include <runtime/system/warning.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sinter::codegen {

namespace {

constexpr char record_magic[8] = {'s', 'i', 'n', 't', 'e', 'r', 'e', '2'};
constexpr std::string_view section_name = ".sinter_kernels";

struct record_header {
    char magic[8];
    sha256 text_hash;
    sha256 image_hash;  ///< of text_hash, arch and image
    std::int32_t arch;
    std::int32_t reserved;  ///< 0
    std::uint64_t image_bytes;
    std::uint64_t more_reserved;  ///< 0: aligns the image to 16 bytes
};
static_assert(sizeof(record_header) == 96);

std::string_view bytes_of(const sha256& hash) { return {reinterpret_cast<const char*>(hash.data()), hash.size()}; }

sha256 image_hash_of(const sha256& text_hash, std::int32_t arch, std::string_view image) {
    return sha256_of({bytes_of(text_hash), {reinterpret_cast<const char*>(&arch), sizeof arch}, image});
}

std::size_t padded(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }

/// Maps the program's own file for good. It is running already, so its owner is not checked.
std::string_view mapped_program() {
    const int fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat s {};
    void* p = MAP_FAILED;
    if (fd >= 0 && ::fstat(fd, &s) == 0 && s.st_size > 0)
        p = ::mmap(nullptr, static_cast<std::size_t>(s.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0) ::close(fd);
    return p == MAP_FAILED ? std::string_view() : std::string_view(static_cast<const char*>(p), s.st_size);
}

/// A section of an ELF file; empty if there is none.
std::string_view section_of(std::string_view file) {
    Elf64_Ehdr h;
    if (file.size() < sizeof h) return {};
    std::memcpy(&h, file.data(), sizeof h);
    const auto inside = [&](std::uint64_t from, std::uint64_t bytes) {
        return from <= file.size() && bytes <= file.size() - from;
    };
    if (std::memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_shentsize != sizeof(Elf64_Shdr) || !inside(h.e_shoff, std::uint64_t{h.e_shnum} * sizeof(Elf64_Shdr)) ||
        h.e_shstrndx >= h.e_shnum)
        return {};
    const auto header = [&](std::size_t i) {
        Elf64_Shdr s;
        std::memcpy(&s, file.data() + h.e_shoff + i * sizeof s, sizeof s);
        return s;
    };
    const Elf64_Shdr names = header(h.e_shstrndx);
    for (std::size_t i = 0; i < h.e_shnum; ++i) {
        const Elf64_Shdr s = header(i);
        const std::uint64_t name = names.sh_offset + s.sh_name;
        if (inside(name, section_name.size() + 1) && inside(s.sh_offset, s.sh_size) &&
            std::string_view(file.data() + name, section_name.size() + 1) == std::string_view(".sinter_kernels", 16))
            return file.substr(s.sh_offset, s.sh_size);
    }
    return {};
}

std::vector<int> archs_of(const std::string& list) {
    std::vector<int> archs;
    for (std::size_t from = 0; from <= list.size();) {
        const std::size_t to = std::min(list.find_first_of(",;", from), list.size());
        const std::string one = list.substr(from, to - from);
        const int arch = one.starts_with("sm_") ? whole_number(one.substr(3)).value_or(0) : 0;
        if (arch < 50)
            throw error(fmt::format("SINTER_RECORD_ARCHS: no architecture '{}'; write sm_80,sm_90", printable(one)));
        archs.push_back(arch);
        from = to + 1;
    }
    return archs;
}

}  // namespace

image_archive::image_archive(std::string name, std::string_view content) : name_(std::move(name)) {
    record_header h;
    std::size_t at = 0;
    while (content.size() - at >= sizeof h) {
        std::memcpy(&h, content.data() + at, sizeof h);
        const std::size_t left = content.size() - at - sizeof h;
        if (std::memcmp(h.magic, record_magic, sizeof h.magic) != 0 || h.image_bytes > left) break;
        records_.emplace(bytes_of(h.text_hash),
                         record{h.arch, h.image_hash, content.substr(at + sizeof h, h.image_bytes)});
        at += sizeof h + std::min(padded(h.image_bytes), left);
    }
    if (at < content.size())
        warn(
            fmt::format("{}: at byte {} of {} no compiled kernel begins, so only the {} before it are used; record the "
                        "file again (SINTER_RECORD_KERNELS) with this version of Sinter",
                        name_, at, content.size(), records_.size()));
}

std::optional<std::string> image_archive::find(const std::string& text, int arch) const {
    if (records_.empty()) return std::nullopt;
    const sha256 hash = sha256_of({text});
    const auto [begin, end] = records_.equal_range(std::string(bytes_of(hash)));
    const record* best = nullptr;
    for (auto it = begin; it != end; ++it) {
        const record& r = it->second;
        if (r.arch / 10 == arch / 10 && r.arch <= arch && (best == nullptr || r.arch > best->arch)) best = &r;
    }
    if (best == nullptr) return std::nullopt;
    if (image_hash_of(hash, best->arch, best->image) == best->hash) return std::string(best->image);
    if (!said_damaged_.exchange(true))
        warn(
            fmt::format("{}: a compiled kernel for sm_{} is damaged, so it is compiled again; record the file again "
                        "(SINTER_RECORD_KERNELS)",
                        name_, best->arch));
    return std::nullopt;
}

void append_image(const std::string& file, const std::string& text, int arch, const std::string& image) {
    record_header h{};
    std::memcpy(h.magic, record_magic, sizeof h.magic);
    h.text_hash = sha256_of({text});
    h.image_hash = image_hash_of(h.text_hash, arch, image);
    h.arch = arch;
    h.image_bytes = image.size();
    std::string record(reinterpret_cast<const char*>(&h), sizeof h);
    record += image;
    record.resize(sizeof h + padded(image.size()));
    // A single append, so that processes that record into the same file do not interfere.
    descriptor f(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644));
    struct stat s {};
    const bool regular = f && ::fstat(f.get(), &s) == 0 && S_ISREG(s.st_mode);
    if (!regular || ::write(f.get(), record.data(), record.size()) != static_cast<ssize_t>(record.size()) || !f.close())
        throw error(fmt::format("SINTER_RECORD_KERNELS: cannot write {}; name a regular file that can be written",
                                printable(file, file.size())));
}

namespace {

/// The content of the file that SINTER_KERNELS names; empty, after a warning, if it must not be used. It is read rather
/// than mapped: rewriting a mapped file would crash the running program.
std::string kernels_file(const std::string& path) {
    const opened f = open_trusted_file(path);
    std::string content, why = f.refusal;
    if (!f.file && why.empty()) why = path + " does not exist";
    char block[1 << 16];
    while (f.file) {
        const ssize_t n = ::read(f.file.get(), block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) why = fmt::format("{} cannot be read: {}", path, std::strerror(errno));
        if (n <= 0) break;
        content.append(block, static_cast<std::size_t>(n));
    }
    if (why.empty()) return content;
    warn(fmt::format(
        "SINTER_KERNELS: {}, so kernels are compiled; name a file of compiled kernels that only you can write", why));
    return {};
}

}  // namespace

const image_archive& embedded_images() {
    // Never destroyed: kernels may be looked up while static objects are destroyed.
    static const image_archive* const archive = [] {
        const std::string path = environment("SINTER_KERNELS");
        if (path.empty())
            return new image_archive("the program's section .sinter_kernels", section_of(mapped_program()));
        static const std::string* const content = new std::string(kernels_file(path));  // the archive refers to it
        return new image_archive("SINTER_KERNELS=" + path, *content);
    }();
    return *archive;
}

const kernel_record& wanted_record() {
    static constinit std::atomic<const kernel_record*> wanted{nullptr};
    return created_once(wanted, [] {
        kernel_record r{environment("SINTER_RECORD_KERNELS"), {}};
        const std::string archs = environment("SINTER_RECORD_ARCHS");
        if (!r.file.empty()) r.archs = archs_of(archs.empty() ? "sm_90" : archs);
        return new kernel_record(r);
    });
}

void record_kernel(int arch, const std::string& entry, const std::string& source, const compile_options& options) {
    static std::mutex& mutex = *new std::mutex;
    static std::unordered_set<std::string>& known = *new std::unordered_set<std::string>;
    const std::string text = cache_text(entry, source, options);
    const std::lock_guard lock(mutex);
    if (known.insert(fmt::format("{} {}", arch, text)).second)
        append_image(wanted_record().file, text, arch, compile_image(source, arch, options));
}

void require_tensor_maps(bool are_compiled, const std::string& version) {
    if (are_compiled) return;
    throw error(
        fmt::format("recording kernels for sm_90 takes NVRTC 12.3 or newer, since products there are copied by tensor "
                    "maps; NVRTC {} was found: install a newer one, or leave sm_90 out of SINTER_RECORD_ARCHS",
                    version));
}

std::string cache_text(const std::string& entry, const std::string& source, const compile_options& options) {
    std::string text = "Sinter " SINTER_VERSION "\n";
    for (const std::string& flag : options.flags) text += flag + ' ';
    return text + "\n" + entry + "\n" + source;
}

}  // namespace sinter::codegen
