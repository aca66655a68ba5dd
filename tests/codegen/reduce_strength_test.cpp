// Divisions of indices by multiplication: exact for every dividend and divisor that an int32 holds, and in kernels.
#include <codegen/analysis/division.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/pass.hpp>
#include <tests/codegen/kernel_builder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace sinter::codegen {
namespace {

std::int32_t divided(std::int32_t x, std::int32_t divisor) {
    const auto multiplier = static_cast<std::int32_t>(multiplier_for(static_cast<std::uint64_t>(divisor), 32));
    const std::int32_t shift = shift_for(static_cast<std::uint64_t>(divisor));
    std::int32_t quotient = -1;
    const void* in[] = {&x, &multiplier, &shift};
    index_divided.host(dtype::int32).map(&quotient, in, 1);
    return quotient;
}

TEST(ReduceStrength, QuotientsAreExact) {
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    std::mt19937 random(1);
    std::vector<std::int32_t> divisors = {1, 2, 3, 5, 7, 64, 641, 1000, 65535, 65536, 65537, 1 << 30, most - 1, most};
    for (int i = 0; i < 200; ++i) divisors.push_back(static_cast<std::int32_t>(random() >> (1 + i % 30)) | 1);
    for (const std::int32_t d : divisors) {
        for (const std::int32_t x : {0, 1, d - 1, d, most - 1, most, most / d * d, most / d * d - 1})
            EXPECT_EQ(divided(x, d), x / d) << x << " / " << d;
        for (int i = 0; i < 100; ++i) {
            const auto x = static_cast<std::int32_t>(random() >> 1);
            EXPECT_EQ(divided(x, d), x / d) << x << " / " << d;
        }
    }
}

/// out[i] = x[i / 7 % 5], whose indices have `type`.
loop_nest repeated(dtype type) {
    testing::kernel_builder b;
    const int i = b.outer(1000);
    const int x = b.load(b.input(dtype::float32), {{i, 1}});
    b.store(x, {{i, 1}});
    loop_nest k = b.k;
    k.numbers = {7, 5};
    k.scalars = {-1, -2};
    k.scalar_types = {type, type};
    value load = k.values[0], index, seven, five, quotient;
    index.what = value_kind::index;
    index.at = load.at;
    index.varies = quotient.varies = 1;
    seven.what = five.what = value_kind::scalar;
    seven.scalar = 0;
    five.scalar = 1;
    quotient.what = value_kind::elementwise;
    quotient.op = &index_quotient;
    quotient.in = {0, 1, -1};
    value remainder = quotient, cast = index;
    remainder.op = &index_remainder;
    remainder.in = {3, 2, -1};
    for (value* v : {&index, &seven, &five, &quotient, &remainder}) v->type = type;
    cast.what = value_kind::cast;
    cast.type = dtype::int64;
    cast.at = -1;
    cast.in = {4, -1, -1};
    load.in[0] = 5;
    k.values = {index, seven, five, quotient, remainder, cast, load};
    k.stores[0].value = 6;
    return k;
}

int divisions(const loop_nest& k) {
    return static_cast<int>(std::count_if(k.values.begin(), k.values.end(), [](const value& v) {
        return v.op == &index_quotient || v.op == &index_remainder;
    }));
}

TEST(ReduceStrength, NoDivisionIsLeft) {
    loop_nest k = repeated(dtype::int32);
    reduce_strength(k);
    EXPECT_EQ(divisions(k), 0);
    EXPECT_EQ(k.scalars.size(), 4u);  // two multipliers, the shift of both, and -5
    EXPECT_EQ(k.scalar_types.size(), k.scalars.size());
}

TEST(ReduceStrength, WideIndicesAreDivided) {
    loop_nest k = repeated(dtype::int64);
    const loop_nest before = k;
    reduce_strength(k);
    EXPECT_EQ(k, before);
}

}  // namespace
}  // namespace sinter::codegen
