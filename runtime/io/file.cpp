// Mapping and replacing files, by POSIX calls: the library's one place for them besides the kernel cache.
#include <runtime/io/file.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sinter::codegen {
namespace {

const char* cure_for(int code) {
    switch (code) {
        case ENOENT:
        case ENOTDIR: return "check the path";
        case EACCES:
        case EPERM:
        case EROFS: return "check the permissions of the file and of its folder";
        case ENOSPC:
        case EDQUOT: return "make room on the disk";
        default: return "check the path and the disk";
    }
}

error os_error(const std::string& who, const char* doing, int code) {
    return error(fmt::format("{}: cannot {}: {}; {}", who, doing, std::strerror(code), cure_for(code)));
}

error not_regular(const std::string& who, mode_t mode) {
    return error(
        fmt::format("{}: {}; name a regular file", who, S_ISDIR(mode) ? "is a directory" : "is not a regular file"));
}

struct descriptor {
    int value;
    ~descriptor() {
        if (value >= 0) ::close(value);
    }
};

/// The file a path leads to: a link is followed, so that what it points at is replaced rather than the link.
std::string resolved(const std::string& path) {
    char buffer[PATH_MAX];
    return ::realpath(path.c_str(), buffer) ? std::string(buffer) : path;
}

}  // namespace

mapped_file::mapped_file(const std::string& path, const std::string& who) {
    // O_NONBLOCK: a pipe without a writer shall be refused below, not waited for.
    const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat about {};
    if (file.value < 0 || ::fstat(file.value, &about) != 0) throw os_error(who, "read it", errno);
    if (!S_ISREG(about.st_mode)) throw not_regular(who, about.st_mode);
    size_ = static_cast<std::size_t>(about.st_size);
    if (size_ == 0) return;
    void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.value, 0);
    if (data == MAP_FAILED) throw os_error(who, "map it", errno);
    data_ = data;
    ::madvise(data_, size_, MADV_WILLNEED);  // advice only: its failure costs time, not correctness
}

mapped_file::~mapped_file() {
    if (data_) ::munmap(data_, size_);
}

replacement_file::replacement_file(const std::string& path, const std::string& who)
    : target_(resolved(path)), who_(who) {
    struct stat about {};
    const bool exists = ::stat(target_.c_str(), &about) == 0;
    if (exists && !S_ISREG(about.st_mode)) throw not_regular(who_, about.st_mode);
    if (exists && ::access(target_.c_str(), W_OK) != 0) fail("replace it", errno);

    static std::atomic<unsigned> counter{0};
    do {
        temporary_ = fmt::format("{}.{}-{}.tmp", target_, ::getpid(), counter++);
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail("write it", errno);
    if (exists) ::fchmod(descriptor_, about.st_mode & 07777);
}

replacement_file::~replacement_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void replacement_file::fail(const char* doing, int code) const { throw os_error(who_, doing, code); }

template <class Write>
void replacement_file::write_all(const void* data, std::size_t bytes, Write write) {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t written = write(static_cast<const char*>(data) + done, bytes - done, done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("write it", errno);
        done += static_cast<std::size_t>(written);
    }
}

void replacement_file::write(const void* data, std::size_t bytes) {
    write_all(data, bytes,
              [this](const char* from, std::size_t n, std::size_t) { return ::write(descriptor_, from, n); });
}

void replacement_file::write_over(std::size_t offset, const void* data, std::size_t bytes) {
    write_all(data, bytes, [this, offset](const char* from, std::size_t n, std::size_t done) {
        return ::pwrite(descriptor_, from, n, static_cast<off_t>(offset + done));
    });
}

void replacement_file::commit() {
    const int closed = ::close(std::exchange(descriptor_, -1));  // may be the first to tell of a full disk
    if (closed != 0) fail("write it", errno);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("put it in place", errno);
    temporary_.clear();
}

}  // namespace sinter::codegen
