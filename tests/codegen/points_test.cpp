// Every point of a kernel's schedules is one that can be lowered, with proofs of all indices, and counted.
#include <codegen/cuda/source.hpp>
#include <codegen/lower/lower.hpp>
#include <codegen/lower/promises.hpp>
#include <codegen/schedule/features.hpp>
#include <codegen/schedule/loops.hpp>
#include <codegen/schedule/points.hpp>
#include <codegen/verify/verify.hpp>
#include <tests/codegen/random_kernels.hpp>
#include <tests/codegen/render_running.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace sinter::codegen {
namespace {

TEST(Points, AreFewAndDistinctAndBeginWithTheChosenOne) {
    testing::random_kernels random(8, 1 << 20);
    for (int round = 0; round < 300; ++round) {
        const loop_nest k = random.next();
        const std::vector<int> alignment(8, 4 << random.below(3));
        const std::vector<schedule> all = schedule_points(k, device_properties{}, alignment);
        ASSERT_EQ(all.at(0), choose_schedule(k, device_properties{}, alignment));
        ASSERT_LE(static_cast<int>(all.size()), max_points);
        for (std::size_t p = 0; p < all.size(); ++p)
            ASSERT_EQ(std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(p), all[p]) - all.begin(), p);
    }
}

TEST(Points, HaveProofsOfTheirIndices) {
    testing::random_kernels random(9, 1 << 20);
    for (int round = 0; round < 300; ++round) {
        const loop_nest k = round % 8 == 0   ? testing::running_sums_of_rows(500 + round, 3 + 7 * round)
                            : round % 8 == 1 ? testing::running_sums_of_columns(500 + round, 3 + 700 * round)
                                             : random.next();
        for (const schedule& s : {random.one_of(schedule_points(k, device_properties{}, std::vector<int>(8, 16)))}) {
            SCOPED_TRACE(describe(s));
            const kernel_class c = class_of(k, s);
            const device_ir::program p = lower::lower(c);
            EXPECT_TRUE(device_ir::verify(p, lower::promises_of(c, p)).empty() || s.blocks_per_output > 1);
            EXPECT_GE(features_of(k, s).bytes_stored(k), has_scans(k) ? 0 : 1);
        }
    }
}

/// Whether some value may be infinite or no number, or what rounding leaves of a difference of sums.
bool is_inexact(const loop_nest& k) {
    if (k.loops.size() > 1 && k.inputs[0].type == dtype::float32) return true;
    return std::any_of(k.values.begin(), k.values.end(), [](const value& v) {
        return v.what == value_kind::elementwise &&
               (v.op->name == std::string("exp") || v.op->name == std::string("sqrt"));
    });
}

/// Tuning runs them on the user's operands.
TEST(Points, ComputeWhatTheirKernelSays) {
    testing::random_kernels random(10);
    device_properties small;
    small.multiprocessors = 4;
    for (int round = 0; round < 120; ++round) {
        const loop_nest k = round % 3 == 0 ? random.shared() : random.groups(round % 2 == 0);
        const std::vector<int> alignment(k.inputs.size() + k.outputs.size(), 16);
        const schedule s = random.one_of(schedule_points(k, small, alignment));
        if (outer_size(k) * longest_loop(k) > 200000 || is_inexact(k)) continue;
        SCOPED_TRACE("round " + std::to_string(round));
        testing::expect_right(k, s);
    }
}

}  // namespace
}  // namespace sinter::codegen
