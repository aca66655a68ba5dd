// Elementwise expressions: operators, scalars on both sides, dtypes, broadcasting, every rank.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

class elementwise : public on_devices {};

TEST_F(elementwise, arithmetic_operators) {
    for (std::int64_t n : {1, 7, 1000, 4099}) {
        const naive a = random({n}, 1), b = random({n}, 2, 0.5, 3);
        const auto x = to_array<float, 1>(a), y = to_array<float, 1>(b);
        expect_equal(x + y, map([](double p, double q) { return p + q; }, a, b));
        expect_equal(x - y, map([](double p, double q) { return p - q; }, a, b));
        expect_equal(x * y, map([](double p, double q) { return p * q; }, a, b));
        expect_equal(x / y, map([](double p, double q) { return p / q; }, a, b));
        expect_equal(-x, map([](double p) { return -p; }, a));
        expect_equal((x + y) * (x - y) / (y + 1),
                     map([](double p, double q) { return (p + q) * (p - q) / (q + 1); }, a, b));
    }
}

TEST_F(elementwise, scalars_on_both_sides) {
    const naive a = random({41, 3}, 3, 1, 2);
    const auto x = to_array<double, 2>(a);
    expect_equal(x + 2, map([](double p) { return p + 2; }, a));
    expect_equal(2 + x, map([](double p) { return p + 2; }, a));
    expect_equal(x - 0.25, map([](double p) { return p - 0.25; }, a));
    expect_equal(0.25f - x, map([](double p) { return 0.25 - p; }, a));
    expect_equal(x / 4, map([](double p) { return p / 4; }, a));
    expect_equal(4 / x, map([](double p) { return 4 / p; }, a));
    expect_equal(pow(2, x), map([](double p) { return std::pow(2, p); }, a));
    expect_equal(maximum(x, 1.5), map([](double p) { return std::max(p, 1.5); }, a));
    // another value of a scalar is another result
    for (double s : {-3.0, 0.0, 1e300}) expect_equal(s * x, map([s](double p) { return s * p; }, a));
}

/// A kernel takes a scalar that is mentioned twice once: not where the next one of the type has two of them.
TEST_F(elementwise, scalars_that_are_one_or_two) {
    const array<double, 1> x = {1, 2};
    const auto difference = [](const auto& a, const auto& b) { return to_host(a - b); };
    const auto twice = 2.0 * x, thrice = 3.0 * x;
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(difference(twice, twice), (std::vector<double>{0, 0}));
        EXPECT_EQ(difference(thrice, twice), (std::vector<double>{1, 2}));
    }
}

TEST_F(elementwise, comparisons_and_logic) {
    naive a = random_integers({5, 77}, 4, -3, 3), b = random_integers({5, 77}, 5, -3, 3);
    a.values[3] = b.values[5] = nan_value;
    const auto x = to_array<double, 2>(a), y = to_array<double, 2>(b);
    expect_equal(x < y, map(std::less<>(), a, b));
    expect_equal(x <= y, map(std::less_equal<>(), a, b));
    expect_equal(x > y, map(std::greater<>(), a, b));
    expect_equal(x >= y, map(std::greater_equal<>(), a, b));
    expect_equal(x == y, map(std::equal_to<>(), a, b));
    expect_equal(x != y, map(std::not_equal_to<>(), a, b));
    expect_equal(isnan(x), map([](double p) { return std::isnan(p); }, a));
    expect_equal(x > 0 && y > 0, map([](double p, double q) { return p > 0 && q > 0; }, a, b));
    expect_equal(x > 0 || y > 0, map([](double p, double q) { return p > 0 || q > 0; }, a, b));
    expect_equal(!(x == 0), map([](double p) { return !(p == 0); }, a));
    expect_equal(x && y, map([](double p, double q) { return p != 0 && q != 0; }, a, b));
}

