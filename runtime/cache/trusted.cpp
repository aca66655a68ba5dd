// A path is walked one name at a time: each is opened relative to the folder before it and checked by its descriptor,
// so that what is checked is what is used. Folders above the last one need not be the user's: anyone who can replace an
// entry there can only put in files of their own, which are refused.
#include <runtime/cache/trusted.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include <fcntl.h>

namespace sinter::codegen {

namespace {

constexpr int max_links = 40;  // as Linux allows

opened refused(std::string why) { return {descriptor(), std::move(why)}; }
opened refused(const std::string& path, int code) {
    return refused(fmt::format("{} cannot be opened: {}", path, std::strerror(code)));
}

/// Whether a link in this folder has an acceptable owner.
bool may_follow(const struct stat& link, const struct stat& folder) {
    return link.st_uid == ::geteuid() || link.st_uid == 0 || link.st_uid == folder.st_uid;
}

/// A walk along a path; the type of what it ends at is not checked.
class walk {
public:
    walk(const std::string& path, bool make) : rest_(path), make_(make) { begin(); }

    /// An O_PATH descriptor of the end of the path; `refusal` says what is wrong, if anything.
    opened end() {
        while (!rest_.empty() && at_) {
            const std::size_t length = std::min(rest_.find('/'), rest_.size());
            const std::string name = rest_.substr(0, length);
            rest_.erase(0, length + 1);
            if (name.empty() || name == ".") continue;
            if (std::string why; !step(name, why)) return refused(std::move(why));
        }
        return {std::move(at_), {}};
    }

private:
    void begin() {
        const bool absolute = rest_.starts_with('/');
        at_ = descriptor(::open(absolute ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
        walked_ = absolute ? "/" : "";
    }

    /// Advances by one name. False at the end of the walk; `why` is then empty if the name does not exist.
    bool step(const std::string& name, std::string& why) {
        const std::string path = walked_ + name;
        descriptor next(::openat(at_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        if (!next && errno == ENOENT && make_) {
            if (::mkdirat(at_.get(), name.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
                why = fmt::format("{} cannot be created: {}", path, std::strerror(errno));
                return false;
            }
            next = descriptor(::openat(at_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        }
        struct stat s {};
        if (!next || ::fstat(next.get(), &s) != 0) {
            if (errno != ENOENT) why = fmt::format("{} cannot be opened: {}", path, std::strerror(errno));
            return false;
        }
        if (S_ISLNK(s.st_mode)) return follow(next.get(), s, path, why);
        at_ = std::move(next);
        walked_ = path + '/';
        return true;
    }

    bool follow(int link, const struct stat& s, const std::string& path, std::string& why) {
        struct stat folder {};
        if (::fstat(at_.get(), &folder) != 0 || !may_follow(s, folder)) {
            why = fmt::format("the symbolic link {} belongs to user {}, not to user {}", path, s.st_uid, ::geteuid());
            return false;
        }
        char target[PATH_MAX];
        const ssize_t length = ::readlinkat(link, "", target, sizeof target);
        if (length <= 0 || ++links_ > max_links) {
            why = fmt::format("{} cannot be opened: {}", path, std::strerror(length <= 0 ? errno : ELOOP));
            return false;
        }
        rest_ = std::string(target, static_cast<std::size_t>(length)) + '/' + rest_;
        if (target[0] == '/') begin();
        return true;
    }

    std::string rest_;    ///< names to go
    std::string walked_;  ///< path of at_
    descriptor at_;
    int links_ = 0;
    const bool make_;
};

opened checked_file(descriptor file, const std::string& path) {
    struct stat s {};
    if (!file || ::fstat(file.get(), &s) != 0) {
        if (errno == ENOENT) return {};
        if (errno == ELOOP) return refused(path + " is a symbolic link");
        return refused(path, errno);
    }
    if (!S_ISREG(s.st_mode)) return refused(path + (S_ISDIR(s.st_mode) ? " is a directory" : " is not a regular file"));
    if (const std::string why = distrust(s, ::geteuid()); !why.empty()) return refused(path + ' ' + why);
    return {std::move(file), {}};
}

constexpr int read_at_once = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

}  // namespace

std::string distrust(const struct stat& s, uid_t user) {
    if (s.st_uid != user && s.st_uid != 0) return fmt::format("belongs to user {}, not to user {}", s.st_uid, user);
    if ((s.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return fmt::format("can be written by users other than its owner (mode {:04o})", s.st_mode & 07777);
    return {};
}

opened open_trusted_folder(const std::string& path, bool make) {
    opened way = walk(path, make).end();
    if (!way.file) return way;
    descriptor folder(::openat(way.file.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat s {};
    if (!folder || ::fstat(folder.get(), &s) != 0) return refused(path, errno);
    if (const std::string why = distrust(s, ::geteuid()); !why.empty()) return refused(path + ' ' + why);
    return {std::move(folder), {}};
}

opened open_trusted_file(int folder, const std::string& name) {
    return checked_file(descriptor(::openat(folder, name.c_str(), read_at_once | O_NOFOLLOW)), name);
}

opened open_trusted_file(const std::string& path) {
    opened way = walk(path, false).end();
    if (!way.file) return way;
    // Reopens the very file at which the walk ended, through its descriptor.
    const std::string name = fmt::format("/proc/self/fd/{}", way.file.get());
    return checked_file(descriptor(::open(name.c_str(), read_at_once)), path);
}

}  // namespace sinter::codegen
