// What the fuzzer's reference knows of remainders: all values, also where the operands' intervals hold several.
#include <tests/fuzz/tables.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sinter::fuzz {
namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();

known remainder_of(const known& x, real y) {
    const known in[] = {x, exactly(y)};
    return stepwise_rule("remainder")(dtype::float64, in);
}

TEST(stepwise, remainders_by_infinity) {
    EXPECT_EQ(remainder_of(exactly(-3), infinity).point(), infinity);
    EXPECT_EQ(remainder_of(exactly(3), infinity).point(), 3);
    const known positive = remainder_of({2, 3}, infinity);
    EXPECT_TRUE(positive.is_sure() && positive.lo <= 2 && positive.hi >= 3 && std::isfinite(positive.hi));
    // tiny, zero, or infinite
    EXPECT_EQ(remainder_of({-1e-308L, 1e-308L}, -infinity).state, certainty::unknown);
    EXPECT_EQ(remainder_of({-1, 1}, infinity).state, certainty::unknown);
}

TEST(stepwise, remainders_within_a_period_and_across_its_end) {
    const known within = remainder_of({7.25L, 7.5L}, 3);
    EXPECT_TRUE(within.is_sure() && within.lo <= 1.25L && within.hi >= 1.5L && within.hi < 1.6L);
    EXPECT_EQ(remainder_of({8.9L, 9.1L}, 3).state, certainty::unknown);
}

}  // namespace
}  // namespace sinter::fuzz
