// A product, a softmax of its results and a product with that become one kernel whose sums are kept online; what only
// looks like it does not.
#include <codegen/cuda/source.hpp>
#include <codegen/ir/verify.hpp>
#include <codegen/lower/promises.hpp>
#include <codegen/schedule/online.hpp>
#include <codegen/verify/verify.hpp>
#include <tests/codegen/tensor_samples.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

using testing::attention_sizes;
using testing::chained;
using testing::scores;
using testing::weighted;
using testing::weights;

schedule scheduled(const loop_nest& k, int arch = 90) {
    device_properties m;
    m.arch = arch;
    return choose_schedule(k, m, std::vector<int>(8, 16));
}

constexpr attention_sizes some{4, 96, 160, 64, 48};

TEST(Online, ThreeKernelsAreOne) {
    const loop_nest k = chained(some).value();
    verify(k, "chain");
    EXPECT_EQ(k.loops.size(), 4u);
    EXPECT_EQ(k.inputs.size(), 3u);
    EXPECT_EQ(k.outer.size(), 3u);
    ASSERT_TRUE(online_sums_of(k).has_value());
    EXPECT_EQ(scheduled(k).form, schedule_form::tensor);
    EXPECT_NE(scheduled(k, 75).form, schedule_form::tensor);
}

TEST(Online, EveryIndexIsProved) {
    for (const attention_sizes& n : {some, {2, 33, 71, 19, 27}, {2, 500, 16, 128, 128}}) {
        const loop_nest k = chained(n).value();
        const schedule s = scheduled(k);
        ASSERT_EQ(s.form, schedule_form::tensor);
        const printed_kernel r = print_kernel(k, s, "");
        EXPECT_EQ(device_ir::verify(*r.program, lower::promises_of(class_of(k, s), *r.program)),
                  std::vector<std::string>());
    }
}

TEST(Online, WarpgroupsMultiplyOnOneArchitecture) {
    const loop_nest k = chained({32, 2048, 2048, 64, 64}).value();
    EXPECT_TRUE(scheduled(k, 90).tensor.warpgroups);
    for (const int arch : {80, 86, 89, 100, 120}) {
        EXPECT_EQ(scheduled(k, arch).form, schedule_form::tensor);
        EXPECT_FALSE(scheduled(k, arch).tensor.warpgroups) << arch;
        EXPECT_EQ(print_kernel(k, scheduled(k, arch), "").text.find("wgmma"), std::string::npos) << arch;
    }
    // factors whose rows are not aligned are not copied asynchronously
    device_properties m;
    for (const schedule& s : online_candidates(k, m, std::vector<int>(8, 4))) EXPECT_FALSE(s.tensor.warpgroups);
}

TEST(Online, EveryIndexOfWarpgroupsIsProved) {
    for (const attention_sizes& n : {some, {2, 500, 16, 128, 128}, {3, 70, 300, 40, 72}, {2, 64, 64, 256, 256}}) {
        const loop_nest k = chained(n).value();
        int found = 0;
        for (const schedule& s : online_candidates(k, device_properties{}, std::vector<int>(8, 16))) {
            if (!s.tensor.warpgroups) continue;
            ++found;
            const printed_kernel r = print_kernel(k, s, "");
            EXPECT_EQ(device_ir::verify(*r.program, lower::promises_of(class_of(k, s), *r.program)),
                      std::vector<std::string>())
                << describe(s);
            EXPECT_LE(r.shared_bytes, device_properties{}.dynamic_shared_per_block);
        }
        EXPECT_GE(found, 2);
    }
}

TEST(Online, IsNotForSumsOfOtherExponentials) {
    const loop_nest k = chained(some, true).value();
    EXPECT_FALSE(online_sums_of(k).has_value());
    EXPECT_FALSE(schedule_online(k, device_properties{}, std::vector<int>(8, 16)).has_value());
}

TEST(Online, IsForColumnsThatRegistersHold) {
    EXPECT_TRUE(schedule_online(chained({2, 64, 64, 256, 256}).value(), device_properties{}, {}).has_value());
    EXPECT_FALSE(schedule_online(chained({2, 64, 64, 64, 300}).value(), device_properties{}, {}).has_value());
    EXPECT_FALSE(schedule_online(chained({2, 64, 64, 300, 64}).value(), device_properties{}, {}).has_value());
}

/// The sums of the transposed weights times leaf 2, as many rows as keys.
loop_nest weighted_transposed(const attention_sizes& n) {
    loop_nest k = weighted(n);
    layout& of_weights = k.layouts[static_cast<std::size_t>(k.values[0].at)];
    std::swap(of_weights.stride[static_cast<std::size_t>(k.outer[1])],
              of_weights.stride[static_cast<std::size_t>(k.loops[0].axes[0])]);
    return k;
}

TEST(Online, TransposedWeightsAreNotChained) {
    constexpr attention_sizes square{2, 64, 64, 32, 48};
    const std::optional<loop_nest> nested = nest(scores(square), weights(square, false), 3);
    EXPECT_TRUE(chain(*nested, weighted(square), {{4}, 0, {0}}).has_value());
    EXPECT_FALSE(chain(*nested, weighted_transposed(square), {{4}, 0, {0}}).has_value());
}

TEST(Online, NothingIsChainedThatDoesNotFit) {
    const std::optional<loop_nest> nested = nest(scores(some), weights(some, false), 3);
    attention_sizes shorter = some;
    shorter.keys -= 16;
    EXPECT_FALSE(chain(*nested, weighted(shorter), {{4}, 0, {0}}).has_value());
    EXPECT_FALSE(chain(*nested, weighted(some), {{5}, 0, {0}}).has_value());
    EXPECT_FALSE(chain(scores(some), weighted(some), {{4}, 0, {0}}).has_value());
}

}  // namespace
}  // namespace sinter::codegen
