// The declarations of cuSOLVER's functions, against NVIDIA's header where there is one.
#include <runtime/cuda/cuda_solver_library.hpp>

#include <gtest/gtest.h>
#include <tests/codegen/declared_alike.hpp>

#if __has_include(<cusolverDn.h>)
#include <cusolverDn.h>

namespace sinter::codegen::cusolver {
namespace {

using testing::as_declared;
using testing::same;

static_assert(same(r_32f, CUDA_R_32F) && same(r_64f, CUDA_R_64F));
static_assert(same(c_32f, CUDA_C_32F) && same(c_64f, CUDA_C_64F));
static_assert(same(op_n, CUBLAS_OP_N) && same(op_t, CUBLAS_OP_T));
static_assert(same(lower_triangle, CUBLAS_FILL_MODE_LOWER) && same(upper_triangle, CUBLAS_FILL_MODE_UPPER));
static_assert(same(without_vectors, CUSOLVER_EIG_MODE_NOVECTOR) && same(with_vectors, CUSOLVER_EIG_MODE_VECTOR));

static_assert(as_declared<decltype(library::create), decltype(&cusolverDnCreate)>);
static_assert(as_declared<decltype(library::create_params), decltype(&cusolverDnCreateParams)>);
static_assert(as_declared<decltype(library::set_stream), decltype(&cusolverDnSetStream)>);
static_assert(as_declared<decltype(library::getrf_size), decltype(&cusolverDnXgetrf_bufferSize)>);
static_assert(as_declared<decltype(library::getrf), decltype(&cusolverDnXgetrf)>);
static_assert(as_declared<decltype(library::getrs), decltype(&cusolverDnXgetrs)>);
static_assert(as_declared<decltype(library::potrf_size), decltype(&cusolverDnXpotrf_bufferSize)>);
static_assert(as_declared<decltype(library::potrf), decltype(&cusolverDnXpotrf)>);
static_assert(as_declared<decltype(library::geqrf_size), decltype(&cusolverDnXgeqrf_bufferSize)>);
static_assert(as_declared<decltype(library::geqrf), decltype(&cusolverDnXgeqrf)>);
static_assert(as_declared<decltype(library::syevd_size), decltype(&cusolverDnXsyevd_bufferSize)>);
static_assert(as_declared<decltype(library::syevd), decltype(&cusolverDnXsyevd)>);
static_assert(as_declared<decltype(library::gesvd_size), decltype(&cusolverDnXgesvd_bufferSize)>);
static_assert(as_declared<decltype(library::gesvd), decltype(&cusolverDnXgesvd)>);
static_assert(as_declared<decltype(unitary::size), decltype(&cusolverDnSorgqr_bufferSize)>);
static_assert(as_declared<decltype(unitary::make), decltype(&cusolverDnZungqr)>);
#if CUSOLVER_VERSION >= 11702  // CUDA 12.8
static_assert(as_declared<decltype(library::geev_size), decltype(&cusolverDnXgeev_bufferSize)>);
static_assert(as_declared<decltype(library::geev), decltype(&cusolverDnXgeev)>);
#endif

}  // namespace
}  // namespace sinter::codegen::cusolver
#endif

namespace sinter::codegen {
namespace {

TEST(cuda_solver, the_library_is_found_whole_or_not_at_all) {
#if SINTER_WITH_CUDA
    const cusolver::library* const l = cusolver::find();
    if (l == nullptr) GTEST_SKIP() << "there is no libcusolver";
    EXPECT_NE(l->gesvd, nullptr);
#endif
}

}  // namespace
}  // namespace sinter::codegen
