// Expressions that are one kernel by the rule and several by the prediction: where one would leave most of the device
// idle, or compute its operands again and again.
#include <codegen/driver/compile.hpp>
#include <codegen/schedule/cost.hpp>
#include <sinter.hpp>
#include <tests/codegen/shaped_expressions.hpp>
#include <tests/codegen/unbacked.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace sinter::codegen {
namespace {

using testing::of;

/// The number of launches, and the seconds of all by the model that ranks schedules.
template <class Tree>
std::pair<std::size_t, double> planned(const expr<Tree>& e) {
    const device_scope on_host(host());
    const bindings b = testing::bindings_of(e);
    const compiled_program made = compile(b, {}, {});
    double seconds = 0;
    for (const compiled_kernel& k : made.kernels) seconds += predicted_seconds(k.body, *k.chosen, {});
    return {made.kernels.size(), seconds};
}

// Blocks cannot share a row whose scan others wait for: a single block would go over it.
TEST(FurtherLaunches, ScansBetweenReductionsOfOneRow) {
    const auto x = of(10478511), y = of(10478511);
    const auto shares = x * (1.f / sum(x));
    const auto [launches, seconds] = planned(mean(abs(cumsum(shares + y, axis=0))));
    EXPECT_LE(launches, 4u);
    EXPECT_GT(launches, 1u);
    EXPECT_LT(seconds, 200e-6);
}

// What reads the stored sums is a kernel of elements: as one row it took 67 us.
TEST(FurtherLaunches, NeighboursOfAScan) {
    const auto x = of(801049);
    const auto path = cumsum(x, axis=0);
    const auto [launches, seconds] = planned(path - roll(path, -1, axis=0));
    EXPECT_EQ(launches, 2u);
    EXPECT_LT(seconds, 20e-6);
}

TEST(FurtherLaunches, AScanWhoseMeanIsNeeded) {
    const auto x = of<double>(2574577), y = of<double>(2574577);
    const auto path = cumsum(x, axis=0);
    const auto [launches, seconds] = planned(maximum(path - mean(path), y));
    EXPECT_EQ(launches, 2u);
    EXPECT_LT(seconds, 100e-6);
}

// Neighbours of a value of many functions would compute it again.
TEST(FurtherLaunches, NeighboursOfWhatIsCostly) {
    const auto x = of(30, 3000, 64);
    const auto costly = tanh(exp(sin(x)) / log1p(abs(x))) + erf(x) * cosh(x);
    const auto at = [&](std::int64_t by) { return roll(costly, by, axis=1); };
    const auto [launches, seconds] = planned(sum(at(1) * at(-1) + at(2) * at(-2) + at(3) * at(-3), axis=2));
    EXPECT_EQ(launches, 2u);
}

// Likewise of what is repeated.
TEST(FurtherLaunches, RepetitionsOfWhatIsCostly) {
    const auto x = of<bfloat16>(62, 5000, 16), y = of<bfloat16>(62, 5000, 16), z = of<bfloat16>(62, 5000, 16);
    const auto costly = repeat((gelu(x / (1 + abs(y))) - sin(z)) / (1 + tanh(x)), 2, axis=0);
    EXPECT_EQ(planned(min(costly / (1 + abs(roll(costly, 1, axis=1))), axis={1, 2})).first, 2u);
    EXPECT_EQ(planned(min(repeat(x * y, 2, axis=0), axis={1, 2})).first, 1u);
}

// A long row alone, and rows for which one launch is fast, keep it.
TEST(FurtherLaunches, NoneWithoutNeed) {
    const auto line = of(10478511);
    const auto rows = of(4096, 5000), other = of(5000, 4096);
    EXPECT_EQ(planned(softmax(line, axis=0)).first, 1u);
    EXPECT_EQ(planned(cumsum(line, axis=0)).first, 1u);
    EXPECT_EQ(planned(softmax(rows, axis=1)).first, 1u);
    EXPECT_EQ(planned((rows - mean(rows, axis=1, keepdims)) * 2.f).first, 1u);
    EXPECT_EQ(planned(rows + transpose(other)).first, 1u);
    EXPECT_EQ(planned(roll(rows, 1, axis=0) + roll(rows, -1, axis=1)).first, 1u);
}

}  // namespace
}  // namespace sinter::codegen