TEST_F(elementwise, bits_of_integers) {
    const naive a = random_integers({333}, 6, 0, 255), b = random_integers({333}, 7, 0, 255);
    const auto x = to_array<std::uint8_t, 1>(a), y = to_array<std::uint8_t, 1>(b);
    const auto bits = [](auto f) {
        return [f](double p, double q) { return f(static_cast<int>(p), static_cast<int>(q)); };
    };
    expect_equal(x & y, map(bits(std::bit_and<>()), a, b));
    expect_equal(x | y, map(bits(std::bit_or<>()), a, b));
    expect_equal(x ^ 15, map([](double p) { return static_cast<int>(p) ^ 15; }, a));
}

TEST_F(elementwise, where_and_clip) {
    const naive a = random({9, 1, 31}, 8), b = random({8, 1}, 9);
    const auto x = to_array<float, 3>(a);
    const auto y = to_array<float, 2>(b);
    expect_equal(where(x > y, x, y), map([](double p, double q) { return p > q ? p : q; }, a, b));
    expect_equal(where(x > 0, x, 0), map([](double p) { return p > 0 ? p : 0; }, a));
    expect_equal(where(y > 0, 1.0, x), map([](double p, double q) { return q > 0 ? 1 : p; }, a, b));
    expect_equal(clip(x, -1, y), map([](double p, double q) { return std::min(std::max(p, -1.0), q); }, a, b));
    // the branch that is not taken leaves no trace
    expect_equal(where(x > 0, log(x), -x), map([](double p) { return p > 0 ? std::log(p) : -p; }, a));
}

template <class T>
void in_dtype(int low, int high) {
    const naive a = random_integers({13, 7}, 10, low, high), b = random_integers({7}, 11, 1, 5);
    const auto x = to_array<T, 2>(a);
    const auto y = to_array<T, 1>(b);
    const auto wrapped = [](double v) { return static_cast<double>(static_cast<T>(static_cast<std::int64_t>(v))); };
    expect_equal(x + y, map([&](double p, double q) { return wrapped(p + q); }, a, b));
    expect_equal(x * y - 2, map([&](double p, double q) { return wrapped(p * q - 2); }, a, b));
    expect_equal(maximum(x, y), map([](double p, double q) { return std::max(p, q); }, a, b));
    expect_equal(x < y, map(std::less<>(), a, b));
    expect_equal(x / y, map(std::divides<>(), a, b), 1e-6);
    expect_equal(sinter::astype<std::int64_t>(x) * 1000, map([](double p) { return p * 1000; }, a));
}

TEST_F(elementwise, every_dtype) {
    in_dtype<std::int8_t>(-20, 20);
    in_dtype<std::int16_t>(-3000, 3000);
    in_dtype<std::int32_t>(-100000, 100000);
    in_dtype<std::int64_t>(-100000, 100000);
    in_dtype<std::uint8_t>(2, 40);
    in_dtype<std::uint16_t>(2, 3000);
    in_dtype<std::uint32_t>(2, 100000);
    in_dtype<std::uint64_t>(2, 100000);
}

