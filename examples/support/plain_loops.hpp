// Test data and reference results by plain parallel loops, independent of Sinter.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

namespace plain {

/// Calls f(begin, end) for ranges that cover 0 .. n, one per core.
template <class F>
void on_all_cores(std::int64_t n, F f) {
    const auto cores = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::jthread> threads;
    for (std::int64_t c = 0; c < cores; ++c) threads.emplace_back([=, &f] { f(n * c / cores, n * (c + 1) / cores); });
}

/// Values in [-1, 1), or integers from -100 to 100; the i-th value is always the same (splitmix64 of i).
template <class T>
void fill_random(std::span<T> values) {
    on_all_cores(static_cast<std::int64_t>(values.size()), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            std::uint64_t z = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15u;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
            z ^= z >> 31;
            if constexpr (std::is_integral_v<T>)
                values[static_cast<std::size_t>(i)] = static_cast<T>(static_cast<int>(z % 201) - 100);
            else
                values[static_cast<std::size_t>(i)] = static_cast<T>(static_cast<double>(z >> 11) * 0x1p-52 - 1.0);
        }
    });
}

/// The greatest relative difference between r and the norms of x along one axis, computed in double. x has `length`
/// elements along that axis, with stride `inner`.
template <class X, class R>
double norm_difference(std::span<const X> x, std::int64_t length, std::int64_t inner, const std::vector<R>& r) {
    std::vector<double> worst_of(r.size() > 0 ? r.size() : 1, 0.0);
    on_all_cores(static_cast<std::int64_t>(r.size()), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t first = i / inner * length * inner + i % inner;
            double squares = 0;
            for (std::int64_t k = 0; k < length; ++k) {
                const auto value = static_cast<double>(x[static_cast<std::size_t>(first + k * inner)]);
                squares += value * value;
            }
            const double want = std::sqrt(squares);
            const auto got = static_cast<double>(r[static_cast<std::size_t>(i)]);
            const bool same = got == want || (std::isnan(got) && std::isnan(want));
            const double off = std::abs(got - want) / std::max(want, std::numeric_limits<double>::min());
            // Infinite if only one side is NaN.
            worst_of[static_cast<std::size_t>(i)] = same              ? 0.0
                                                    : std::isnan(off) ? std::numeric_limits<double>::infinity()
                                                                      : off;
        }
    });
    return *std::max_element(worst_of.begin(), worst_of.end());
}

}  // namespace plain
