// Conversions from floating to integer: values out of range saturate and NaN becomes 0, on every device.
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sinter::test {
namespace {

class conversions : public on_devices {};

template <class From>
std::vector<From> edges() {
    constexpr From inf = std::numeric_limits<From>::infinity();
    std::vector<From> all = {0, From(0.9), From(1.5), 100, inf, std::numeric_limits<From>::max()};
    for (const int bits : {7, 8, 15, 16, 31, 32, 63, 64}) {
        const From power = std::ldexp(From(1), bits);
        all.insert(all.end(), {power, std::nextafter(power, From(0)), std::nextafter(power, inf)});
    }
    for (std::size_t i = 0, n = all.size(); i < n; ++i) all.push_back(-all[i]);
    all.push_back(std::numeric_limits<From>::quiet_NaN());
    return all;
}

template <class To, class From>
To expected(From x) {
    if (std::isnan(x)) return 0;
    using limits = std::numeric_limits<To>;
    const long double whole = std::trunc(static_cast<long double>(x));
    return whole <= limits::min() ? limits::min() : whole >= limits::max() ? limits::max() : static_cast<To>(whole);
}

template <class From, class... To>
void compare() {
    const std::vector<From> values = edges<From>();
    const auto x = from_host(values, {static_cast<std::int64_t>(values.size())});
    const auto of = [&]<class T>(T) {
        const std::vector<T> converted = to_host(astype<T>(x)), in_two = to_host(astype<T>(x * 1 + 0));
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_EQ(converted[i], expected<T>(values[i])) << name(dtype_of<T>) << " of " << values[i];
            EXPECT_EQ(in_two[i], expected<T>(values[i])) << name(dtype_of<T>) << " of " << values[i];
        }
    };
    (of(To{}), ...);
}

TEST_F(conversions, from_float_to_integers) {
    compare<float, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
            std::uint64_t>();
}

TEST_F(conversions, from_double_to_integers) {
    compare<double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
            std::uint64_t>();
}

TEST_F(conversions, from_halves_and_complex_numbers) {
    const array<float, 1> x = {-1.5f, 200.7f, 60000, -60000, std::numeric_limits<float>::quiet_NaN()};
    const auto halves = array<float16, 1>(astype<float16>(x));
    EXPECT_EQ(to_host(astype<std::int8_t>(halves)), (std::vector<std::int8_t>{-1, 127, 127, -128, 0}));
    EXPECT_EQ(to_host(astype<std::int32_t>(halves)), (std::vector<std::int32_t>{-1, 200, 60000, -60000, 0}));
    EXPECT_EQ(to_host(astype<std::uint8_t>(astype<bfloat16>(x))), (std::vector<std::uint8_t>{0, 201, 255, 0, 0}));
    EXPECT_EQ(to_host(astype<std::int16_t>(astype<std::complex<float>>(x) * std::complex<float>(1, 0))),
              (std::vector<std::int16_t>{-1, 200, 32767, -32768, 0}));
}

// Kernels compare with a literal here, which ptxas 13.0 got wrong on GPUs of compute capability 9.0.
TEST_F(conversions, compared_with_the_highest_integer) {
    const std::vector<float> values = edges<float>();
    const auto x = from_host(values, {static_cast<std::int64_t>(values.size())});
    const std::vector<std::int32_t> bytes = to_host(astype<std::int32_t>(logical_not(~astype<std::uint8_t>(x))));
    const std::vector<std::int32_t> words = to_host(astype<std::int32_t>(logical_not(~astype<std::uint16_t>(x))));
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(bytes[i], expected<std::uint8_t>(values[i]) == 255) << values[i];
        EXPECT_EQ(words[i], expected<std::uint16_t>(values[i]) == 65535) << values[i];
    }
}

}  // namespace
}  // namespace sinter::test
