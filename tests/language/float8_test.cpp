// float8_e4m3 and float8_e5m2: conversions agree with ml_dtypes, arithmetic is in float32, and storing rounds once.
#include <sinter/npz.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/language/storage_numbers.hpp>

#include <algorithm>
#include <cmath>

using namespace sinter;
using test::line, test::random_numbers;

namespace {

template <class T, class N>
std::vector<N> known(const std::string& name) {
    const std::string format = std::is_same_v<T, float8_e4m3> ? "e4m3_" : "e5m2_";
    return to_host(load_npz<N, 1>(SINTER_TEST_DIR "/data/float8.npz", format + name));
}

template <class T>
std::vector<T> every() {
    std::vector<T> all(256);
    for (unsigned bits = 0; bits < 256; ++bits) all[bits].bits = static_cast<unsigned char>(bits);
    return all;
}

template <class T>
bool is_nan(T x) {
    return std::isnan(static_cast<float>(x));
}

/// Equal bits; all NaNs are alike.
template <class T>
void expect_bits(const std::vector<T>& got, const std::vector<std::uint8_t>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        T wanted;
        wanted.bits = want[i];
        ASSERT_TRUE(got[i].bits == want[i] || (is_nan(got[i]) && is_nan(wanted)))
            << i << ": " << int(got[i].bits) << " instead of " << int(want[i]);
    }
}

template <class T>
class float8 : public test::on_devices {};
using float8_types = testing::Types<float8_e4m3, float8_e5m2>;
TYPED_TEST_SUITE(float8, float8_types);

TYPED_TEST(float8, every_one_is_the_float_it_means) {
    const auto want = known<TypeParam, float>("values");
    const auto got = to_host(astype<float>(line(every<TypeParam>())));
    for (std::size_t i = 0; i < 256; ++i) {
        if (std::isnan(want[i])) {
            ASSERT_TRUE(std::isnan(got[i])) << i;
        } else {
            ASSERT_EQ(got[i], want[i]) << i;
            ASSERT_EQ(std::signbit(got[i]), std::signbit(want[i])) << i;
        }
    }
}

TYPED_TEST(float8, floats_and_doubles_become_the_nearest) {
    const auto floats = known<TypeParam, float>("floats");
    const auto doubles = known<TypeParam, double>("doubles");
    const auto of_floats = known<TypeParam, std::uint8_t>("of_floats");
    expect_bits(to_host(astype<TypeParam>(line(floats))), of_floats);
    expect_bits(to_host(astype<TypeParam>(line(doubles))), known<TypeParam, std::uint8_t>("of_doubles"));
    std::vector<TypeParam> by_host;
    for (const float x : floats) by_host.push_back(TypeParam(x));
    expect_bits(by_host, of_floats);
}

// Copies and views move bits; what goes through float32 comes back the same.
TYPED_TEST(float8, every_one_survives) {
    const array<TypeParam, 1> x = line(every<TypeParam>());
    const array<TypeParam, 1> copy = flip(flip(x, axis=0)(range(0, end)), axis=0), computed = 1 * x;
    const auto moved = to_host(copy), through = to_host(computed);
    for (unsigned bits = 0; bits < 256; ++bits) {
        ASSERT_EQ(moved[bits].bits, bits);
        ASSERT_TRUE(through[bits].bits == bits || (is_nan(through[bits]) && is_nan(moved[bits]))) << bits;
    }
}

TYPED_TEST(float8, computes_in_float32_and_rounds_when_stored) {
    for (const std::size_t n : {1, 7, 16, 1000, 4099}) {
        const auto a = random_numbers<TypeParam>(n, 1), b = random_numbers<TypeParam>(n, 2);
        const array<TypeParam, 1> x = line(a), y = line(b);
        const array<TypeParam, 1> product = x * y;
        const auto stored = to_host(product);
        const auto kept = to_host(astype<float>(x * y + x)), rounded = to_host(astype<float>(astype<TypeParam>(x * y)));
        for (std::size_t i = 0; i < n; ++i) {
            const auto p = static_cast<float>(a[i]), q = static_cast<float>(b[i]);
            ASSERT_EQ(stored[i].bits, TypeParam(p * q).bits) << i;
            ASSERT_EQ(rounded[i], static_cast<float>(TypeParam(p * q))) << i;
            ASSERT_EQ(kept[i], p * q + p) << i;
        }
    }
}

TYPED_TEST(float8, converts_from_and_to_every_kind) {
    const array<TypeParam, 1> x = line(std::vector<TypeParam>{TypeParam(0.f), TypeParam(-2.5f), TypeParam(3.5f)});
    EXPECT_EQ(to_host(astype<int>(x)), (std::vector<int>{0, -2, 3}));
    EXPECT_EQ(to_host(!x), (std::vector<bool>{true, false, false}));
    EXPECT_EQ(static_cast<float>(to_host(astype<float16>(x))[1]), -2.5f);
    EXPECT_EQ(static_cast<float>(to_host(astype<bfloat16>(x))[2]), 3.5f);
    const array<double, 1> assigned = x;
    EXPECT_EQ(to_host(assigned)[1], -2.5);
    const array<std::int16_t, 1> integers = line(std::vector<std::int16_t>{1, -7, 300});
    EXPECT_EQ(to_host(astype<TypeParam>(integers))[2].bits, TypeParam(300.f).bits);
}

