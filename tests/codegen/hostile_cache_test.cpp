// The disk cache among what others put in its way: owners and modes, links, pipes, folders, a full disk.
#include <runtime/cache/disk.hpp>
#include <runtime/cache/trusted.hpp>
#include <tests/codegen/in_a_process.hpp>
#include <tests/codegen/warnings.hpp>
#include <tests/support/content.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using sinter::codegen::disk_cache;
using sinter::codegen::distrust;
using sinter::test::content;
using sinter::test::in_a_process;
using sinter::test::warnings;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uid_t nobody = 65534;

mode_t mode_of(const std::string& path) {
    struct stat s {};
    return ::lstat(path.c_str(), &s) == 0 ? s.st_mode & 07777 : 0;
}

class hostile : public testing::Test {
protected:
    void SetUp() override {
        base = testing::TempDir() + "sinter_hostile_" + std::to_string(::getpid());
        fs::remove_all(base);
        fs::create_directory(base);
        ::chmod(base.c_str(), 0755);
        folder = base + "/cache";
        ::alarm(60);  // a cache that waits at a pipe fails
    }
    void TearDown() override {
        ::alarm(0);
        fs::remove_all(base);
    }

    std::string base, folder;
    warnings said;
};

TEST_F(hostile, what_is_made_is_the_users_alone) {
    for (const mode_t mask : {mode_t{0}, mode_t{077}}) {
        const std::string made = base + "/made" + std::to_string(mask);
        const mode_t before = ::umask(mask);
        const disk_cache cache(made + "/on/demand");
        cache.write("key", "image");
        ::umask(before);
        for (const char* below : {"", "/on", "/on/demand"}) EXPECT_EQ(mode_of(made + below), 0700u);
        EXPECT_EQ(mode_of(cache.path_of("key")), 0600u);
        EXPECT_EQ(cache.read("key"), "image");
    }
}

TEST_F(hostile, a_folder_that_others_can_write_is_refused_and_left_alone) {
    for (const mode_t mode : {mode_t{0777}, mode_t{0720}, mode_t{0702}, mode_t{01777}}) {
        fs::remove_all(folder);
        disk_cache(folder).write("key", "image");
        ASSERT_EQ(::chmod(folder.c_str(), mode), 0);
        const std::size_t before = said.lines().size();
        const disk_cache cache(folder);
        EXPECT_EQ(cache.read("key"), std::nullopt);
        cache.write("other", "image");
        EXPECT_EQ(cache.read("key"), std::nullopt);
        EXPECT_FALSE(fs::exists(cache.path_of("other")));
        EXPECT_EQ(mode_of(folder), mode);
        ASSERT_EQ(said.lines().size(), before + 1) << "said once";
        EXPECT_THAT(said.lines().back(),
                    AllOf(HasSubstr(folder), HasSubstr("can be written by users other than its owner"),
                          HasSubstr("SINTER_CACHE_DIR"), Not(HasSubstr("\n"))));
    }
}

TEST_F(hostile, a_folder_below_one_that_all_can_write_is_used) {
    ASSERT_EQ(::chmod(base.c_str(), 01777), 0);
    const disk_cache cache(folder);
    cache.write("key", "image");
    EXPECT_EQ(cache.read("key"), "image");
    EXPECT_THAT(said.lines(), IsEmpty());
}

TEST_F(hostile, an_entry_that_others_can_write_is_refused_and_replaced) {
    const disk_cache cache(folder);
    cache.write("key", "image");
    ASSERT_EQ(::chmod(cache.path_of("key").c_str(), 0602), 0);
    EXPECT_EQ(cache.read("key"), std::nullopt);
    EXPECT_THAT(said.lines(), ElementsAre(AllOf(HasSubstr("can be written by users other"), HasSubstr("mode 0602"))));
    cache.write("key", "image");
    EXPECT_EQ(cache.read("key"), "image");
    EXPECT_EQ(mode_of(cache.path_of("key")), 0600u);
}

