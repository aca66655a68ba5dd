// The CUDA device: memory, copies, kernels, marks and errors, on every device there is.
#include <runtime/cache/kernels.hpp>
#include <runtime/cuda/cuda_device.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <sinter/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using namespace sinter::codegen;
using testing::HasSubstr;

/// The process's disk cache is in a folder of this test's, which is named before anything asks for it.
struct cache_folder {
    cache_folder() { ::setenv("SINTER_CACHE_DIR", path.c_str(), 1); }
    ~cache_folder() { std::filesystem::remove_all(path); }
    const std::string path = testing::TempDir() + "sinter_cuda_" + std::to_string(::getpid());
} const folder;

const std::string axpy = R"(
extern "C" __global__ void __launch_bounds__(256)
axpy(float* __restrict__ y, const float* __restrict__ x, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
)";

class cuda_device : public testing::TestWithParam<int> {
protected:
    void SetUp() override {
        if (GetParam() >= cuda_device_count())
            GTEST_SKIP() << (cuda_device_count() == 0 ? cuda_unavailable_reason() : "there are fewer devices");
        if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
        d = &cuda_device_at(GetParam());
    }

    /// Random bytes on the device, and what they are.
    std::vector<unsigned char> random_bytes(std::size_t bytes) {
        std::vector<unsigned char> v(bytes);
        for (auto& b : v) b = static_cast<unsigned char>(random());
        return v;
    }
    std::vector<unsigned char> back(const void* p, std::size_t bytes) const {
        std::vector<unsigned char> v(bytes, 0xa5);
        d->copy_to_host(v.data(), p, bytes);
        return v;
    }
    void run_axpy(loaded_kernel* kernel, void* y, const void* x, float a, int n) const {
        void* arguments[] = {&y, &x, &a, &n};
        d->launch(kernel, (n + 255) / 256, 256, 0, arguments);
    }

    kernel_device* d = nullptr;
    std::mt19937 random{23};
};

TEST_P(cuda_device, tells_what_it_is) {
    const device_properties& m = d->properties();
    EXPECT_EQ(d->name(), "cuda(" + std::to_string(GetParam()) + ")");
    EXPECT_EQ(&cuda_device_at(GetParam()), d);
    EXPECT_FALSE(d->is_host());
    EXPECT_FALSE(m.name.empty());
    EXPECT_GE(m.arch, 50);
    EXPECT_GT(m.multiprocessors, 0);
    EXPECT_GE(m.threads_per_multiprocessor, 1024);
    EXPECT_GE(m.shared_per_block, 48u * 1024);
    EXPECT_GT(m.l2_bytes, 1u << 20);
    EXPECT_GT(m.bytes_per_second, 1e11);
    EXPECT_LT(m.bytes_per_second, 1e14);
    RecordProperty("machine", m.name + ", " + std::to_string(m.bytes_per_second / 1e12) + " TB/s");
}

TEST_P(cuda_device, copies_bytes_of_any_number_at_any_place) {
    for (const std::size_t bytes : {1ul, 3ul, 255ul, 65536ul, 65537ul, 1000003ul, (64ul << 20) + 5}) {
        std::vector<unsigned char> sent = random_bytes(bytes);
        const std::vector<unsigned char> expected = sent;
        auto* const a = static_cast<unsigned char*>(d->allocate(bytes));
        auto* const b = static_cast<unsigned char*>(d->allocate(bytes));
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(a) % 256, 0u);
        d->copy_from_host(a, sent.data(), bytes);
        std::fill(sent.begin(), sent.end(), 0xee);  // allowed as soon as the call returns
        d->copy_within(b, a, bytes);
        d->fill_zero(a, bytes);
        EXPECT_EQ(back(b, bytes), expected) << bytes;
        EXPECT_EQ(back(a, bytes), std::vector<unsigned char>(bytes, 0)) << bytes;
        if (bytes > 2) {  // a part in the middle, and what is around it
            d->copy_from_host(b + 1, expected.data(), 1);
            d->fill_zero(b + 2, bytes - 2);
            std::vector<unsigned char> parts(bytes, 0);
            parts[0] = parts[1] = expected[0];
            EXPECT_EQ(back(b, bytes), parts) << bytes;
        }
        d->deallocate(a, bytes);
        d->deallocate(b, bytes);
    }
    d->copy_from_host(nullptr, nullptr, 0);
    d->copy_within(nullptr, nullptr, 0);
    d->copy_to_host(nullptr, nullptr, 0);
    d->fill_zero(nullptr, 0);
}

