// Device time of whole expressions, one launch each: milliseconds and the GB/s of the least bytes they must move.
//
// Inputs rotate through more memory than the last-level cache holds, and hold random values; the device's time is taken
// from events around a batch of evaluations, so launch gaps show only where a kernel is shorter than a launch.
#include <sinter.hpp>

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

using namespace sinter;

namespace {

constexpr std::int64_t rotated_bytes = std::int64_t{512} << 20;

template <class T, int Rank>
std::vector<array<T, Rank>> random_arrays(const shape<Rank>& extents) {
    std::vector<T> values(static_cast<std::size_t>(extents.size()));
    std::uint64_t state = 88172645463325252u;  // xorshift64: Marsaglia, Xorshift RNGs, 2003
    for (T& v : values) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        v = static_cast<T>(static_cast<double>(state >> 11) * 0x1p-53 + 0.5);
    }
    std::vector<array<T, Rank>> copies;
    const std::int64_t bytes = extents.size() * static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t held = 0; copies.empty() || held < rotated_bytes; held += bytes)
        copies.push_back(from_host(std::span<const T>(values), extents));
    return copies;
}

/// Times `evaluate(i)`, which must run one expression on the i-th set of inputs and move `bytes`.
template <class F>
void time_on_device(benchmark::State& state, std::int64_t bytes, F evaluate) {
    constexpr int batch = 10;
    int next = 0;
    for (int i = 0; i < batch; ++i) evaluate(next++);  // compile, warm up
    synchronize();
    for (auto _ : state) {
        const event start;
        for (int i = 0; i < batch; ++i) evaluate(next++);
        const event stop;
        state.SetIterationTime(stop.seconds_since(start) / batch);
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * bytes);
    state.SetLabel(current_device().description());
}

template <class T, int Axis>
void norm_along(benchmark::State& state) {
    const shape<3> extents(1000, 100, 1000);
    const auto inputs = random_arrays<T>(extents);
    const std::int64_t out = extents.size() / extents[Axis];
    array<T, 2> r;
    time_on_device(state, (extents.size() + out) * static_cast<std::int64_t>(sizeof(T)), [&](int i) {
        const auto& x = inputs[static_cast<std::size_t>(i) % inputs.size()];
        r = sqrt(sum(x * x, axis=Axis));
    });
}

void exponential(benchmark::State& state) {
    const shape<1> extents(state.range(0));
    const auto inputs = random_arrays<float>(extents);
    array<float, 1> r;
    time_on_device(state, 2 * extents.size() * 4,
                   [&](int i) { r = exp(inputs[static_cast<std::size_t>(i) % inputs.size()]); });
}

void whole_sum_of_products(benchmark::State& state) {
    const shape<1> extents(state.range(0));
    const auto inputs = random_arrays<float>(extents);
    const auto other = random_arrays<float>(extents);
    array<float, 0> r;
    time_on_device(state, 2 * extents.size() * 4, [&](int i) {
        const auto at = static_cast<std::size_t>(i) % inputs.size();
        r = sum(inputs[at] * other[at]);
    });
}

void share_of_the_sum(benchmark::State& state) {
    const shape<1> extents(state.range(0));
    const auto inputs = random_arrays<float>(extents);
    array<float, 1> r;
    time_on_device(state, 2 * extents.size() * 4, [&](int i) {
        const auto& x = inputs[static_cast<std::size_t>(i) % inputs.size()];
        r = x / sum(x);
    });
}

void softmax_rows(benchmark::State& state) {
    const shape<2> extents(state.range(0), state.range(1));
    const auto inputs = random_arrays<float>(extents);
    array<float, 2> r;
    time_on_device(state, 2 * extents.size() * 4, [&](int i) {
        const auto& x = inputs[static_cast<std::size_t>(i) % inputs.size()];
        const auto e = exp(x - max(x, axis=1_c, keepdims));
        r = e / sum(e, axis=1_c, keepdims);
    });
}

/// Bound by arithmetic: a difference and a fused multiply-add, 3 flop, for every pair of points and dimension.
void squared_distances(benchmark::State& state) {
    const std::int64_t n = state.range(0), m = state.range(1), dimensions = state.range(2);
    const auto points = random_arrays<float>(shape<2>(n, dimensions));
    const auto others = random_arrays<float>(shape<2>(m, dimensions));
    array<float, 2> r;
    time_on_device(state, (n * m + (n + m) * dimensions) * 4, [&](int i) {
        const auto& x = points[static_cast<std::size_t>(i) % points.size()];
        const auto& y = others[static_cast<std::size_t>(i) % others.size()];
        r = sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2);
    });
    state.counters["flop/s"] = benchmark::Counter(3.0 * static_cast<double>(n * m * dimensions),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

/// exp(-(x_i - y_j)^2) of all pairs: an outer function, bound by its stores.
void gaussian_of_pairs(benchmark::State& state) {
    const std::int64_t n = state.range(0);
    const auto inputs = random_arrays<float>(shape<1>(n));
    array<float, 2> r;
    time_on_device(state, (n * n + 2 * n) * 4, [&](int i) {
        const auto& x = inputs[static_cast<std::size_t>(2 * i) % inputs.size()];
        const auto& y = inputs[static_cast<std::size_t>(2 * i + 1) % inputs.size()];
        r = exp(-square(x(all, newaxis) - y));
    });
}

}  // namespace

BENCHMARK(norm_along<double, 2>)->Name("sqrt(sum(x*x, axis=2)) float64 (1000,100,1000)")->UseManualTime();
BENCHMARK(norm_along<float, 2>)->Name("sqrt(sum(x*x, axis=2)) float32 (1000,100,1000)")->UseManualTime();
BENCHMARK(norm_along<float, 0>)->Name("sqrt(sum(x*x, axis=0)) float32 (1000,100,1000)")->UseManualTime();
BENCHMARK(norm_along<float, 1>)->Name("sqrt(sum(x*x, axis=1)) float32 (1000,100,1000)")->UseManualTime();
BENCHMARK(exponential)->Name("exp(x) float32")->Arg(10'000'000)->Arg(1 << 28)->UseManualTime();
BENCHMARK(whole_sum_of_products)->Name("sum(x*y) float32")->Arg(10'000)->Arg(1 << 28)->UseManualTime();
BENCHMARK(share_of_the_sum)->Name("x / sum(x) float32")->Arg(1 << 24)->Arg(1 << 28)->UseManualTime();
BENCHMARK(softmax_rows)
    ->Name("softmax rows float32")
    ->Args({8192, 4096})
    ->Args({1 << 20, 128})
    ->Args({64, 262144})
    ->UseManualTime();
BENCHMARK(squared_distances)
    ->Name("sum(square(x_i - y_j), axis=2) float32")
    ->Args({4096, 4096, 64})
    ->Args({4095, 4097, 63})
    ->Args({512, 512, 64})
    ->Args({1 << 18, 64, 32})
    ->UseManualTime();
BENCHMARK(gaussian_of_pairs)->Name("exp(-(x_i - y_j)^2) float32")->Arg(16384)->UseManualTime();

BENCHMARK_MAIN();
