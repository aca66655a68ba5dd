// Compiled images on disk, shared by all processes of a user.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace sinter::codegen {

/// A folder of images. A key is the full text that an image was made from. An entry's name is the SHA-256 of its key; a
/// second hash covers key and image, so a damaged file counts as absent. Entries are created by renaming, so readers
/// never see partial ones. An entry is code: a folder or a file that another user owns or can write is not used
/// (runtime/cache/trusted.hpp). Every failure means "not cached"; the first of each kind is reported by a warning.
class disk_cache {
public:
    static constexpr std::uintmax_t default_limit = std::uintmax_t{256} << 20;

    /// An empty folder name disables the cache. The folder is created by the first write.
    explicit disk_cache(std::string folder, std::uintmax_t limit = default_limit)
        : folder_(std::move(folder)), limit_(limit) {}

    bool enabled() const { return !folder_.empty(); }
    const std::string& folder() const { return folder_; }

    std::optional<std::string> read(const std::string& key) const noexcept;
    void write(const std::string& key, const std::string& image) const noexcept;
    /// Removes the temporary files of killed writers and, if the folder holds more than the limit, the least recently
    /// used entries, until three quarters of the limit are left. write calls it now and then.
    void prune() const noexcept;

    /// The file of a key's entry, whether or not it exists.
    std::string path_of(const std::string& key) const;

private:
    /// Kinds of warnings, each reported once.
    enum class problem : unsigned { folder = 1, entry = 2, writing = 4 };
    void say(problem what, const std::string& why) const;
    /// Returns why the entry was not written; empty on success.
    std::string write_entry(int folder, const std::string& name, const std::string& key,
                            const std::string& image) const;
    void prune(int folder) const;

    std::string folder_;
    std::uintmax_t limit_;
    mutable std::atomic<unsigned> said_{0};
    mutable std::atomic<std::uintmax_t> written_{0};  ///< bytes since the last scan of the folder
};

/// $SINTER_CACHE_DIR ("off" for none), else $XDG_CACHE_HOME/sinter, else ~/.cache/sinter; empty if none is set.
std::string default_cache_folder();
/// Parses a size such as "256M" or "1G": a whole number, then K, M, G or T (powers of 1024) or nothing. Throws
/// sinter::error for anything else, and for zero.
std::uintmax_t cache_limit_of(const std::string& text);
/// The process's cache. Its folder and its size ($SINTER_CACHE_SIZE) are read from the environment on first use.
const disk_cache& default_disk_cache();

}  // namespace sinter::codegen
