// Evaluations at the ends of a process and of its threads, and in processes that are forked from a busy one. Runs
// itself for what happens at the end. SINTER_TEST_CHILDREN says how many children each of these tests has.
#include <runtime/memory/pool.hpp>
#include <runtime/system/fork.hpp>
#include <sinter.hpp>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" char** environ;

// LeakSanitizer takes for leaks what the threads held that a forked child does not have.
extern "C" int __lsan_is_turned_off() { return sinter::codegen::is_forked_child() ? 1 : 0; }

#if defined(__SANITIZE_ADDRESS__)
#define SINTER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SINTER_ASAN 1
#endif
#endif

namespace {

using namespace sinter;

constexpr const char* last_words = "SINTER_TEST_LAST_WORDS";
constexpr int wrong = 3;

/// Whether evaluations of many kinds give what they should: one that is small, one for all cores, several kernels, a
/// gradient, a product, several scalars.
bool evaluates() {
    const array<double, 2> x = full({300, 500}, 2.0);
    const array<double, 1> few = {1, 2, 3};
    const auto d = 2.0 * few + 1.0;
    const array<double, 1> twice = d + d * 3.0;
    const array<double, 2> rows = x - mean(x, axis=1, keepdims) + sum(x, axis=0);
    const array<double, 1> w = few;
    const array<double, 1> slope = grad(sum(w * w), w);
    const array<double, 2> product = matmul(x(range(0, 70), all), transpose(x));
    return item(sum(exp(x * 0.0))) == 150000 && to_host(twice) == std::vector<double>{12, 20, 28} &&
           to_host(rows)[499] == 600 && to_host(slope) == std::vector<double>{2, 4, 6} &&
           to_host(product)[20999] == 2000;
}

void check_and_leave_if_wrong() {
    if (std::getenv(last_words) != nullptr && !evaluates()) _exit(wrong);
}

/// Evaluates when it goes, and has done so when it came.
struct evaluates_at_its_end {
    evaluates_at_its_end() { check_and_leave_if_wrong(); }
    ~evaluates_at_its_end() { check_and_leave_if_wrong(); }
    array<float, 1> kept;
};
const evaluates_at_its_end of_the_process;
thread_local const std::optional<evaluates_at_its_end> of_the_thread(std::in_place);

int children(int otherwise) {
    const char* const wish = std::getenv("SINTER_TEST_CHILDREN");
    return wish != nullptr ? std::atoi(wish) : otherwise;
}

/// How a child ends: its exit status, or minus the signal. Kills it after a while.
int end_of(pid_t child) {
    for (int tenths = 0; tenths < 600; ++tenths) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        std::this_thread::sleep_for(std::chrono::milliseconds(tenths < 100 ? 1 : 100));
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return -SIGKILL;
}

TEST(processes, evaluate_while_they_end) {
    if (std::getenv(last_words) != nullptr) {
        std::atexit(check_and_leave_if_wrong);
        std::thread([] { EXPECT_TRUE(of_the_thread.has_value() && evaluates()); }).join();
        EXPECT_TRUE(of_the_thread.has_value() && evaluates());
        return;
    }
    setenv(last_words, "1", 1);
    setenv("MALLOC_PERTURB_", "165", 1);  // what is freed does not look as before
    setenv("MALLOC_CHECK_", "3", 1);
    for (int i = 0, all = children(100); i < all; ++i) {
        const char* const words[] = {"/proc/self/exe", "--gtest_filter=processes.evaluate_while_they_end",
                                     "--gtest_brief=1", nullptr};
        pid_t child = 0;
        ASSERT_EQ(posix_spawn(&child, words[0], nullptr, nullptr, const_cast<char**>(words), environ), 0);
        ASSERT_EQ(end_of(child), 0) << "child " << i;
    }
    unsetenv(last_words);
}

TEST(processes, that_are_forked_from_a_busy_one_evaluate) {
#ifdef SINTER_ASAN
    GTEST_SKIP() << "the allocator of AddressSanitizer may be locked in the child by a thread that is gone";
#endif
    const tbb::global_control several(tbb::global_control::max_allowed_parallelism, 4);
    std::atomic<bool> stop{false};
    std::vector<std::thread> busy;
    for (int t = 0; t < 3; ++t)
        busy.emplace_back([&stop, t] {
            for (std::int64_t n = 1; !stop; ++n) {
                // new shapes, memory and plans, on all cores
                const array<double, 1> x = full({1000 + n % 500 * 1000 + t}, 1.0);
                EXPECT_EQ(item(sum(x)), static_cast<double>(x.size()));
            }
        });
    for (int i = 0, all = children(60); i < all; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            const bool right = evaluates();
            i % 2 == 0 ? _exit(right ? 0 : wrong) : std::exit(right ? 0 : wrong);
        }
        ASSERT_GT(child, 0);
        EXPECT_EQ(end_of(child), 0) << "child " << i;
    }
    stop = true;
    for (std::thread& t : busy) t.join();
    EXPECT_TRUE(evaluates());
}

/// Memory that says when it is given back, which a pool does while it holds its lock.
struct slow_memory final : codegen::memory_source {
    std::function<void()> on_release;

    void* allocate(std::size_t bytes) override { return std::aligned_alloc(256, bytes); }
    void release(void* p, std::size_t) noexcept override {
        on_release();
        std::free(p);
    }
    state query() const noexcept override { return {}; }
};

TEST(processes, are_forked_when_no_other_thread_holds_a_lock) {
    std::atomic<bool> releasing{false};
    slow_memory memory;
    memory.on_release = [&] {
        releasing = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    };
    codegen::pool p(memory, "test");
    p.deallocate(p.allocate(100), 100);
    std::thread holder([&] { p.trim(); });
    while (!releasing) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) _exit(p.allocate(100) != nullptr ? 0 : wrong);
    EXPECT_EQ(end_of(child), 0);
    holder.join();
}

/// As in a handler of a crash: the thread that forks holds the lock itself.
TEST(processes, that_are_forked_within_the_library_say_so) {
    int ended = wrong;
    slow_memory memory;
    codegen::pool p(memory, "test");
    memory.on_release = [&] {
        const pid_t child = fork();
        if (child == 0) {
            try {
                p.allocate(100);
            } catch (const error& e) {
                _exit(std::string(e.what()).find("was forked") != std::string::npos ? 0 : wrong);
            }
            _exit(wrong);
        }
        ended = end_of(child);
    };
    p.deallocate(p.allocate(100), 100);
    p.trim();
    EXPECT_EQ(ended, 0);
    memory.on_release = [] {};
    void* const again = p.allocate(100);
    EXPECT_NE(again, nullptr);
    p.deallocate(again, 100);
}

}  // namespace
