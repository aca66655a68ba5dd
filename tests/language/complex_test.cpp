// complex64 and complex128 against std::complex and naive loops: arithmetic, parts, reductions, layouts, conversions.
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>

using namespace sinter;

namespace {

template <class T>
std::vector<T> random_numbers(std::size_t n, unsigned seed) {
    using R = typename T::value_type;
    std::mt19937 random(seed);
    std::uniform_real_distribution<R> between(R(-2), R(2));
    std::vector<T> all;
    for (std::size_t i = 0; i < n; ++i) {
        const R re = between(random);
        all.emplace_back(re, between(random));
    }
    return all;
}

template <class T>
array<T, 1> line(const std::vector<T>& values) {
    return from_host(std::span<const T>(values), {values.size()});
}

using wide = std::complex<double>;

template <class T>
class complex_numbers : public test::on_devices {
protected:
    static constexpr double epsilon = std::numeric_limits<typename T::value_type>::epsilon();

    /// Every element within `roundings` roundings of a number as large as `size`, and no less than 1.
    template <class E, class F>
    static void expect(const E& e, std::size_t n, F want, double roundings = 8, double size = 1) {
        const auto got = to_host(e);
        ASSERT_EQ(got.size(), n);
        for (std::size_t i = 0; i < n; ++i) {
            const wide g(got[i]), w(want(i));
            ASSERT_LE(std::abs(g - w), roundings * epsilon * std::max(std::abs(w), size))
                << i << ": " << g << ", not " << w;
        }
    }
};
using complex_types = testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(complex_numbers, complex_types);

TYPED_TEST(complex_numbers, arithmetic) {
    using T = TypeParam;
    using R = typename T::value_type;
    for (std::size_t n : {1, 6, 1001}) {
        const auto a = random_numbers<T>(n, 1), b = random_numbers<T>(n, 2);
        const array<T, 1> x = line(a), y = line(b);
        const auto p = [&](std::size_t i) { return wide(a[i]); };
        const auto q = [&](std::size_t i) { return wide(b[i]); };
        this->expect(x + y, n, [&](auto i) { return p(i) + q(i); });
        this->expect(-x - y * x, n, [&](auto i) { return -p(i) - q(i) * p(i); });
        this->expect(x / y, n, [&](auto i) { return p(i) / q(i); });
        this->expect(square(x) * reciprocal(y), n, [&](auto i) { return p(i) * p(i) / q(i); });
        this->expect(T(0, 1) * x, n, [&](auto i) { return wide(0, 1) * p(i); });
        this->expect(2 * x + 0.5, n, [&](auto i) { return 2.0 * p(i) + 0.5; });
        this->expect(exp(x) * sqrt(y), n, [&](auto i) { return std::exp(p(i)) * std::sqrt(q(i)); });
        this->expect(where(real(x) > 0, x, y), n, [&](auto i) { return p(i).real() > 0 ? p(i) : q(i); });
        array<T, 1> z = x;
        z *= y;
        z += T(1, -1);
        this->expect(z, n, [&](auto i) { return p(i) * q(i) + wide(1, -1); });
        const auto same = to_host(x == where(imag(y) < 0, x, y)), other = to_host(x != x);
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_EQ(same[i], b[i].imag() < 0 || a[i] == b[i]);
            EXPECT_FALSE(other[i]);
        }
        const R real_value = to_host(real(x))[0];
        EXPECT_EQ(real_value, a[0].real());
    }
}

