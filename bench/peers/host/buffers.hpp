// Operands and results in host memory, for the host libraries.
#pragma once

#include <bench/measure/trial.hpp>

#include <algorithm>
#include <limits>

namespace bench {

/// One buffer of operand `seed` per set.
template <class T>
std::vector<std::vector<T>> buffers(const trial& t, std::uint32_t seed, std::int64_t n) {
    return std::vector<std::vector<T>>(t.sets, t.operand<T>(seed, n));
}

/// Measures `call(out, i)`, which writes a result of n elements from the operands of set i.
template <class T, class F>
void measure_on_host(const trial& t, std::int64_t n, F call) {
    constexpr T poison = std::numeric_limits<T>::quiet_NaN();
    std::vector<std::vector<T>> results(t.sets, std::vector<T>(static_cast<std::size_t>(n), poison));
    host_clock clock;
    report r;
    r.time = time_calls(clock, t.sets, t.once, [&](std::size_t i) { call(results[i].data(), i); });
    std::fill(results[0].begin(), results[0].end(), poison);
    call(results[0].data(), 0);
    r.unwritten = std::count_if(results[0].begin(), results[0].end(), [](T v) { return v != v; });
    for (const std::int64_t i : sampled_indices(n))
        r.samples.push_back(static_cast<double>(results[0][static_cast<std::size_t>(i)]));
    print(t, r);
}

}  // namespace bench
