// Tasks at once: each is run exactly once, nested calls end and take no more threads than there are cores.
#include <runtime/system/parallel_for.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using sinter::codegen::parallel_for;

TEST(parallel_for, runs_each_task_once) {
    parallel_for(0, [](std::size_t) { FAIL() << "there is none"; });
    for (const std::size_t count : {1, 2, 7, 100}) {
        std::vector<std::atomic<int>> runs(count);
        parallel_for(count, [&](std::size_t i) { ++runs[i]; });
        for (const std::atomic<int>& n : runs) EXPECT_EQ(n, 1);
    }
}

TEST(parallel_for, nested_calls_stay_within_the_cores) {
    std::atomic<int> running{0}, most{0}, runs{0};
    parallel_for(6, [&](std::size_t) {
        parallel_for(5, [&](std::size_t) {
            const int now = ++running;
            for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            --running;
            ++runs;
        });
    });
    EXPECT_EQ(runs, 30);
    const auto cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    EXPECT_LE(most, cores);
    EXPECT_GE(most, std::min(cores, 2)) << "one after the other";
}

TEST(parallel_for, all_tasks_run_and_the_first_failure_is_thrown) {
    std::atomic<int> runs{0};
    try {
        parallel_for(20, [&](std::size_t i) {
            ++runs;
            if (i % 5 == 3) throw std::runtime_error(std::to_string(i));
        });
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "3");
    }
    EXPECT_EQ(runs, 20);
    parallel_for(2, [&](std::size_t) { ++runs; });  // the threads are given back
    EXPECT_EQ(runs, 22);
}

}  // namespace
