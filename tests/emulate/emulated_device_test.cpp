// The emulated device runs hand-written kernels as a GPU would.
#include <tests/emulate/launching.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

namespace sinter::emulate {
namespace {

std::vector<double> random_values(std::size_t n) {
    static unsigned seed = 1;
    std::vector<double> values(n);
    for (double& v : values) v = static_cast<double>((seed = seed * 1664525u + 1013904223u) >> 8) / (1u << 24) - 0.5;
    return values;
}

class in_every_order : public testing::TestWithParam<run_order> {
protected:
    void SetUp() override { device.set_order(GetParam()); }
    emulated_device device;
};
INSTANTIATE_TEST_SUITE_P(emulate, in_every_order,
                         testing::Values(run_order::forward, run_order::reverse, run_order::shuffled));

TEST_P(in_every_order, elementwise) {
    const kernel_source k(device, "scale", R"(
        extern "C" __global__ void __launch_bounds__(64)
        scale(float* __restrict__ out, const double* __restrict__ x, float a, int n, long long shift) {
            for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
                out[i] = a * exp(static_cast<float>(x[i])) + static_cast<float>(shift);
        })");
    const std::vector<double> x = random_values(1001);
    const device_array<double> dx(device, x);
    const device_array<float> out(device, 1001);
    k.launch(5, 64, out.p, dx.p, 2.5f, 1001, 3LL);
    const std::vector<float> got = out.values();
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], 2.5f * std::exp(static_cast<float>(x[i])) + 3.0f) << i;
}

// Eight warps per block: butterflies within a warp, shared memory between warps.
TEST_P(in_every_order, block_reduction) {
    const kernel_source k(device, "row_sum", R"(
        extern "C" __global__ void row_sum(double* out, const double* x, int n) {
            __shared__ double partial[8];
            double sum = 0;
            for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[blockIdx.x * n + i];
            #pragma unroll
            for (int bit = 16; bit > 0; bit >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, bit);
            if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
            __syncthreads();
            if (threadIdx.x < 32) {
                sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
                for (int delta = 4; delta > 0; delta >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, delta, 8);
                if (threadIdx.x == 0) out[blockIdx.x] = sum;
            }
        })");
    constexpr std::size_t rows = 7, columns = 1013;
    const std::vector<double> x = random_values(rows * columns);
    const device_array<double> dx(device, x);
    const device_array<double> out(device, rows);
    k.launch(rows, 256, out.p, dx.p, static_cast<int>(columns));
    const std::vector<double> got = out.values();
    for (std::size_t r = 0; r < rows; ++r) {
        double sum = 0;
        for (std::size_t i = 0; i < columns; ++i) sum += x[r * columns + i];
        ASSERT_NEAR(got[r], sum, 1e-11);
    }
}

// Four groups of eight lanes per warp, each with its own mask, one of them idle.
TEST_P(in_every_order, shuffles_of_a_part_of_a_warp) {
    const kernel_source k(device, "groups", R"(
        extern "C" __global__ void groups(int* out, const int* x) {
            const unsigned mask = 0xffu << (threadIdx.x & 24u);
            if (threadIdx.x / 8 == 2) return;
            int sum = x[threadIdx.x];
            for (int bit = 4; bit > 0; bit >>= 1) sum += __shfl_xor_sync(mask, sum, bit, 8);
            out[threadIdx.x] = sum;
            out[32 + threadIdx.x] = __shfl_up_sync(mask, x[threadIdx.x], 3, 8);
            out[64 + threadIdx.x] = __shfl_down_sync(mask, x[threadIdx.x], 3, 8);
            out[96 + threadIdx.x] = __shfl_sync(mask, x[threadIdx.x], 13, 8);
            out[128 + threadIdx.x] = __ballot_sync(mask, x[threadIdx.x] % 2);
        })");
    std::vector<int> x(32);
    for (std::size_t i = 0; i < 32; ++i) x[i] = static_cast<int>(i * i * 7 % 31);
    const device_array<int> dx(device, x);
    const device_array<int> out(device, 160);
    k.launch(1, 32, out.p, dx.p);
    const std::vector<int> got = out.values();
    const int unwritten = static_cast<int>(poison_word);
    for (std::size_t i = 0; i < 32; ++i) {
        const std::size_t first = i / 8 * 8;
        int sum = 0, odd = 0;
        for (std::size_t j = first; j < first + 8; ++j) sum += x[j], odd |= (x[j] % 2) << j;
        const bool idle = i / 8 == 2;
        EXPECT_EQ(got[i], idle ? unwritten : sum);
        EXPECT_EQ(got[32 + i], idle ? unwritten : x[i - first < 3 ? i : i - 3]);
        EXPECT_EQ(got[64 + i], idle ? unwritten : x[i - first > 4 ? i : i + 3]);
        EXPECT_EQ(got[96 + i], idle ? unwritten : x[first + 5]);
        EXPECT_EQ(got[128 + i], idle ? unwritten : odd);
    }
}

