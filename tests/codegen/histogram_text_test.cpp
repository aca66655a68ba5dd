// The kernels that count by bin compile for every architecture in every dtype, without a warning and without a spill.
#include <codegen/cuda/histogram.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

class histogram_kernels : public ::testing::TestWithParam<int> {};

TEST_P(histogram_kernels, compile) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    if (GetParam() == 100 && nvrtc_version() < "12.8") GTEST_SKIP() << "NVRTC is older than sm_100";
    const auto expect_compiles = [](const histogram_source& source) {
        SCOPED_TRACE(std::string(histogram_name(source.which)) + " " + name(source.type) + " " +
                     std::to_string(source.capacity));
        const compiled made = compile_cuda(histogram_text(source), GetParam());
        EXPECT_EQ(made.log, "");
        EXPECT_LE(made.usage.spill_bytes, 0);
    };
    using enum histogram_kernel;
    for (const dtype type : {dtype::uint8, dtype::int32, dtype::uint64}) {
        for (const std::int64_t capacity : {std::int64_t{256}, max_shared_bins})
            expect_compiles({integers, type, static_cast<int>(capacity), false});
        expect_compiles({paired_integers, type, 0, false});
        expect_compiles({paired_integers, type, 0, true});
        expect_compiles({many_integers, type, 0, true});
    }
    for (const dtype type : {dtype::bool_, dtype::int64, dtype::float16, dtype::float32, dtype::float64}) {
        for (const std::int64_t bins : {std::int64_t{1}, max_few_edges_bins})
            expect_compiles({few_edges, type, bin_capacity(bins), false});
        expect_compiles({many_edges, type, 0, false});
    }
    expect_compiles({store, dtype::int64, 0, true});
}

INSTANTIATE_TEST_SUITE_P(nvrtc, histogram_kernels, ::testing::Values(75, 80, 90, 100),
                         [](const auto& arch) { return "sm_" + std::to_string(arch.param); });

}  // namespace
}  // namespace sinter::codegen