/// What is computed of a result that has wrapped: a compiler that took overflow never to happen would know the answers.
template <class T>
void wraps() {
    using unsigned_t = std::make_unsigned_t<T>;
    constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    const auto wrapped = [](std::uint64_t v) { return static_cast<T>(static_cast<unsigned_t>(v)); };
    const auto product = [&](T a, T b) {
        return wrapped(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    };
    const T root = static_cast<T>((std::uint64_t{3} << (4 * sizeof(T) - 2)) + 5);  // squares to a number below 0
    const array<T, 1> x = {least, most, root, T(3)};
    const T of[] = {least, most, root, T(3)};
    for (int i = 0; i < 4; ++i) {
        const T v = of[i], square_of_v = product(v, v);
        const auto at = [&](const auto& e) { return item(e(i)); };
        EXPECT_EQ(at(sign(square(x))), square_of_v > 0 ? 1 : square_of_v < 0 ? -1 : 0) << +v;
        EXPECT_EQ(at(astype<std::int64_t>(x * x)), square_of_v) << +v;
        EXPECT_EQ(at(x + 1 > x), wrapped(static_cast<std::uint64_t>(v) + 1) > v) << +v;
        EXPECT_EQ(at(x - 1 < x), wrapped(static_cast<std::uint64_t>(v) - 1) < v) << +v;
        EXPECT_EQ(at(abs(x) < 0), v == least) << +v;
        EXPECT_EQ(at(-x == x), v == least) << +v;
        EXPECT_EQ(at(gcd(x, x) < 0), v == least) << +v;
        EXPECT_EQ(at(lcm(x, x) < 0), v == least) << +v;
        EXPECT_TRUE(at(floor_divide(x, T(-1)) == -x)) << +v;
        EXPECT_EQ(at(astype<std::int64_t>(-x)), wrapped(-static_cast<std::uint64_t>(v))) << +v;
        EXPECT_EQ(at(astype<float>(0 - x)), wrapped(-static_cast<std::uint64_t>(v))) << +v;
        EXPECT_EQ(at(astype<std::int64_t>(abs(x))), v < 0 ? wrapped(-static_cast<std::uint64_t>(v)) : v) << +v;
        EXPECT_EQ(at(astype<int>(astype<std::int16_t>(-astype<int>(x)))),
                  static_cast<std::int16_t>(-static_cast<std::uint64_t>(v)))
            << +v;
    }
    EXPECT_EQ(item(sum(x * x)), [&] {
        std::int64_t all = 0;
        for (const T v : of) all += product(v, v);
        return all;
    }());
}

TEST_F(elementwise, integers_wrap) {
    wraps<std::int16_t>();
    wraps<std::int32_t>();
    const array<std::uint16_t, 1> x = {65535, 50000};
    EXPECT_TRUE(item(all(astype<std::int64_t>(square(x)) == array<std::int64_t, 1>{1, 50000LL * 50000 % 65536})));
    const array<std::int64_t, 1> most = {INT64_MAX, INT64_MIN};
    EXPECT_FALSE(item(any(sign(square(most) - 2) == 1)));
    EXPECT_EQ(item(sum(array<std::int64_t, 1>{INT64_MAX, 2})), INT64_MIN + 1);
    EXPECT_EQ(item(prod(array<std::int64_t, 1>{INT64_MAX, 2})), -2);
    EXPECT_FALSE(item((cumsum(array<std::int64_t, 1>{INT64_MAX, 2}) > 0)(1)));
}

TEST_F(elementwise, mixed_dtypes) {
    const naive a = random_integers({6, 5}, 12, -100, 100), b = random_integers({6, 5}, 13, 0, 200),
                c = random({5}, 14);
    const auto i = to_array<std::int8_t, 2>(a);
    const auto u = to_array<std::uint8_t, 2>(b);
    const auto f = to_array<float, 1>(c);
    expect_equal(i + u, map(std::plus<>(), a, b));
    expect_equal(i * f, map(std::multiplies<>(), a, c));
    expect_equal(0.5 * i, map([](double p) { return 0.5 * p; }, a));
    const array<double, 2> wide = f + u;  // assignment converts float32 to float64
    expect_equal(wide, map(std::plus<>(), c, b), 1e-5);
    const array<std::int8_t, 2> narrow = i + i;
    expect_equal(narrow, map([](double p) { return static_cast<std::int8_t>(static_cast<int>(2 * p)); }, a));
    const array<float, 2> from_bool = i > 0;
    expect_equal(from_bool, map([](double p) { return p > 0; }, a));
    const array<double, 2> from_array = i;
    expect_equal(from_array, a);
    expect_equal(astype<int>(f * 10), map([](double p) { return std::trunc(10 * p); }, c));
    expect_equal(astype<bool>(i), map([](double p) { return p != 0; }, a));
}

TEST_F(elementwise, large_integers_are_exact) {
    const std::int64_t big = (std::int64_t{1} << 62) + 1;
    const array<std::int64_t, 1> x = {big, -big, 3};
    const array<std::int64_t, 1> y = x + 2;
    EXPECT_EQ(to_host(y), (std::vector<std::int64_t>{big + 2, -big + 2, 5}));
    const array<std::uint64_t, 1> u = {~std::uint64_t{0}, 1};
    EXPECT_EQ(to_host(u - 1), (std::vector<std::uint64_t>{~std::uint64_t{0} - 1, 0}));
}

TEST_F(elementwise, broadcasting) {
    const std::vector<std::pair<index, index>> shapes = {
        {{4, 5}, {5}},     {{4, 1}, {5}},         {{4, 1}, {1, 5}}, {{1, 1}, {3, 2}}, {{4, 5}, {1, 1}},
        {{127, 33}, {33}}, {{127, 33}, {127, 1}}, {{0, 3}, {3}},    {{0, 1}, {3}},    {{1, 0}, {1}},
    };
    for (const auto& [s, t] : shapes) {
        SCOPED_TRACE(testing::PrintToString(s) + testing::PrintToString(t));
        const naive a = random(s, 15), b = random(t, 16);
        const auto add = [](double p, double q) { return p + q; };
        const auto x = to_array<float, 2>(a);
        if (t.size() == 1) {
            expect_equal(x + to_array<float, 1>(b), map(add, a, b));
            expect_equal(to_array<float, 1>(b) + x, map(add, a, b));
        } else {
            expect_equal(x + to_array<float, 2>(b), map(add, a, b));
        }
    }
}

template <int Rank>
void of_rank() {
    std::vector<index> shapes(1, index(Rank, 2));
    if (Rank > 0) shapes.push_back(index(Rank, 1));
    if (Rank > 0) shapes.back().back() = 5;
    if (Rank > 1) shapes.push_back(index(Rank, 1));
    if (Rank > 1) shapes.back().front() = 3;
    if (Rank > 2) shapes.push_back(index(Rank, 2));
    if (Rank > 2) shapes.back()[1] = 1, shapes.back()[2] = 3;
    for (const index& s : shapes) {
        SCOPED_TRACE(testing::PrintToString(s));
        index first_axis(s.size(), 1);
        if (Rank > 0) first_axis[0] = s[0];
        const naive a = random(s, 17), b = random(first_axis, 18), c = random({}, 19);
        const auto x = to_array<double, Rank>(a), y = to_array<double, Rank>(b);
        const auto z = to_array<double, 0>(c);
        expect_equal(x * y + z, map([](double p, double q, double r) { return p * q + r; }, a, b, c));
        expect_equal(transpose(x) - 1, map([](double p) { return p - 1; }, transposed(a)));
    }
}

TEST_F(elementwise, every_rank) {
    [&]<int... Rank>(std::integer_sequence<int, Rank...>) {
        (of_rank<Rank>(), ...);
    }(std::make_integer_sequence<int, max_rank + 1>());
}

TEST_F(elementwise, many_operands) {
    const naive a = random({257}, 20);
    const auto x = to_array<float, 1>(a);
    array<float, 1> copies[6];
    for (int i = 0; i < 6; ++i) copies[i] = x + i;
    auto e = copies[0] * copies[1] + copies[2] * copies[3] + copies[4] * copies[5] + x * x;
    expect_equal(e, map([](double p) { return p * (p + 1) + (p + 2) * (p + 3) + (p + 4) * (p + 5) + p * p; }, a));
}

TEST_F(elementwise, operators_have_names) {
    const array<float, 1> x = {0, 1, 2}, y = {0, 0, 3};
    EXPECT_EQ(to_host(negative(x)), (std::vector<float>{0, -1, -2}));
    EXPECT_EQ(to_host(logical_and(x, y)), (std::vector<bool>{false, false, true}));
    EXPECT_EQ(to_host(logical_or(x > 1, y)), (std::vector<bool>{false, false, true}));
    EXPECT_EQ(to_host(logical_or(x, false)), (std::vector<bool>{false, true, true}));
    EXPECT_EQ(to_host(logical_not(x)), (std::vector<bool>{true, false, false}));
}

TEST_F(elementwise, long_arrays_reach_many_blocks) {
    const std::int64_t n = emulated() ? 20011 : 1000003;
    const naive a = random({n}, 21);
    const auto x = to_array<float, 1>(a);
    expect_equal(2 * x + x * x, map([](double p) { return 2 * p + p * p; }, a));
}

}  // namespace
}  // namespace sinter::test
