// float16 and bfloat16: every conversion rounds to nearest, arithmetic is in float32, and storing rounds once.
#include <tests/language/on_devices.hpp>
#include <tests/language/storage_numbers.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace sinter;
using test::line, test::random_numbers;

namespace {

/// The value of a half by its definition: sign, exponent, fraction.
template <class H>
double value_of(unsigned bits) {
    constexpr int fraction_bits = std::is_same_v<H, float16> ? 10 : 7, bias = std::is_same_v<H, float16> ? 15 : 127;
    const int most = 2 * bias + 1;
    const int exponent = static_cast<int>(bits >> fraction_bits) & most;
    const unsigned fraction = bits & ((1u << fraction_bits) - 1);
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == most) return fraction ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    const double size = exponent == 0 ? fraction : fraction + (1u << fraction_bits);
    return sign * std::ldexp(size, std::max(exponent, 1) - bias - fraction_bits);
}

constexpr unsigned infinity_of(float16) { return 0x7c00; }
constexpr unsigned infinity_of(bfloat16) { return 0x7f80; }

/// The bits of the half nearest to x, found among all of them; of two that are as near, the even one.
template <class H>
unsigned nearest_bits(double x) {
    const unsigned sign = std::signbit(x) ? 0x8000 : 0;
    const double size = std::abs(x);
    unsigned low = 0, high = infinity_of(H{});  // value(low) <= size, value(high) > size, infinity as what comes next
    const double beyond = 2 * value_of<H>(high - 1) - value_of<H>(high - 2);
    if (size >= beyond) return sign | high;
    while (high - low > 1) (value_of<H>((low + high) / 2) <= size ? low : high) = (low + high) / 2;
    const double under = size - value_of<H>(low), over = (high == infinity_of(H{}) ? beyond : value_of<H>(high)) - size;
    return sign | (under < over || (under == over && low % 2 == 0) ? low : high);
}

template <class H>
std::vector<H> every_half() {
    std::vector<H> all(65536);
    for (unsigned bits = 0; bits < all.size(); ++bits) all[bits].bits = static_cast<unsigned short>(bits);
    return all;
}

template <class H>
double wide(H h) {
    return value_of<H>(h.bits);
}

/// That a half is the one nearest to a double. NaNs are all alike.
template <class H>
::testing::AssertionResult is_nearest(H got, double want) {
    if (std::isnan(want) ? std::isnan(wide(got)) : got.bits == nearest_bits<H>(want))
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << wide(got) << " is not the half nearest to " << want;
}

template <class H>
class halves : public test::on_devices {};
using half_types = testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(halves, half_types);

TYPED_TEST(halves, every_one_is_the_float_it_means) {
    const auto all = every_half<TypeParam>();
    const std::vector<float> got = to_host(astype<float>(line(all)));
    const std::vector<double> doubles = to_host(astype<double>(line(all)));
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const double want = value_of<TypeParam>(bits);
        if (std::isnan(want)) {
            ASSERT_TRUE(std::isnan(got[bits]) && std::isnan(doubles[bits])) << bits;
            continue;
        }
        ASSERT_EQ(static_cast<double>(got[bits]), want) << bits;
        ASSERT_EQ(std::signbit(got[bits]), bits >= 0x8000) << bits;
        ASSERT_EQ(doubles[bits], want) << bits;
    }
}

// Copies and views move bits; what goes through float32 comes back the same.
TYPED_TEST(halves, every_one_survives) {
    const auto all = every_half<TypeParam>();
    const array<TypeParam, 1> x = line(all);
    const array<TypeParam, 1> copy = flip(flip(x, axis=0)(range(0, end)), axis=0), computed = 1 * x;
    const auto moved = to_host(copy), through = to_host(computed);
    for (unsigned bits = 0; bits < 65536; ++bits) {
        ASSERT_EQ(moved[bits].bits, bits);
        if (std::isnan(value_of<TypeParam>(bits)))
            ASSERT_TRUE(std::isnan(wide(through[bits])));
        else
            ASSERT_EQ(through[bits].bits, bits);
    }
}

