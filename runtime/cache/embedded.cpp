// The archive of images, its place in the program's file, and the run that fills it.
#include <runtime/cache/embedded.hpp>

#include <codegen/kept.hpp>
#include <runtime/cache/image.hpp>
#include <runtime/system/environment.hpp>
#include <sinter/error.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_set>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sinter::codegen {

namespace {

constexpr char record_magic[8] = {'s', 'i', 'n', 't', 'e', 'r', 'e', '1'};
constexpr std::string_view section_name = ".sinter_kernels";

struct record_header {
    char magic[8];
    char text_hash[16];
    std::int32_t arch;
    std::int32_t reserved;  ///< 0
    std::uint64_t image_bytes;
    std::uint64_t image_hash;
};
static_assert(sizeof(record_header) == 48);

std::string hash_of(const std::string& text) {
    const XXH128_hash_t h = XXH3_128bits(text.data(), text.size());
    std::string bytes(sizeof h, '\0');
    std::memcpy(bytes.data(), &h, sizeof h);
    return bytes;
}

std::size_t padded(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }

/// A file in memory, which stays there.
std::string_view mapped(const char* path) {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat s {};
    void* p = MAP_FAILED;
    if (fd >= 0 && ::fstat(fd, &s) == 0 && s.st_size > 0)
        p = ::mmap(nullptr, static_cast<std::size_t>(s.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0) ::close(fd);
    return p == MAP_FAILED ? std::string_view() : std::string_view(static_cast<const char*>(p), s.st_size);
}

/// A section of an ELF file; empty where it has none.
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
        if (arch < 50) throw error(fmt::format("SINTER_RECORD_ARCHS: no architecture '{}'; write sm_80,sm_90", one));
        archs.push_back(arch);
        from = to + 1;
    }
    return archs;
}

}  // namespace

image_archive::image_archive(const char* data, std::size_t bytes) {
    record_header h;
    for (std::size_t at = 0; bytes - at >= sizeof h;) {
        std::memcpy(&h, data + at, sizeof h);
        const std::size_t left = bytes - at - sizeof h;
        if (std::memcmp(h.magic, record_magic, sizeof h.magic) != 0 || h.image_bytes > left ||
            XXH3_64bits(data + at + sizeof h, h.image_bytes) != h.image_hash)
            return;
        records_.emplace(std::string(h.text_hash, sizeof h.text_hash),
                         record{h.arch, data + at + sizeof h, h.image_bytes});
        at += sizeof h + std::min(padded(h.image_bytes), left);
    }
}

std::optional<std::string> image_archive::find(const std::string& text, int arch) const {
    if (records_.empty()) return std::nullopt;
    const auto [begin, end] = records_.equal_range(hash_of(text));
    const record* best = nullptr;
    for (auto it = begin; it != end; ++it) {
        const record& r = it->second;
        if (r.arch / 10 == arch / 10 && r.arch <= arch && (best == nullptr || r.arch > best->arch)) best = &r;
    }
    if (best == nullptr) return std::nullopt;
    return std::string(best->image, best->bytes);
}

void append_image(const std::string& file, const std::string& text, int arch, const std::string& image) {
    record_header h{};
    std::memcpy(h.magic, record_magic, sizeof h.magic);
    std::memcpy(h.text_hash, hash_of(text).data(), sizeof h.text_hash);
    h.arch = arch;
    h.image_bytes = image.size();
    h.image_hash = XXH3_64bits(image.data(), image.size());
    std::string record(reinterpret_cast<const char*>(&h), sizeof h);
    record += image;
    record.resize(sizeof h + padded(image.size()));
    // One write at the end of the file: processes that record into the same file do not disturb each other.
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const bool written = fd >= 0 && ::write(fd, record.data(), record.size()) == static_cast<ssize_t>(record.size());
    if (fd >= 0) ::close(fd);
    if (!written) throw error(fmt::format("SINTER_RECORD_KERNELS: cannot write {}; name a file that can be", file));
}

const image_archive& embedded_images() {
    static const image_archive& archive = [&]() -> image_archive& {
        const std::string file = environment("SINTER_KERNELS");
        const std::string_view all = file.empty() ? section_of(mapped("/proc/self/exe")) : mapped(file.c_str());
        const std::string_view magic(record_magic, sizeof record_magic);
        if (!file.empty() && (::access(file.c_str(), R_OK) != 0 || (!all.empty() && !all.starts_with(magic))))
            refuse_environment("SINTER_KERNELS", file,
                               "no file of kernels can be read there; name one that SINTER_RECORD_KERNELS has written");
        return *new image_archive(all.data(), all.size());  // never destroyed: kernels may be wanted until the very end
    }();
    return archive;
}

const kernel_record& wanted_record() {
    static constinit std::atomic<const kernel_record*> wanted{nullptr};
    return kept(wanted, [] {
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

std::string cache_text(const std::string& entry, const std::string& source, const compile_options& options) {
    std::string text = "Sinter " SINTER_VERSION "\n";
    for (const std::string& flag : options.flags) text += flag + ' ';
    return text + "\n" + entry + "\n" + source;
}

}  // namespace sinter::codegen