TEST_P(cuda_device, small_sources_may_change_while_the_device_is_busy) {
    constexpr int n = 1000;
    auto* const all = static_cast<unsigned char*>(d->allocate(n * 4));
    void* const large = d->allocate(std::size_t{1} << 30);
    for (int i = 0; i < 20; ++i) d->fill_zero(large, std::size_t{1} << 30);  // milliseconds of work
    std::uint32_t value = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        value = i * 2654435761u;
        d->copy_from_host(all + 4 * i, &value, 4);
    }
    std::vector<std::uint32_t> got(n);
    d->copy_to_host(got.data(), all, n * 4);
    for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(got[i], i * 2654435761u) << i;
    d->deallocate(all, n * 4);
    d->deallocate(large, std::size_t{1} << 30);
}

TEST_P(cuda_device, runs_a_kernel) {
    const std::string image = d->compile(axpy);
    loaded_kernel* const kernel = d->load(image, "axpy");
    EXPECT_GT(kernel->usage.registers, 3);
    EXPECT_EQ(kernel->usage.spill_bytes, 0);
    EXPECT_EQ(kernel->usage.shared_bytes, 0);
    for (const int n : {1, 255, 256, 257, 100003}) {
        std::vector<float> x(static_cast<std::size_t>(n)), y(x.size()), got(x.size() + 1, -1.0f);
        for (float& v : x) v = std::uniform_real_distribution<float>(-1, 1)(random);
        for (float& v : y) v = std::uniform_real_distribution<float>(-1, 1)(random);
        const std::size_t bytes = x.size() * sizeof(float);
        void* const dx = d->allocate(bytes);
        void* const dy = d->allocate(bytes + sizeof(float));
        const float poison = 77.0f;
        d->copy_from_host(dx, x.data(), bytes);
        d->copy_from_host(dy, y.data(), bytes);
        d->copy_from_host(static_cast<char*>(dy) + bytes, &poison, sizeof poison);
        run_axpy(kernel, dy, dx, 2.5f, n);
        d->copy_to_host(got.data(), dy, bytes + sizeof(float));
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(got[i], 2.5f * x[i] + y[i], 1e-6) << i << " of " << n;
        EXPECT_EQ(got.back(), poison) << "written past the end";
        d->deallocate(dx, bytes);
        d->deallocate(dy, bytes + sizeof(float));
    }
    run_axpy(kernel, nullptr, nullptr, 0, 0);  // no blocks, no work
    EXPECT_THROW(d->launch(kernel, std::int64_t{1} << 31, 256, 0, nullptr), sinter::error);
}

TEST_P(cuda_device, gives_a_kernel_more_shared_memory_than_the_default) {
    loaded_kernel* const kernel = d->load(d->compile(R"(
extern "C" __global__ void turn(unsigned* y, int n) {
    extern __shared__ unsigned tile[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = y[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = tile[n - 1 - i];
}
)"),
                                          "turn");
    for (int n : {1000, 15000, 2000}) {  // 4, 60 and 8 kB
        std::vector<std::uint32_t> x(static_cast<std::size_t>(n)), got(x.size());
        for (auto& v : x) v = static_cast<std::uint32_t>(random());
        void* y = d->allocate(x.size() * 4);
        d->copy_from_host(y, x.data(), x.size() * 4);
        void* arguments[] = {&y, &n};
        d->launch(kernel, 1, 128, static_cast<unsigned>(n) * 4, arguments);
        d->copy_to_host(got.data(), y, x.size() * 4);
        std::reverse(x.begin(), x.end());
        EXPECT_EQ(got, x) << n;
        d->deallocate(y, x.size() * 4);
    }
}

TEST_P(cuda_device, work_from_several_threads_runs_in_order) {
    loaded_kernel* const kernel = d->load(d->compile(axpy), "axpy");
    constexpr int n = 5000;
    const std::vector<float> ones(n, 1.0f);
    void* const x = d->allocate(n * 4);
    void* const y = d->allocate(n * 4);
    d->copy_from_host(x, ones.data(), n * 4);
    d->fill_zero(y, n * 4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 250; ++i) {
                run_axpy(kernel, y, x, 1.0f, n);
                void* const p = d->allocate(100);
                d->deallocate(p, 100);
            }
        });
    for (auto& thread : threads) thread.join();
    std::vector<float> got(n);
    d->copy_to_host(got.data(), y, n * 4);
    EXPECT_EQ(got, std::vector<float>(n, 1000.0f));
    d->deallocate(x, n * 4);
    d->deallocate(y, n * 4);
}