TYPED_TEST(halves, floats_and_doubles_become_the_nearest) {
    std::vector<float> floats = {0.f,
                                 -0.f,
                                 1e30f,
                                 -1e30f,
                                 1e-30f,
                                 65504.f,
                                 65519.99f,
                                 65520.f,
                                 -65520.f,
                                 std::numeric_limits<float>::infinity(),
                                 std::numeric_limits<float>::denorm_min(),
                                 std::numeric_limits<float>::max(),
                                 std::nanf("")};
    std::vector<double> doubles = {1e300, -1e300, 1e-300, std::nan(""), std::numeric_limits<double>::infinity()};
    for (unsigned bits = 0; bits + 1 < infinity_of(TypeParam{}); ++bits) {
        // the tie between two neighbours, and what lies a hair beside it
        const double tie = (value_of<TypeParam>(bits) + value_of<TypeParam>(bits + 1)) / 2;
        const auto narrow = static_cast<float>(tie);
        if (static_cast<double>(narrow) == tie)
            for (float f : {narrow, -narrow, std::nextafter(narrow, 0.f), std::nextafter(narrow, 1e38f)})
                floats.push_back(f);
        for (double d : {tie, std::nextafter(tie, 0.), std::nextafter(-tie, -1e300)}) doubles.push_back(d);
    }
    const auto from_floats = to_host(astype<TypeParam>(line(floats)));
    const auto from_doubles = to_host(astype<TypeParam>(line(doubles)));
    for (std::size_t i = 0; i < floats.size(); ++i)
        ASSERT_TRUE(is_nearest(from_floats[i], static_cast<double>(floats[i]))) << i;
    for (std::size_t i = 0; i < doubles.size(); ++i) ASSERT_TRUE(is_nearest(from_doubles[i], doubles[i])) << i;
    for (std::size_t i = 0; i < floats.size(); ++i)
        ASSERT_TRUE(is_nearest(TypeParam(floats[i]), static_cast<double>(floats[i])));
    for (std::size_t i = 0; i < doubles.size(); ++i) ASSERT_TRUE(is_nearest(TypeParam(doubles[i]), doubles[i]));
}

TYPED_TEST(halves, convert_from_and_to_every_kind) {
    const std::vector<int> integers = {0, 1, -7, 300, 2049, 65519, 65520, -100000};
    const auto from_integers = to_host(astype<TypeParam>(line(integers)));
    for (std::size_t i = 0; i < integers.size(); ++i) EXPECT_TRUE(is_nearest(from_integers[i], integers[i]));
    const array<TypeParam, 1> x = line(std::vector<TypeParam>{TypeParam(0.f), TypeParam(-2.75f), TypeParam(3.5f)});
    EXPECT_EQ(to_host(astype<int>(x)), (std::vector<int>{0, -2, 3}));
    EXPECT_EQ(to_host(astype<bool>(x)), (std::vector<bool>{false, true, true}));
    EXPECT_EQ(to_host(!x), (std::vector<bool>{true, false, false}));
    EXPECT_EQ(to_host(astype<std::complex<float>>(x))[1], std::complex<float>(-2.75f, 0));
    const array<double, 1> assigned = x;
    EXPECT_EQ(to_host(assigned)[2], 3.5);
}

