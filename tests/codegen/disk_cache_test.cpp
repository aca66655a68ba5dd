// The disk cache: entries come back whole or not at all, whatever happens to the files.
#include <runtime/cache/disk.hpp>
#include <sinter/error.hpp>
#include <tests/codegen/warnings.hpp>
#include <tests/support/content.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using sinter::codegen::default_cache_folder;
using sinter::codegen::disk_cache;
using sinter::test::content;
using sinter::test::warnings;

std::string random_bytes(std::mt19937& random, std::size_t bytes) {
    std::string s(bytes, '\0');
    for (char& c : s) c = static_cast<char>(random());
    return s;
}

void replace(const std::string& path, const std::string& what) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << what;
}

class disk : public testing::Test {
protected:
    void SetUp() override {
        folder = testing::TempDir() + "sinter_disk_" + std::to_string(::getpid());
        fs::remove_all(folder);
    }
    void TearDown() override { fs::remove_all(folder); }

    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }

    std::string folder;
    std::mt19937 random{17};
};

TEST_F(disk, gives_back_what_was_written) {
    const disk_cache cache(folder + "/made/on/demand");
    for (const std::size_t bytes : {0, 1, 37, 4096, 100003}) {
        const std::string key = random_bytes(random, 20 + bytes), image = random_bytes(random, bytes);
        EXPECT_EQ(cache.read(key), std::nullopt);
        cache.write(key, image);
        EXPECT_EQ(cache.read(key), image);
        EXPECT_EQ(disk_cache(cache.folder()).read(key), image) << "for another process too";
        EXPECT_EQ(cache.read(key + "x"), std::nullopt);
        cache.write(key, image + "2");
        EXPECT_EQ(cache.read(key), image + "2");
    }
}

TEST_F(disk, a_damaged_entry_counts_as_absent_and_is_written_anew) {
    const disk_cache cache(folder);
    const std::string key = random_bytes(random, 300), image = random_bytes(random, 700);
    cache.write(key, image);
    const std::string path = cache.path_of(key), whole = content(path);
    ASSERT_GT(whole.size(), 1000u);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
        replace(path, damaged);
        ASSERT_EQ(cache.read(key), std::nullopt) << "byte " << at;
    }
    for (std::size_t size = 0; size < whole.size(); size += 13) {
        replace(path, whole.substr(0, size));
        ASSERT_EQ(cache.read(key), std::nullopt) << size << " bytes left";
    }
    replace(path, whole + "!");
    EXPECT_EQ(cache.read(key), std::nullopt);
    cache.write(key, image);
    EXPECT_EQ(cache.read(key), image);
    EXPECT_EQ(files(), 1u);
}

TEST_F(disk, an_entry_of_another_key_is_not_taken_for_ones_own) {
    const disk_cache cache(folder);
    const std::string key = random_bytes(random, 300), other = random_bytes(random, 300);
    cache.write(other, "image");
    fs::rename(cache.path_of(other), cache.path_of(key));  // as if their hashes were equal
    EXPECT_EQ(cache.read(key), std::nullopt);
}

TEST_F(disk, processes_race_without_harm) {
    const disk_cache cache(folder);
    const auto image_of = [](int key, int writer) {  // recognisable as whole
        return std::string(static_cast<std::size_t>(20000 + 100 * key + writer), static_cast<char>('a' + writer));
    };
    std::vector<pid_t> children;
    for (int writer = 0; writer < 4; ++writer) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child > 0) {
            children.push_back(child);
            continue;
        }
        int wrong = 0, found = 0;
        for (int i = 0; i < 300; ++i) {
            const int k = i % 3;
            const std::string key = "key " + std::to_string(k);
            cache.write(key, image_of(k, writer));
            const std::optional<std::string> image = cache.read(key);
            found += image.has_value();
            if (image && (image->empty() || *image != image_of(k, image->front() - 'a'))) ++wrong;
        }
        ::_exit(wrong != 0 ? 1 : found != 300 ? 2 : 0);
    }
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 0) << "1: a torn image; 2: an image went missing";
    }
    EXPECT_EQ(files(), 3u) << "no temporary file is left";
}

