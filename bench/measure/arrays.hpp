// Operands and results in Sinter's arrays: a set of random operands for each turn, and a result that is poisoned,
// computed, sampled and timed.
#pragma once

#include <bench/measure/trial.hpp>
#include <sinter.hpp>

#include <limits>

namespace bench {

/// One array of operand `seed` for each set.
template <class T, int Rank>
std::vector<sinter::array<T, Rank>> operands(const trial& t, std::uint32_t seed, const sinter::shape<Rank>& extents) {
    const auto values = t.operand<T>(seed, extents.size());
    std::vector<sinter::array<T, Rank>> sets;
    for (std::size_t i = 0; i < t.sets; ++i) sets.push_back(sinter::from_host(std::span<const T>(values), extents));
    return sets;
}

/// A value that no case computes.
template <class T>
constexpr T poison() {
    if constexpr (std::numeric_limits<T>::has_quiet_NaN)
        return std::numeric_limits<T>::quiet_NaN();
    else
        return std::numeric_limits<T>::max();
}

/// Computes `call(i)` into results[i], times it, checks that it writes every element, and samples the result.
template <class T, int Rank, class Clock, class F, class Read>
void measure(const trial& t, report& r, std::vector<sinter::array<T, Rank>>& results, Clock& clock, F call,
             Read to_double) {
    const auto extents = results[0].shape();
    for (auto& result : results) result = sinter::full(extents, poison<T>());
    sinter::synchronize();
    r.time = time_calls(clock, t.sets, call);

    results[0] = sinter::full(extents, poison<T>());
    sinter::synchronize();
    call(0);
    clock.synchronize();
    const std::vector<T> values = sinter::to_host(results[0]);
    r.unwritten = std::count_if(values.begin(), values.end(), [](T v) { return v != v || v == poison<T>(); });
    r.samples.clear();
    for (const std::int64_t i : sampled_indices(extents.size()))
        r.samples.push_back(to_double(values[static_cast<std::size_t>(i)]));
}

template <class T, int Rank, class Clock, class F>
void measure(const trial& t, report& r, std::vector<sinter::array<T, Rank>>& results, Clock& clock, F call) {
    measure(t, r, results, clock, call, [](T v) { return static_cast<double>(v); });
}

}  // namespace bench
