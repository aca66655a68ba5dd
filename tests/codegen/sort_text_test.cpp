// The kernels that sort and search compile for every architecture in every dtype, without a warning and without a
// spill.
#include <codegen/cuda/sort.hpp>
#include <codegen/ir/sort_order.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sinter::codegen {
namespace {

class sort_kernels : public ::testing::TestWithParam<int> {};

TEST_P(sort_kernels, compile) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    if (GetParam() == 100 && nvrtc_version() < "12.8") GTEST_SKIP() << "NVRTC is older than sm_100";
    // of each width and kind of word, and a complex one, which has no digits
    for (const dtype type :
         {dtype::bool_, dtype::float16, dtype::int32, dtype::float32, dtype::int64, dtype::complex128})
        for (int kernel = 0; kernel <= static_cast<int>(sort_kernel::place); ++kernel) {
            const auto which = static_cast<sort_kernel>(kernel);
            if (type == dtype::complex128 && which >= sort_kernel::count) continue;
            SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(kernel));
            const bool last = type != dtype::float32 || which == sort_kernel::search;
            const sort_order order = order_of(type, type == dtype::int32);
            const compiled made = compile_cuda(sort_text(which, order, last), GetParam());
            EXPECT_EQ(made.log, "");
            EXPECT_LE(made.usage.spill_bytes, 0);
        }
}

INSTANTIATE_TEST_SUITE_P(nvrtc, sort_kernels, ::testing::Values(75, 80, 90, 100),
                         [](const auto& arch) { return "sm_" + std::to_string(arch.param); });

TEST(SortOrder, IsOfTheBits) {
    EXPECT_EQ(order_of(dtype::bool_, false).sign, 0u);
    EXPECT_EQ(order_of(dtype::int16, false).sign, 0x8000u);
    EXPECT_EQ(order_of(dtype::uint64, false).sign, 0u);
    EXPECT_EQ(order_of(dtype::float16, false).infinity, 0x7c00u);
    EXPECT_EQ(order_of(dtype::complex128, true).parts, 2);
    EXPECT_EQ(order_of(dtype::complex64, true).infinity, 0x7f800000u);
}

}  // namespace
}  // namespace sinter::codegen