TYPED_TEST(float8, strided_broadcast_and_reduced) {
    constexpr int rows = 13, columns = 37;
    const auto values = random_numbers<TypeParam>(rows * columns, 3);
    const array<TypeParam, 2> x = from_host(std::span<const TypeParam>(values), {rows, columns});
    const auto moved = to_host(transpose(x)), reversed = to_host(-flip(x, axis=1));
    const auto of_rows = to_host(sum(astype<float>(x), axis=1)), greatest = to_host(astype<float>(max(x, axis=0)));
    for (std::size_t i = 0; i < rows; ++i) {
        double total = 0;
        for (std::size_t j = 0; j < columns; ++j) {
            const TypeParam v = values[i * columns + j];
            total += static_cast<double>(static_cast<float>(v));
            ASSERT_EQ(moved[j * rows + i].bits, v.bits);
            ASSERT_EQ(reversed[i * columns + columns - 1 - j].bits, v.bits ^ 0x80);
        }
        ASSERT_NEAR(of_rows[i], total, 1e-4);
    }
    for (std::size_t j = 0; j < columns; ++j) {
        float most = -1e30f;
        for (std::size_t i = 0; i < rows; ++i) most = std::max(most, static_cast<float>(values[i * columns + j]));
        ASSERT_EQ(greatest[j], most);
    }
}

// A number beyond the greatest is no number of e4m3, and infinite as e5m2; clip saturates.
TYPED_TEST(float8, saturates_by_clip) {
    constexpr double most = finfo<TypeParam>().max;
    const array<float, 1> x = line(std::vector<float>{1e6f, -1e6f, 3.f, std::nanf("")});
    const auto plain = to_host(astype<float>(astype<TypeParam>(x)));
    EXPECT_FALSE(std::isfinite(plain[0]) || std::isfinite(plain[1]));
    const auto kept = to_host(astype<float>(astype<TypeParam>(clip(x, -most, most))));
    EXPECT_EQ(kept[0], most);
    EXPECT_EQ(kept[1], -most);
    EXPECT_EQ(kept[2], 3);
    EXPECT_TRUE(std::isnan(kept[3]));
}

TYPED_TEST(float8, products_accumulate_in_float32) {
    for (const std::int64_t n : {5, 40, 96}) {
        const auto a = random_numbers<TypeParam>(static_cast<std::size_t>(n * 64), 4);
        const auto b = random_numbers<TypeParam>(static_cast<std::size_t>(n * 64), 5);
        const array<TypeParam, 2> x = from_host(std::span<const TypeParam>(a), {n, 64});
        const array<TypeParam, 2> y = from_host(std::span<const TypeParam>(b), {64, n});
        const array<float, 2> scale = full({n, 1}, 0.5f);
        const array<float, 2> product = matmul(x, y) * scale;
        const array<float16, 2> h = astype<float16>(x);
        const auto got = to_host(product), mixed = to_host(astype<float>(matmul(h, y)));
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                double want = 0;
                for (std::int64_t k = 0; k < 64; ++k)
                    want += static_cast<double>(static_cast<float>(a[static_cast<std::size_t>(i * 64 + k)])) *
                            static_cast<double>(static_cast<float>(b[static_cast<std::size_t>(k * n + j)]));
                const auto at = static_cast<std::size_t>(i * n + j);
                ASSERT_NEAR(got[at], want / 2, 1e-3 * (1 + std::abs(want)));
                ASSERT_NEAR(mixed[at], want, 1e-3 * (1 + std::abs(want)));
            }
    }
}

TYPED_TEST(float8, none_and_one) {
    const array<TypeParam, 2> none({0, 5});
    EXPECT_TRUE(to_host(none + 1).empty());
    EXPECT_EQ(static_cast<float>(to_host(sum(none, axis=0))[4]), 0);
    array<TypeParam, 1> x = full({3}, TypeParam(1.f));
    x += 3;
    x *= x;
    EXPECT_EQ(static_cast<float>(to_host(x)[2]), 16);
}

class float8_pair : public test::on_devices {};

TEST_F(float8_pair, meets_other_types_in_the_smallest_that_holds_both) {
    const array<float8_e4m3, 1> x = full({5}, float8_e4m3(1.125f));
    const array<float8_e5m2, 1> y = full({5}, float8_e5m2(1.25f));
    static_assert(decltype(x + y)::type == dtype::float16);
    static_assert(decltype(x + astype<bfloat16>(y))::type == dtype::bfloat16);
    static_assert(decltype(x * 2.5f)::type == dtype::float8_e4m3);
    EXPECT_EQ(static_cast<float>(to_host(x + y)[3]), 2.375f);
}

TEST_F(float8_pair, is_moved_sixteen_bytes_at_a_time) {
    if (test::test_device_name() == "host") GTEST_SKIP() << "the host has no kernels";
    const array<float8_e4m3, 1> x = full({1 << 22}, float8_e4m3(1.f));
    const std::string text = source(2 * x + x);
    EXPECT_NE(text.find("float8_e4m3_x16"), std::string::npos) << text;
    EXPECT_EQ(text.find("struct float8_e5m2"), std::string::npos) << "what is not used is not printed";
}

TEST_F(float8_pair, has_limits_and_text) {
    static_assert(finfo<float8_e4m3>().max == 448 && finfo<float8_e4m3>().eps == 0.125);
    static_assert(finfo<float8_e5m2>().max == 57344 && finfo<float8_e5m2>().smallest_normal == 0x1p-14);
    const array<float8_e4m3, 1> x = line(std::vector<float8_e4m3>{float8_e4m3(1.125f), float8_e4m3(-448.f)});
    std::ostringstream out;
    out << x << ' ' << dtype::float8_e5m2 << ' ' << float8_e5m2(0.1f);
    EXPECT_EQ(out.str(), "[   1.125 -448.   ] float8_e5m2 0.09375");
}

}  // namespace