TEST_F(hostile, whom_to_trust) {
    struct stat s {};
    const auto trusts = [&](uid_t owner, mode_t mode, uid_t user) {
        s.st_uid = owner;
        s.st_mode = S_IFREG | mode;
        return distrust(s, user).empty();
    };
    EXPECT_TRUE(trusts(1000, 0600, 1000));
    EXPECT_TRUE(trusts(1000, 0755, 1000));
    EXPECT_TRUE(trusts(0, 0644, 1000)) << "root can do everything anyway";
    EXPECT_FALSE(trusts(1001, 0600, 1000));
    EXPECT_FALSE(trusts(1000, 0600, 0)) << "root does not run what a user has made";
    for (const mode_t mode : {0620, 0602, 0777, 01777}) EXPECT_FALSE(trusts(1000, mode, 1000)) << mode;
}

TEST_F(hostile, what_another_user_owns_is_refused) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    disk_cache(folder).write("key", "image");
    const disk_cache cache(folder);
    ASSERT_EQ(::chown(cache.path_of("key").c_str(), nobody, nobody), 0);
    EXPECT_EQ(cache.read("key"), std::nullopt);
    EXPECT_THAT(said.lines().back(), HasSubstr("belongs to user 65534, not to user 0"));
    ASSERT_EQ(::chown(folder.c_str(), nobody, nobody), 0);
    cache.write("key", "image 2");
    EXPECT_THAT(said.lines().back(),
                AllOf(HasSubstr(folder + " belongs to user 65534"), HasSubstr("SINTER_CACHE_DIR")));

    const std::string real = base + "/real", link = base + "/link";
    disk_cache(real).write("key", "image");
    fs::create_symlink(real, link);
    ASSERT_EQ(::lchown(link.c_str(), nobody, nobody), 0);
    EXPECT_EQ(disk_cache(link).read("key"), std::nullopt);
    EXPECT_EQ(disk_cache(link + "/below").read("key"), std::nullopt);
    EXPECT_THAT(said.lines().back(), HasSubstr("the symbolic link " + link + " belongs to user 65534"));
    ASSERT_EQ(::lchown(link.c_str(), 0, 0), 0);
    EXPECT_EQ(disk_cache(link).read("key"), "image") << "one's own leads there";
}

TEST_F(hostile, links_of_ones_own_are_followed) {
    disk_cache(base + "/a/b").write("key", "image");
    fs::create_symlink("a", base + "/relative");
    fs::create_symlink(base + "/relative/b", base + "/absolute");
    fs::create_symlink("round", base + "/round");
    EXPECT_EQ(disk_cache(base + "/relative/b").read("key"), "image");
    EXPECT_EQ(disk_cache(base + "/absolute/").read("key"), "image");
    EXPECT_EQ(disk_cache(base + "/relative/../a/./b//").read("key"), "image");
    EXPECT_THAT(said.lines(), IsEmpty());
    EXPECT_EQ(disk_cache(base + "/round").read("key"), std::nullopt);
    EXPECT_THAT(said.lines(), ElementsAre(HasSubstr("levels of symbolic links")));
}

