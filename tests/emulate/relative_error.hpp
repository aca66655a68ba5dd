// How far results that were rounded on the way are from exact ones.
#pragma once

#include <tests/language/naive.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sinter::test {

/// The largest difference, relative to the root of the mean square, or to `least_mean` if that is larger.
inline double relative_error(const naive& found, const naive& expected, double least_mean = 0) {
    double largest = 0, squares = 0;
    for (std::size_t p = 0; p < expected.values.size(); ++p) {
        const double off = std::abs(found.values[p] - expected.values[p]);
        largest = off <= largest ? largest : off;  // NaN counts
        squares += expected.values[p] * expected.values[p];
    }
    return largest / std::max(std::sqrt(squares / static_cast<double>(expected.values.size())), least_mean);
}

}  // namespace sinter::test
