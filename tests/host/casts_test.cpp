// Conversions between dtypes and Sinter's own tanh, by the loops of every instruction set.
#include "reference.hpp"

#include <codegen/rows/dispatch.hpp>
#include <sinter/number/arithmetic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace sinter::codegen::testing {
namespace {

TEST(tanh, of_doubles) {
    std::vector<double> x;
    for (int exponent = -40; exponent < 6; ++exponent)
        for (int i = 0; i < 300; ++i) x.push_back(std::ldexp(i % 2 == 0 ? 1 + i / 300. : -1 - i / 300., exponent));
    for (const instruction_set isa : available_sets()) {
        const long double allowed = isa == instruction_set::baseline ? 2.5L : 1.8L;  // the C library's without FMA
        std::vector<double> got(x.size());
        const void* in[] = {x.data()};
        loops_of(row_of("tanh"), dtype::float64, isa).map(got.data(), in, x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const long double exact = std::tanh(static_cast<long double>(x[i]));
            ASSERT_LE(std::abs(got[i] - exact), allowed * std::ldexp(1.L, std::ilogb(exact) - 52)) << x[i];
        }
    }
}

TEST(tanh, of_a_float_of_any_size) {
    std::vector<float> x = {0.f, INFINITY, NAN};
    for (std::uint32_t bits = 1; bits < 0x7f800000u; bits += 4099) x.push_back(std::bit_cast<float>(bits));
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) x.push_back(-x[i]);
    for (const instruction_set isa : available_sets()) {
        std::vector<float> got(2 * n);
        const void* in[] = {x.data()};
        loops_of(row_of("tanh"), dtype::float32, isa).map(got.data(), in, 2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const double exact = std::tanh(static_cast<double>(x[i]));
            const double ulp = std::ldexp(1., std::max(exact == 0 ? -126 : std::ilogb(exact), -126) - 23);
            if (std::isnan(x[i])) {
                EXPECT_TRUE(std::isnan(got[i]) && std::isnan(got[n + i]));
                continue;
            }
            ASSERT_LE(std::abs(got[i] - exact), 2.7 * ulp) << x[i];
            ASSERT_LE(got[i], 1) << x[i];
            ASSERT_EQ(std::bit_cast<std::uint32_t>(got[n + i]), std::bit_cast<std::uint32_t>(-got[i])) << x[i];
        }
    }
}

TEST(casts, convert_between_all_dtypes) {
    std::mt19937 random(12);
    for (const dtype to : all_dtypes)
        for (const dtype from : all_dtypes)
            for (const instruction_set isa : available_sets()) {
                const std::size_t n = 77;
                std::vector<std::byte> in(n * size_of(from)), out(n * size_of(to));
                for (std::size_t e = 0; e < n; ++e)
                    set_element(from, &in[e * size_of(from)], random_element(from, random) * 1.25);
                const void* pointers[] = {in.data()};
                cast_loop(to, from, isa)(out.data(), pointers, n);
                for (std::size_t e = 0; e < n; ++e) {
                    double x = element(from, &in[e * size_of(from)]);
                    // a negative floating number becomes 0 in an unsigned type; an integer wraps around
                    const bool saturates = is_floating(from) || is_complex(from);
                    if (saturates && kind_of(to) == dtype_kind::unsigned_integer && x < 0) x = 0;
                    const double got = element(to, &out[e * size_of(to)]);
                    if (!saturates && x <= -1 && to == dtype::uint64) {
                        ASSERT_EQ(static_cast<float>(got), static_cast<float>(std::ldexp(1.0, 64) + x));
                        continue;
                    }
                    ASSERT_EQ(got, rounded(to, x)) << name(from) << " to " << name(to) << ": " << x;
                }
            }
}

/// In two halves by vectors, where an instruction set has no vectors of the conversion.
template <class To, class From>
void convert_to_64_bits() {
    std::vector<From> x = {From(-0.5), From(-1.5), From(4294967295.5), From(-4294967296.5)};
    std::mt19937_64 random(3);
    for (int exponent = -2; exponent <= 66; ++exponent)
        for (int i = 0; i < 40; ++i) {
            const double size = std::ldexp(1 + static_cast<double>(random() % (1ull << 52)) * 0x1p-52, exponent);
            x.push_back(static_cast<From>(i < 3 ? std::ldexp(1.0, exponent) + (i - 1) : size));
            x.push_back(-x.back());
        }
    for (const instruction_set isa : available_sets()) {
        std::vector<To> whole(x.size());
        const void* const in[] = {x.data()};
        cast_loop(dtype_of<To>, dtype_of<From>, isa)(whole.data(), in, x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const long double lowest = std::numeric_limits<To>::lowest(), highest = std::numeric_limits<To>::max();
            const long double kept = std::min(std::max<long double>(std::trunc(x[i]), lowest), highest);
            ASSERT_EQ(whole[i], static_cast<To>(kept)) << "of " << static_cast<double>(x[i]);
        }
    }
}

TEST(casts, convert_to_64_bits_in_halves) {
    convert_to_64_bits<std::int64_t, double>();
    convert_to_64_bits<std::uint64_t, double>();
    convert_to_64_bits<std::int64_t, float>();
    convert_to_64_bits<std::uint64_t, float>();
}

TEST(casts, agree_on_values_out_of_range) {
    const double wild[] = {-1.0,   -1e10,        1e10,  3e9,    1e19,    1.7e19, 1e300,
                           -1e300, std::nan(""), 255.5, -128.5, 65536.0, 0.0,    -0.0};
    for (const dtype to : all_dtypes) {
        std::vector<std::byte> expected(std::size(wild) * size_of(to)), got(expected.size());
        const void* pointers[] = {wild};
        cast_loop(to, dtype::float64, instruction_set::baseline)(expected.data(), pointers, std::size(wild));
        for (const instruction_set isa : available_sets()) {
            cast_loop(to, dtype::float64, isa)(got.data(), pointers, std::size(wild));
            EXPECT_EQ(expected, got) << name(to);
        }
    }
}

template <class From, class To>
void check_narrow(const std::vector<From>& x) {
    for (const instruction_set isa : available_sets()) {
        std::vector<To> got(x.size());
        const void* in[] = {x.data()};
        cast_loop(dtype_of<To>, dtype_of<From>, isa)(got.data(), in, x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            ASSERT_EQ(got[i], detail::number::whole_number<To>(x[i])) << x[i] << " to " << name(dtype_of<To>);
    }
}

TEST(casts, of_floating_numbers_to_narrow_integers_saturate) {
    std::vector<float> x = {INFINITY, -INFINITY, NAN, -NAN};
    for (std::uint32_t bits = 0; bits < 0x7f800000u; bits += 4093) x.push_back(std::bit_cast<float>(bits));
    for (const float limit : {127.f, 128.f, 255.f, 256.f, 32767.f, 32768.f, 65535.f, 65536.f, 2147483648.f, 1.f})
        for (const float by : {-1.f, -0.5f, 0.f, 0.5f, 1.f}) x.push_back(limit + by);
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) x.push_back(-x[i]);
    const std::vector<double> wide(x.begin(), x.end());
    check_narrow<float, std::int8_t>(x);
    check_narrow<float, std::uint8_t>(x);
    check_narrow<float, std::int16_t>(x);
    check_narrow<float, std::uint16_t>(x);
    check_narrow<double, std::int8_t>(wide);
    check_narrow<double, std::uint8_t>(wide);
    check_narrow<double, std::int16_t>(wide);
    check_narrow<double, std::uint16_t>(wide);
}

}  // namespace
}  // namespace sinter::codegen::testing
