// Fourier transforms against the sums of their definition: lengths with all kinds of factors, several axes, halves,
// norms, lengths that truncate and pad, and what is refused.
#include <sinter/fft.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>

namespace sinter::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using number = std::complex<double>;
using numbers = std::vector<number>;

class fourier : public on_devices {};

/// exp(sign 2 pi i k / n).
number root(std::int64_t k, std::int64_t n, int sign) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
    return {std::cos(angle), sign * std::sin(angle)};
}

/// The transform of the middle one of three axes, by its definition.
numbers transformed(const numbers& x, std::int64_t outer, std::int64_t n, std::int64_t inner, int sign) {
    numbers y(x.size()), roots;
    for (std::int64_t k = 0; k < n; ++k) roots.push_back(root(k, n, sign));
    for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t i = 0; i < inner; ++i)
            for (std::int64_t k = 0; k < n; ++k)
                for (std::int64_t j = 0; j < n; ++j)
                    y[static_cast<std::size_t>((o * n + k) * inner + i)] +=
                        x[static_cast<std::size_t>((o * n + j) * inner + i)] *
                        roots[static_cast<std::size_t>(j * k % n)];
    return y;
}

numbers scaled(numbers x, double factor) {
    for (number& z : x) z *= factor;
    return x;
}

template <class C>
std::vector<C> random_numbers(std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(-1, 1);
    std::vector<C> all(static_cast<std::size_t>(count));
    for (C& z : all) {
        const double re = part(random), im = part(random);
        if constexpr (std::is_floating_point_v<C>)
            z = static_cast<C>(re);
        else
            z = C(static_cast<typename C::value_type>(re), static_cast<typename C::value_type>(im));
    }
    return all;
}

template <class C>
numbers wide(const std::vector<C>& x) {
    numbers all;
    for (const C& z : x) all.push_back(number(z));
    return all;
}

/// That `found` is `want`, but for errors of the size that rounding gives.
template <class C>
void expect_near(const std::vector<C>& found, const numbers& want) {
    ASSERT_EQ(found.size(), want.size());
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        largest = std::max(largest, std::abs(want[i]));
        error = std::max(error, std::abs(number(found[i]) - want[i]));
    }
    constexpr double epsilon = std::is_same_v<C, float> || std::is_same_v<C, std::complex<float>> ? 6e-8 : 1.2e-16;
    EXPECT_LE(error, 24 * epsilon * largest);
}

template <class C>
void expect_lines(std::int64_t n) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<C>) << " " << n);
    using R = typename C::value_type;
    const auto values = random_numbers<C>(3 * n, 1);
    const array<C, 2> x = from_host(std::span<const C>(values), {3, n});
    expect_near(to_host(fft(x)), transformed(wide(values), 3, n, 1, -1));
    expect_near(to_host(ifft(x)), scaled(transformed(wide(values), 3, n, 1, 1), 1 / static_cast<double>(n)));

    const auto reals = random_numbers<R>(3 * n, 2);
    const array<R, 2> r = from_host(std::span<const R>(reals), {3, n});
    const numbers whole = transformed(wide(reals), 3, n, 1, -1);
    numbers half;
    for (std::int64_t row = 0; row < 3; ++row)
        for (std::int64_t k = 0; k <= n / 2; ++k) half.push_back(whole[static_cast<std::size_t>(row * n + k)]);
    const array<C, 2> spectrum = rfft(r);
    expect_near(to_host(spectrum), half);
    expect_near(to_host(irfft(spectrum, n)), wide(reals));
}

TEST_F(fourier, transforms_of_every_kind_of_length) {
    const auto lengths = emulated() ? std::vector<std::int64_t>{1, 2, 12, 17, 210}
                                    : std::vector<std::int64_t>{1,  2,  3,  4,  5,  6,  7,   8,   9,   11,  13, 15,
                                                                16, 17, 26, 32, 64, 97, 100, 210, 243, 289, 512};
    for (const std::int64_t n : lengths)
        if (!emulated() || n > 12) expect_lines<std::complex<float>>(n);
    for (const std::int64_t n : lengths)
        if (!emulated() || n <= 17) expect_lines<std::complex<double>>(n);
}

