// Numbers of storage types for tests.
#pragma once

#include <sinter.hpp>

#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace sinter::test {

template <class T>
array<T, 1> line(const std::vector<T>& values) {
    return from_host(std::span<const T>(values), {values.size()});
}

/// Numbers from -4 to 4, rounded.
template <class T>
std::vector<T> random_numbers(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> between(-4, 4);
    std::vector<T> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(T(between(random)));
    return all;
}

}  // namespace sinter::test
