// Two CUDA devices in one program: one expression on both, copies between them, and what is said where they are mixed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sinter.hpp>

#include <atomic>
#include <cmath>
#include <thread>

namespace {

using namespace sinter;
using testing::HasSubstr;

class several_devices : public testing::Test {
protected:
    void SetUp() override {
        if (cuda_count() < 2) GTEST_SKIP() << "there are fewer than two CUDA devices";
    }
    static array<float, 1> numbers(int device_index, std::int64_t n, float from = 0) {
        const device_scope scope(cuda(device_index));
        return astype<float>(arange<std::int64_t>(n) % 1000) + from;
    }
};

TEST_F(several_devices, one_expression_runs_on_each_in_turn) {
    const auto a = numbers(0, 100001), b = numbers(1, 100001, 1.0f);
    for (int i = 0; i < 20; ++i) {  // launched all before any is waited for
        const array<float, 0> on_a = sum(a * 2 + static_cast<float>(i)), on_b = sum(b * 2 + static_cast<float>(i));
        const array<float, 1> c = exp(b / 1000) - max(b), d = exp(a / 1000) - max(a);
        EXPECT_NEAR(item(on_b) / item(on_a), (1 + 100001.0f * 2 / item(on_a)), 1e-5);
        EXPECT_NEAR(to_host(d)[7], std::exp(0.007f) - 999, 1e-3);
        EXPECT_NEAR(to_host(c)[7], std::exp(0.008f) - 1000, 1e-3);
    }
    const auto far = numbers(1, 1000);  // a split reduction has a workspace on each device
    EXPECT_EQ(item(max(cumsum(far) * 0 + far)), 999);
}

TEST_F(several_devices, copies_between_them_are_in_the_order_of_both) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{1003}, std::int64_t{30000001}}) {
        auto x = numbers(0, n);
        for (int round = 1; round <= 6; ++round) {
            x = x + 1.0f;
            const auto there = x.to(cuda(1));  // after the kernel that writes x
            x(all) = -1.0f;                    // and before this
            const array<float, 1> more = there + 1.0f;
            auto back = more.to(cuda(0));
            ASSERT_EQ(item(min(back - astype<float>(arange<std::int64_t>(n) % 1000))), static_cast<float>(2 * round));
            ASSERT_EQ(item(max(back - astype<float>(arange<std::int64_t>(n) % 1000))), static_cast<float>(2 * round));
            x = std::move(back);
        }
    }
}

TEST_F(several_devices, views_and_streams_go_along) {
    const auto x = numbers(0, 1 << 20);
    const stream q(cuda(1));
    const auto there = x.to(cuda(1));
    array<float, 1> y;
    y.on(q) = there * 2;
    EXPECT_EQ(to_host(y.to(cuda(0)))[999], 1998);
    EXPECT_EQ(to_host(y.to(host()))[1001], 2);
}

TEST_F(several_devices, operands_on_two_are_refused_and_the_target_is_untouched) {
    const auto a = numbers(0, 5), b = numbers(1, 5);
    array<float, 1> r = a + 1;
    try {
        r = a + b;
        FAIL() << "no error";
    } catch (const error& e) {
        EXPECT_THAT(e.what(), HasSubstr("the operands are on two devices, cuda(0) and cuda(1); move one with"));
    }
    EXPECT_EQ(to_host(r), (std::vector<float>{1, 2, 3, 4, 5}));
    EXPECT_EQ(to_host(r.to(cuda(1)) + b), (std::vector<float>{1, 3, 5, 7, 9}));
}

TEST_F(several_devices, threads_have_devices_of_their_own) {
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            const device_scope scope(cuda(t % 2));
            for (int i = 0; i < 50; ++i) {
                const array<double, 2> x = full({100, 37}, 1.0 + t);
                right += item(sum(x * x)) == 3700.0 * (1 + t) * (1 + t);
            }
        });
    }
    for (auto& t : threads) t.join();
    EXPECT_EQ(right, 200);
}

}  // namespace
