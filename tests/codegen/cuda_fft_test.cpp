// The declarations of cuFFT's functions, against NVIDIA's header where there is one.
#include <runtime/cuda/cuda_fft_library.hpp>

#include <gtest/gtest.h>
#include <tests/codegen/declared_alike.hpp>

#if __has_include(<cufftXt.h>)
#include <cufftXt.h>

namespace sinter::codegen::cufft {
namespace {

using testing::as_declared;
using testing::same;

static_assert(same(r_32f, CUDA_R_32F) && same(r_64f, CUDA_R_64F));
static_assert(same(c_32f, CUDA_C_32F) && same(c_64f, CUDA_C_64F));
static_assert(forward == CUFFT_FORWARD && inverse == CUFFT_INVERSE);

static_assert(as_declared<decltype(library::create), decltype(&cufftCreate)>);
static_assert(as_declared<decltype(library::destroy), decltype(&cufftDestroy)>);
static_assert(as_declared<decltype(library::set_auto_allocation), decltype(&cufftSetAutoAllocation)>);
static_assert(as_declared<decltype(library::make_plan_many), decltype(&cufftXtMakePlanMany)>);
static_assert(as_declared<decltype(library::set_stream), decltype(&cufftSetStream)>);
static_assert(as_declared<decltype(library::set_work_area), decltype(&cufftSetWorkArea)>);
static_assert(as_declared<decltype(library::exec), decltype(&cufftXtExec)>);

}  // namespace
}  // namespace sinter::codegen::cufft
#endif

namespace sinter::codegen {
namespace {

TEST(cuda_fft, the_library_is_found_whole_or_not_at_all) {
#if SINTER_WITH_CUDA
    const cufft::library* const l = cufft::find();
    if (l == nullptr) GTEST_SKIP() << "there is no libcufft";
    EXPECT_NE(l->exec, nullptr);
#endif
}

}  // namespace
}  // namespace sinter::codegen
