// Atomic file replacement: a new file has no name until it is complete and on disk.
#include <runtime/io/file.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sinter::codegen {
namespace {

/// Resolves links, so that the file they point to is replaced rather than the link.
std::string resolved(const std::string& path) {
    char buffer[PATH_MAX];
    return ::realpath(path.c_str(), buffer) ? std::string(buffer) : path;
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// The /proc name of an open file, by which linkat() can name an unnamed one.
std::string open_name(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

/// A name next to the target that is unique among this machine's writers.
std::string temporary_name(const std::string& target) {
    static std::atomic<unsigned> counter{0};
    return fmt::format("{}.{}-{}.tmp", target, ::getpid(), counter++);
}

/// Removes temporary files of this target whose writing process is gone. They must also be an hour old, because the
/// process may run on another machine that shares the folder.
void remove_stale(const std::string& target) {
    const std::string folder = folder_of(target), beginning = target.substr(target.rfind('/') + 1) + '.';
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), &::closedir);
    for (const dirent* e = nullptr; entries && (e = ::readdir(entries.get())) != nullptr;) {
        const std::string name = e->d_name, path = folder + '/' + name;
        int writer = 0, number = 0, end = 0;
        if (!name.starts_with(beginning) ||
            std::sscanf(name.c_str() + beginning.size(), "%9d-%9d.tmp%n", &writer, &number, &end) != 2 ||
            static_cast<std::size_t>(end) != name.size() - beginning.size() || end == 0)
            continue;
        struct stat about {};
        const bool gone = ::kill(writer, 0) != 0 && errno == ESRCH;
        if (gone && ::stat(path.c_str(), &about) == 0 && about.st_mtime + 3600 < ::time(nullptr))
            ::unlink(path.c_str());
    }
}

/// Whether the folder's entries are on disk; true if the file system does not support the query.
bool synchronised(const std::string& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return true;  // a folder that is writable but not readable
    const bool good = ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS;
    const int code = errno;
    ::close(descriptor);
    errno = code;
    return good;
}

}  // namespace

replacement_file::replacement_file(const std::string& path, std::string who)
    : target_(resolved(path)), who_(std::move(who)) {
    struct stat about {};
    const bool exists = ::stat(target_.c_str(), &about) == 0;
    if (exists && !S_ISREG(about.st_mode)) throw not_regular(who_, about.st_mode);
    if (exists && ::access(target_.c_str(), W_OK) != 0) fail("replace it", errno);
    open_unnamed();
    if (descriptor_ < 0) open_named();
    if (exists) ::fchmod(descriptor_, about.st_mode & 07777);
}

replacement_file::~replacement_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

/// An unnamed file disappears if the process is killed.
void replacement_file::open_unnamed() {
#ifdef O_TMPFILE
    descriptor_ = ::open(folder_of(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 && ::access(open_name(descriptor_).c_str(), F_OK) != 0)
        ::close(std::exchange(descriptor_, -1));  // without /proc it could never be named
#endif
}

void replacement_file::open_named() {
    remove_stale(target_);
    do {
        temporary_ = temporary_name(target_);
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ >= 0) return;
    temporary_.clear();
    fail("write it", errno);
}

/// linkat() cannot replace a file but rename() can, so the file gets a temporary name in between.
void replacement_file::give_name() {
    const std::string unnamed = open_name(descriptor_);
    std::string name;
    int linked = 0;
    do {
        name = temporary_name(target_);
        linked = ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
    } while (linked != 0 && errno == EEXIST);
    if (linked != 0) fail("put it in place", errno);
    temporary_ = name;
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

std::unique_ptr<replacement_file> replacement_file::shared_by_another(const std::string& name, std::string who) {
    std::unique_ptr<replacement_file> file(new replacement_file(std::move(who)));
    file->descriptor_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
    if (file->descriptor_ < 0) file->fail("write it", errno);
    return file;
}

const std::string& replacement_file::share() {
    if (temporary_.empty()) give_name();
    return temporary_;
}

void replacement_file::flush() const {
    if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) fail("write it", errno);
}

void replacement_file::commit() {
    // Data first, then the name: after a crash the target is either the old file or the new one.
    flush();
    if (temporary_.empty()) give_name();
    const int closed = ::close(std::exchange(descriptor_, -1));  // may be the first to report a full disk
    if (closed != 0) fail("write it", errno);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("put it in place", errno);
    temporary_.clear();
    if (!synchronised(folder_of(target_))) fail("put it in place", errno);
}

}  // namespace sinter::codegen
