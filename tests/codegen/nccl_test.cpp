// The declarations of NCCL's functions, against NVIDIA's header where there is one; and that its library has them.
#include <runtime/distributed/cuda_nccl_library.hpp>

#include <gtest/gtest.h>
#include <tests/codegen/declared_alike.hpp>

#if __has_include(<nccl.h>)
#include <nccl.h>

template <>
struct sinter::codegen::testing::passed<ncclUniqueId> {
    using type = sinter::codegen::nccl::unique_id;
};

namespace sinter::codegen::nccl {
namespace {

using testing::as_declared;
using testing::same;

static_assert(sizeof(unique_id) == sizeof(ncclUniqueId));

static_assert(same(data_type::uint8, ncclUint8));
static_assert(same(data_type::int64, ncclInt64) && same(data_type::uint64, ncclUint64));
static_assert(same(data_type::float32, ncclFloat32) && same(data_type::float64, ncclFloat64));
static_assert(same(reduction::sum, ncclSum));
static_assert(same(in_progress, ncclInProgress));

static_assert(as_declared<decltype(library::get_version), decltype(&ncclGetVersion)>);
static_assert(as_declared<decltype(library::get_unique_id), decltype(&ncclGetUniqueId)>);
static_assert(as_declared<decltype(library::init_rank), decltype(&ncclCommInitRank)>);
static_assert(as_declared<decltype(library::destroy), decltype(&ncclCommDestroy)>);
static_assert(as_declared<decltype(library::abort), decltype(&ncclCommAbort)>);
static_assert(as_declared<decltype(library::async_error), decltype(&ncclCommGetAsyncError)>);
static_assert(as_declared<decltype(library::error_text), decltype(&ncclGetErrorString)>);
static_assert(as_declared<decltype(library::all_reduce), decltype(&ncclAllReduce)>);
static_assert(as_declared<decltype(library::send), decltype(&ncclSend)>);
static_assert(as_declared<decltype(library::receive), decltype(&ncclRecv)>);
static_assert(as_declared<decltype(library::group_start), decltype(&ncclGroupStart)>);
static_assert(as_declared<decltype(library::group_end), decltype(&ncclGroupEnd)>);

}  // namespace
}  // namespace sinter::codegen::nccl
#endif

namespace sinter::codegen {
namespace {

TEST(nccl, the_library_is_found_whole_or_not_at_all) {
#if SINTER_WITH_CUDA
    const nccl::library* const l = nccl::find();
    if (l == nullptr) GTEST_SKIP() << "there is no libnccl.so.2";
    EXPECT_NE(l->group_end, nullptr);
    EXPECT_GE(l->version_text, "2.1");
#endif
}

}  // namespace
}  // namespace sinter::codegen
