// Tuned evaluations: their results, and that the tuned choice is remembered.
#include <tests/language/fresh_cache.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <numeric>

namespace sinter::test {
namespace {

class tuning : public on_devices {
protected:
    static int launched() {
        return emulated() ? static_cast<const emulate::emulated_device&>(current_device().get()).launches() : 0;
    }
};

array<float, 2> numbers(std::int64_t rows, std::int64_t columns) {
    std::vector<float> all(static_cast<std::size_t>(rows * columns));
    std::iota(all.begin(), all.end(), 1.f);
    for (float& x : all) x = std::fmod(x * 0.37f, 5.f) - 2.f;
    return from_host(all, {rows, columns});
}

TEST_F(tuning, IsAsked) {
    const bool by_default = current_tuning();
    {
        const tuning_scope tuned;
        EXPECT_TRUE(current_tuning());
        const tuning_scope not_here(false);
        EXPECT_FALSE(current_tuning());
    }
    EXPECT_EQ(current_tuning(), by_default);
}

// Elementwise kernels in place, rows that are resident, that are not, columns, splits: the variants compute the same.
TEST_F(tuning, ComputesTheSame) {
    const array<float, 2> x = numbers(37, 130);
    const std::vector<float> doubled = to_host(array<float, 2>(2 * x)),
                             soft = to_host(array<float, 2>(softmax(x, axis=1)));
    const std::vector<float> rows = to_host(array<float, 1>(sum(x * x, axis=1)));
    const std::vector<float> columns = to_host(array<float, 1>(max(x, axis=0)));
    const tuning_scope tuned;
    array<float, 2> y = copy(x);
    y = 2 * std::move(y);
    EXPECT_EQ(to_host(y), doubled);
    const std::vector<float> soft_tuned = to_host(array<float, 2>(softmax(x, axis=1)));
    for (std::size_t i = 0; i < soft.size(); ++i) EXPECT_NEAR(soft_tuned[i], soft[i], 1e-6f);
    const std::vector<float> rows_tuned = to_host(array<float, 1>(sum(x * x, axis=1)));
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows_tuned[i], rows[i], 1e-5f * rows[i]);
    EXPECT_EQ(to_host(array<float, 1>(max(x, axis=0))), columns);
}

// The operands of a measurement are the program's own: nothing it reads or holds is written.
TEST_F(tuning, LeavesOperandsAlone) {
    const array<float, 2> x = numbers(20, 33);
    const std::vector<float> before = to_host(x);
    const tuning_scope tuned;
    array<float, 2> y = x;
    y += 1;
    y(range(0, 3), all) = x(range(1, 4), all) * 3;
    EXPECT_EQ(to_host(x), before);
    EXPECT_EQ(to_host(y)[0], before[33] * 3);
    EXPECT_EQ(to_host(y)[33 * 5], before[33 * 5] + 1);
}

TEST_F(tuning, MeasuresOnce) {
    if (!emulated()) GTEST_SKIP() << "only the emulated device counts launches";
    const array<float, 2> x = numbers(11, 77);
    const tuning_scope tuned;
    const auto launches = [&] {
        const int before = launched();
        const array<float, 1> y = sum(exp(x), axis=1);
        return launched() - before;
    };
    EXPECT_GT(launches(), 3);
    EXPECT_EQ(launches(), 1);
}

/// A library's algorithms are measured as schedules are: the fastest is taken, once and for all.
TEST_F(tuning, ChoosesTheAlgorithmOfALibrary) {
    const array<float, 2> x = numbers(8, 300), y = numbers(300, 6);  // what is_small leaves to the library
    const std::vector<float> untuned = to_host(array<float, 2>(2 * matmul(x, y)));
    auto* const fake = emulated() ? static_cast<emulate::emulated_device*>(&current_device().get()) : nullptr;
    using namespace std::chrono_literals;
    if (fake) fake->set_library(true);
    if (fake) fake->set_library_algorithms({10ms, -1ms, 0ms, 10ms});
    const tuning_scope tuned;
    const auto calls = [&] {
        const int before = fake ? fake->library_calls() : 0;
        const std::vector<float> found = to_host(array<float, 2>(2 * matmul(x, y)));
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], untuned[i], 1e-3f);
        return fake ? fake->library_calls() - before : 1;
    };
    EXPECT_GE(calls(), fake ? 3 : 1);
    EXPECT_EQ(calls(), 1);
    if (!fake) return;
    const auto is_chosen = testing::HasSubstr(", algorithm 2; the fastest of those measured");
    EXPECT_THAT(explain(2 * matmul(x, y)).kernels.at(0).schedule, is_chosen);
    EXPECT_THAT(explain(2 * matmul(transpose(y), transpose(x))).kernels.at(0).schedule, testing::Not(is_chosen));
    // Another plan on these shapes does not measure again, nor does one on equal shapes of other arrays.
    const int before = fake->library_calls();
    const array<float, 2> z = 2 * matmul(numbers(8, 300), numbers(300, 6)(all, range(0, 6)));
    EXPECT_EQ(fake->library_calls() - before, 1);
    fake->set_library_algorithms({0ms});
    fake->set_library(false);
}

TEST_F(tuning, ExplainTellsWhatWasMeasured) {
    if (current_device().is_host()) GTEST_SKIP() << "the host has no schedules";
    const array<float, 2> x = numbers(13, 91);
    const auto e = sum(x * x + 1, axis=1);
    const auto is_measured = [&] {
        return explain(e).kernels.at(0).schedule.find("; the fastest of those measured") != std::string::npos;
    };
    const tuning_scope tuned;
    EXPECT_FALSE(is_measured());
    const array<float, 1> y = e;
    EXPECT_TRUE(is_measured());
    const tuning_scope no_longer(false);
    EXPECT_FALSE(is_measured());
}

}  // namespace
}  // namespace sinter::test
