// Kernels given as source: launched on arrays, in order with expressions, with copy on write, and their errors.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <gmock/gmock.h>

namespace sinter::test {
namespace {

using testing::HasSubstr;

const raw_kernel scale(R"(
extern "C" __global__ void scale(float* y, const float* x, float a, long long n) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
)",
                       "scale");

class raw_kernels : public on_devices {
protected:
    void SetUp() override {
        on_devices::SetUp();
        if (!IsSkipped() && current_device().is_host()) GTEST_SKIP() << "the host does not run CUDA source";
    }
};

TEST_F(raw_kernels, reads_and_writes_arrays_between_expressions) {
    for (const std::int64_t n : {1, 31, 257, 1000}) {
        const naive a = random({n}, 11);
        const auto x = to_array<float, 1>(a);
        array<float, 1> y = 3 * x;
        scale(grid{(n + 63) / 64}, block{64}, 0, y, std::as_const(x), 2.0f, static_cast<long long>(n));
        const array<float, 1> z = y - x;
        expect_equal(z, map([](double v) { return 4 * v; }, a));
    }
}

TEST_F(raw_kernels, writes_no_copy_of_an_array) {
    array<float, 1> x = {1, 2, 3, 4, 5};
    const array<float, 1> before = x;
    const auto e = x + 0;
    const void* const place = before.storage()->data;
    scale(grid{1}, block{32}, 0, x, x * 10, 1.0f, 5LL);
    EXPECT_THAT(to_host(x), testing::ElementsAre(11, 22, 33, 44, 55));
    EXPECT_THAT(to_host(before), testing::ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(to_host(e), testing::ElementsAre(1, 2, 3, 4, 5));
    EXPECT_EQ(before.storage()->data, place);
    // alone with its elements, an array is written where it stands, however often it is passed
    const void* const own = x.storage()->data;
    scale(grid{1}, block{32}, 0, x, x, 1.0f, 5LL);
    EXPECT_EQ(x.storage()->data, own);
    EXPECT_THAT(to_host(x), testing::ElementsAre(22, 44, 66, 88, 110));
}

TEST_F(raw_kernels, grids_and_blocks_of_three_dimensions) {
    const raw_kernel where(R"(
extern "C" __global__ void where_am_i(int* out, int nx, int ny, int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) out[(z * ny + y) * nx + x] = x + 100 * y + 10000 * z + 1000000 * gridDim.z;
}
)",
                           "where_am_i");
    array<int, 3> out = full({5, 7, 11}, -1);
    where(grid{3, 4, 3}, block{4, 2, 2}, 0, out, 11, 7, 5);
    const std::vector<int> got = to_host(out);
    std::size_t i = 0;
    for (int z = 0; z < 5; ++z)
        for (int y = 0; y < 7; ++y)
            for (int x = 0; x < 11; ++x) ASSERT_EQ(got[i++], x + 100 * y + 10000 * z + 3000000);
}

TEST_F(raw_kernels, options_and_dynamic_shared_memory) {
    const std::string source = R"(
extern "C" __global__ void turn(double* y) {
    extern __shared__ double tile[];
    tile[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = FACTOR * tile[blockDim.x - 1 - threadIdx.x];
}
)";
    array<double, 1> y = {1, 2, 3, 4};
    raw_kernel(source, "turn", {"-DFACTOR=2"})(grid{}, block{4}, 4 * sizeof(double), y);
    EXPECT_THAT(to_host(y), testing::ElementsAre(8, 6, 4, 2));
    raw_kernel(source, "turn", {"-DFACTOR=-1"})(grid{}, block{4}, 4 * sizeof(double), y);
    EXPECT_THAT(to_host(y), testing::ElementsAre(-2, -4, -6, -8));
}

TEST_F(raw_kernels, no_blocks_are_no_work) {
    array<float, 1> x = {1, 2};
    scale(grid{0}, block{32}, 0, x, x, 1.0f, 0LL);
    EXPECT_THAT(to_host(x), testing::ElementsAre(1, 2));
}

TEST_F(raw_kernels, errors_name_the_kernel_and_the_cure) {
    array<float, 1> x = {1, 2};
    const auto launch = [&](const raw_kernel& k, grid g, block b) { k(g, b, 0, x); };
    const raw_kernel wrong("extern \"C\" __global__ void wrong(float* x) { x[0] = undeclared; }", "wrong");
    const std::string log = error_of([&] { launch(wrong, grid{}, block{}); });
    EXPECT_THAT(log, HasSubstr("undeclared"));
    const raw_kernel other("extern \"C\" __global__ void other(float* x) { x[0] = 1; }", "another");
    EXPECT_THAT(message_of([&] { launch(other, grid{}, block{}); }),
                HasSubstr("raw_kernel 'another': its source has no function of that name"));
    EXPECT_THAT(message_of([&] {
                    launch(scale, grid{1, 70000}, block{});
                }),
                HasSubstr("a grid of 1 x 70000 x 1 blocks"));
    EXPECT_THAT(message_of([&] { launch(scale, grid{-1}, block{}); }), HasSubstr("a grid of -1"));
    EXPECT_THAT(message_of([&] { launch(scale, grid{}, block{32, 33}); }), HasSubstr("it has 1 to 1024 in all"));
    const array<float, 1> there = x.to(host());
    EXPECT_THAT(message_of([&] { scale(grid{}, block{}, 0, x, std::as_const(there), 1.0f, 2LL); }),
                HasSubstr("the arrays are on two devices"));
    EXPECT_THAT(to_host(x), testing::ElementsAre(1, 2));
}

TEST(raw_kernels_on_the_host, are_refused_in_one_line) {
    const device_scope on(host());
    array<float, 1> x = {1, 2};
    const std::string what = message_of([&] { scale(grid{}, block{2}, 0, x, std::as_const(x), 1.0f, 2LL); });
    EXPECT_EQ(
        what,
        "raw_kernel 'scale': the host does not run CUDA source; use a GPU, for example by device_scope on(cuda())");
}

}  // namespace
}  // namespace sinter::test
