// Evaluations in tasks of a user's own parallel loop, and in functions that an evaluation calls: what one evaluation
// uses no other takes from it.
#include <sinter.hpp>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

namespace nested {

double evaluated_within(double);

}  // namespace nested

SINTER_UNARY(reentrant, floating, T(nested::evaluated_within(double(x))));

namespace {

using namespace sinter;

constexpr std::int64_t more_than_a_slot_keeps = 4200;

/// Two kernels, so that the plan is looked at after the first one.
double normalised(std::int64_t extent) {
    const array<double, 1> x = ones<double>({extent});
    const array<double, 1> y = reentrant(x / sum(x)) * 2.0 + sum(x);
    return item(sum(y)) / static_cast<double>(extent);
}

thread_local int depth = 0;

TEST(nested_evaluations, of_more_shapes_than_a_slot_keeps) {
    const device_scope on(host());
    for (std::int64_t n = 1; n < more_than_a_slot_keeps; ++n) {
        const array<double, 1> x = ones<double>({n});
        ASSERT_NEAR(normalised(n), 2.0 / static_cast<double>(n) + static_cast<double>(n), 1e-6);
    }
    // Each of these makes a plan that only it uses; in each another one is made meanwhile, by the same thread.
    for (std::int64_t n = more_than_a_slot_keeps; n < more_than_a_slot_keeps + 20; ++n) {
        depth = 0;
        EXPECT_NEAR(normalised(n), 2.0 / static_cast<double>(n) + static_cast<double>(n), 1e-6);
    }
}

TEST(nested_evaluations, tasks_of_the_users_do_not_run_within_one) {
    const device_scope on(host());
    const tbb::global_control several(tbb::global_control::max_allowed_parallelism, 4);
    std::atomic<int> deepest{0};
    const array<double, 2> x = uniform<double>(random_key(1), {600, 500});
    const double expected = item(sum(exp(x)));
    tbb::parallel_for(
        0, 400,
        [&](int) {
            static thread_local int within = 0;
            ++within;
            deepest = std::max(deepest.load(), within);
            EXPECT_EQ(item(sum(exp(x))), expected);
            --within;
        },
        tbb::simple_partitioner());
    EXPECT_EQ(deepest, 1);
}

}  // namespace

/// Evaluates the expression that calls it, once, with a shape that is new.
double nested::evaluated_within(double value) {
    static std::atomic<std::int64_t> next{2 * more_than_a_slot_keeps};
    if (depth == 0) {
        depth = 1;
        normalised(next++);
    }
    return value;
}
