// Kernels' own functions of float32 against double: random bits, usual arguments, and where results are special.
#include <sinter/number/short_functions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace sinter::detail::number {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

/// The distance of a result to the exact one in ulps, except where both are the same or neither is a number.
double ulps(float found, double exact) {
    const auto rounded = static_cast<float>(exact);
    if (std::isnan(rounded) || std::isnan(found)) return std::isnan(rounded) == std::isnan(found) ? 0 : HUGE_VAL;
    if (std::isinf(rounded) || std::isinf(found)) return found == rounded ? 0 : HUGE_VAL;
    if (rounded == 0 && std::signbit(found) != std::signbit(rounded)) return HUGE_VAL;
    const int exponent = std::max(exact == 0 ? -126 : std::ilogb(exact), -126);
    return std::abs((found - exact) / std::ldexp(1.0, exponent - 23));
}

double error_of_pow(float x, float y) {
    return ulps(short_pow(x, y), std::pow(static_cast<double>(x), static_cast<double>(y)));
}

TEST(short_functions, pow) {
    std::mt19937 random(5);
    const auto between = [&](float low, float high) {
        return std::uniform_real_distribution<float>(low, high)(random);
    };
    const auto any = [&] { return std::bit_cast<float>(static_cast<std::uint32_t>(random())); };
    double worst = 0;
    for (int i = 0; i < 200000; ++i)
        worst = std::max({worst, error_of_pow(between(0, 2), between(-3, 3)),
                          error_of_pow(between(0.9f, 1.1f), between(-800, 800)),
                          error_of_pow(std::exp2(between(-126, 127)), between(-1, 1)), error_of_pow(any(), any()),
                          error_of_pow(between(-9, 9), std::floor(between(-6, 6)))});
    EXPECT_LE(worst, 3);
}

TEST(short_functions, pow_of_special_values) {
    const float values[] = {0.f,
                            -0.f,
                            1.f,
                            -1.f,
                            2.f,
                            -2.f,
                            0.5f,
                            3.f,
                            -3.f,
                            infinity,
                            -infinity,
                            nan,
                            1e-45f,
                            0x1p-126f,
                            0x1.fffffep127f,
                            128.f,
                            125.f,
                            126.5f,
                            -149.f,
                            1e9f,
                            std::nextafter(1.f, 0.f),
                            std::nextafter(1.f, 2.f)};
    for (const float x : values)
        for (const float y : values) EXPECT_LE(error_of_pow(x, y), 3) << x << ", " << y;
}

}  // namespace
}  // namespace sinter::detail::number