TYPED_TEST(complex_numbers, parts_and_polar_form) {
    using T = TypeParam;
    constexpr std::size_t n = 203;
    const auto a = random_numbers<T>(n, 3);
    const array<T, 1> z = line(a);
    const auto p = [&](std::size_t i) { return wide(a[i]); };
    this->expect(
        real(z), n, [&](auto i) { return p(i).real(); }, 0);
    this->expect(
        imag(z), n, [&](auto i) { return p(i).imag(); }, 0);
    this->expect(
        conj(z), n, [&](auto i) { return std::conj(p(i)); }, 0);
    this->expect(abs(z), n, [&](auto i) { return std::abs(p(i)); });
    this->expect(abs2(z), n, [&](auto i) { return std::norm(p(i)); });
    this->expect(arg(z), n, [&](auto i) { return std::arg(p(i)); });
    this->expect(abs(z) * exp(T(0, 1) * arg(z)), n, p, 16);
    // of real operands
    const auto x = real(z);
    this->expect(
        real(x), n, [&](auto i) { return p(i).real(); }, 0);
    this->expect(
        conj(x), n, [&](auto i) { return p(i).real(); }, 0);
    this->expect(
        imag(x), n, [&](auto) { return 0; }, 0);
    this->expect(arg(x), n, [&](auto i) { return p(i).real() < 0 ? std::acos(-1.0) : 0; });
}

TYPED_TEST(complex_numbers, of_two_parts) {
    using T = TypeParam;
    using R = typename T::value_type;
    constexpr std::size_t n = 203;
    const auto a = random_numbers<T>(n, 3);
    const array<T, 1> z = line(a);
    const auto p = [&](std::size_t i) { return wide(a[i]); };
    const array<R, 1> re = real(z), im = imag(z);
    static_assert(decltype(sinter::complex(re, im))::type == dtype_of<T>);
    this->expect(sinter::complex(re, im), n, p, 0);
    this->expect(
        sinter::complex(im, -0.5), n, [&](auto i) { return wide(p(i).imag(), -0.5); }, 0);
    this->expect(
        sinter::complex(2, re), n, [&](auto i) { return wide(2, p(i).real()); }, 0);
    this->expect(polar(abs(z), arg(z)), n, p, 16);
    this->expect(polar(re, 0.5), n, [&](auto i) { return p(i).real() * std::polar(1.0, 0.5); });
    this->expect(polar(2, im), n, [&](auto i) { return 2.0 * wide(std::cos(p(i).imag()), std::sin(p(i).imag())); });
    static_assert(std::is_same_v<decltype(sinter::complex(1, R(2))), T>);
    EXPECT_EQ(sinter::complex(1, R(2)), T(1, 2));
    // neither part touches the other
    constexpr R inf = std::numeric_limits<R>::infinity();
    const auto edge = to_host(sinter::complex(array<R, 1>{0, inf, R(-0.0)}, array<R, 1>{inf, -0.0, -inf}));
    EXPECT_EQ(edge, (std::vector<T>{T(0, inf), T(inf, -0.0), T(-0.0, -inf)}));
    EXPECT_TRUE(std::signbit(edge[1].imag()) && std::signbit(edge[2].real()));
}

TYPED_TEST(complex_numbers, signs_point_to_infinity) {
    using T = TypeParam;
    using R = typename T::value_type;
    constexpr R infinite = std::numeric_limits<R>::infinity(), none = std::numeric_limits<R>::quiet_NaN();
    const std::vector<T> z = {T(infinite, 0), T(-infinite, 5), T(3, infinite), T(none, -infinite), T(0, 0)};
    EXPECT_EQ(to_host(sign(line(z))), (std::vector<T>{1, -1, T(0, 1), T(0, -1), 0}));
    const auto undecided = to_host(sign(line(std::vector<T>{T(infinite, infinite), T(none, 1)})));
    for (const T& s : undecided) EXPECT_TRUE(std::isnan(s.real()) && std::isnan(s.imag()));
}

