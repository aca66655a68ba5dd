// fast_math_scope, and the approximate functions of kernels that store halves.
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace sinter::test {
namespace {

class fast_math : public on_devices {};

std::vector<float> values(std::size_t n, float low, float high) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> spread(low, high);
    std::vector<float> all(n);
    for (float& x : all) x = spread(random);
    return all;
}

// The scope is what decides, it nests, and it is in the source.
TEST_F(fast_math, IsAsked) {
    const array<float, 1> x = {0.5f, 1.5f};
    EXPECT_FALSE(current_fast_math());
    EXPECT_EQ(source(erf(x)).find("approximate"), std::string::npos);
    {
        const fast_math_scope fast;
        EXPECT_TRUE(current_fast_math());
        EXPECT_NE(source(erf(x)).find("approximate_erf(x0)"), std::string::npos);
        EXPECT_EQ(source(erf(astype<double>(x))).find("approximate"), std::string::npos);
        const fast_math_scope exact(false);
        EXPECT_FALSE(current_fast_math());
    }
    EXPECT_FALSE(current_fast_math());
}

// The same expression type and shapes, with and without: each has a plan of its own.
TEST_F(fast_math, IsNearTheExactResult) {
    const std::vector<float> host = values(1001, -4, 4);
    const array<float, 1> x = from_host(host);
    const auto e = [&] { return erf(x) * exp(x) / (1 + x * x); };
    const std::vector<float> exact = to_host(array<float, 1>(e()));
    std::vector<float> fast;
    {
        const fast_math_scope scope;
        fast = to_host(array<float, 1>(e()));
    }
    const std::vector<float> again = to_host(array<float, 1>(e()));
    if (test_device_name() != "host") {  // it has no short functions
        EXPECT_NE(fast, exact);
    }
    for (std::size_t i = 0; i < host.size(); ++i) {
        EXPECT_EQ(again[i], exact[i]);
        EXPECT_NEAR(fast[i], exact[i], 1e-6 + 4e-6 * std::abs(exact[i])) << host[i];
    }
}

TEST_F(fast_math, ErfIsNearEverywhere) {
    std::vector<float> host = values(2000, -5, 5);
    for (float x = 1e-6f; x < 1; x *= 1.07f) host.insert(host.end(), {x, -x});
    const array<float, 1> x = from_host(host);
    const fast_math_scope fast;
    const std::vector<float> got = to_host(array<float, 1>(erf(x)));
    for (std::size_t i = 0; i < host.size(); ++i) {
        const double right = std::erf(static_cast<double>(host[i]));
        EXPECT_NEAR(got[i], right, std::min(1e-6, 2e-5 * std::abs(right))) << host[i];
    }
}

TEST_F(fast_math, ErfcIsNearEverywhere) {
    std::vector<float> host = values(2000, -11, 9);
    host.insert(host.end(), {-INFINITY, -0.f, 0.f, 40.f, INFINITY});
    const array<float, 1> x = from_host(host);
    const fast_math_scope fast;
    EXPECT_NE(source(erfc(x)).find("approximate_erfc(x0)"), std::string::npos);
    const std::vector<float> got = to_host(array<float, 1>(erfc(x)));
    for (std::size_t i = 0; i < host.size(); ++i) {
        const double right = std::erfc(static_cast<double>(host[i]));
        EXPECT_NEAR(got[i], right, std::min(5e-7, 1e-5 * right + 1e-37)) << host[i];
    }
    EXPECT_TRUE(std::isnan(to_host(array<float, 1>(erfc(from_host(std::vector<float>{NAN}))))[0]));
}

// Of pow the compiler's approximation is shorter than a kernel's own function, which others call for floats alone.
TEST_F(fast_math, PowIsTheCompilersOwn) {
    const array<float, 1> x = from_host(std::vector<float>{1, 2, 3});
    const auto called = [](const auto& e, const char* function) {
        return source(e).find(function) != std::string::npos;
    };
    EXPECT_TRUE(called(pow(x, 1.5f), "= short_pow("));
    EXPECT_TRUE(called(pow(astype<double>(x), 1.5), "= double_pow("));
    EXPECT_FALSE(called(pow(astype<std::complex<float>>(x), std::complex<float>(1.5f)), "short_pow"));
    const fast_math_scope fast;
    EXPECT_TRUE(called(pow(x, 1.5f), "= fast_pow("));
}

// What is stored as a half is rounded to 11 bits: short functions change a result by a unit at most, and hardly ever.
TEST_F(fast_math, HalvesComputeShort) {
    const std::vector<float> host = values(4001, -4, 4);
    const array<float, 1> exact = from_host(host);
    const array<float16, 1> x = astype<float16>(exact);
    const auto gelu_of = [](const auto& v) { return 0.5f * v * (1.f + erf(v * 0.70710678f)); };
    EXPECT_NE(source(gelu(x)).find("approximate_erfc"), std::string::npos);
    EXPECT_NE(source(gelu_of(x)).find("approximate_erf"), std::string::npos);
    EXPECT_EQ(source(sum(gelu_of(astype<float>(x)))).find("approximate_erf"), std::string::npos);
    const std::vector<float> got = to_host(array<float, 1>(astype<float>(array<float16, 1>(gelu_of(x)))));
    const std::vector<float> from = to_host(array<float, 1>(astype<float>(x)));
    for (std::size_t i = 0; i < host.size(); ++i) {
        const double v = from[i], right = 0.5 * v * (1 + std::erf(v * std::sqrt(0.5)));
        EXPECT_NEAR(got[i], right, 2e-6 + std::abs(right) * 0x1p-11 * 1.01) << v;
    }
}

}  // namespace
}  // namespace sinter::test
