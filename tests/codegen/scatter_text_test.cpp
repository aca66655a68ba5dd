// The kernels of at(x, indices) compile for every architecture, without a warning and without a spill.
#include <codegen/cuda/scatter.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

class scatter_kernels : public ::testing::TestWithParam<int> {};

TEST_P(scatter_kernels, compile) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    if (GetParam() == 100 && nvrtc_version() < "12.8") GTEST_SKIP() << "NVRTC is older than sm_100";
    for (int which = 0; which <= static_cast<int>(scatter_kernel::add); ++which) {
        const auto step = static_cast<scatter_kernel>(which);
        const bool typed = step == scatter_kernel::write || step >= scatter_kernel::sums;
        for (int type = 0; type < (typed ? dtype_count : 1); ++type) {
            if (step == scatter_kernel::add && !adds_by_atomics(static_cast<dtype>(type))) continue;
            SCOPED_TRACE(which * 100 + type);
            const compiled made = compile_cuda(scatter_text(step, static_cast<dtype>(type)), GetParam());
            EXPECT_EQ(made.log, "");
            EXPECT_LE(made.usage.spill_bytes, 0);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(nvrtc, scatter_kernels, ::testing::Values(75, 80, 90, 100),
                         [](const auto& arch) { return "sm_" + std::to_string(arch.param); });

}  // namespace
}  // namespace sinter::codegen