TYPED_TEST(complex_numbers, powers) {
    using T = TypeParam;
    const auto a = random_numbers<T>(97, 4), b = random_numbers<T>(97, 5);
    const array<T, 1> z = line(a), w = line(b);
    this->expect(
        pow(z, w), 97, [&](auto i) { return std::pow(wide(a[i]), wide(b[i])); }, 60);
    this->expect(pow(z, 3), 97, [&](auto i) { return wide(a[i]) * wide(a[i]) * wide(a[i]); });
    this->expect(
        pow(z, -2), 97, [&](auto i) { return 1.0 / (wide(a[i]) * wide(a[i])); }, 20);
    this->expect(
        pow(z, 0), 97, [&](auto) { return 1; }, 0);
    this->expect(
        pow(2, z), 97, [&](auto i) { return std::exp(wide(a[i]) * std::log(2.0)); }, 20);
    this->expect(log2(z), 97, [&](auto i) { return std::log(wide(a[i])) / std::log(2.0); });
    this->expect(log10(z), 97, [&](auto i) { return std::log(wide(a[i])) / std::log(10.0); });
    const array<T, 1> zero = full({3}, T(0));
    EXPECT_EQ(to_host(pow(zero, 2))[0], T(0));
    EXPECT_EQ(to_host(pow(zero, 0))[1], T(1));
    EXPECT_EQ(to_host(pow(zero, T(1, 1)))[2], T(0));
    EXPECT_TRUE(std::isnan(to_host(pow(zero, T(0, 1)))[2].real()));
    EXPECT_TRUE(std::isnan(to_host(pow(zero, T(-1, 1)))[2].imag()));
}

TYPED_TEST(complex_numbers, strided_and_broadcast) {
    using T = TypeParam;
    constexpr std::size_t rows = 11, columns = 23;
    const auto a = random_numbers<T>(rows * columns, 6), r = random_numbers<T>(columns, 7);
    const array<T, 2> x = from_host(std::span<const T>(a), {rows, columns});
    const array<T, 1> row = line(r);
    this->expect(transpose(x) * 2, rows * columns,
                 [&](auto i) { return 2.0 * wide(a[i % rows * columns + i / rows]); });
    this->expect(x - row, rows * columns, [&](auto i) { return wide(a[i]) - wide(r[i % columns]); });
    this->expect(
        conj(flip(x, axis=1)), rows * columns,
        [&](auto i) { return std::conj(wide(a[i / columns * columns + columns - 1 - i % columns])); }, 0);
    this->expect(
        x(range(1, end, 3), range(2, end, 2)), 4 * 11,
        [&](auto i) { return wide(a[(1 + i / 11 * 3) * columns + 2 + i % 11 * 2]); }, 0);
    array<T, 2> y = x;
    y = y + transpose(transpose(y)(range(0, end, -1), all)) * 0;
    this->expect(x(3, all)(newaxis, all) * row(all, newaxis), columns * columns,
                 [&](auto i) { return wide(a[3 * columns + i % columns]) * wide(r[i / columns]); });
}

/// The index of an element's result, in row-major order, where the axes in `mask` are reduced.
std::size_t index_of_result(unsigned mask, const std::size_t (&s)[3], std::size_t i, std::size_t j, std::size_t k) {
    std::size_t at = 0;
    if (!(mask & 1)) at = i;
    if (!(mask & 2)) at = at * s[1] + j;
    if (!(mask & 4)) at = at * s[2] + k;
    return at;
}

