// Kernels' own quotients and remainders of integers are those of the op table: of all bytes, and of wider dtypes at the
// ends of their ranges, beside multiples of the divisor and at random.
#include <sinter/number/integer_quotients.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace sinter::detail::number {
namespace {

template <class T>
void expect_same(T x, T y) {
    EXPECT_EQ(integer_floored_quotient<T>(x, y), floored_quotient<T>(x, y)) << +x << " // " << +y;
    EXPECT_EQ(integer_floored_remainder<T>(x, y), floored_remainder<T>(x, y)) << +x << " % " << +y;
}

template <class T>
class integer_quotients : public ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                  std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(integer_quotients, integers);

TYPED_TEST(integer_quotients, of_small_numbers) {
    for (int x = -128; x < 256; ++x)
        for (int y = -128; y < 256; ++y) expect_same(static_cast<TypeParam>(x), static_cast<TypeParam>(y));
}

TYPED_TEST(integer_quotients, beside_multiples_and_at_the_ends) {
    std::mt19937_64 random(3);
    const auto any = [&] { return static_cast<TypeParam>(random() >> random() % 64); };
    const auto highest = static_cast<std::uint64_t>(std::numeric_limits<TypeParam>::max());
    std::vector<TypeParam> divisors;
    for (const std::uint64_t end :
         {std::uint64_t{0}, highest, highest / 2, std::uint64_t{1} << 31, std::uint64_t{1} << 32})
        for (int near = -3; near <= 3; ++near)
            divisors.push_back(static_cast<TypeParam>(end + static_cast<std::uint64_t>(near)));
    while (divisors.size() < 3000) divisors.push_back(any());
    for (const TypeParam y : divisors)
        for (int i = 0; i < 60; ++i) {
            const std::uint64_t multiple = static_cast<std::uint64_t>(any()) * static_cast<std::uint64_t>(y);
            expect_same(static_cast<TypeParam>(multiple + static_cast<std::uint64_t>(i % 3 - 1)), y);
            expect_same(any(), y);
            expect_same(divisors[static_cast<std::size_t>(i) % 35], y);
        }
}

}  // namespace
}  // namespace sinter::detail::number
