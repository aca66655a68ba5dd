// The benchmarks' operand values: a hash of the index, so C++ and Python generate the same values, and a reference can
// be computed at any index without an array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace bench {

/// A hash of 32 bits with good avalanche: "lowbias32", Christopher Wellons, Prospecting for Hash Functions, 2018.
constexpr std::uint32_t hash(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

/// Element `index` of input `seed`, uniform in [low, high) in steps of (high - low) / 2^24. The bounds are small binary
/// fractions, so nothing is rounded here and every language computes the same value.
constexpr double value_at(std::uint32_t seed, std::int64_t index, double low, double high) {
    const std::uint32_t h = hash(static_cast<std::uint32_t>(index) + seed * 0x9e3779b9u);
    return low + (high - low) * (static_cast<double>(h >> 8) * 0x1p-24);
}

/// Fills `n` elements of input `seed`, each converted by `convert(double)`.
template <class T, class Convert>
std::vector<T> values(std::uint32_t seed, std::int64_t n, double low, double high, Convert convert) {
    std::vector<T> out(static_cast<std::size_t>(n));
    const std::int64_t workers = n < 100'000 ? 1 : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (std::int64_t w = 0; w < workers; ++w)
        threads.emplace_back([&, w] {
            for (std::int64_t i = n * w / workers; i < n * (w + 1) / workers; ++i)
                out[static_cast<std::size_t>(i)] = convert(value_at(seed, i, low, high));
        });
    for (auto& t : threads) t.join();
    return out;
}

/// The indices at which a result of `size` elements is compared with the reference; bench/peers/data.py has the same
/// rule.
inline std::vector<std::int64_t> sampled_indices(std::int64_t size) {
    constexpr std::uint64_t count = 256, stride = 2654435761;  // a prime near 2^32 / golden ratio: Knuth, vol. 3, 6.4
    std::vector<std::int64_t> at;
    for (std::uint64_t j = 0; j < count; ++j)
        at.push_back(static_cast<std::int64_t>(j * stride % static_cast<std::uint64_t>(size)));
    at.push_back(size - 1);
    return at;
}

}  // namespace bench