TYPED_TEST(complex_numbers, reductions_over_every_axis) {
    using T = TypeParam;
    constexpr std::size_t s[3] = {4, 19, 37};
    auto a = random_numbers<T>(s[0] * s[1] * s[2], 8);
    for (std::size_t i = 0; i < a.size(); i += 7) a[i] = 0;
    const array<T, 3> x = from_host(std::span<const T>(a), {s[0], s[1], s[2]});
    const auto at = [&](std::size_t i, std::size_t j, std::size_t k) { return wide(a[(i * s[1] + j) * s[2] + k]); };
    for (unsigned mask = 1; mask < 8; ++mask) {
        SCOPED_TRACE(mask);
        std::size_t kept = 1, folded = 1;
        for (int d = 0; d < 3; ++d) (mask >> d & 1 ? folded : kept) *= s[d];
        std::vector<std::complex<long double>> sums(kept);
        std::vector<long double> squares(kept), squared_distances(kept);
        std::vector<int> counts(kept);
        const auto each = [&](auto f) {
            for (std::size_t i = 0; i < s[0]; ++i)
                for (std::size_t j = 0; j < s[1]; ++j)
                    for (std::size_t k = 0; k < s[2]; ++k) f(index_of_result(mask, s, i, j, k), at(i, j, k));
        };
        each([&](std::size_t to, wide z) {
            sums[to] += z;
            squares[to] += std::norm(z);
            counts[to] += z != 0.0;
        });
        each([&](std::size_t to, wide z) { squared_distances[to] += std::norm(z - wide(sums[to]) / double(folded)); });
        const auto check = [&](auto... axes) {
            const double size = double(folded);
            this->expect(
                sum(x, axes...), kept, [&](auto o) { return wide(sums[o]); }, 2, size);
            this->expect(
                mean(x, axes...), kept, [&](auto o) { return wide(sums[o]) / size; }, 4);
            this->expect(
                norm(x, axes...), kept, [&](auto o) { return std::sqrt(squares[o]); }, 4, std::sqrt(size));
            this->expect(
                var(x, axes...), kept, [&](auto o) { return squared_distances[o] / size; }, 8, 2);
            this->expect(
                count_nonzero(x, axes...), kept, [&](auto o) { return counts[o]; }, 0);
            this->expect(
                sum(x, axes..., keepdims), kept, [&](auto o) { return wide(sums[o]); }, 2, size);
            const auto any_of = to_host(any(x, axes...)), all_of = to_host(sinter::all(x, axes...));
            for (std::size_t o = 0; o < kept; ++o) {
                EXPECT_EQ(any_of[o], counts[o] > 0);
                EXPECT_EQ(all_of[o], counts[o] == int(folded));
            }
        };
        switch (mask) {
            case 1: check(axis=0); break;
            case 2: check(axis=1); break;
            case 3: check(axis={0, 1}); break;
            case 4: check(axis=2); break;
            case 5: check(axis={0, 2}); break;
            case 6: check(axis={1, 2}); break;
            default: check();
        }
    }
}

// Of numbers on the unit circle, which stay there.
TYPED_TEST(complex_numbers, products) {
    using T = TypeParam;
    const auto angles = random_numbers<T>(300, 9);
    std::vector<T> units;
    wide product = 1;
    for (const T& z : angles) {
        units.push_back(T(std::polar(1.0, double(z.real()))));
        product *= wide(units.back());
    }
    this->expect(
        prod(line(units)), 1, [&](auto) { return product; }, 300);
}

// The forms of long reductions: a group that several blocks share, with a ticket or with barriers, and columns.
TYPED_TEST(complex_numbers, long_groups) {
    using T = TypeParam;
    const auto a = random_numbers<T>(3 * 40001, 10);
    const auto check = [&](std::size_t rows, std::size_t columns, int reduced) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", axis " << reduced);
        const std::vector<T> values(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(rows * columns));
        const array<T, 2> x = from_host(std::span<const T>(values), {rows, columns});
        std::vector<std::complex<long double>> sums(reduced ? rows : columns);
        std::vector<long double> squares(sums.size());
        const auto group = [&](std::size_t i) { return reduced ? i / columns : i % columns; };
        for (std::size_t i = 0; i < values.size(); ++i) {
            sums[group(i)] += wide(values[i]);
            squares[group(i)] += std::norm(wide(values[i]));
        }
        const double size = double(values.size() / sums.size());
        this->expect(
            sum(x, axis=reduced), sums.size(), [&](auto o) { return wide(sums[o]); }, 2, size);
        this->expect(
            x - sum(x, axis=reduced, keepdims), values.size(),
            [&](auto i) { return wide(values[i]) - wide(sums[group(i)]); }, 2, size);
        this->expect(
            sum(x * conj(x), axis=reduced) + sum(x, axis=reduced), sums.size(),
            [&](auto o) { return squares[o] + sums[o]; }, 4, 4 * size);
    };
    check(1, 120003, 1);
    check(3, 40001, 1);
    check(40001, 3, 0);
    check(300, 200, 0);
    check(200, 300, 1);
    check(20000, 5, 1);
}