// One rounding at the end, none between.
TYPED_TEST(halves, compute_in_float32_and_round_when_stored) {
    for (std::size_t n : {1, 7, 8, 1000, 4099}) {
        const auto a = random_numbers<TypeParam>(n, 1), b = random_numbers<TypeParam>(n, 2);
        const array<TypeParam, 1> x = line(a), y = line(b);
        const array<TypeParam, 1> r = x * y + 0.1 - x / (square(y) + 1);
        const auto got = to_host(r);
        const auto kept = to_host(astype<float>(x * y + x));
        const auto rounded = to_host(astype<float>(astype<TypeParam>(x * y) + x));
        for (std::size_t i = 0; i < n; ++i) {
            const auto p = static_cast<float>(a[i]), q = static_cast<float>(b[i]);
            const float computed = p * q + 0.1f - p / (q * q + 1);
            // The device may fuse multiplications and additions: a neighbour is right, too.
            const double off = std::abs(wide(got[i]) - static_cast<double>(computed));
            const double last_place = std::abs(wide(TypeParam(std::abs(computed) * 1.01f)) - std::abs(computed)) +
                                      std::abs(static_cast<double>(computed)) * (sizeof(TypeParam) == 2 ? 0.004 : 0);
            ASSERT_LE(off, last_place + 1e-4) << i;
            ASSERT_FLOAT_EQ(kept[i], p * q + p) << "rounded in between";
            ASSERT_FLOAT_EQ(rounded[i], static_cast<float>(TypeParam(p * q)) + p) << "astype rounds";
        }
    }
}

// What one use asks to be rounded, another does not see.
TYPED_TEST(halves, rounded_and_unrounded_uses_of_one_value) {
    const auto a = random_numbers<TypeParam>(40, 8), b = random_numbers<TypeParam>(40, 9);
    const array<TypeParam, 2> x = from_host(std::span<const TypeParam>(a), {5, 8});
    const array<TypeParam, 2> y = from_host(std::span<const TypeParam>(b), {5, 8});
    const auto p = x * y;
    const auto both = to_host(astype<float>(transpose(astype<TypeParam>(p))) - astype<float>(transpose(p)));
    for (std::size_t i = 0; i < both.size(); ++i) {
        const std::size_t from = i % 5 * 8 + i / 5;
        const float product = static_cast<float>(a[from]) * static_cast<float>(b[from]);
        EXPECT_EQ(both[i], static_cast<float>(TypeParam(product)) - product);
    }
}

TYPED_TEST(halves, exact_arithmetic_is_exact) {
    std::vector<TypeParam> small;
    for (int i = 0; i < 57; ++i) small.push_back(TypeParam(static_cast<float>(i % 13 - 6)));
    const array<TypeParam, 1> x = line(small);
    const auto product = to_host(x * x - x), chosen = to_host(where(x > 2, x, -1)), larger = to_host(maximum(x, 1.5));
    const auto less = to_host(x < 0), same = to_host(x == flip(x, axis=0));
    for (std::size_t i = 0; i < small.size(); ++i) {
        const double v = wide(small[i]);
        EXPECT_EQ(wide(product[i]), v * v - v);
        EXPECT_EQ(wide(chosen[i]), v > 2 ? v : -1);
        EXPECT_EQ(wide(larger[i]), std::max(v, 1.5));
        EXPECT_EQ(less[i], v < 0);
        EXPECT_EQ(same[i], v == wide(small[small.size() - 1 - i]));
    }
}

TYPED_TEST(halves, strided_and_broadcast) {
    constexpr int rows = 13, columns = 37;
    const auto values = random_numbers<TypeParam>(rows * columns, 3), of_row = random_numbers<TypeParam>(columns, 4);
    const array<TypeParam, 2> x = from_host(std::span<const TypeParam>(values), {rows, columns});
    const array<TypeParam, 1> row = line(of_row);
    const auto moved = to_host(transpose(x)), every_third = to_host(x(range(1, end, 2), range(0, end, 3)));
    const auto with_row = to_host(x - row), reversed = to_host(-flip(x, axis=1));
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            const TypeParam v = values[static_cast<std::size_t>(i * columns + j)];
            ASSERT_EQ(moved[static_cast<std::size_t>(j * rows + i)].bits, v.bits);
            ASSERT_EQ(reversed[static_cast<std::size_t>(i * columns + columns - 1 - j)].bits, v.bits ^ 0x8000);
            const float other = static_cast<float>(of_row[static_cast<std::size_t>(j)]);
            ASSERT_EQ(with_row[static_cast<std::size_t>(i * columns + j)].bits,
                      TypeParam(static_cast<float>(v) - other).bits);
            if (i % 2 == 1 && j % 3 == 0) {
                ASSERT_EQ(every_third[static_cast<std::size_t>(i / 2 * 13 + j / 3)].bits, v.bits);
            }
        }
}

