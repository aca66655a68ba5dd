// Which of cuBLASLt's algorithms a call takes, and what the others are: with a library that has a few and does nothing.
#if SINTER_WITH_CUDA
#include <runtime/cuda/cuda_blas.hpp>
#include <tests/emulate/emulated_device.hpp>

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>

namespace sinter::codegen {
namespace {

/// As much of a driver as is asked for on the way to a call.
driver make_driver() {
    driver d;
    d.device_get = [](CUdevice*, int) { return CUDA_SUCCESS; };
    d.primary_ctx_retain = [](CUcontext*, CUdevice) { return CUDA_SUCCESS; };
    d.ctx_get_current = [](CUcontext*) { return CUDA_SUCCESS; };
    d.ctx_set_current = [](CUcontext) { return CUDA_SUCCESS; };
    return d;
}

/// The number of the algorithm and the bytes of workspace that a call runs with.
std::array<float, 2> run(const library_call& call) {
    std::array<float, 2> d{};
    call.run({nullptr, nullptr, nullptr, nullptr, reinterpret_cast<char*>(d.data())}, {}, {});
    return d;
}

TEST(cuda_blas_algorithms, are_those_that_the_library_supports_in_its_order) {
    setenv("SINTER_CUBLASLT", SINTER_PLAIN_CUBLASLT, 1);
    const driver d = make_driver();
    const cuda_context here(d, 0);
    emulate::emulated_device where;
    cuda_blas blas(here);
    gemm g;
    g.rows = g.columns = g.depth = 64;
    g.computed_in = dtype::float32;
    for (gemm_matrix* m : {&g.a, &g.b, &g.d}) *m = {-1, dtype::float32, false, 64};
    g.a.input = 0;
    g.b.input = 1;
    const std::unique_ptr<library_call> call = blas.call_for(g, {16, 16, 16}, where);
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(call->describe(), "cuBLASLt 13.0: 64 x 64 x 64, float32");
    EXPECT_THAT(run(*call), testing::ElementsAre(100, 0));

    const auto others = call->others();
    ASSERT_EQ(others.size(), 3U);  // five, less its own and the one that it does not support
    EXPECT_THAT(run(*others[0]), testing::ElementsAre(101, 256));
    EXPECT_THAT(run(*others[1]), testing::ElementsAre(103, 768));
    EXPECT_THAT(run(*others[2]), testing::ElementsAre(104, 1024));
    EXPECT_EQ(others[2]->describe(), "cuBLASLt 13.0: 64 x 64 x 64, float32, its choice number 4");
    EXPECT_THAT(others[2]->algorithm_text(), testing::HasSubstr("version 130002, algorithm 0000000000000068 0"));
    EXPECT_THAT(run(*call), testing::ElementsAre(100, 0));
}

}  // namespace
}  // namespace sinter::codegen
#endif
