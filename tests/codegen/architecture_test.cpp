// The table of architectures: which architectures it knows, and that predicted times follow it.
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/target_presets.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

TEST(Architectures, AnUnknownOneIsTheNewestKnownBeforeIt) {
    EXPECT_EQ(architecture_of(90).arch, 90);
    EXPECT_EQ(architecture_of(103).arch, 100);
    EXPECT_EQ(architecture_of(121).arch, 120);
    EXPECT_EQ(architecture_of(0).arch, 75);
}

TEST(Architectures, PresetsHaveWhatTheTableSays) {
    for (const int arch : {75, 80, 86, 89, 90, 100, 120}) {
        SCOPED_TRACE(arch);
        const device_properties m = preset_of(arch);
        EXPECT_EQ(m.threads_per_multiprocessor, architecture_of(arch).threads);
        EXPECT_GT(m.dynamic_shared_per_block, 60u << 10);
        EXPECT_GT(sustained_clock(m), 1.2e9);  // of every card in the table
        EXPECT_LT(sustained_clock(m), 2.6e9);
    }
}

TEST(Architectures, ThePresetOfAnH200IsTheDefaultMachine) {
    const device_properties preset = preset_of(90), assumed;
    EXPECT_NEAR(preset.bytes_per_second, assumed.bytes_per_second, 1e-3 * assumed.bytes_per_second);
    EXPECT_EQ(preset.operations_per_second, assumed.operations_per_second);
    EXPECT_EQ(preset.l2_bytes, assumed.l2_bytes);
    EXPECT_EQ(preset.multiprocessors, assumed.multiprocessors);
    EXPECT_EQ(preset.threads_per_multiprocessor, assumed.threads_per_multiprocessor);
    EXPECT_EQ(preset.dynamic_shared_per_block, assumed.dynamic_shared_per_block);
}

TEST(Architectures, DoublesTakeWhatTheyTake) {
    launch_work w;
    w.blocks = 10000;
    w.warps = 80000;
    w.waves = 5;
    w.instructions = w.doubles = 1e9;
    const double h200 = predicted_seconds(w, preset_of(90)), l40s = predicted_seconds(w, preset_of(89));
    EXPECT_GT(l40s, 10 * h200);  // 64 times as long as float32's, rather than twice
    w.doubles = 0;
    EXPECT_LT(predicted_seconds(w, preset_of(89)), 2 * predicted_seconds(w, preset_of(90)));
}

}  // namespace
}  // namespace sinter::codegen
