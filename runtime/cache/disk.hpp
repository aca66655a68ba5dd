// Compiled images on disk, shared by all processes of a user.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace sinter::codegen {

/// A folder of images. A key is the full text that an image was made from. The entry's name is the key's SHA-256, and
/// a second one covers key and image, so that a damaged file counts as absent. Entries appear by renaming, so that
/// readers never see half of one. An entry is code: a folder or a file that another user owns or can write is not used
/// (runtime/cache/trusted.hpp). Every failure means "not cached"; one of each kind is said by a warning.
class disk_cache {
public:
    static constexpr std::uintmax_t default_limit = std::uintmax_t{256} << 20;

    /// An empty folder name switches the cache off. The folder is made when first written to.
    explicit disk_cache(std::string folder, std::uintmax_t limit = default_limit)
        : folder_(std::move(folder)), limit_(limit) {}

    bool enabled() const { return !folder_.empty(); }
    const std::string& folder() const { return folder_; }

    std::optional<std::string> read(const std::string& key) const noexcept;
    void write(const std::string& key, const std::string& image) const noexcept;
    /// Removes what killed writers have left and, if the folder holds more than the limit, the entries that were unused
    /// for longest until three quarters of the limit are left. write calls it now and then.
    void prune() const noexcept;

    /// The file that holds, or would hold, the entry of a key.
    std::string path_of(const std::string& key) const;

private:
    /// What is said once.
    enum class problem : unsigned { folder = 1, entry = 2, writing = 4 };
    void say(problem what, const std::string& why) const;
    /// Why it was not written; empty where it was.
    std::string write_entry(int folder, const std::string& name, const std::string& key,
                            const std::string& image) const;
    void prune(int folder) const;

    std::string folder_;
    std::uintmax_t limit_;
    mutable std::atomic<unsigned> said_{0};
    mutable std::atomic<std::uintmax_t> written_{0};  ///< bytes since the last look at the whole folder
};

/// $SINTER_CACHE_DIR ("off" for none), else $XDG_CACHE_HOME/sinter, else ~/.cache/sinter; empty without any of them.
std::string default_cache_folder();
/// The bytes that "256M" or "1G" says: a whole number, then K, M, G, T (powers of 1024) or nothing. Throws
/// sinter::error for anything else, and for none at all.
std::uintmax_t cache_limit_of(const std::string& text);
/// The process's cache, in the folder and of the size ($SINTER_CACHE_SIZE) that the environment named when it was first
/// asked for.
const disk_cache& default_disk_cache();

}  // namespace sinter::codegen
