// Compiled images on disk, shared by all processes of a user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace sinter::codegen {

/// A folder of images. A key is the full text that an image was made from; it is stored and compared, so that neither
/// a hash collision nor a damaged file can give a wrong kernel. Entries appear by renaming, so that readers never see
/// half of one. Every failure means "not cached".
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
    /// Removes the entries that were unused for longest until three quarters of the limit are left, if the folder holds
    /// more than the limit. write calls it now and then.
    void prune() const noexcept;

    /// The file that holds, or would hold, the entry of a key.
    std::string path_of(const std::string& key) const;

private:
    std::string folder_;
    std::uintmax_t limit_;
};

/// $SINTER_CACHE_DIR ("off" for none), else $XDG_CACHE_HOME/sinter, else ~/.cache/sinter; empty without any of them.
std::string default_cache_folder();
/// The process's cache, in the folder that the environment named when it was first asked for.
const disk_cache& default_disk_cache();

}  // namespace sinter::codegen