TEST_F(fourier, long_lines_take_several_passes) {
    for (const std::int64_t n : {std::int64_t{8192}, std::int64_t{5040}, std::int64_t{1} << 19}) {
        // of one element that is not 0, a spectrum is a wave
        const std::int64_t place = n / 3 + 1;
        const auto x = where(arange<std::int64_t>(n) == place, std::complex<float>(1), std::complex<float>(0));
        const auto found = to_host(fft(x));
        double error = 0;
        for (std::int64_t k = 0; k < n; ++k)
            error =
                std::max(error, std::abs(number(found[static_cast<std::size_t>(k)]) - root(place * (k % n), n, -1)));
        EXPECT_LE(error, 1e-6) << n;
        const array<float, 1> r = uniform<float>(random_key(3), {n});
        EXPECT_LE(item(max(abs(irfft(rfft(r), n) - r))), 2e-6) << n;
        if (emulated()) break;
    }
}

TEST_F(fourier, along_other_axes_and_several) {
    const std::int64_t a = 4, b = 6, c = 5;
    const auto values = random_numbers<number>(a * b * c, 4);
    const array<number, 3> x = from_host(std::span<const number>(values), {a, b, c});
    const numbers all = wide(values);
    const auto first = [&](const numbers& v, int sign) { return transformed(v, 1, a, b * c, sign); };
    const auto middle = [&](const numbers& v, int sign) { return transformed(v, a, b, c, sign); };
    const auto last = [&](const numbers& v, int sign) { return transformed(v, a * b, c, 1, sign); };
    expect_near(to_host(fft(x, axis=1)), middle(all, -1));
    expect_near(to_host(fft(x, axis=0_c)), first(all, -1));
    expect_near(to_host(fft2(x)), middle(last(all, -1), -1));
    expect_near(to_host(ifft2(x, axis={0, 2})), scaled(first(last(all, 1), 1), 1.0 / (a * c)));
    expect_near(to_host(fftn(x)), first(middle(last(all, -1), -1), -1));
    expect_near(to_host(ifftn(x, axis={2, 0, 1})), scaled(first(middle(last(all, 1), 1), 1), 1.0 / (a * b * c)));
    expect_near(to_host(ifftn(fftn(x, fft_norm::ortho), fft_norm::ortho)), all);
    const array<double, 3> r = real(x);
    expect_near(to_host(irfftn(rfftn(r), {a, b, c})), wide(to_host(r)));
    expect_near(to_host(irfft2(rfft2(r, axis={2, 1}), axis={2, 1})), wide(to_host(r)));
    const auto half = fftn(r)(sinter::all, sinter::all, range(0, c / 2 + 1));
    expect_near(to_host(rfftn(r)), wide(to_host(half)));
}

TEST_F(fourier, norms_divide_one_direction_or_both) {
    const auto values = random_numbers<number>(10, 5);
    const array<number, 1> x = from_host(std::span<const number>(values), {10});
    const numbers forward = transformed(wide(values), 1, 10, 1, -1);
    expect_near(to_host(fft(x, fft_norm::backward)), forward);
    expect_near(to_host(fft(x, fft_norm::ortho)), scaled(forward, 1 / std::sqrt(10.0)));
    expect_near(to_host(fft(x, fft_norm::forward)), scaled(forward, 0.1));
    for (const fft_norm n : {fft_norm::backward, fft_norm::ortho, fft_norm::forward}) {
        expect_near(to_host(ifft(fft(x, n), n)), wide(values));
        const array<double, 1> r = real(x);
        expect_near(to_host(irfft(rfft(r, n), n)), wide(to_host(r)));
        expect_near(to_host(hfft(ihfft(r, n), n)), wide(to_host(r)));
        expect_near(to_host(hfft(ihfft(r, 9, n), 9, n)), wide(to_host(r(range(0, 9)))));
    }
}

TEST_F(fourier, lengths_cut_and_append_zeros) {
    const array<double, 2> x = {{1, 2, 3}, {4, 5, 6}};
    EXPECT_THAT(to_host(reshape(real(fft(x, 2)), {4})), ElementsAre(3, -1, 9, -1));
    EXPECT_EQ(to_host(fft(x, 5)), to_host(fft(concat(x, zeros<double>({2, 2}), axis=1))));
    EXPECT_EQ(to_host(fft2(x, {3, 2})), to_host(fft2(concat(x(all, range(0, 2)), zeros<double>({1, 2}), axis=0))));
    EXPECT_EQ((irfft(rfft(x)).shape()[1]), 2);
    EXPECT_EQ(to_host(fft(zeros<double>({2, 0}), 2)), std::vector<number>(4));
    const array<number, 1> z = {number(1, 5), number(2, 3),
                                number(4, 7)};  // what is imaginary at both ends is not read
    const array<number, 1> known = {1, number(2, 3), 4};
    expect_near(to_host(irfft(z)), wide(to_host(irfft(known))));
    expect_near(to_host(irfft(z, 3)), wide(to_host(irfft(known(range(0, 2)), 3))));
}

