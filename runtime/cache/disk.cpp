// The disk cache's files: a header, the full key, the image, and a hash over both.
#include <runtime/cache/disk.hpp>

#include <runtime/system/environment.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sinter::codegen {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr char magic[8] = {'s', 'i', 'n', 't', 'e', 'r', 'k', '\n'};
constexpr std::uint32_t format_version = 1;  // of this file layout
constexpr const char* suffix = ".kernel";
constexpr const char* temporary_prefix = ".writing-";

struct header {
    char magic[8];
    std::uint32_t version;
    std::uint32_t reserved;  ///< 0
    std::uint64_t key_bytes;
    std::uint64_t image_bytes;
    std::uint64_t content_hash;  ///< of key and image
};

/// A file descriptor that closes itself.
class file {
public:
    explicit file(int descriptor) : fd(descriptor) {}
    ~file() {
        if (fd >= 0) ::close(fd);
    }
    file(const file&) = delete;
    file& operator=(const file&) = delete;
    const int fd;
};

bool read_all(int fd, char* to, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t n = ::read(fd, to, bytes);
        if (n <= 0) return false;
        to += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

bool write_all(int fd, std::string_view what) {
    while (!what.empty()) {
        const ssize_t n = ::write(fd, what.data(), what.size());
        if (n <= 0) return false;
        what.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

std::uint64_t hash_of(std::string_view content) { return XXH3_64bits(content.data(), content.size()); }

/// Entries are removed by their time of modification, which a read renews; once a day is enough for that.
void renew(int fd, const struct stat& s) {
    if (s.st_mtim.tv_sec + 24 * 3600 < ::time(nullptr)) static_cast<void>(::futimens(fd, nullptr));
}

}  // namespace

std::string disk_cache::path_of(const std::string& key) const {
    const XXH128_hash_t h = XXH3_128bits(key.data(), key.size());
    return fmt::format("{}/{:016x}{:016x}{}", folder_, h.high64, h.low64, suffix);
}

std::optional<std::string> disk_cache::read(const std::string& key) const noexcept try {
    if (!enabled()) return std::nullopt;
    const file f(::open(path_of(key).c_str(), O_RDONLY | O_CLOEXEC));
    struct stat s {};
    header h{};
    if (f.fd < 0 || ::fstat(f.fd, &s) != 0 || !read_all(f.fd, reinterpret_cast<char*>(&h), sizeof h))
        return std::nullopt;
    // Lengths are checked against the file's before anything is allocated by them.
    const auto bytes = static_cast<std::uint64_t>(s.st_size) - sizeof h;
    if (std::memcmp(h.magic, magic, sizeof magic) != 0 || h.version != format_version || h.reserved != 0 ||
        h.key_bytes != key.size() || h.key_bytes > bytes || h.image_bytes != bytes - h.key_bytes)
        return std::nullopt;
    std::string content(bytes, '\0');
    if (!read_all(f.fd, content.data(), content.size()) || hash_of(content) != h.content_hash ||
        !content.starts_with(key))
        return std::nullopt;
    renew(f.fd, s);
    content.erase(0, key.size());
    return content;
} catch (...) {
    return std::nullopt;
}

void disk_cache::write(const std::string& key, const std::string& image) const noexcept try {
    if (!enabled()) return;
    const std::string content = key + image;
    header h{};
    std::memcpy(h.magic, magic, sizeof magic);
    h.version = format_version;
    h.key_bytes = key.size();
    h.image_bytes = image.size();
    h.content_hash = hash_of(content);

    // Readable by its owner alone: who may write here decides what runs on the device.
    if (::access(folder_.c_str(), F_OK) != 0) {
        fs::create_directories(folder_);
        fs::permissions(folder_, fs::perms::owner_all);
    }
    static std::atomic<unsigned> counter{0};
    const std::string path = path_of(key);
    const std::string temporary = fmt::format("{}/{}{}-{}", folder_, temporary_prefix, ::getpid(), ++counter);
    bool written = false;
    {
        const file f(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (f.fd < 0) return;
        written = write_all(f.fd, {reinterpret_cast<const char*>(&h), sizeof h}) && write_all(f.fd, content);
    }
    if (!written || ::rename(temporary.c_str(), path.c_str()) != 0) {
        ::unlink(temporary.c_str());
        return;
    }
    // One write in sixteen looks at the whole folder: which, the key decides, so that many short processes share the
    // work without knowing of each other.
    if (hash_of(key) % 16 == 0) prune();
} catch (...) {  // a cache that cannot be written is no cache
}

void disk_cache::prune() const noexcept try {
    struct entry {
        fs::file_time_type used;
        std::uintmax_t bytes;
        fs::path path;
    };
    const auto now = fs::file_time_type::clock::now();
    std::vector<entry> entries;
    std::uintmax_t total = 0;
    std::error_code gone;  // entries may go while they are listed: another process prunes too
    for (fs::directory_iterator it(folder_, gone), end; !gone && it != end; it.increment(gone)) {
        std::error_code failed;
        entry e{it->last_write_time(failed), 0, it->path()};
        if (!failed) e.bytes = it->file_size(failed);
        if (failed) continue;
        if (e.path.extension() == suffix) {
            total += e.bytes;
            entries.push_back(std::move(e));
        } else if (e.path.filename().string().starts_with(temporary_prefix) && now - e.used > 1h) {
            fs::remove(e.path, failed);  // its writer died
        }
    }
    if (total <= limit_) return;
    std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) { return a.used < b.used; });
    for (const entry& e : entries) {
        if (total <= limit_ / 4 * 3) break;
        std::error_code failed;
        fs::remove(e.path, failed);
        total -= e.bytes;
    }
} catch (...) {
}

std::string default_cache_folder() {
    if (const std::string wish = environment("SINTER_CACHE_DIR"); !wish.empty()) return wish == "off" ? "" : wish;
    if (const std::string base = environment("XDG_CACHE_HOME"); !base.empty()) return base + "/sinter";
    if (const std::string home = environment("HOME"); !home.empty()) return home + "/.cache/sinter";
    return "";
}

const disk_cache& default_disk_cache() {
    static const auto* const cache =
        new disk_cache(default_cache_folder());  // never destroyed: used until the very end
    return *cache;
}

}  // namespace sinter::codegen