TEST_P(cuda_device, marks_measure_its_work) {
    const std::size_t bytes = std::size_t{1} << 30;
    void* const p = d->allocate(bytes);
    d->fill_zero(p, bytes);
    const std::unique_ptr<time_mark> a(d->mark());
    d->fill_zero(p, bytes);
    const std::unique_ptr<time_mark> b(d->mark());
    for (int i = 0; i < 4; ++i) d->fill_zero(p, bytes);
    const std::unique_ptr<time_mark> c(d->mark());
    const double one = d->seconds_between(*a, *b), four = d->seconds_between(*b, *c);
    EXPECT_GT(one, static_cast<double>(bytes) / 2e13);
    EXPECT_LT(one, 0.1);
    EXPECT_GT(four, 2 * one);
    d->deallocate(p, bytes);
}

TEST_P(cuda_device, out_of_memory_says_what_there_is_and_the_device_works_on) {
    std::string message;
    try {
        d->allocate(std::size_t{1} << 50);
    } catch (const sinter::error& e) {
        message = e.what();
    }
    EXPECT_THAT(message, HasSubstr("out of memory on " + d->name() + ": asked for 1.0 PiB"));
    EXPECT_THAT(message, testing::Not(HasSubstr(" 0 bytes")));
    EXPECT_EQ(message.find('\n'), std::string::npos);
    const auto sent = random_bytes(1000);
    void* const p = d->allocate(1000);
    d->copy_from_host(p, sent.data(), 1000);
    EXPECT_EQ(back(p, 1000), sent);
    d->deallocate(p, 1000);
}

TEST_P(cuda_device, errors_name_the_cause_and_the_cure) {
    const auto message = [](auto&& what) -> std::string {
        try {
            what();
        } catch (const sinter::error& e) {
            return e.what();
        }
        return "";
    };
    const std::string image = d->compile(axpy);
    EXPECT_THAT(message([&] { d->load(image, "no_such_kernel"); }), HasSubstr("CUDA_ERROR_NOT_FOUND"));
    EXPECT_THAT(message([&] { d->load("nonsense", "axpy"); }), HasSubstr("not the image of a CUDA kernel"));
    loaded_kernel* const kernel = d->load(image, "axpy");
    EXPECT_THAT(message([&] { d->launch(kernel, 1, 4096, 0, nullptr); }), HasSubstr("CUDA_ERROR_INVALID_VALUE"));
    EXPECT_THAT(message([&] { d->launch(kernel, 1, 32, 100u << 20, nullptr); }), HasSubstr("104857600 bytes"));
    EXPECT_THAT(message([] { cuda_device_at(cuda_device_count()); }), HasSubstr("use cuda(0)"));
    EXPECT_THAT(message([] { cuda_device_at(-1); }), HasSubstr("use cuda(0)"));
}

TEST_P(cuda_device, kernels_come_from_the_disk_the_second_time) {
    const std::string source = axpy + "// device " + std::to_string(GetParam()) + "\n";
    const auto make = [&] { return printed_kernel{source, "axpy", {}}; };
    const ready_kernel& compiled = get_kernel(*d, {"one class", make});
    EXPECT_FALSE(compiled.from_disk);
    const ready_kernel& found = get_kernel(*d, {"the same text by another name", make});
    EXPECT_TRUE(found.from_disk);
    EXPECT_EQ(found.usage.registers, compiled.usage.registers);
    EXPECT_EQ(found.usage.spill_bytes, 0);
    EXPECT_LT(found.compile_seconds, 0.01);
    RecordProperty("compile_ms", std::to_string(compiled.compile_seconds * 1e3));
    RecordProperty("from_disk_ms", std::to_string(found.compile_seconds * 1e3));
    run_axpy(found.loaded, nullptr, nullptr, 0, 0);
    d->synchronize();
}

TEST_P(cuda_device, a_launch_costs_the_host_a_few_microseconds) {
    loaded_kernel* const kernel = d->load(d->compile(axpy), "axpy");
    void* const y = d->allocate(400);
    d->fill_zero(y, 400);
    run_axpy(kernel, y, y, 0, 100);
    d->synchronize();
    double best = 1;
    for (int round = 0; round < 20; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 100; ++i) run_axpy(kernel, y, y, 0, 100);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 100);
        d->synchronize();
    }
    RecordProperty("launch_us", std::to_string(best * 1e6));
    EXPECT_LT(best, 50e-6);
    d->deallocate(y, 400);
}

INSTANTIATE_TEST_SUITE_P(each, cuda_device, testing::Values(0, 1, 2, 3));

TEST(cuda_devices, without_any_the_reason_is_told) {
    if (cuda_device_count() > 0) {
        EXPECT_EQ(cuda_unavailable_reason(), "");
        return;
    }
    EXPECT_THAT(cuda_unavailable_reason(), HasSubstr("use host()"));
    EXPECT_EQ(cuda_unavailable_reason().find('\n'), std::string::npos);
    EXPECT_THROW(cuda_device_at(0), sinter::error);
}

}  // namespace
