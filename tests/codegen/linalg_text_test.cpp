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

INSTANTIATE_TEST_SUITE_P(nvrtc, linalg_kernels, ::testing::Range(0, 7));

}  // namespace
}  // namespace sinter::codegen