// The last block to take a ticket combines the results of all blocks, and resets the ticket for the next launch.
TEST_P(in_every_order, ticket) {
    const kernel_source k(device, "sum", R"(
        extern "C" __global__ void sum(double* out, const double* x, int n, double* partial, unsigned* ticket) {
            __shared__ double shared[64];
            __shared__ bool last;
            double mine = 0;
            for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) mine += x[i];
            shared[threadIdx.x] = mine;
            for (unsigned half = 32; half > 0; half >>= 1) {
                __syncthreads();
                if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
            }
            if (threadIdx.x == 0) {
                partial[blockIdx.x] = shared[0];
                __threadfence();
                last = atomicAdd(ticket, 1u) == gridDim.x - 1;
            }
            __syncthreads();
            if (!last || threadIdx.x != 0) return;
            __threadfence();
            double all = 0;
            for (unsigned b = 0; b < gridDim.x; ++b) all += partial[b];
            *out = all;
            *ticket = 0;
        })");
    const std::vector<double> x = random_values(5000);
    double sum = 0;
    for (const double v : x) sum += v;
    const device_array<double> dx(device, x), out(device, 1), partial(device, 9);
    const device_array<unsigned> ticket(device, std::vector<unsigned>{0});
    std::vector<double> results;
    for (int launch = 0; launch < 2; ++launch) {
        k.launch(9, 64, out.p, dx.p, 5000, partial.p, ticket.p);
        results.push_back(out.values()[0]);
    }
    EXPECT_NEAR(results[0], sum, 1e-10);
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(ticket.values()[0], 0u);
}

TEST(emulated_device, blocks_run_in_the_order_asked_for) {
    emulated_device device;
    const kernel_source k(device, "order", R"(
        extern "C" __global__ void order(unsigned* out, unsigned* next) {
            out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(next, 1u);
        })");
    const auto run = [&](run_order order) {
        device.set_order(order);
        const device_array<unsigned> out(device, 12), next(device, std::vector<unsigned>{0});
        k.launch(4, 3, out.p, next.p);
        return out.values();
    };
    std::vector<unsigned> count(12);
    for (unsigned i = 0; i < 12; ++i) count[i] = i;
    EXPECT_EQ(run(run_order::forward), count);
    EXPECT_EQ(run(run_order::reverse), std::vector<unsigned>(count.rbegin(), count.rend()));
    EXPECT_NE(run(run_order::shuffled), count);
}

// Blocks that wait for each other, twice: their shared memory and their threads' state are preserved.
TEST_P(in_every_order, blocks_meet) {
    const kernel_source k(device, "neighbours", R"(
        static __device__ void meet(unsigned* arrived, unsigned all) {
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence();
                atomicAdd(arrived, 1u);
                while (*static_cast<volatile unsigned*>(arrived) < all) __nanosleep(10);
                __threadfence();
            }
            __syncthreads();
        }
        extern "C" __global__ void neighbours(int* out, int* posted, unsigned* arrived) {
            __shared__ int mine[64];
            mine[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
            for (unsigned round = 0; round < 2; ++round) {
                posted[blockIdx.x * 64 + threadIdx.x] = mine[threadIdx.x];
                meet(arrived, (2 * round + 1) * gridDim.x);
                mine[threadIdx.x] += posted[(blockIdx.x + 1) % gridDim.x * 64 + threadIdx.x];
                meet(arrived, (2 * round + 2) * gridDim.x);
            }
            out[blockIdx.x * 64 + threadIdx.x] = mine[threadIdx.x];
        })");
    const device_array<int> out(device, 7 * 64), posted(device, 7 * 64);
    const device_array<unsigned> arrived(device, std::vector<unsigned>{0});
    k.launch(7, 64, out.p, posted.p, arrived.p);
    const std::vector<int> got = out.values();
    for (int b = 0; b < 7; ++b)
        for (int t = 0; t < 64; ++t) {
            const int expected = 100 * b + 200 * ((b + 1) % 7) + 100 * ((b + 2) % 7) + 4 * t;
            ASSERT_EQ(got[static_cast<std::size_t>(b * 64 + t)], expected) << b << ", " << t;
        }
}

TEST(emulated_device, the_order_comes_from_the_environment) {
    setenv("SINTER_EMULATE_ORDER", "sideways", 1);
    EXPECT_THROW(emulated_device(), error);
    unsetenv("SINTER_EMULATE_ORDER");
}

