// Threads that the system does not start: their part of a loop is done by the thread that calls. pthread_create is the
// test's own here.
#include <runtime/system/parallel.hpp>

#include <sinter.hpp>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>

namespace {

using start_routine = void* (*)(void*);
using create_function = int (*)(pthread_t*, const pthread_attr_t*, start_routine, void*);

std::atomic<bool> refuses{false};
std::atomic<int> refused{0};

}  // namespace

// A sanitizer's own, which has to know of each thread.
extern "C" int __interceptor_pthread_create(pthread_t*, const pthread_attr_t*, start_routine, void*)
    __attribute__((weak));

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* how, start_routine start, void* argument) {
    if (refuses) {
        ++refused;
        return EAGAIN;
    }
    static const auto next = reinterpret_cast<create_function>(::dlsym(RTLD_NEXT, "pthread_create"));
    return (&__interceptor_pthread_create != nullptr ? &__interceptor_pthread_create : next)(thread, how, start,
                                                                                             argument);
}

namespace {

using namespace sinter;

/// oneTBB throws std::runtime_error then, before any part is done.
TEST(thread_start, a_loop_ends_without_the_threads_that_do_not_start) {
    const tbb::global_control several(tbb::global_control::max_allowed_parallelism, 4);
    tbb::task_arena(4).execute([] {
        std::vector<std::atomic<int>> times(10000);
        refuses = true;
        EXPECT_NO_THROW(
            codegen::parallel_loop(static_cast<std::int64_t>(times.size()), 1, [&](std::int64_t i, std::int64_t end) {
                for (; i < end; ++i) ++times[static_cast<std::size_t>(i)];
            }));
        refuses = false;
        EXPECT_GT(refused, 0) << "no thread was to be started";
        for (const std::atomic<int>& t : times) ASSERT_EQ(t, 1);

        const device_scope on(host());
        const array<double, 2> x = full({500, 400}, 2.0);
        EXPECT_EQ(item(sum(x * x)), 800000);
    });
}

}  // namespace