/// What stands where an entry should be.
struct in_the_way {
    const char* name;
    void (*make)(const std::string& path, const std::string& other);
    bool replaced;
};
const in_the_way things[] = {
    {"is not a regular file", [](const std::string& p, const std::string&) { ::mkfifo(p.c_str(), 0600); }, true},
    {"is a symbolic link", [](const std::string& p, const std::string& other) { fs::create_symlink(other, p); }, true},
    {"is a symbolic link", [](const std::string& p, const std::string&) { fs::create_symlink("/dev/zero", p); }, true},
    {"is a directory", [](const std::string& p, const std::string&) { fs::create_directory(p); }, false},
    {"cannot be opened",
     [](const std::string& p, const std::string&) {
         sockaddr_un address{};
         address.sun_family = AF_UNIX;
         const int s = ::socket(AF_UNIX, SOCK_STREAM, 0);
         const std::string folder = fs::path(p).parent_path();
         const fs::path before = fs::current_path();
         fs::current_path(folder);  // a socket's path is short
         fs::path("s").string().copy(address.sun_path, sizeof address.sun_path);
         EXPECT_EQ(::bind(s, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
         fs::current_path(before);
         ::close(s);
         fs::rename(folder + "/s", p);
     },
     true},
};

TEST_F(hostile, what_is_no_file_is_neither_waited_for_nor_followed) {
    const disk_cache writer(folder);
    writer.write("other", "another image");
    const std::string path = writer.path_of("key"), other = writer.path_of("other"), whole = content(other);
    for (const in_the_way& thing : things) {
        const disk_cache cache(folder);
        thing.make(path, other);
        EXPECT_EQ(cache.read("key"), std::nullopt) << thing.name;
        ASSERT_FALSE(said.lines().empty());
        EXPECT_THAT(said.lines().back(), HasSubstr(thing.name));
        cache.write("key", "image");
        EXPECT_EQ(cache.read("key"), thing.replaced ? std::optional<std::string>("image") : std::nullopt) << thing.name;
        EXPECT_EQ(content(other), whole) << "what a link led to stays";
        fs::remove_all(path);
    }
    EXPECT_THAT(said.lines().back(), HasSubstr("cannot be opened"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1) << "nothing is left behind";
}

TEST_F(hostile, a_length_that_no_disk_has_is_not_believed) {
    const disk_cache cache(folder);
    cache.write("key", "image");
    ASSERT_EQ(::truncate(cache.path_of("key").c_str(), off_t{1} << 42), 0);  // a file of holes
    EXPECT_EQ(cache.read("key"), std::nullopt);
    cache.write("key", "image");
    EXPECT_EQ(cache.read("key"), "image");
}

/// Makes this process, if root runs it, that of a user for whom modes count.
void become_ordinary() {
    if (::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) ::_exit(1);
}

TEST_F(hostile, a_folder_that_cannot_be_written_is_read) {
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(base.c_str(), nobody, nobody), 0);
    }
    EXPECT_EQ(in_a_process([&]() -> std::string {
                  become_ordinary();
                  const disk_cache cache(folder);
                  cache.write("key", "image");
                  if (::chmod(folder.c_str(), 0500) != 0) return "chmod";
                  if (cache.read("key") != "image") return "what is there is not found";
                  for (int i = 0; i < 3; ++i) cache.write("other" + std::to_string(i), "image");
                  if (said.lines().size() != 1) return std::to_string(said.lines().size()) + " warnings";
                  if (said.lines()[0].find("cannot be written: Permission denied") == std::string::npos)
                      return said.lines()[0];
                  const disk_cache below(folder + "/below");
                  below.write("key", "image");
                  if (said.lines().back().find("below cannot be created: Permission denied") == std::string::npos)
                      return said.lines().back();
                  return ::chmod(folder.c_str(), 0700) == 0 ? "" : "chmod";
              }),
              "");
}

/// A cache whose disk has no room for an image: nothing is kept, nothing is left, one line is said.
std::string write_without_room(const std::string& folder, const warnings& said, const char* cause) {
    const disk_cache cache(folder);
    cache.write("small", "image");
    if (cache.read("small") != "image") return "what has room is not kept";
    const std::string image(1 << 20, 'x');
    for (const char* key : {"one", "two"}) {
        cache.write(key, image);
        if (cache.read(key)) return "a torn image";
    }
    if (std::distance(fs::directory_iterator(folder), fs::directory_iterator()) != 1) return "something is left";
    if (said.lines().size() != 1) return std::to_string(said.lines().size()) + " warnings";
    if (said.lines()[0].find(cause) == std::string::npos) return said.lines()[0];
    return cache.read("small") == "image" ? "" : "what was there is gone";
}

TEST_F(hostile, a_file_that_may_not_grow) {
    EXPECT_EQ(in_a_process([&]() -> std::string {
                  ::signal(SIGXFSZ, SIG_IGN);
                  const rlimit most{100'000, 100'000};
                  if (::setrlimit(RLIMIT_FSIZE, &most) != 0) return "setrlimit";
                  return write_without_room(folder, said, "File too large");
              }),
              "");
}

TEST_F(hostile, a_full_disk) {
    fs::create_directory(folder);
    const std::string what = in_a_process([&]() -> std::string {
        if (::unshare(CLONE_NEWNS | (::geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0 ||
            ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("sinter", folder.c_str(), "tmpfs", 0, "size=256k,mode=0700") != 0)
            return "no disk";
        return write_without_room(folder, said, "No space left on device");
    });
    if (what == "no disk") GTEST_SKIP() << "this system lets no test mount a small disk";
    EXPECT_EQ(what, "");
}

}  // namespace