TEST(emulated_device, what_is_not_written_stays_poison) {
    emulated_device device;
    const kernel_source k(device, "half", R"(
        extern "C" __global__ void half(double* out) {
            if (threadIdx.x % 2 == 0) out[threadIdx.x] = threadIdx.x;
        })");
    const device_array<double> out(device, 32);
    k.launch(1, 32, out.p);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(std::isnan(out.values()[i]), i % 2 == 1);
}

TEST(emulated_device, dynamic_shared_memory) {
    emulated_device device;
    const kernel_source k(device, "reverse", R"(
        extern "C" __global__ void reverse(short* out, const short* x) {
            extern __shared__ short line[];
            line[threadIdx.x] = x[threadIdx.x];
            __syncthreads();
            out[threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];
        })");
    const device_array<short> x(device, std::vector<short>{1, 2, 3, 4, 5}), out(device, 5);
    k.launch_with_shared(10, 1, 5, out.p, x.p);
    EXPECT_EQ(out.values(), (std::vector<short>{5, 4, 3, 2, 1}));
    EXPECT_THROW(k.launch_with_shared(8, 1, 5, out.p, x.p), error);
}

TEST(emulated_device, words_of_cuda) {
    emulated_device device;
    const kernel_source k(device, "words", R"(
        __constant__ float table[2] = {0.5f, 2.0f};
        struct alignas(16) double_x2 { double at[2]; };
        __device__ __forceinline__ double twice(double x) { return x + x; }
        extern "C" __global__ void words(double* out, const double* x) {
            const double_x2 pair = *reinterpret_cast<const double_x2*>(x);
            out[0] = twice(pair.at[0]) + fma(pair.at[1], 2.0, 1.0);
            out[1] = __int_as_float(0x7f800000);
            out[2] = __longlong_as_double(0x3ff0000000000000LL);
            out[3] = sizeof(exp(1.0f)) + sizeof(sqrt(2.0f)) + sizeof(pow(2.0f, 3.0f));
            out[4] = table[threadIdx.x & 1] + table[1];
            out[5] = min(3, 4) + max(5.0, 6.0) + __ldg(x + 1) + rsqrt(4.0) + __popc(255u);
            unsigned counter = 6;
            out[6] = atomicInc(&counter, 7u) + counter;
            out[7] = isnan(x[0]) || isinf(x[0]) ? 1 : abs(-3) + abs(-0.25);
            const float4 four = make_float4(1, 2, 3, 4);
            out[8] = four.x + four.w + __syncthreads_count(1) + __reduce_add_sync(1u, 9);
        })");
    const device_array<double> x(device, std::vector<double>{1.5, 0.25}), out(device, 9);
    k.launch(1, 1, out.p, x.p);
    EXPECT_EQ(out.values(), (std::vector<double>{4.5, INFINITY, 1, 12, 2.5, 17.75, 13, 3.25, 15}));
}

TEST(emulated_device, memory_and_time) {
    emulated_device device(small_machine(), 4096);
    EXPECT_EQ(device.name(), "emulated");
    EXPECT_FALSE(device.is_host());
    {
        const device_array<int> a(device, std::vector<int>{1, 2, 3}), b(device, 3);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.p) % 256, 0u);
        device.copy_within(b.p, a.p + 1, 8);
        EXPECT_EQ(b.values(), (std::vector<int>{2, 3, static_cast<int>(poison_word)}));
        device.fill_zero(b.p + 1, 4);
        EXPECT_EQ(b.values()[1], 0);
        EXPECT_EQ(device.live_allocations(), 2u);
        EXPECT_THROW(device.allocate(4090), error);
    }
    EXPECT_EQ(device.live_allocations(), 0u);
    const std::unique_ptr<codegen::time_mark> from(device.mark()), to(device.mark());
    EXPECT_GE(device.seconds_between(*from, *to), 0.0);
}

TEST(emulated_device, an_image_outlives_the_device_that_made_it) {
    emulated_device first;
    const std::string bytes = first.compile(R"(extern "C" __global__ void one(int* out) { *out = 1; })");
    EXPECT_EQ(first.toolchain(), emulated_device().toolchain());
    emulated_device second;
    codegen::loaded_kernel* kernel = second.load(bytes, "one");
    const device_array<int> out(second, 1);
    int* p = out.p;
    void* arguments[] = {&p};
    second.launch(kernel, 1, 1, 0, arguments);
    EXPECT_EQ(out.values()[0], 1);
    EXPECT_THROW(second.load(bytes, "two"), error);
}

}  // namespace
}  // namespace sinter::emulate
