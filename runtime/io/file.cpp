// Reads and maps files by POSIX calls.
#include <codegen/support/printable.hpp>
#include <runtime/io/file.hpp>
#include <runtime/system/parallel.hpp>

#include <fmt/format.h>

#include <cerrno>
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

}  // namespace

std::string about_file(const char* function, const std::string& path) {
    return std::string(function) + ": " + printable(path, path.size());
}

error os_error(const std::string& who, const char* doing, int code) {
    return error(fmt::format("{}: cannot {}: {}; {}", who, doing, std::strerror(code), cure_for(code)));
}

error not_regular(const std::string& who, mode_t mode) {
    return error(
        fmt::format("{}: {}; name a regular file", who, S_ISDIR(mode) ? "is a directory" : "is not a regular file"));
}

input_file::input_file(const std::string& path, std::string who) : who_(std::move(who)) {
    // O_NONBLOCK: do not block on a pipe without a writer; it is rejected below.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about {};
    const bool known = descriptor_ >= 0 && ::fstat(descriptor_, &about) == 0;
    const int code = errno;
    if (known && S_ISREG(about.st_mode)) {
        size_ = static_cast<std::size_t>(about.st_size);
        return;
    }
    if (descriptor_ >= 0) ::close(descriptor_);
    throw known ? not_regular(who_, about.st_mode) : os_error(who_, "read it", code);
}

input_file::~input_file() { ::close(descriptor_); }

error input_file::cut_short() const {
    return error(fmt::format(
        "{}: cut short: the file ends before its {} bytes, perhaps changed by another process; copy or write it again",
        who_, size_));
}

void input_file::read_piece(std::uint64_t at, char* to, std::size_t bytes) const {
    while (bytes > 0) {
        const ssize_t n = ::pread(descriptor_, to, bytes, static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw os_error(who_, "read it", errno);
        if (n == 0) throw cut_short();
        at += static_cast<std::uint64_t>(n);
        to += n;
        bytes -= static_cast<std::size_t>(n);
    }
}

void input_file::read(std::uint64_t at, void* to, std::size_t bytes) const {
    constexpr std::int64_t piece = std::int64_t{1} << 20;
    if (at > size_ || size_ - at < bytes) throw cut_short();
    if (bytes <= static_cast<std::size_t>(piece)) return read_piece(at, static_cast<char*>(to), bytes);
    // A single core copies more slowly than the page cache delivers.
    parallel_loop(static_cast<std::int64_t>(bytes), piece, [&](std::int64_t first, std::int64_t last) {
        read_piece(at + static_cast<std::uint64_t>(first), static_cast<char*>(to) + first,
                   static_cast<std::size_t>(last - first));
    });
}

std::string input_file::text(std::uint64_t at, std::size_t bytes) const {
    if (at > size_ || size_ - at < bytes) throw cut_short();
    std::string content(bytes, '\0');
    read(at, content.data(), bytes);
    return content;
}

byte_source input_file::from(std::uint64_t at) const {
    return [this, at](void* to, std::size_t bytes) mutable {
        read(at, to, bytes);
        at += bytes;
    };
}

mapped_file::mapped_file(const input_file& file) : size_(file.size()) {
    if (size_ == 0) return;
    struct stat about {};
    if (::fstat(file.descriptor_, &about) != 0) throw os_error(file.who_, "map it", errno);
    if (static_cast<std::size_t>(about.st_size) < size_) throw file.cut_short();
    void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor_, 0);
    if (data == MAP_FAILED) throw os_error(file.who_, "map it", errno);
    data_ = data;
    ::madvise(data_, size_, MADV_WILLNEED);  // only advice: failure costs time, not correctness
}

mapped_file::~mapped_file() {
    if (data_) ::munmap(data_, size_);
}

}  // namespace sinter::codegen
