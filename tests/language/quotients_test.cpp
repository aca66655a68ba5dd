// Quotients have the bits of C++'s division on every device: of long rows by one value each, and of pairs.
#include <tests/language/on_devices.hpp>

#include <gtest/gtest.h>
#include <sinter.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace sinter::test {
namespace {

class quotients : public on_devices {};

template <class T>
std::vector<T> any_numbers(std::size_t n, std::mt19937_64& random) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    using limits = std::numeric_limits<T>;
    const T special[] = {0,
                         T(-0.0),
                         limits::infinity(),
                         -limits::infinity(),
                         limits::quiet_NaN(),
                         limits::max(),
                         limits::denorm_min(),
                         -limits::min(),
                         1,
                         -3};
    std::uniform_real_distribution<T> usual(-4, 4);
    std::vector<T> all(n);
    for (std::size_t i = 0; i < n; ++i)
        all[i] = i % 3 == 0   ? std::bit_cast<T>(static_cast<bits>(random()))
                 : i % 7 == 0 ? special[random() % std::size(special)]
                              : usual(random);
    return all;
}

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// The sum of the bits of x / d, with NaN as 0.
template <class T>
std::int64_t sum_of_bits(const std::vector<T>& x, T d) {
    std::uint64_t sum = 0;
    for (const T one : x) {
        const T quotient = one / d;
        sum += static_cast<std::uint64_t>(std::bit_cast<bits_of<T>>(quotient != quotient ? T(0) : quotient));
    }
    return static_cast<std::int64_t>(sum);
}

/// Every number divided by every other one: a loop divides by one value.
template <class T>
void check() {
    constexpr std::size_t rows = 41, columns = 517;
    std::mt19937_64 random(4);
    const std::vector<T> dividends = any_numbers<T>(columns, random), divisors = any_numbers<T>(rows, random);
    const array<T, 1> x = from_host(dividends), d = from_host(divisors);
    const auto bits = [](const auto& q) {
        return sum(astype<std::int64_t>(to_bits(where(isnan(q), T(0), q))), axis=1);
    };
    const auto quotients = bits(x / d(all, newaxis));
    EXPECT_NE(source(quotients).find("quotient_by<"), std::string::npos);
    const std::vector<std::int64_t> found = to_host(quotients);
    for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(found[i], sum_of_bits(dividends, divisors[i])) << divisors[i];
    for (const T divisor : {T(0.1), T(-3), T(0), std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min()}) {
        const std::vector<std::int64_t> all_alike = to_host(bits((x * abs(sign(d(all, newaxis)))) / divisor));
        for (std::size_t i = 0; i < rows; ++i)
            if (divisors[i] != T(0) && divisors[i] == divisors[i]) {
                EXPECT_EQ(all_alike[i], sum_of_bits(dividends, divisor)) << divisor;
            }
    }
}

/// The greatest quotient of each row of pairs, and the sum of others. Squared distances are exact.
void check_pairs(std::size_t rows, std::size_t columns, float scale) {
    std::mt19937 random(5);
    const auto points = [&](std::size_t n) {
        std::vector<float> all(n * 3);
        for (float& one : all) one = scale * static_cast<float>(static_cast<int>(random() % 7) - 3);
        return all;
    };
    const std::vector<float> p = points(rows), q = points(columns);
    const array<float, 2> x = reshape(from_host(p), {rows, 3}), y = reshape(from_host(q), {columns, 3});
    const auto apart = sum(square(x(all, newaxis, all) - y), axis=2);
    EXPECT_NE(source(max(3.f / apart, axis=1)).find("quick_quotient<float>("), std::string::npos);
    const std::vector<float> greatest = to_host(max(3.f / apart, axis=1)),
                             sums = to_host(sum(1.f / (apart + 1.f), axis=1));
    for (std::size_t i = 0; i < rows; ++i) {
        float most = 0;
        double total = 0;
        for (std::size_t j = 0; j < columns; ++j) {
            float square = 0;
            for (std::size_t k = 0; k < 3; ++k) square += (p[i * 3 + k] - q[j * 3 + k]) * (p[i * 3 + k] - q[j * 3 + k]);
            most = std::max(most, 3.f / square);
            total += 1 / (square + 1.0);
        }
        EXPECT_EQ(greatest[i], most) << "row " << i;
        EXPECT_NEAR(sums[i], total, 1e-5 * total) << "row " << i;
    }
}

TEST_F(quotients, of_pairs) {
    for (const float scale : {1.f, 0x1p-70f, 0x1p60f}) {
        check_pairs(61, 37, scale);
        check_pairs(61, 127, scale);
        check_pairs(1100, 130, scale);
    }
}

TEST_F(quotients, of_rows_of_floats) { check<float>(); }
TEST_F(quotients, of_rows_of_doubles) { check<double>(); }

}  // namespace
}  // namespace sinter::test