TYPED_TEST(complex_numbers, conversions) {
    using T = TypeParam;
    using R = typename T::value_type;
    const array<T, 1> z = line(std::vector<T>{T(1.5, 2), T(-3, 0), T(0, -1), T(0, 0)});
    EXPECT_EQ(to_host(astype<R>(z)), (std::vector<R>{R(1.5), -3, 0, 0}));
    EXPECT_EQ(to_host(astype<int>(z)), (std::vector<int>{1, -3, 0, 0}));
    EXPECT_EQ(to_host(astype<bool>(z)), (std::vector<bool>{true, true, true, false}));
    EXPECT_EQ(to_host(!z), (std::vector<bool>{false, false, false, true}));
    EXPECT_EQ(static_cast<float>(to_host(astype<float16>(z))[0]), 1.5f);
    const array<std::complex<double>, 1> upwards = z;
    const array<std::complex<float>, 1> narrow = upwards;
    EXPECT_EQ(to_host(upwards)[0], std::complex<double>(1.5, 2));
    EXPECT_EQ(to_host(narrow)[2], std::complex<float>(0, -1));
    const array<T, 1> from_int = arange<int>(3) * z(range(0, 3));
    EXPECT_EQ(to_host(from_int)[1], T(-3, 0));
    const array<T, 1> assigned = arange<int>(3);
    EXPECT_EQ(to_host(assigned)[2], T(2, 0));
    const auto mixed = to_host(real(z) + T(0, 1));
    EXPECT_EQ(mixed[0], T(1.5, 1));
}

TYPED_TEST(complex_numbers, none_and_one) {
    using T = TypeParam;
    const array<T, 2> none({0, 3});
    EXPECT_TRUE(to_host(none * T(0, 1)).empty());
    EXPECT_EQ(to_host(sum(none, axis=0))[2], T(0));
    EXPECT_EQ(to_host(prod(none, axis=0))[1], T(1));
    EXPECT_TRUE(std::isnan(item(mean(none)).real()));
    const array<T, 0> i = broadcast_to(T(0, 1), shape<0>());
    EXPECT_EQ(item(i * i), T(-1, 0));
    const array<T, 1> braces = {{1, 2}, {3, 4}};
    EXPECT_EQ(to_host(braces)[1], T(3, 4));
    EXPECT_EQ(item(sum(braces)), T(4, 6));
    EXPECT_EQ(to_host(zeros<T>({2}) + 1)[1], T(1));
}

class complex_and_real : public test::on_devices {};

TEST_F(complex_and_real, scalars_of_both_widths_fit_one_kernel) {
    const array<double, 1> x = full({5}, 0.5);
    const std::complex<double> a(1.25, -2), b(0.1, 0.2);
    EXPECT_EQ(to_host(x * a + b)[3], 0.5 * a + b);
    const array<std::complex<double>, 2> filled = full({3, 4}, a);
    EXPECT_EQ(to_host(filled)[11], a);
}

TEST_F(complex_and_real, kernels_get_the_functions_they_use) {
    if (test::test_device_name() == "host") GTEST_SKIP() << "the host has no kernels";
    const array<std::complex<float>, 1> z = full({4096}, std::complex<float>(1, 2));
    const std::string text = source(exp(z) + 1), real_text = source(exp(real(z)) + 1),
                      none = source(exp(abs2(real(z))));
    EXPECT_NE(text.find("complex<R> exp(const complex<R> z)"), std::string::npos) << text;
    EXPECT_EQ(text.find("acosh"), std::string::npos) << text;
    EXPECT_NE(real_text.find("x0.re"), std::string::npos) << real_text;
    const array<float, 1> x = full({4096}, 1.f);
    EXPECT_EQ(source(exp(x)).find("complex"), std::string::npos);
}

}  // namespace
