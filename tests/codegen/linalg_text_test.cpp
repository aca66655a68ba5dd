// The kernels that factor matrices compile without a warning, in every dtype, and those of small ones without a spill.
#include <codegen/cuda/linalg.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sinter::codegen {
namespace {

class linalg_kernels : public ::testing::TestWithParam<int> {};

TEST_P(linalg_kernels, compile) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    const auto which = static_cast<linalg_kernel>(GetParam());
    const int archs[] = {75, 80, 90, 90};
    const dtype types[] = {dtype::float32, dtype::float64, dtype::complex64, dtype::complex128};
    for (int i = 0; i < 4; ++i) {
        const bool shared = (i + GetParam()) % 2 == 0;
        SCOPED_TRACE(std::string(name(types[i])) + (shared ? " in shared memory" : " in a workspace"));
        const compiled made =
            compile_cuda(linalg_text({which, types[i], shared ? 32 : 256, shared ? 256 : 0}), archs[i]);
        EXPECT_EQ(made.log, "");
        // what works in global memory waits for that anyway
        EXPECT_LE(shared ? made.usage.spill_bytes : 0, 0);
    }
}

TEST(linalg_kernels_in_lanes, compile) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    const dtype types[] = {dtype::float32, dtype::float64, dtype::complex64, dtype::complex128};
    for (const linalg_kernel which :
         {linalg_kernel::solve, linalg_kernel::lu, linalg_kernel::det, linalg_kernel::cholesky})
        for (int i = 0; i < 4; ++i) {
            linalg_source source{which, types[i], 64};
            source.order = i == 0 ? 16 : i == 1 ? 5 : 9;
            source.sides = i % 2 == 0 ? 1 : 4;
            ASSERT_TRUE(fits_lanes(which, types[i], source.order, source.order));
            SCOPED_TRACE(std::string(name(types[i])) + " of kernel " + std::to_string(static_cast<int>(which)));
            const compiled made = compile_cuda(linalg_text(source), i % 2 == 0 ? 75 : 90);
            EXPECT_EQ(made.log, "");
            EXPECT_LE(made.usage.spill_bytes, 64);  // around the division of doubles
        }
    EXPECT_FALSE(fits_lanes(linalg_kernel::solve, dtype::complex128, 17, 17));
    EXPECT_FALSE(fits_lanes(linalg_kernel::lu, dtype::float32, 8, 9));
}

INSTANTIATE_TEST_SUITE_P(nvrtc, linalg_kernels, ::testing::Range(0, 7));

}  // namespace
}  // namespace sinter::codegen
