// How far results that were rounded on the way are from exact ones.
#pragma once

#include <tests/language/naive.hpp>

#include <cmath>
#include <cstddef>

namespace sinter::test {

/// The largest difference, relative to the root of the mean square.
inline double relative_error(const naive& found, const naive& expected) {
    double largest = 0, squares = 0;
    for (std::size_t p = 0; p < expected.values.size(); ++p) {
        const double off = std::abs(found.values[p] - expected.values[p]);
        largest = off <= largest ? largest : off;  // NaN counts
        squares += expected.values[p] * expected.values[p];
    }
    return largest / std::sqrt(squares / static_cast<double>(expected.values.size()));
}

}  // namespace sinter::test
