// The kernels that sort and search compile for every architecture in every dtype, without a warning and without a
// spill.
#include <codegen/cuda/radix_sort.hpp>
#include <codegen/cuda/row_sort.hpp>
#include <codegen/cuda/search_tree.hpp>
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
    // of two widths, of integers and floating numbers, and a complex one, which has no digits
    for (const dtype type : {dtype::float32, dtype::int64, dtype::complex128})
        for (int kernel = 0; kernel <= static_cast<int>(sort_kernel::place); ++kernel) {
            const auto which = static_cast<sort_kernel>(kernel);
            if (type == dtype::complex128 && which >= sort_kernel::search_tree && which != sort_kernel::pick) continue;
            const int word_bytes = order_of(type, false).word_bytes;
            const std::int64_t longest = std::int64_t{row_threads} * max_row_items(word_bytes);
            const int items = which == sort_kernel::short_rows    ? 8
                              : which == sort_kernel::search_tree ? max_tree_levels
                              : which == sort_kernel::row_values  ? network_bits(longest, word_bytes)
                              : which == sort_kernel::place       ? radix_items(word_bytes, type != dtype::float32)
                                                                  : max_row_items(word_bytes);
            const bool last = type != dtype::float32 || which <= sort_kernel::search_tree;
            const bool is_float = type == dtype::float32;
            const sort_source source{which, last, items, type == dtype::int64, is_float, is_float};
            SCOPED_TRACE(std::string(name(type)) + " " + sort_name(which));
            const sort_order order = order_of(type, type == dtype::int64);
            const compiled made = compile_cuda(sort_text(source, order), GetParam());
            EXPECT_EQ(made.log, "");
            // with a few bytes spilled, more blocks are resident and rows take less time (one H200: 1.35 ms in place of
            // 1.49)
            if (which != sort_kernel::rows && which != sort_kernel::select && which != sort_kernel::place) {
                EXPECT_LE(made.usage.spill_bytes, 0);
            }
        }
}

TEST_P(sort_kernels, compile_for_interpolation) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    if (GetParam() == 100 && nvrtc_version() < "12.8") GTEST_SKIP() << "NVRTC is older than sm_100";
    for (const bool is_double : {false, true})
        for (const int levels : {max_levels_with_points, max_tree_levels}) {
            const bool is_whole = levels <= max_levels_with_points;
            const compiled made = compile_cuda(interpolate_text_of({levels, is_double, is_whole}), GetParam());
            EXPECT_EQ(made.log, "");
            EXPECT_LE(made.usage.spill_bytes, 16);  // of doubles on sm_100, around the steps in memory
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
