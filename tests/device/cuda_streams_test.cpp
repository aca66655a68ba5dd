// Streams and graphs on a CUDA device: kernels whose blocks meet on several streams, memory in flight, the driver's own
// functions beside Sinter's, and what a graph saves.
#include <runtime/cuda/cuda_driver.hpp>

#include <gtest/gtest.h>
#include <sinter.hpp>
#include <sinter/dlpack.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using namespace sinter;

class cuda_streams : public testing::Test {
protected:
    void SetUp() override {
        if (cuda_count() == 0) GTEST_SKIP() << "there is no CUDA device";
        scope_ = std::make_unique<device_scope>(cuda());
    }
    std::unique_ptr<device_scope> scope_;
};

/// Rows whose softmax takes blocks that meet at grid barriers.
array<float, 2> long_rows() {
    const array<float, 1> ramp = full({std::int64_t{1} << 18}, 0.5f);
    return broadcast_to(ramp, {std::int64_t{8}, std::int64_t{1} << 18}) * 2.0f;
}

TEST_F(cuda_streams, kernels_whose_blocks_meet_run_on_several_at_once) {
    const array<float, 2> x = long_rows();
    ASSERT_NE(explain(softmax(x, axis=1)).kernels.at(0).schedule.find("grid barrier"), std::string::npos);
    const device here = current_device();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            const device_scope on(here);
            const stream q;
            array<float, 2> y;
            for (int i = 0; i < 100; ++i) y.on(q) = softmax(x, axis=1);
            const array<float, 1> sums = sum(y, axis=1);
            for (float s : to_host(sums)) EXPECT_NEAR(s, 1, 1e-3);
        });
    for (std::thread& t : threads) t.join();
}

TEST_F(cuda_streams, graphs_with_such_kernels_run_beside_them) {
    const array<float, 2> x = long_rows();
    array<float, 2> y;
    const graph g = capture([&] { y = softmax(x, axis=1); });
    const stream a, b;
    array<float, 2> z;
    for (int i = 0; i < 50; ++i) {
        g.launch(a);
        z.on(b) = softmax(x, axis=1);
    }
    EXPECT_NEAR(item(sum(y)), 8, 1e-2);
    EXPECT_NEAR(item(sum(z)), 8, 1e-2);
}

TEST_F(cuda_streams, memory_in_flight_is_not_handed_out) {
    constexpr std::int64_t n = 1 << 22;
    const stream a, b;
    const array<float, 1> ones = full({n}, 1.0f);
    for (int round = 0; round < 50; ++round) {
        array<float, 1> t, s;
        t.on(a) = ones * static_cast<float>(round);
        s.on(b) = t + 1;
        t = array<float, 1>();  // b still reads it
        array<float, 1> u;
        u.on(a) = ones * -1000.0f;  // of the same size
        ASSERT_EQ(item(sum(s)) / n, static_cast<float>(round + 1));
    }
}

TEST_F(cuda_streams, copies_of_every_size_arrive) {
    const stream q;
    for (const std::size_t n : {std::size_t{1}, std::size_t{20000}, std::size_t{5} << 20, std::size_t{12345678}}) {
        std::vector<int> sent(n);
        std::iota(sent.begin(), sent.end(), 7);
        const auto x = from_host(q, std::span(sent), {n});
        std::fill(sent.begin(), sent.end(), -1);
        const auto copy = to_host(q, x + 1);
        const auto got = copy.wait();
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], static_cast<int>(i) + 8) << n;
    }
}

TEST_F(cuda_streams, the_driver_s_functions_take_arrays_and_streams) {
    const codegen::driver& driver = *codegen::cuda_driver();
    const stream q;
    array<std::uint8_t, 1> x = full({1000}, std::uint8_t{1});
    const array<std::uint8_t, 1> before = x;
    {
        const stream_scope on(q);
        const auto place = reinterpret_cast<CUdeviceptr>(data(x));
        ASSERT_EQ(driver.memset_d8_async(place, 7, 1000, static_cast<CUstream>(native_handle(q))), CUDA_SUCCESS);
    }
    EXPECT_EQ(item(sum(x)), 7000u);
    EXPECT_EQ(item(sum(before)), 1000u);
}