TEST_F(fourier, dtypes_promote_to_complex_ones) {
    const array<float, 1> f = {1, 2};
    const array<int, 1> i = {1, 2};
    const array<float16, 1> h = {1, 2};
    static_assert(decltype(fft(f))::type == dtype::complex64 && decltype(fft(i))::type == dtype::complex128);
    static_assert(decltype(rfft(h))::type == dtype::complex64 && decltype(irfft(h))::type == dtype::float32);
    static_assert(decltype(hfft(i))::type == dtype::float64);
    EXPECT_THAT(to_host(real(fft(i))), ElementsAre(3, -1));
    EXPECT_THAT(to_host(real(rfft(h))), ElementsAre(3, -1));
}

TEST_F(fourier, are_a_step_and_what_surrounds_them_fuses) {
    const array<std::complex<float>, 2> x = zeros<std::complex<float>>({4, 8});
    const array<float, 1> w = zeros<float>({8});
    static_assert(launches<decltype(fft(x))> == 1);
    static_assert(launches<decltype(real(fft(x * w)))> == 3);
    EXPECT_EQ(explain(abs2(fft(x * w))).launches, 1) << "which the type does not tell";
    EXPECT_EQ(explain(fft(x)).launches, 1);
    EXPECT_EQ(explain(fft(x, axis=1)).launches, 1) << "an axis that is the last one needs no view";
    EXPECT_EQ(explain(fft2(x)).launches, 1);
    EXPECT_EQ(explain(fft(x, axis=0)).launches, 1) << "few elements are moved by the transform";
}

TEST_F(fourier, frequencies_and_shifts) {
    EXPECT_THAT(to_host(fftfreq(4, 0.5)), ElementsAre(0, 0.5, -1, -0.5));
    EXPECT_THAT(to_host(fftfreq(5)), ElementsAre(0, 0.2, 0.4, -0.4, -0.2));
    EXPECT_THAT(to_host(rfftfreq<float>(5, 0.2)), ElementsAre(0.f, 1.f, 2.f));
    EXPECT_THAT(to_host(fftshift(arange(5))), ElementsAre(3, 4, 0, 1, 2));
    EXPECT_THAT(to_host(ifftshift(fftshift(arange(5)))), ElementsAre(0, 1, 2, 3, 4));
    const array<int, 2> x = {{0, 1, 2}, {3, 4, 5}};
    EXPECT_THAT(to_host(reshape(fftshift(x), {6})), ElementsAre(5, 3, 4, 2, 0, 1));
    EXPECT_THAT(to_host(reshape(fftshift(x, axis=1), {6})), ElementsAre(2, 0, 1, 5, 3, 4));
}

TEST_F(fourier, keep_their_operand_and_run_in_graphs) {
    const auto values = random_numbers<number>(2 * 5, 6);
    const array<number, 2> z = from_host(std::span<const number>(values), {2, 5});
    const array<double, 2> back = irfft2(z);
    EXPECT_EQ(to_host(z), values);
    array<number, 2> y;
    const graph g = capture([&] { y = ifft(fft(z)); });
    g.launch();
    expect_near(to_host(y), wide(values));
}

template <class F>
std::string error_of(const F& f) {
    try {
        f();
    } catch (const error& e) {
        return e.what();
    }
    return "";
}

TEST_F(fourier, of_nothing_are_refused) {
    const array<double, 2> none({2, 0}), x({2, 3});
    EXPECT_THAT(error_of([&] { (void)fft(none); }), HasSubstr("no elements along a transformed axis"));
    EXPECT_THAT(error_of([&] { (void)fft(x, 0); }), HasSubstr("fft: the length of a transform is 0"));
    EXPECT_THAT(error_of([&] { (void)rfftn(x, {4, -1}); }), HasSubstr("rfftn: the length of a transform is -1"));
    EXPECT_THAT(error_of([&] { (void)irfft(x(all, range(0, 1))); }), HasSubstr("no elements along a transformed axis"));
    EXPECT_THAT(error_of([&] { (void)fft(x, axis=2); }), HasSubstr("fft"));
    EXPECT_THAT(error_of([&] { (void)fftfreq(0); }), HasSubstr("fftfreq: the length of a transform is 0"));
    EXPECT_EQ(to_host(fft(zeros<double>({0, 4}))).size(), 0u);
}

}  // namespace
}  // namespace sinter::test