TYPED_TEST(halves, reductions_accumulate_in_float32) {
    constexpr int planes = 5, rows = 33, columns = 70;
    std::vector<TypeParam> values;
    std::mt19937 random(5);
    for (int i = 0; i < planes * rows * columns; ++i)
        values.push_back(TypeParam(static_cast<float>(static_cast<int>(random() % 17) - 8) / 4));
    const array<TypeParam, 3> x = from_host(std::span<const TypeParam>(values), {planes, rows, columns});
    // the sums are exact in float32
    const auto at = [&](int i, int j, int k) {
        return wide(values[static_cast<std::size_t>((i * rows + j) * columns + k)]);
    };
    const auto over_0 = to_host(sum(x, axis=0)), over_1 = to_host(sum(x, axis=1)),
               over_2 = to_host(sum(x, axis=2));
    const auto over_02 = to_host(max(x, axis={0, 2}));
    double all = 0, squares = 0;
    for (int i = 0; i < planes; ++i)
        for (int j = 0; j < rows; ++j)
            for (int k = 0; k < columns; ++k) all += at(i, j, k), squares += at(i, j, k) * at(i, j, k);
    for (int j = 0; j < rows; ++j) {
        double most = -100;
        for (int k = 0; k < columns; ++k) {
            double s = 0;
            for (int i = 0; i < planes; ++i) s += at(i, j, k), most = std::max(most, at(i, j, k));
            ASSERT_TRUE(is_nearest(over_0[static_cast<std::size_t>(j * columns + k)], s));
        }
        EXPECT_EQ(wide(over_02[static_cast<std::size_t>(j)]), most);
    }
    for (int i = 0; i < planes; ++i) {
        for (int k = 0; k < columns; ++k) {
            double s = 0;
            for (int j = 0; j < rows; ++j) s += at(i, j, k);
            ASSERT_TRUE(is_nearest(over_1[static_cast<std::size_t>(i * columns + k)], s));
        }
        for (int j = 0; j < rows; ++j) {
            double s = 0;
            for (int k = 0; k < columns; ++k) s += at(i, j, k);
            ASSERT_TRUE(is_nearest(over_2[static_cast<std::size_t>(i * rows + j)], s));
        }
    }
    EXPECT_TRUE(is_nearest(item(sum(x)), all));
    EXPECT_EQ(item(sum(astype<float>(x) * x)), static_cast<float>(squares));
    EXPECT_EQ(item(count_nonzero(x)), std::count_if(values.begin(), values.end(), [](auto v) { return wide(v) != 0; }));
    EXPECT_TRUE(is_nearest(item(norm(x)), std::sqrt(squares)));
}

// More elements than a float16 counts, and sums beyond its range: only what is stored must fit.
TYPED_TEST(halves, results_between_kernels_are_not_rounded) {
    constexpr int n = 100003;
    const array<TypeParam, 1> x = full({n}, TypeParam(3.f));
    EXPECT_EQ(wide(item(mean(x))), 3.0);
    EXPECT_EQ(wide(item(var(x))), 0.0);
    const auto shares = to_host(astype<float>(x / sum(x)));
    EXPECT_FLOAT_EQ(shares[17], 1.0f / n);
    const array<TypeParam, 2> m = full({300, 301}, TypeParam(200.f));
    // two kernels: one sum is read by the other
    const auto e = m / sum(m, axis=0, keepdims) - m / sum(m, axis=1, keepdims);
    static_assert(launches<decltype(m / sum(m, axis=0_c, keepdims) - m / sum(m, axis=1_c, keepdims))> == 2);
    EXPECT_NEAR(to_host(astype<float>(e))[5], 1.0 / 300 - 1.0 / 301, 1e-8);
    // a reduction of a reduction: distances beyond the range of float16, of which the least is not
    const array<TypeParam, 2> points = full({96, 64}, TypeParam(64.f)),
                              centres = broadcast_to(transpose(arange<int>(96) * 4)(all, newaxis), shape<2>(96, 64));
    const auto distances = sum(square(points(all, newaxis, all) - centres), axis=2);
    EXPECT_EQ(wide(to_host(max(sqrt(distances), axis=1))[7]), wide(TypeParam(8 * (380 - 64.f))));
}

