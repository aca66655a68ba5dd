// Operands and results as Sinter arrays: one set of random operands per turn, and a result that is poisoned, computed,
// sampled and timed.
#pragma once

#include <bench/measure/trial.hpp>
#include <sinter.hpp>

#include <algorithm>
#include <limits>

namespace bench {

/// One array of operand `seed` per set.
template <class T, int Rank>
std::vector<sinter::array<T, Rank>> operands(const trial& t, std::uint32_t seed, const sinter::shape<Rank>& extents) {
    const auto values = t.operand<T>(seed, extents.size());
    std::vector<sinter::array<T, Rank>> sets;
    for (std::size_t i = 0; i < t.sets; ++i) sets.push_back(sinter::from_host(std::span<const T>(values), extents));
    return sets;
}

/// A value that no case produces.
template <class T>
T poison() {
    if constexpr (std::is_integral_v<T>)
        return std::numeric_limits<T>::max();
    else
        return static_cast<T>(std::numeric_limits<float>::quiet_NaN());
}

/// Samples a result, and counts unwritten elements.
template <class T>
void sample(report& r, const std::vector<T>& values) {
    const auto unwritten = static_cast<double>(poison<T>());
    r.unwritten = std::count_if(values.begin(), values.end(), [&](T v) {
        const auto d = static_cast<double>(v);
        return d != d || d == unwritten;
    });
    r.samples.clear();
    for (const std::int64_t i : sampled_indices(static_cast<std::int64_t>(values.size())))
        r.samples.push_back(static_cast<double>(values[static_cast<std::size_t>(i)]));
}

/// Computes `call(i)` into results[i], times it, checks that it writes every element, and samples the result.
template <class T, int Rank, class Clock, class F>
void measure(const trial& t, report& r, std::vector<sinter::array<T, Rank>>& results, Clock& clock, F call) {
    const auto extents = results[0].shape();
    for (auto& result : results) result = sinter::full(extents, poison<T>());
    sinter::synchronize();
    r.time = time_calls(clock, t.sets, t.once, call);

    results[0] = sinter::full(extents, poison<T>());
    sinter::synchronize();
    call(0);
    clock.synchronize();
    sample(r, sinter::to_host(results[0]));
}

}  // namespace bench
