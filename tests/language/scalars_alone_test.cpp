// Functions of C++ scalars only: they give the values and types of an array of rank 0 on the host.
#include <gtest/gtest.h>
#include <sinter.hpp>

#include <cmath>

SINTER_UNARY(own_softsign, floating, x / (T(1) + abs(x)))
SINTER_BINARY(own_difference, same, x > y ? x - y : y - x)

namespace sinter {
namespace {

template <class T>
array<T, 0> rank_0(T value) {
    return broadcast_to(value, shape<0>());
}

/// Whether two numbers are of one type and have the same value, NaN being one.
template <class A, class B>
bool same(A a, B b) {
    static_assert(std::is_same_v<A, B>);
    if constexpr (is_complex(dtype_of<A>))
        return same(a.real(), b.real()) && same(a.imag(), b.imag());
    else if constexpr (is_storage_only(dtype_of<A>))
        return same(static_cast<float>(a), static_cast<float>(b));
    else if constexpr (std::is_floating_point_v<A>)
        return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
    else
        return a == b;
}

// The name is qualified: unqualified, C's function for the very type is another.
#define EXPECT_AS_ARRAY_1(f) \
    for_each_number([](auto x) { EXPECT_TRUE(same(sinter::f(x), item(sinter::f(rank_0(x))))) << #f; })
#define EXPECT_AS_ARRAY_2(f)                                                                                       \
    for_each_number([](auto x) {                                                                                   \
        EXPECT_TRUE(same(sinter::f(x, x), item(sinter::f(rank_0(x), rank_0(x))))) << #f;                           \
        EXPECT_TRUE(same(sinter::f(x, decltype(x)(3)), item(sinter::f(rank_0(x), rank_0(decltype(x)(3)))))) << #f; \
    })

template <class F>
void for_each_number(F f) {
    const device_scope on(host());
    for (const double x : {-2.5, -0.0, 0.5, 1.0, 3.0}) f(x);
    for (const float x : {-0.7F, 0.3F, 2.5F}) f(x);
    for (const int x : {-7, 0, 12}) f(x);
    f(std::uint8_t{200});
    f(float16(0.3F));
}

TEST(scalars_alone, functions_of_one) {
    EXPECT_AS_ARRAY_1(abs);
    EXPECT_AS_ARRAY_1(sign);
    EXPECT_AS_ARRAY_1(square);
    EXPECT_AS_ARRAY_1(reciprocal);
    EXPECT_AS_ARRAY_1(negative);
    EXPECT_AS_ARRAY_1(exp);
    EXPECT_AS_ARRAY_1(log);
    EXPECT_AS_ARRAY_1(sqrt);
    EXPECT_AS_ARRAY_1(sin);
    EXPECT_AS_ARRAY_1(tanh);
    EXPECT_AS_ARRAY_1(floor);
    EXPECT_AS_ARRAY_1(round);
    EXPECT_AS_ARRAY_1(normcdf);
    EXPECT_AS_ARRAY_1(isnan);
    EXPECT_AS_ARRAY_1(signbit);
}

TEST(scalars_alone, functions_of_several) {
    EXPECT_AS_ARRAY_2(maximum);
    EXPECT_AS_ARRAY_2(fmin);
    EXPECT_AS_ARRAY_2(pow);
    EXPECT_AS_ARRAY_2(hypot);
    EXPECT_AS_ARRAY_2(remainder);
    EXPECT_AS_ARRAY_2(floor_divide);
    EXPECT_AS_ARRAY_2(logical_or);
    EXPECT_TRUE(same(clip(7, 0, 5), 5));
    EXPECT_TRUE(same(clip(0.5F, 1, 2), 1.0F));
    EXPECT_TRUE(same(maximum(1, 2.5F), 2.5F));
    EXPECT_TRUE(same(gcd(12, 18), 6));
    EXPECT_TRUE(same(where(true, 1.0, 2), 1.0));
    EXPECT_TRUE(same(where(0, 1, 2.5F), 2.5F));
    EXPECT_TRUE(same(maximum(-1, std::uint64_t{1}), 1.0));  // as arrays of int32 and uint64
}

TEST(scalars_alone, composite_functions) {
    EXPECT_AS_ARRAY_1(relu);
    EXPECT_AS_ARRAY_1(gelu);
    EXPECT_AS_ARRAY_1(sigmoid);
    EXPECT_AS_ARRAY_1(softplus);
    EXPECT_AS_ARRAY_1(deg2rad);
    EXPECT_AS_ARRAY_1(sinc);
    EXPECT_TRUE(same(leaky_relu(-2.0F, 0.5), -1.0F));
    EXPECT_TRUE(same(sinter::round(1.25, 1), 1.2));
    EXPECT_TRUE(isclose(1.0, 1.0 + 1e-9));
    EXPECT_TRUE(same(nan_to_num(NaN), 0.0));
}

TEST(scalars_alone, complex_numbers) {
    using complex = std::complex<double>;
    const device_scope on(host());
    const complex z(3, -4);
    EXPECT_TRUE(same(sinter::abs(z), 5.0));
    EXPECT_TRUE(same(sinter::real(z), 3.0));
    EXPECT_TRUE(same(sinter::conj(z), complex(3, 4)));
    EXPECT_TRUE(same(polar(-2, 0.0), std::complex<double>(-2, -0.0)));
    EXPECT_TRUE(same(polar(2.f, 0), std::complex<float>(2, 0)));
    EXPECT_TRUE(same(sinter::abs2(z), 25.0));
    EXPECT_TRUE(same(sinter::exp(z), item(sinter::exp(rank_0(z)))));
    EXPECT_TRUE(same(sinter::square(std::complex<float>(0, 1)), std::complex<float>(-1, 0)));
}

TEST(scalars_alone, functions_of_ones_own) {
    EXPECT_TRUE(same(own_softsign(1.0F), 0.5F));
    EXPECT_TRUE(same(own_softsign(-1), -0.5));
    EXPECT_TRUE(same(own_difference(3, 5), 2));
}

// What needs no function of <cmath> is a constant where its operands are.
static_assert(sinter::abs(-1.5) == 1.5 && sinter::abs(-2) == 2 && maximum(1, 2.5) == 2.5 && clip(7, 0, 5) == 5);
static_assert(sign(-3.0) == -1 && square(1.5) == 2.25 && popcount(7U) == 3 && where(false, 1, 2) == 2);

}  // namespace
}  // namespace sinter

// As a user sees them: C's abs of an int is not taken for a double's.
namespace of_a_user {
using namespace sinter;
static_assert(abs(-1.5) == 1.5 && abs(-2.5F) == 2.5F && std::is_same_v<decltype(abs(-1)), int>);
}  // namespace of_a_user
