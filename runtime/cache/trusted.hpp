// Opens files and folders whose content is run as code: refuses those that another user owns or can write.
#pragma once

#include <string>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace sinter::codegen {

/// A file descriptor that closes itself.
class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int fd) : fd_(fd) {}
    descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~descriptor() { close(); }

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    /// Closes the file. Whether all written data has reached it, as far as close reports.
    bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

private:
    int fd_ = -1;
};

/// What was opened. Without a file: why it is refused; empty if it does not exist.
struct opened {
    descriptor file;
    std::string refusal;
};

/// Why a user must not trust something with this owner and mode; empty if they may: it belongs to the user or to root,
/// and only its owner can write it.
std::string distrust(const struct stat& s, uid_t user);

/// Opens a folder for reading. Symbolic links on the way are followed if they belong to the user, to root, or to the
/// owner of the folder that contains them. With `make`, missing folders are created with access for the user alone;
/// modes of existing ones are never changed.
opened open_trusted_folder(const std::string& path, bool make);

/// Opens a regular file in an open folder for reading. Does not follow symbolic links or block on pipes.
opened open_trusted_file(int folder, const std::string& name);

/// Opens a regular file that a user has named by its path; links are followed as for folders.
opened open_trusted_file(const std::string& path);

}  // namespace sinter::codegen
