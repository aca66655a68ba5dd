// Warming up compiles kernels without running them; the first evaluation then compiles nothing.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

namespace sinter::test {
namespace {

class warming_up : public on_devices {
protected:
    /// Of the emulated device; elsewhere nothing counts them.
    static int compilations() {
        return emulated() ? static_cast<emulate::emulated_device&>(current_device().get()).compilations() : 0;
    }
    static int launches_so_far() {
        return emulated() ? static_cast<emulate::emulated_device&>(current_device().get()).launches() : 0;
    }
};

TEST_F(warming_up, makes_what_evaluation_then_finds) {
    const naive a = random({12, 50}, 61);
    const auto x = to_array<double, 2>(a);
    // of types and kernels that no other test has, so that no cache of this process has them
    const auto roots = sqrt(sum(x * x * 3.25, axis=1)) + 1.5;
    const auto shares = x / sum(abs(x) + 0.75, axis=1, keepdims) - 2.25;
    const auto lines = exp(x) * 1.75 - x;
    const int before = launches_so_far();
    warm_up(roots, shares, lines);
    EXPECT_EQ(launches_so_far(), before);
    const int compiled = compilations();
    const array<double, 1> r = roots;
    const array<double, 2> s = shares, l = lines;
    EXPECT_EQ(compilations(), compiled);
    expect_equal(
        r, map([](double v) { return std::sqrt(v) + 1.5; }, sum_of(map([](double v) { return v * v * 3.25; }, a), 2)));
    expect_equal(l, map([](double v) { return std::exp(v) * 1.75 - v; }, a));
    expect_equal(s, map([](double v, double t) { return v / t - 2.25; }, a,
                        sum_of(map([](double v) { return std::abs(v) + 0.75; }, a), 2, true)));
}

TEST_F(warming_up, throws_what_a_compilation_throws) {
    if (current_device().is_host()) return;
    const array<float, 1> x = {1, 2};
    EXPECT_THROW(warm_up(x + 1, custom<float>("x + undeclared", x)), error);
    EXPECT_THAT(to_host(x + 1), testing::ElementsAre(2, 3));
}

}  // namespace
}  // namespace sinter::test
