// Lists the disk cache's folder and removes files by age.
#include <runtime/cache/folder_size.hpp>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sinter::codegen {

namespace {

/// A write takes milliseconds. A writer that was stopped for longer finds its file gone and has written nothing.
constexpr std::time_t stale_seconds = 60;

struct entry {
    timespec used;
    std::uintmax_t bytes;
    std::string name;
};

bool earlier(const entry& a, const entry& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
}

struct close_folder {
    void operator()(DIR* d) const { ::closedir(d); }
};

}  // namespace

void reduce_cache_folder(int folder, std::uintmax_t limit) {
    const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // with its own read position
    const std::unique_ptr<DIR, close_folder> listing(own < 0 ? nullptr : ::fdopendir(own));
    if (!listing) {
        if (own >= 0) ::close(own);
        return;
    }
    const std::time_t now = ::time(nullptr);
    std::vector<entry> entries;
    std::uintmax_t total = 0;
    while (const dirent* const d = ::readdir(listing.get())) {
        const std::string_view name = d->d_name;
        const bool temporary = name.starts_with(cache_temporary_prefix);
        if (!temporary && !name.ends_with(cache_entry_suffix)) continue;
        struct stat s {};  // a file may vanish meanwhile: another process may prune, too
        if (::fstatat(folder, d->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) continue;
        const auto bytes = static_cast<std::uintmax_t>(s.st_size);
        if (temporary && std::abs(now - s.st_mtim.tv_sec) > stale_seconds) {
            ::unlinkat(folder, d->d_name, 0);
            continue;
        }
        total += bytes;
        if (!temporary) entries.push_back({s.st_mtim, bytes, std::string(name)});
    }
    if (total <= limit) return;
    std::sort(entries.begin(), entries.end(), earlier);
    for (const entry& e : entries) {
        if (total <= limit / 4 * 3) break;
        ::unlinkat(folder, e.name.c_str(), 0);
        total -= e.bytes;
    }
}

}  // namespace sinter::codegen
