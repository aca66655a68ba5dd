// Opens files and folders whose content is run as code: none that another user owns, or can write.
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
    /// Whether all that was written has reached the file, as far as closing tells.
    bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

private:
    int fd_ = -1;
};

/// What was opened. Without a file: why it is refused, or nothing where there is none of that name.
struct opened {
    descriptor file;
    std::string refusal;
};

/// Why a user must not trust something with this owner and mode; empty where they may: it belongs to the user or to
/// root, and nobody else can write it.
std::string distrust(const struct stat& s, uid_t user);

/// A folder, for reading. Symbolic links on the way are followed if they belong to the user, to root, or to who owns
/// the folder that they lie in. With `make`, what is missing of the path is made, for the user alone; the mode of what
/// is there is never changed.
opened open_trusted_folder(const std::string& path, bool make);

/// A regular file in an open folder, for reading. Does not follow a symbolic link, nor wait at a pipe.
opened open_trusted_file(int folder, const std::string& name);

/// A regular file that a user has named by its path: links lead to it as they lead to a folder.
opened open_trusted_file(const std::string& path);

}  // namespace sinter::codegen
