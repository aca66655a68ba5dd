// Kernels' own functions of float64 against long double, dense where they change their form and over all exponents.
#include <sinter/number/double_functions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace sinter::detail::number {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

/// The distance of a result to the exact one in ulps, except where both are the same or neither is a number.
double ulps(double found, long double exact) {
    const auto rounded = static_cast<double>(exact);
    if (std::isnan(rounded) || std::isnan(found)) return std::isnan(rounded) == std::isnan(found) ? 0 : infinity;
    if (std::isinf(rounded) || std::isinf(found)) return found == rounded ? 0 : infinity;
    if (rounded == 0 && std::signbit(found) != std::signbit(rounded)) return infinity;
    const int exponent = std::max(rounded == 0 ? -1022 : std::ilogb(rounded), -1022);
    return static_cast<double>(std::fabs((found - exact) / std::ldexp(1.0L, exponent - 52)));
}

template <class F, class G>
void expect_within(double most, F&& of_double, G&& exact, double low, double high) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> between(low, high), near(-2, 2);
    double worst = 0, at = 0;
    const auto measure = [&](double x) {
        const double error = ulps(of_double(x), exact(static_cast<long double>(x)));
        if (error > worst || std::isnan(error)) worst = error, at = x;
    };
    for (int i = 0; i < 200000; ++i) {
        measure(between(random));
        measure(near(random));
        measure(std::bit_cast<double>(random()));
    }
    for (const double x :
         {0.0, -0.0, 1.0, -1.0, infinity, -infinity, nan, 5e-324, -5e-324, 0x1p-1022, 0x1.fffffffffffffp1023,
          -0x1.fffffffffffffp1023, std::sqrt(0.5), std::sqrt(2.0), std::sqrt(0.5) - 1, 20.0, 40.0, -40.0})
        for (const double next : {std::nextafter(x, -infinity), x, std::nextafter(x, infinity)}) measure(next);
    EXPECT_LE(worst, most) << "at " << at;
}

TEST(double_functions, log) {
    expect_within(
        1, [](double x) { return double_log(x); }, [](long double x) { return std::log(x); }, 0.5, 1.5);
}

TEST(double_functions, log1p) {
    expect_within(
        1, [](double x) { return double_log1p(x); }, [](long double x) { return std::log1p(x); }, -0.5, 1.5);
}

TEST(double_functions, tanh) {
    expect_within(
        2, [](double x) { return double_tanh(x); }, [](long double x) { return std::tanh(x); }, -0.5, 0.5);
}

TEST(double_functions, erfc) {
    expect_within(
        5, [](double x) { return double_erfc(x); }, [](long double x) { return std::erfc(x); }, -1, 28);
}

TEST(double_functions, normcdf) {
    const long double root = std::sqrt(0.5L);
    expect_within(
        5, [](double x) { return double_normcdf(x); }, [root](long double x) { return std::erfc(-x * root) / 2; }, -39,
        8);
}

}  // namespace
}  // namespace sinter::detail::number
