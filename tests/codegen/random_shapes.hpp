// Random shapes.
#pragma once

#include <sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace sinter::codegen::testing {

/// Draws extents. An extent's logarithm is uniform, so that short and long axes are as frequent; half of the
/// extents are multiples of 16, since people choose those more often than chance does.
class shape_source {
public:
    explicit shape_source(unsigned seed) : random_(seed) {}

    std::int64_t extent(std::int64_t largest) {
        const double bits = std::log2(static_cast<double>(largest)) * static_cast<double>(random_()) / 4294967296.0;
        const auto n = static_cast<std::int64_t>(std::exp2(bits));
        return n > 16 && random_() % 2 == 0 ? n & ~std::int64_t{15} : n;
    }

    /// Two extents with at most `most` elements in all, the first drawn first or last.
    shape<2> matrix(std::int64_t most = max_elements) {
        const std::int64_t a = extent(std::min(most, longest)), b = extent(std::min(most / a, longest));
        return random_() % 2 == 0 ? shape<2>(a, b) : shape<2>(b, a);
    }

private:
    static constexpr std::int64_t max_elements = std::int64_t{1} << 28, longest = std::int64_t{1} << 24;
    std::mt19937 random_;
};

}  // namespace sinter::codegen::testing
