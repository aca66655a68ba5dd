// The kernels of at(x, indices) compile for every architecture, without a warning and without a spill.
#include <codegen/cuda/scatter.hpp>
#include <codegen/cuda/scatter_sums.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

void expect_compiles(const std::string& text, int arch) {
    const compiled made = compile_cuda(text, arch);
    EXPECT_EQ(made.log, "");
    EXPECT_LE(made.usage.spill_bytes, 0);
}

class scatter_kernels : public ::testing::TestWithParam<int> {};

TEST_P(scatter_kernels, compile) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    if (GetParam() == 100 && nvrtc_version() < "12.8") GTEST_SKIP() << "NVRTC is older than sm_100";
    for (int which = 0; which <= static_cast<int>(scatter_kernel::joins); ++which) {
        const auto step = static_cast<scatter_kernel>(which);
        const bool typed = step == scatter_kernel::write || step >= scatter_kernel::sums;
        for (int type = 0; type < (typed ? dtype_count : 1); ++type) {
            SCOPED_TRACE(which * 100 + type);
            expect_compiles(scatter_text(step, static_cast<dtype>(type)), GetParam());
        }
    }
}

TEST_P(scatter_kernels, that_add_in_any_order_compile) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    if (GetParam() == 100 && nvrtc_version() < "12.8") GTEST_SKIP() << "NVRTC is older than sm_100";
    for (const dtype type : {dtype::float32, dtype::float64, dtype::int8, dtype::uint64})
        for (int which = 0; which <= static_cast<int>(sum_kernel::finish); ++which)
            for (const value_layout layout : {value_layout::line, value_layout::narrow, value_layout::wide}) {
                const auto kernel = static_cast<sum_kernel>(which);
                if (finds_magnitudes(kernel) && !has_magnitudes(type)) continue;
                if (kernel == sum_kernel::finish && layout != value_layout::line) continue;  // does not depend on it
                SCOPED_TRACE(sum_kernel_name(kernel));
                expect_compiles(sum_text({kernel, type, layout}), GetParam());
            }
}

INSTANTIATE_TEST_SUITE_P(nvrtc, scatter_kernels, ::testing::Values(75, 80, 90, 100),
                         [](const auto& arch) { return "sm_" + std::to_string(arch.param); });

}  // namespace
}  // namespace sinter::codegen
