// Elementwise composites: activations, angles, classification and replacement of special values, parts of numbers.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

class elementwise_composites : public on_devices {};

double logistic(double p) { return 1 / (1 + std::exp(-p)); }
double log_of_sum(double p) { return std::max(p, 0.0) + std::log1p(std::exp(-std::abs(p))); }

/// Values of both signs and every size, with NaN and the infinities.
naive samples() {
    naive a = random({83}, 300, -8, 8);
    const double special[] = {0, -0.0, 1, -1, 3, -3, 40, -40, infinity, nan_value};
    for (std::size_t i = 0; i < std::size(special); ++i) a.values[i] = special[i];
    return a;
}

TEST_F(elementwise_composites, activations) {
    const naive a = samples();
    const auto x = to_array<double, 1>(a);
    const auto elu_of = [](double alpha) { return [alpha](double p) { return p > 0 ? p : alpha * std::expm1(p); }; };
    const double scale = 1.0507009873554805, alpha = 1.6732632423543772;
    expect_equal(relu(x), map([](double p) { return std::isnan(p) ? p : std::max(p, 0.0); }, a));
    expect_equal(leaky_relu(x), map([](double p) { return p > 0 ? p : 0.01 * p; }, a));
    expect_equal(leaky_relu(x, 0.2), map([](double p) { return p > 0 ? p : 0.2 * p; }, a));
    expect_equal(elu(x, 0.5), map(elu_of(0.5), a));
    expect_equal(selu(x), map([&](double p) { return scale * elu_of(alpha)(p); }, a));
    expect_equal(gelu(x), map([](double p) { return 0.5 * p * std::erfc(-p / std::sqrt(2)); }, a));
    expect_equal(sigmoid(x), map(logistic, a));
    expect_equal(silu(x), map([](double p) { return p * logistic(p); }, a));
    expect_equal(softplus(x), map(log_of_sum, a));
    expect_equal(mish(x), map([](double p) { return p * std::tanh(log_of_sum(p)); }, a));
    expect_equal(hardswish(x), map([](double p) { return p * std::min(std::max(p + 3, 0.0), 6.0) / 6; }, a));
    // where the tails are small, they are still right
    const array<double, 1> far = {-10, -20};
    const auto tail = to_host(gelu(far));
    EXPECT_NEAR(tail[0] / -7.6198530241605e-23, 1, 1e-12);
    EXPECT_NEAR(tail[1] / -5.5072482372125e-88, 1, 1e-12);
}

/// The largest error of a result in ulps of float.
double worst_ulps(const std::vector<float>& found, const std::vector<float>& x, double (*expected)(double)) {
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double want = expected(x[i]);
        const auto size = static_cast<float>(std::abs(want));
        worst = std::max(worst, std::abs(found[i] - want) / (std::nextafter(size, 1e38f) - size));
    }
    return worst;
}

TEST_F(elementwise_composites, quotients_of_floats_are_near_also_where_results_are_subnormal) {
    std::vector<float> values;
    for (int i = 0; i < 2000; ++i) values.push_back(-88.5f + static_cast<float>(i) * 0.0625f);
    const array<float, 1> x = from_host(values);
    const auto product = [](double p) { return p * logistic(p); };
    EXPECT_LE(worst_ulps(to_host(sigmoid(x)), values, logistic), 6);
    EXPECT_LE(worst_ulps(to_host(silu(x)), values, product), 6);
    EXPECT_GT(to_host(sigmoid(x))[0], 0) << "a subnormal number";
    const array<float, 1> y = {0.0f, -0.0f, static_cast<float>(infinity), static_cast<float>(-infinity), std::nanf("")};
    const auto s = to_host(sigmoid(y)), t = to_host(silu(y));
    EXPECT_EQ(std::vector<float>(s.begin(), s.begin() + 4), (std::vector<float>{0.5f, 0.5f, 1, 0}));
    EXPECT_EQ(std::vector<float>(t.begin(), t.begin() + 3), (std::vector<float>{0, 0, static_cast<float>(infinity)}));
    EXPECT_TRUE(std::isnan(s[4]) && std::isnan(t[4]));
}

TEST_F(elementwise_composites, signs_and_magnitudes_of_floats) {
    const float tiny = std::numeric_limits<float>::denorm_min(), most = std::numeric_limits<float>::max();
    const auto beyond = static_cast<float>(infinity);
    const std::vector<float> values = {0.0f, -0.0f, tiny, -tiny, 1e-38f, -1e-38f,
                                       0.5f, -3,    most, -most, beyond, -beyond};
    const array<float, 1> x = from_host(values);
    const auto signs = to_host(sign(x)), sizes = to_host(abs(x));
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(signs[i], static_cast<float>((values[i] > 0) - (values[i] < 0))) << values[i];
        EXPECT_FALSE(std::signbit(signs[i]) && values[i] == 0);
        EXPECT_EQ(sizes[i], std::abs(values[i]));
        EXPECT_FALSE(std::signbit(sizes[i]));
    }
    const array<float, 1> unknown = {std::nanf("")};
    EXPECT_TRUE(std::isnan(to_host(sign(unknown))[0]) && std::isnan(to_host(abs(unknown))[0]));
}

