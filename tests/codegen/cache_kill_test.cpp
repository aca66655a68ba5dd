// Processes on one cache folder, each of which may be killed at any time: what is read is whole, and nothing piles up.
// SINTER_TEST_SECONDS says how long; a few seconds otherwise.
#include <runtime/cache/disk.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using sinter::codegen::disk_cache;

constexpr int processes = 8, keys = 64;
constexpr std::uintmax_t limit = 1 << 20;

std::string key_of(unsigned k) { return "key " + std::to_string(k); }

/// An image that tells whether it is whole, and whose: its first byte says how long it is and what it repeats.
std::string image_of(unsigned k, unsigned writer) {
    return std::string(20'000 + 1000 * writer + k, static_cast<char>('a' + writer));
}
bool is_whole(unsigned k, const std::string& image) {
    return !image.empty() && image == image_of(k, static_cast<unsigned>(image[0] - 'a'));
}

/// Reads and writes until it is killed. Ends by itself only if it reads what was never written.
[[noreturn]] void use(const std::string& folder, unsigned writer) {
    const disk_cache cache(folder, limit);
    std::mt19937 random(static_cast<unsigned>(::getpid()));
    for (;;) {
        const unsigned k = random() % keys;
        if (random() % 2 == 0) cache.write(key_of(k), image_of(k, writer));
        if (const std::optional<std::string> image = cache.read(key_of(k)); image && !is_whole(k, *image)) ::_exit(1);
    }
}

pid_t start(const std::string& folder, unsigned writer) {
    const pid_t child = ::fork();
    if (child == 0) use(folder, writer);
    return child;
}

std::uintmax_t bytes_in(const std::string& folder) {
    std::uintmax_t total = 0;
    std::error_code gone;
    for (fs::directory_iterator it(folder, gone), end; !gone && it != end; it.increment(gone)) {
        std::error_code failed;
        if (const std::uintmax_t bytes = it->file_size(failed); !failed) total += bytes;
    }
    return total;
}

TEST(cache_kill, whatever_is_killed_what_is_read_is_whole) {
    const char* const wish = std::getenv("SINTER_TEST_SECONDS");
    const std::chrono::seconds duration(wish != nullptr ? std::atoi(wish) : 5);
    const std::string folder = testing::TempDir() + "sinter_kill_" + std::to_string(::getpid());
    fs::remove_all(folder);
    std::vector<pid_t> children;
    for (unsigned i = 0; i < processes; ++i) children.push_back(start(folder, i));
    std::mt19937 random(1);
    int killed = 0;
    std::uintmax_t most = 0;
    for (const auto end = std::chrono::steady_clock::now() + duration; std::chrono::steady_clock::now() < end;) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
        const unsigned i = random() % processes;
        ASSERT_EQ(::kill(children[i], SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(children[i], &status, 0), children[i]);
        ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "a torn image was read";
        children[i] = start(folder, i);
        if (++killed % 64 == 0) most = std::max(most, bytes_in(folder));
    }
    for (const pid_t child : children) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
    int found = 0;
    const disk_cache cache(folder, limit);
    for (unsigned k = 0; k < keys; ++k)
        if (const std::optional<std::string> image = cache.read(key_of(k))) {
            EXPECT_TRUE(is_whole(k, *image)) << k;
            ++found;
        }
    int left = 0;
    for (const auto& file : fs::directory_iterator(folder))
        if (file.path().filename().string().starts_with(".writing-")) {
            ++left;
            fs::last_write_time(file.path(), fs::file_time_type::clock::now() - std::chrono::minutes(2));
        }
    cache.prune();
    for (const auto& file : fs::directory_iterator(folder)) EXPECT_EQ(file.path().extension(), ".kernel");
    EXPECT_GT(found, 0);
    EXPECT_LE(bytes_in(folder), limit);
    RecordProperty("killed", killed);
    RecordProperty("half_written", left);
    RecordProperty("max_bytes", std::to_string(most));
    std::printf("%d processes killed, %d files half written, at most %.1f MiB of %.1f\n", killed, left,
                static_cast<double>(most) / (1 << 20), static_cast<double>(limit) / (1 << 20));
    EXPECT_GT(killed, 10);
    fs::remove_all(folder);
}

}  // namespace