TYPED_TEST(halves, mix_with_other_dtypes) {
    const array<TypeParam, 1> x = line(random_numbers<TypeParam>(9, 6));
    const array<float, 1> f = full({9}, 0.1f);
    const array<double, 1> d = full({9}, 0.1);
    const array<int, 1> i = full({9}, 3);
    const auto with_float = to_host(x + f);
    const auto with_double = to_host(x + d);
    const auto with_int = to_host(x * i);
    const auto values = to_host(x);
    for (std::size_t k = 0; k < 9; ++k) {
        EXPECT_EQ(with_float[k], static_cast<float>(values[k]) + 0.1f);
        EXPECT_EQ(with_double[k], wide(values[k]) + 0.1);
        EXPECT_TRUE(is_nearest(with_int[k], wide(values[k]) * 3));
    }
}

TYPED_TEST(halves, none_and_one) {
    const array<TypeParam, 2> none({0, 5});
    EXPECT_TRUE(to_host(none + 1).empty());
    EXPECT_EQ(wide(to_host(sum(none, axis=0))[4]), 0.0);
    EXPECT_TRUE(std::isnan(wide(item(mean(none)))));
    const array<TypeParam, 0> one = broadcast_to(TypeParam(2.5f), shape<0>());
    EXPECT_EQ(wide(item(one * one)), 6.25);
    array<TypeParam, 1> x = full({3}, TypeParam(1.f));
    x += 2;
    x *= x;
    EXPECT_EQ(wide(to_host(x)[2]), 9.0);
}

TYPED_TEST(halves, composites) {
    const auto values = random_numbers<TypeParam>(6 * 50, 7);
    const array<TypeParam, 2> x = from_host(std::span<const TypeParam>(values), {6, 50});
    const auto got = to_host(softmax(x, axis=1));
    for (std::size_t r = 0; r < 6; ++r) {
        double total = 0;
        for (std::size_t k = 0; k < 50; ++k) total += std::exp(wide(values[r * 50 + k]));
        for (std::size_t k = 0; k < 50; ++k) {
            const double want = std::exp(wide(values[r * 50 + k])) / total;
            ASSERT_NEAR(wide(got[r * 50 + k]), want, want * 0.005);
        }
    }
}

class half_pair : public test::on_devices {};

TEST_F(half_pair, float16_and_bfloat16_meet_in_float32) {
    const array<float16, 1> x = full({5}, float16(1.0009765625f));
    const array<bfloat16, 1> y = full({5}, bfloat16(1.0078125f));
    static_assert(decltype(x + y)::type == dtype::float32);
    EXPECT_EQ(to_host(x + y)[3], 1.0009765625f + 1.0078125f);
    EXPECT_EQ(to_host(astype<bfloat16>(x))[0].bits, 0x3f80);
}

// The second operand of a fused kernel moves eight neighbours with one access.
TEST_F(half_pair, are_moved_sixteen_bytes_at_a_time) {
    if (test::test_device_name() == "host") GTEST_SKIP() << "the host has no kernels";
    const array<float16, 1> x = full({1 << 22}, float16(1.f));
    const std::string text = source(2 * x + x);
    EXPECT_NE(text.find("struct alignas(16) float16_x8 { float16 at[8]; };"), std::string::npos) << text;
    EXPECT_EQ(text.find("struct bfloat16"), std::string::npos) << "what is not used is not printed";
}

}  // namespace