TEST_F(disk, stays_under_its_limit_and_lets_the_longest_unused_go) {
    const disk_cache large(folder), cache(folder, 100'000);
    for (int i = 0; i < 20; ++i) {  // the first was used last, the last longest ago
        const std::string key = "key " + std::to_string(i);
        large.write(key, random_bytes(random, 9000));
        fs::last_write_time(cache.path_of(key), fs::file_time_type::clock::now() - std::chrono::hours(48 + i));
    }
    EXPECT_TRUE(cache.read("key 5").has_value()) << "which renews it";
    cache.prune();
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder)) bytes += entry.file_size();
    EXPECT_LE(bytes, 76'000u);
    EXPECT_GE(bytes, 60'000u) << "no more than needed goes";
    EXPECT_TRUE(cache.read("key 0").has_value());
    EXPECT_TRUE(cache.read("key 5").has_value());
    EXPECT_FALSE(cache.read("key 19").has_value());
}

// Both count: what a killed writer has left is removed, what is being written takes room.
TEST_F(disk, temporary_files_count) {
    const disk_cache cache(folder, 100'000);
    for (int i = 0; i < 9; ++i) cache.write("key " + std::to_string(i), random_bytes(random, 9000));
    const std::string stale = folder + "/.writing-1-1", fresh = folder + "/.writing-2-1", other = folder + "/notes.txt";
    replace(stale, std::string(90'000, 'x'));
    fs::last_write_time(stale, fs::file_time_type::clock::now() - std::chrono::minutes(2));
    replace(other, "somebody else's");
    cache.prune();
    EXPECT_FALSE(fs::exists(stale));
    EXPECT_EQ(files(), 10u) << "what was left took no room that counts";
    replace(fresh, std::string(60'000, 'x'));
    cache.prune();
    EXPECT_TRUE(fs::exists(fresh));
    EXPECT_TRUE(fs::exists(other));
    EXPECT_EQ(files(), 3u) << "one entry, of 9000 bytes, stays beside 60000";
}

TEST_F(disk, what_is_larger_than_the_limit_is_not_kept) {
    const disk_cache cache(folder, 1000);
    cache.write("key", std::string(1000, 'x'));
    EXPECT_FALSE(fs::exists(cache.path_of("key")));
    cache.write("key", "image");
    EXPECT_EQ(cache.read("key"), "image");
}

TEST_F(disk, the_environment_says_the_size) {
    using sinter::codegen::cache_limit_of;
    EXPECT_EQ(cache_limit_of("5"), 5u);
    EXPECT_EQ(cache_limit_of("3K"), 3072u);
    EXPECT_EQ(cache_limit_of("256M"), disk_cache::default_limit);
    EXPECT_EQ(cache_limit_of("1g"), std::uintmax_t{1} << 30);
    EXPECT_EQ(cache_limit_of("2T"), std::uintmax_t{2} << 40);
    for (const char* bad : {"0", "-1", "G", "1.5G", "1GB", "1 G", "16777216T", "99999999999999999999", "off", "+1"}) {
        try {
            cache_limit_of(bad);
            ADD_FAILURE() << bad;
        } catch (const sinter::error& e) {
            EXPECT_EQ(std::string(e.what()),
                      std::string("SINTER_CACHE_SIZE=") + bad +
                          ": use a number of bytes such as 256M or 1G; SINTER_CACHE_DIR=off turns the cache off");
        }
    }
}

TEST_F(disk, writing_alone_keeps_it_near_its_limit) {
    const disk_cache cache(folder, 50'000);
    for (int i = 0; i < 400; ++i) cache.write("key " + std::to_string(i), random_bytes(random, 1000));
    EXPECT_LT(files(), 60u);
}

TEST_F(disk, without_a_folder_to_write_to_there_is_no_cache) {
    const disk_cache off("");
    EXPECT_FALSE(off.enabled());
    off.write("key", "image");
    EXPECT_EQ(off.read("key"), std::nullopt);

    replace(folder, "a file where the folder should be");
    const warnings said;
    const disk_cache blocked(folder), below(folder + "/deeper");
    blocked.write("key", "image");
    below.write("key", "image");
    EXPECT_EQ(blocked.read("key"), std::nullopt);
    EXPECT_EQ(below.read("key"), std::nullopt);
    below.prune();
    EXPECT_TRUE(fs::is_regular_file(folder));
    EXPECT_THAT(said.lines(),
                testing::ElementsAre(testing::HasSubstr("Not a directory"), testing::HasSubstr("Not a directory")));
}

TEST_F(disk, the_environment_names_the_folder) {
    const auto with = [](const char* dir, const char* xdg, const char* home) {
        const auto put = [](const char* name, const char* value) {
            value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
        };
        std::vector<std::pair<const char*, std::optional<std::string>>> before;
        for (const char* name : {"SINTER_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
            const char* const value = std::getenv(name);
            before.emplace_back(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
        }
        put("SINTER_CACHE_DIR", dir);
        put("XDG_CACHE_HOME", xdg);
        put("HOME", home);
        const std::string result = default_cache_folder();
        for (const auto& [name, value] : before) put(name, value ? value->c_str() : nullptr);
        return result;
    };
    EXPECT_EQ(with("/a", "/b", "/c"), "/a");
    EXPECT_EQ(with("off", "/b", "/c"), "");
    EXPECT_EQ(with(nullptr, "/b", "/c"), "/b/sinter");
    EXPECT_EQ(with("", nullptr, "/c"), "/c/.cache/sinter");
    EXPECT_EQ(with(nullptr, "relative", "/c"), "/c/.cache/sinter");
    EXPECT_EQ(with(nullptr, nullptr, "relative"), "");
    EXPECT_EQ(with(nullptr, nullptr, nullptr), "");
}

TEST_F(disk, reading_takes_far_less_than_a_millisecond) {
    const disk_cache cache(folder);
    const std::string key = random_bytes(random, 3000), image = random_bytes(random, 12000);
    cache.write(key, image);
    std::vector<double> microseconds;
    for (int i = 0; i < 101; ++i) {
        const auto start = std::chrono::steady_clock::now();
        ASSERT_TRUE(cache.read(key).has_value());
        microseconds.push_back(
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(microseconds.begin(), microseconds.begin() + 50, microseconds.end());
    RecordProperty("median_read_microseconds", std::to_string(microseconds[50]));
    EXPECT_LT(microseconds[50], 500);
}

}  // namespace