TEST_F(elementwise_composites, keep_dtypes) {
    const array<float, 1> f(shape<1>(3));
    const array<int, 1> i(shape<1>(3));
    static_assert(decltype(relu(f))::type == dtype::float32 && decltype(relu(i))::type == dtype::int32);
    static_assert(decltype(mish(f))::type == dtype::float32 && decltype(gelu(f))::type == dtype::float32);
    static_assert(decltype(selu(i))::type == dtype::float64 && decltype(sinc(i))::type == dtype::float64);
    static_assert(decltype(deg2rad(f))::type == dtype::float32 && decltype(isclose(f, i))::type == dtype::bool_);
    static_assert(decltype(nan_to_num(f))::type == dtype::float32 && decltype(nan_to_num(i))::type == dtype::int32);
    static_assert(decltype(f % 2)::type == dtype::float32 && decltype(floor_divide(i, 2))::type == dtype::int32);
    static_assert(decltype(i << 2)::type == dtype::int32 && decltype(~(i > 0))::type == dtype::bool_);
    static_assert(decltype(bit_cast<unsigned>(f))::type == dtype::uint32 && decltype(isinf(i))::type == dtype::bool_);
    static_assert(decltype(frexp(f).second)::type == dtype::int32 && decltype(to_bits(f))::type == dtype::int32);
}

TEST_F(elementwise_composites, angles) {
    const naive a = samples();
    const auto x = to_array<double, 1>(a);
    const double pi = 3.141592653589793;
    expect_equal(deg2rad(x), map([&](double p) { return p * pi / 180; }, a));
    expect_equal(rad2deg(x), map([&](double p) { return p * 180 / pi; }, a));
    expect_equal(sinc(x(range(0, 8))),
                 map([&](double p) { return p == 0 ? 1 : std::sin(pi * p) / (pi * p); },
                     naive({8}, {a.values.begin(), a.values.begin() + 8})),
                 1e-14);
    expect_equal(sinc(x(range(10, end))),
                 map([&](double p) { return std::sin(pi * p) / (pi * p); },
                     naive({73}, {a.values.begin() + 10, a.values.end()})),
                 1e-13);
    expect_equal(remainder(x, 2.5), map(
                                        [](double p) {
                                            const double r = std::fmod(p, 2.5);
                                            return r < 0 ? r + 2.5 : r;
                                        },
                                        a));
    expect_equal(round(x, 2), map([](double p) { return std::nearbyint(p * 100) / 100; }, a));
    expect_equal(round(x, -1), map([](double p) { return std::nearbyint(p / 10) * 10; }, a));
}

TEST_F(elementwise_composites, tests_and_repairs) {
    const array<double, 1> x = {1, 1 + 1e-9, infinity, -infinity, nan_value, 0, 1e-9, infinity};
    const array<double, 1> y = {1, 1, infinity, infinity, nan_value, 1e-9, 1, 1};
    EXPECT_EQ(to_host(isclose(x, y)), (std::vector<bool>{1, 1, 1, 0, 0, 1, 0, 0}));
    EXPECT_EQ(to_host(isclose(x, y, 1e-5, 1e-8, true)), (std::vector<bool>{1, 1, 1, 0, 1, 1, 0, 0}));
    EXPECT_EQ(to_host(isclose(x, 1.0, 1e-12)), (std::vector<bool>{1, 1, 0, 0, 0, 0, 0, 0}));
    const array<unsigned, 1> u = {1, 2}, v = {2, 2};
    EXPECT_EQ(to_host(isclose(u, v)), (std::vector<bool>{0, 1}));
    const double most = std::numeric_limits<double>::max();
    EXPECT_EQ(to_host(nan_to_num(x)), (std::vector<double>{1, 1 + 1e-9, most, -most, 0, 0, 1e-9, most}));
    EXPECT_EQ(to_host(nan_to_num(x, 7, 8, -9)), (std::vector<double>{1, 1 + 1e-9, 8, -9, 7, 0, 1e-9, 8}));
    const array<float, 1> f = {std::nanf(""), static_cast<float>(infinity)};
    EXPECT_EQ(to_host(nan_to_num(f)), (std::vector<float>{0, std::numeric_limits<float>::max()}));
}

TEST_F(elementwise_composites, parts_of_numbers) {
    const array<double, 1> x = {3.25, -3.25, 0.0, -0.0, infinity, -infinity, 1e300, 0.1};
    const auto [fraction, whole] = modf(x);
    const auto [m, e] = frexp(x);
    const auto fractions = to_host(fraction), wholes = to_host(whole), ms = to_host(m), values = to_host(x);
    const auto es = to_host(e);
    for (std::size_t i = 0; i < values.size(); ++i) {
        double want_whole;
        const double want = std::modf(values[i], &want_whole);
        EXPECT_EQ(fractions[i], want) << values[i];
        EXPECT_EQ(std::signbit(fractions[i]), std::signbit(want)) << values[i];
        EXPECT_EQ(wholes[i], want_whole) << values[i];
        int exponent = 0;
        const double significand = std::frexp(values[i], &exponent);
        EXPECT_EQ(ms[i], significand) << values[i];
        EXPECT_EQ(es[i], std::isinf(values[i]) ? 0 : exponent) << values[i];
    }
    expect_equal(ldexp(m, e), naive({8}, values));
    const array<float, 1> f = {1.0f, -2.5f};
    EXPECT_EQ(to_host(bit_cast<std::uint32_t>(f)), (std::vector<std::uint32_t>{0x3f800000u, 0xc0200000u}));
    EXPECT_EQ(to_host(bit_cast<float>(bit_cast<std::uint32_t>(f))), to_host(f));
    EXPECT_EQ(to_host(bit_cast<double>(bit_cast<std::int64_t>(x))), values);
}

}  // namespace
}  // namespace sinter::test
