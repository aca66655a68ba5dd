// What explain() predicts of a launch, from a sample of its statements.
#include <codegen/cost/count.hpp>
#include <codegen/cost/launch_time.hpp>
#include <codegen/lower/launch_value.hpp>
#include <codegen/lower/lower.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/target_presets.hpp>
#include <tests/codegen/random_kernels.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace sinter::codegen {
namespace {

using testing::kernel_builder;

schedule chosen(const loop_nest& k) {
    return choose_schedule(k, device_properties{}, std::vector<int>(k.inputs.size() + k.outputs.size(), 16));
}

/// x, and what `body` makes of it, for each of n elements.
template <class F>
loop_nest of_elements(std::int64_t n, dtype type, F body) {
    kernel_builder b;
    const int a = b.outer(n);
    b.store(body(b, b.load(b.input(type), {{a, 1}})), {{a, 1}});
    return b.k;
}

std::int64_t threads_of(const statement_counts& all) {
    std::int64_t n = 0;
    for (const auto& [place, count] : all.accesses)
        if (place.where == device_ir::space::global) n += count.threads;
    return n;
}

TEST(LaunchTime, SamplesCountWhatAllBlocksCount) {
    testing::random_kernels random(3);
    double squares = 0;
    int kernels = 0;
    for (int round = 0; round < 40; ++round) {
        const loop_nest k = random.next();
        const schedule s = chosen(k);
        const std::int64_t blocks = grid_size(k, s);
        if (blocks == 0) continue;
        const device_ir::program p = lower::lower(class_of(k, s));
        const launch_arguments argument = [&](const parameter& of) { return launch_value(k, s, of); };
        const auto all = static_cast<double>(threads_of(count_statements(p, blocks, argument)));
        double sampled = 0;
        for (const sampled_counts& one : sample_statements(p, blocks, argument))
            sampled += one.times * static_cast<double>(threads_of(one.of));
        ++kernels;
        squares += std::pow(std::log((sampled + 100) / (all + 100)), 2);
    }
    EXPECT_LT(std::sqrt(squares / kernels), 0.15);
}

TEST(LaunchTime, LongLoopsAreSampled) {
    kernel_builder b;
    const int loop = b.loop({std::int64_t{1} << 40});
    b.store(b.reduce("sum", b.load(b.input(dtype::float32), {{b.inner(loop), 1}}, loop), loop), {});
    const launch_counts n = counts_of(b.k, chosen(b.k));
    EXPECT_NEAR(n.lines, 0x1p40 * 4 / 128, 0x1p40 * 4 / 128 * 0.1);
}

TEST(LaunchTime, InstructionsAreThoseOfTheMachineCode) {
    constexpr std::int64_t n = 1 << 24;
    const auto count = [](dtype type, const char* op) {
        const loop_nest k = of_elements(n, type, [&](kernel_builder& b, int x) { return b.op(op, {x}); });
        return counts_of(k, chosen(k));
    };
    const double warps = n / 32.0;
    const launch_counts plain = count(dtype::float32, "negative"), exp = count(dtype::float32, "exp"),
                        doubles = count(dtype::float64, "exp");
    EXPECT_NEAR(exp.instructions - plain.instructions, 0.8 * 9 * warps, 0.1 * warps);
    EXPECT_NEAR(exp.special, warps, 0.01 * warps);
    EXPECT_NEAR(doubles.doubles, 18 * warps, 0.2 * warps);
    EXPECT_EQ(exp.doubles, 0);
}

TEST(LaunchTime, ConversionsTakeTheSpecialFunctionUnit) {
    constexpr std::int64_t n = 1 << 24;
    const loop_nest k = of_elements(n, dtype::float32, [](kernel_builder& b, int x) { return b.cast(dtype::int8, x); });
    EXPECT_NEAR(counts_of(k, chosen(k)).special, n / 32.0, n / 3200.0);
}

TEST(LaunchTime, AnAdditionToAProductIsOneInstruction) {
    constexpr std::int64_t n = 1 << 24;
    const auto count = [](const char* first) {
        const loop_nest k = of_elements(n, dtype::float32, [&](kernel_builder& b, int x) {
            return b.op("add", {b.op(first, {x}), x});
        });
        return counts_of(k, chosen(k)).instructions;
    };
    EXPECT_NEAR(count("negative") - count("square"), 0.8 * n / 32.0, 0.01 * n);
}

/// Of random rows of a table only those that no cache holds come from memory again.
TEST(LaunchTime, GathersReadAgainWhatNoCacheHolds) {
    const auto time = [](std::int64_t rows) {
        kernel_builder b;
        const int a = b.outer(1 << 24);
        const int index = b.load(b.input(dtype::int64), {{a, 1}}), table = b.input(dtype::float32);
        b.k.inputs.back().elements = rows;
        b.store(b.gather(table, {}, index), {{a, 1}});
        return time_of_launch(b.k, chosen(b.k), preset_of(90));
    };
    const launch_time small = time(1 << 10), cached = time(1 << 20), large = time(1 << 26);
    EXPECT_GT(large.moving, 3 * cached.moving);
    EXPECT_GT(cached.accessing, 1.5 * small.accessing);
    EXPECT_STREQ(small.bound_by(), "bytes");
}

TEST(LaunchTime, MoreOfAnythingTakesNoLess) {
    testing::random_kernels random(5, 1 << 20);
    for (int round = 0; round < 40; ++round) {
        const loop_nest k = random.next();
        const schedule s = chosen(k);
        const device_properties m;
        device_properties slow = m;
        slow.bytes_per_second /= 2;
        slow.operations_per_second /= 2;
        const launch_time t = time_of_launch(k, s, m);
        ASSERT_GE(time_of_launch(k, s, slow).total, t.total) << round;
        ASSERT_GE(t.total, std::max({t.moving, t.computing, t.accessing}));
    }
}

}  // namespace
}  // namespace sinter::codegen