TEST_F(cuda_streams, tensors_come_and_go_in_the_order_of_another_library_s_stream) {
    const codegen::driver& driver = *codegen::cuda_driver();
    constexpr std::int64_t n = 1 << 24;
    const stream q;
    const array<float, 1> ones = full({n}, 1.0f);
    array<float, 1> theirs = zeros<float>({n});
    const auto buffer = reinterpret_cast<CUdeviceptr>(data(theirs));
    synchronize();
    CUstream other = nullptr;
    ASSERT_EQ(driver.stream_create(&other, CU_STREAM_NON_BLOCKING, 0), CUDA_SUCCESS);
    for (int round = 0; round < 10; ++round) {
        array<float, 1> x;
        x.on(q) = ones * 1.0f;
        for (int i = 0; i < 30; ++i) x.on(q) += 1;
        DLManagedTensorVersioned* const out = to_dlpack(std::move(x), other);
        const auto from = reinterpret_cast<CUdeviceptr>(out->dl_tensor.data);
        ASSERT_EQ(driver.memcpy_dtod_async(buffer, from, n * sizeof(float), other), CUDA_SUCCESS);
        out->deleter(out);
        array<float, 1> y;
        y.on(q) = ones * -1000.0f;  // of the same size: it may get x's memory
        ASSERT_EQ(driver.stream_synchronize(other), CUDA_SUCCESS);
        ASSERT_TRUE(item(all(theirs == 31))) << round;

        for (unsigned bits : {0x3f800000u, 0x40000000u, 0x40400000u})  // 1, 2 and 3
            for (int i = 0; i < 20; ++i) ASSERT_EQ(driver.memset_d32_async(buffer, bits, n, other), CUDA_SUCCESS);
        std::int64_t extent = n;
        DLManagedTensor in{{data(theirs), {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, &extent, nullptr, 0}, nullptr, nullptr};
        array<float, 1> z;
        z.on(q) = from_dlpack<float, 1>(&in, other) + ones;
        ASSERT_TRUE(item(all(z == 4))) << round;
        ASSERT_EQ(driver.stream_synchronize(other), CUDA_SUCCESS);
    }
}

TEST_F(cuda_streams, a_raw_kernel_s_arguments_are_checked) {
    const raw_kernel k("extern \"C\" __global__ void k(float* x, double by) { x[0] *= by; }", "k");
    array<float, 1> x = {3};
    k(grid{}, block{}, 0, x, 2.0);
    EXPECT_EQ(to_host(x)[0], 6);
    if (codegen::cuda_driver()->func_get_param_info == nullptr) return;  // a driver before CUDA 12.4 cannot tell
    EXPECT_THROW(k(grid{}, block{}, 0, x, 2.0f), error);
    EXPECT_THROW(k(grid{}, block{}, 0, x), error);
}

TEST_F(cuda_streams, a_graph_costs_less_than_its_launches) {
    array<float, 1> w = full({1000}, 1.0f);
    const auto step = [&] {
        for (int i = 0; i < 20; ++i) w += 1;
    };
    const auto seconds = [](auto f) {
        synchronize();
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 100; ++i) f();
        synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 100;
    };
    step();
    const graph g = capture(step);
    g.launch();
    const double launched = seconds(step), replayed = seconds([&] { g.launch(); });
    RecordProperty("launches_us", std::to_string(launched * 1e6));
    RecordProperty("graph_us", std::to_string(replayed * 1e6));
    EXPECT_LT(replayed, launched);
    EXPECT_EQ(to_host(w)[0], 1 + 20 * 202);
}

}  // namespace
