// Quotients by a shared reciprocal have the bits of a division, for all operands; which kernels divide so.
#include <codegen/transforms/common_divisors.hpp>
#include <codegen/transforms/pass.hpp>
#include <tests/codegen/kernel_builder.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>

namespace sinter::codegen {
namespace {

template <class T>
using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
T divided(T x, T y) {
    T reciprocal, quotient;
    const void* of_divisor[] = {&y};
    common_reciprocal.host(dtype_of<T>).map(&reciprocal, of_divisor, 1);
    const void* in[] = {&x, &y, &reciprocal};
    common_quotient.host(dtype_of<T>).map(&quotient, in, 1);
    return quotient;
}

template <class T>
void expect_division(T x, T y) {
    const T found = divided(x, y), expected = x / y;
    if (expected != expected) {
        EXPECT_NE(found, found) << x << " / " << y;
    } else {
        EXPECT_EQ(std::bit_cast<bits<T>>(found), std::bit_cast<bits<T>>(expected)) << x << " / " << y;
    }
}

template <class T>
class common_divisors : public ::testing::Test {};
using floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(common_divisors, floats);

TYPED_TEST(common_divisors, quotients_of_any_bits) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200000; ++i)
        expect_division(std::bit_cast<TypeParam>(static_cast<bits<TypeParam>>(random())),
                        std::bit_cast<TypeParam>(static_cast<bits<TypeParam>>(random())));
}

/// Of every exponent; with significands that are all ones, all zeros, and random.
TYPED_TEST(common_divisors, quotients_of_every_exponent) {
    constexpr int digits = std::numeric_limits<TypeParam>::digits - 1;
    constexpr auto all = (bits<TypeParam>{1} << digits) - 1;
    constexpr int exponents = 1 << (8 * sizeof(TypeParam) - 1 - digits);
    std::mt19937_64 random(2);
    const auto any = [&](int exponent) {
        const auto significand = static_cast<bits<TypeParam>>(random()) & all;
        const bits<TypeParam> of[] = {0, 1, all, all - 1, significand, significand};
        const auto sign = static_cast<bits<TypeParam>>(random() & 1) << (8 * sizeof(TypeParam) - 1);
        return std::bit_cast<TypeParam>(sign | static_cast<bits<TypeParam>>(exponent) << digits | of[random() % 6]);
    };
    for (int e = 0; e < exponents; ++e)
        for (int i = 0; i < 200; ++i) {
            const int near = std::clamp(e + static_cast<int>(random() % 301) - 150, 0, exponents - 1);
            expect_division(any(e), any(near));
            expect_division(any(near), any(e));
        }
}

/// Quotients next to the midpoint of two numbers, which a wrong last digit rounds to the other side.
TYPED_TEST(common_divisors, quotients_next_to_midpoints) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<TypeParam> significand(1, 2);
    for (int i = 0; i < 100000; ++i) {
        const TypeParam y = significand(random), quotient = significand(random);
        const TypeParam middle = std::nextafter(quotient, TypeParam(3)), x = (quotient + middle) / 2 * y;
        for (const TypeParam one : {std::nextafter(x, TypeParam(0)), x, std::nextafter(x, TypeParam(9))})
            expect_division(one, y);
    }
    const TypeParam last = 2 - std::numeric_limits<TypeParam>::epsilon();
    expect_division(std::nextafter(last, TypeParam(0)), last);
}

/// The sum over j of quotients of x[i, j] by d[i].
loop_nest quotients_of_rows(std::int64_t columns, dtype type) {
    testing::kernel_builder b;
    const int i = b.outer(1000), l = b.loop({columns});
    const int d = b.load(b.input(type), {{i, 1}});
    const int x = b.load(b.input(type), {{i, columns}, {b.inner(l), 1}}, l);
    const int first = b.op("divide", {x, d}, l), second = b.op("divide", {b.op("exp", {x}, l), d}, l);
    const int sum = b.reduce("sum", b.op("add", {b.op("divide", {first, second}, l), second}, l), l);
    b.store(sum, {{i, 1}});
    return b.k;
}

int count(const loop_nest& k, const op_row& row) {
    return static_cast<int>(
        std::count_if(k.values.begin(), k.values.end(), [&](const value& v) { return v.op == &row; }));
}

TEST(CommonDivisors, ShareOneReciprocal) {
    loop_nest k = quotients_of_rows(1000, dtype::float32);
    const std::size_t before = k.values.size();
    share_reciprocals(k);
    EXPECT_EQ(count(k, common_quotient), 2) << "the divisor of the third differs from step to step";
    EXPECT_EQ(count(k, common_reciprocal), 1);
    EXPECT_EQ(k.values.size(), before + 1);
    for (const value& v : k.values)
        if (v.op == &common_reciprocal) {
            EXPECT_EQ(v.loop, group_level);
        }
}

TEST(CommonDivisors, ShortLoopsAndInexactKernelsDivide) {
    for (loop_nest k : {quotients_of_rows(10, dtype::float32), quotients_of_rows(1000, dtype::float32)}) {
        if (trip_count(k, k.loops[0]) > 10) k.precision = arithmetic::half;
        const loop_nest before = k;
        share_reciprocals(k);
        EXPECT_EQ(k, before);
    }
    loop_nest doubles = quotients_of_rows(1000, dtype::float64);
    doubles.precision = arithmetic::fast;
    share_reciprocals(doubles);
    EXPECT_EQ(count(doubles, common_quotient), 2);
}

}  // namespace
}  // namespace sinter::codegen
