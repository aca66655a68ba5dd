// The disk cache's files: a header, the full key, the image. The header's hash covers both.
#include <runtime/cache/disk.hpp>

#include <codegen/support/printable.hpp>
#include <runtime/cache/folder_size.hpp>
#include <runtime/cache/sha256.hpp>
#include <runtime/cache/trusted.hpp>
#include <runtime/system/environment.hpp>
#include <runtime/system/warning.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/random.h>

namespace sinter::codegen {

namespace {

constexpr char magic[8] = {'s', 'i', 'n', 't', 'e', 'r', 'k', '\n'};
constexpr std::uint32_t format_version = 2;  // of this file layout

struct header {
    char magic[8];
    std::uint32_t version;
    std::uint32_t reserved;  ///< 0
    std::uint64_t key_bytes;
    std::uint64_t image_bytes;
    sha256 hash;  ///< of key and image
};
static_assert(sizeof(header) == 64);

bool read_all(int fd, char* to, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t n = ::read(fd, to, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

bool write_all(int fd, std::string_view what) {
    while (!what.empty()) {
        const ssize_t n = ::write(fd, what.data(), what.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        what.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// Entries are removed by modification time, which a read renews, at most once a day.
void renew(int fd, const struct stat& s) {
    if (s.st_mtim.tv_sec + 24 * 3600 < ::time(nullptr)) static_cast<void>(::futimens(fd, nullptr));
}

std::string name_of(const std::string& key) { return hexadecimal(sha256_of({key})) + cache_entry_suffix; }

/// Random, so that no process reuses the name left by a killed one with the same process id.
std::string temporary_name() {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number) number = static_cast<std::uint64_t>(::getpid());
    return fmt::format("{}{:016x}", cache_temporary_prefix, number);
}

}  // namespace

std::string disk_cache::path_of(const std::string& key) const { return folder_ + '/' + name_of(key); }

void disk_cache::say(problem what, const std::string& why) const {
    const auto bit = static_cast<unsigned>(what);
    if ((said_.fetch_or(bit) & bit) != 0) return;
    const char* const cure =
        what == problem::folder
            ? "make it writable by you alone (chmod go-w), or name another folder in SINTER_CACHE_DIR"
        : what == problem::entry ? "remove it"
                                 : "make room there, or name another folder in SINTER_CACHE_DIR";
    if (what == problem::entry)
        warn(fmt::format("kernel cache {}: {}, so its kernel is compiled again; {}", folder_, why, cure));
    else
        warn(fmt::format("kernel cache {}: {}, so kernels are compiled in every run; {}", folder_, why, cure));
}

std::optional<std::string> disk_cache::read(const std::string& key) const noexcept try {
    if (!enabled()) return std::nullopt;
    const opened folder = open_trusted_folder(folder_, false);
    if (!folder.refusal.empty()) say(problem::folder, folder.refusal);
    if (!folder.file) return std::nullopt;
    const opened entry = open_trusted_file(folder.file.get(), name_of(key));
    if (!entry.refusal.empty()) say(problem::entry, entry.refusal);
    if (!entry.file) return std::nullopt;
    const int fd = entry.file.get();
    struct stat s {};
    header h{};
    if (::fstat(fd, &s) != 0 || !read_all(fd, reinterpret_cast<char*>(&h), sizeof h)) return std::nullopt;
    // Check lengths before allocating: against the size of the file and, since a sparse file may claim any size,
    // against the limit.
    const auto bytes = static_cast<std::uint64_t>(s.st_size) - sizeof h;
    if (std::memcmp(h.magic, magic, sizeof magic) != 0 || h.version != format_version || h.reserved != 0 ||
        bytes > limit_ || h.key_bytes != key.size() || h.key_bytes > bytes || h.image_bytes != bytes - h.key_bytes)
        return std::nullopt;
    std::string content(bytes, '\0');
    if (!read_all(fd, content.data(), content.size()) || !content.starts_with(key)) return std::nullopt;
    std::string image = content.substr(key.size());
    if (sha256_of({key, image}) != h.hash) return std::nullopt;
    renew(fd, s);
    return image;
} catch (...) {
    return std::nullopt;
}

std::string disk_cache::write_entry(int folder, const std::string& name, const std::string& key,
                                    const std::string& image) const {
    header h{};
    std::memcpy(h.magic, magic, sizeof magic);
    h.version = format_version;
    h.key_bytes = key.size();
    h.image_bytes = image.size();
    h.hash = sha256_of({key, image});

    const std::string temporary = temporary_name();
    descriptor f(::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!f) return std::strerror(errno);
    // No fsync: an entry damaged by a power failure fails its hash.
    errno = 0;
    const bool written = write_all(f.get(), {reinterpret_cast<const char*>(&h), sizeof h}) && write_all(f.get(), key) &&
                         write_all(f.get(), image) && f.close();
    if (written && ::renameat(folder, temporary.c_str(), folder, name.c_str()) == 0) return {};
    const int code = errno;
    ::unlinkat(folder, temporary.c_str(), 0);
    return code == ENOENT ? "" : std::strerror(code);  // ENOENT: another process has removed the folder
}

void disk_cache::write(const std::string& key, const std::string& image) const noexcept try {
    const std::uintmax_t bytes = sizeof(header) + key.size() + image.size();
    if (!enabled() || bytes > limit_) return;
    const opened folder = open_trusted_folder(folder_, true);
    if (!folder.refusal.empty()) say(problem::folder, folder.refusal);
    if (!folder.file) return;
    const std::string name = name_of(key);
    if (const std::string why = write_entry(folder.file.get(), name, key, image); !why.empty())
        return say(problem::writing, "an entry cannot be written: " + why);
    // One write in sixteen scans the whole folder. The key decides which, so many short processes share the work
    // without coordination. A process that writes much scans earlier.
    constexpr int part = 16;
    if (written_.fetch_add(bytes) + bytes > limit_ / part || name[0] == '0') prune(folder.file.get());
} catch (...) {  // a cache that cannot be written counts as absent
}

void disk_cache::prune() const noexcept try {
    if (!enabled()) return;
    if (const opened folder = open_trusted_folder(folder_, false); folder.file) prune(folder.file.get());
} catch (...) {
}

void disk_cache::prune(int folder) const {
    written_ = 0;
    reduce_cache_folder(folder, limit_);
}

std::string default_cache_folder() {
    if (const std::string wish = environment("SINTER_CACHE_DIR"); !wish.empty()) return wish == "off" ? "" : wish;
    // A relative path in these two is invalid (XDG Base Directory Specification).
    if (const std::string base = environment("XDG_CACHE_HOME"); base.starts_with('/')) return base + "/sinter";
    if (const std::string home = environment("HOME"); home.starts_with('/')) return home + "/.cache/sinter";
    return "";
}

std::uintmax_t cache_limit_of(const std::string& text) {
    constexpr std::string_view units = "KMGT";
    std::uintmax_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [at, failure] = std::from_chars(text.data(), end, number);
    const std::size_t unit = at == end ? 0 : units.find(static_cast<char>(std::toupper(*at))) + 1;  // npos + 1 is 0
    const bool whole = at == end || (unit > 0 && at + 1 == end);
    if (failure != std::errc() || !whole || number == 0 || number > (UINTMAX_MAX >> 10 * unit))
        throw error(fmt::format(
            "SINTER_CACHE_SIZE={}: use a number of bytes such as 256M or 1G; SINTER_CACHE_DIR=off turns the cache off",
            printable(text)));
    return number << 10 * unit;
}

const disk_cache& default_disk_cache() {
    static const auto* const cache = [] {  // never destroyed: used until the process ends
        const std::string size = environment("SINTER_CACHE_SIZE");
        return new disk_cache(default_cache_folder(), size.empty() ? disk_cache::default_limit : cache_limit_of(size));
    }();
    return *cache;
}

}  // namespace sinter::codegen
