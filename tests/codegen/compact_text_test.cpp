// The kernels of stream compaction compile for every architecture, without a warning and without a spill.
#include <codegen/cuda/compact.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

class compact_kernels : public ::testing::TestWithParam<int> {};

TEST_P(compact_kernels, compile) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    if (GetParam() == 100 && nvrtc_version() < "12.8") GTEST_SKIP() << "NVRTC is older than sm_100";
    for (const std::size_t bytes : {0, 1, 2, 4, 8, 16}) {
        const compact_source source{bytes};
        SCOPED_TRACE(std::string(compact_name(source)) + " of " + std::to_string(bytes) + " bytes");
        const compiled made = compile_cuda(compact_text(source, nullptr, nullptr), GetParam());
        EXPECT_EQ(made.log, "");
        EXPECT_LE(made.usage.spill_bytes, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(nvrtc, compact_kernels, ::testing::Values(75, 80, 90, 100),
                         [](const auto& arch) { return "sm_" + std::to_string(arch.param); });

}  // namespace
}  // namespace sinter::codegen
