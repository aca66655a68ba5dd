// Medians, quantiles, searches, distinct elements and sets, against the values of NumPy 2.4.
#include <sinter/quantile.hpp>
#include <sinter/unique.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

namespace sinter::test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;
using testing::Pointwise;

class quantiles : public on_devices {
protected:
    array<double, 2> x_() const { return {{3, 1, 4, 1.5}, {9, 2.5, 6, 5}, {3, 5, 8, -7}}; }
};

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

TEST_F(quantiles, by_every_method) {
    using enum quantile_method;
    const std::map<quantile_method, std::vector<double>> expected = {
        {linear, {-7, 1.05, 2.25, 3.5, 5.47, 9}},
        {lower, {-7, 1, 1.5, 3, 5, 9}},
        {higher, {-7, 1.5, 2.5, 4, 6, 9}},
        {nearest, {-7, 1, 2.5, 4, 5, 9}},
        {midpoint, {-7, 1.25, 2, 3.5, 5.5, 9}},
        {inverted_cdf, {-7, 1, 1.5, 3, 6, 9}},
        {averaged_inverted_cdf, {-7, 1, 2, 3.5, 6, 9}},
        {closest_observation, {-7, -7, 1.5, 3, 5, 9}},
        {interpolated_inverted_cdf, {-7, -5.4, 1.5, 3, 5.24, 9}},
        {hazen, {-7, -1.4, 2, 3.5, 5.74, 9}},
        {weibull, {-7, -4.6, 1.75, 3.5, 6.02, 9}},
        {median_unbiased, {-7, -2.466666666666666, 1.916666666666667, 3.5, 5.83, 9}},
        {normal_unbiased, {-7, -2.2, 1.9375, 3.5, 5.8075, 9}},
    };
    const auto x = x_();
    for (const auto& [method, values] : expected) {
        SCOPED_TRACE(static_cast<int>(method));
        std::vector<double> found;
        for (const double q : {0., 0.1, 0.25, 0.5, 0.77, 1.}) found.push_back(item(quantile(x, q, method)));
        EXPECT_THAT(found, Pointwise(DoubleNear(1e-14), values));
        if (emulated()) break;
    }
}

TEST_F(quantiles, along_axes) {
    const auto x = x_();
    EXPECT_THAT(to_host(median(x, axis=0)), ElementsAre(3, 2.5, 6, 1.5));
    EXPECT_THAT(to_host(median(x, axis=-1)), ElementsAre(2.25, 5.5, 4));
    EXPECT_THAT(to_host(quantile(x, 0.3, axis=1)), Pointwise(DoubleNear(1e-14), {1.45, 4.75, 2.}));
    EXPECT_THAT(to_host(percentile(x, 85, axis=0)), Pointwise(DoubleNear(1e-14), {7.2, 4.25, 7.4, 3.95}));
    EXPECT_EQ(median(x, axis=1, keepdims).shape(), (shape<2>(3, 1)));
    EXPECT_EQ(median(x, keepdims).shape(), (shape<2>(1, 1)));
    EXPECT_EQ(item(sum(abs(x - median(x, axis=1, keepdims)))), 4.5 + 7.5 + 17);
    const array<double, 3> cube = reshape(x, {3, 2, 2});
    EXPECT_THAT(to_host(median(cube, axis={1, 2})), ElementsAre(2.25, 5.5, 4));
    EXPECT_THAT(to_host(median(cube, axis={0, 2})), ElementsAre(3, 4.5));
    EXPECT_EQ(item(median(astype<int>(x))), 3.5);
    EXPECT_EQ(float(item(median(array<float16, 1>{float16(1.0f), float16(2.0f)}))), 1.5f);
}

TEST_F(quantiles, of_nan_infinity_and_nothing) {
    const array<double, 2> x = {{nan_value, 3, 1}, {nan_value, nan_value, nan_value}, {5, 2, 9}};
    EXPECT_THAT(to_host(median(x, axis=1)), ElementsAre(IsNan(), IsNan(), 5));
    EXPECT_THAT(to_host(nanmedian(x, axis=1)), ElementsAre(2, IsNan(), 5));
    EXPECT_THAT(to_host(nanquantile(x, 0.25, axis=1)), ElementsAre(1.5, IsNan(), 3.5));
    EXPECT_EQ(item(nanmedian(x)), 3);
    constexpr double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(item(median(array<double, 1>{infinite, 1, infinite, infinite})), infinite);
    EXPECT_EQ(item(median(array<double, 1>{1, -infinite})), -infinite);
    EXPECT_TRUE(std::isnan(item(median(array<double, 1>{infinite, -infinite}))));
    EXPECT_EQ(item(nanmedian(array<float, 1>{2, NaN, inf, 1})), 2);
    EXPECT_EQ(item(nanmedian(array<double, 1>{-infinite, nan_value, 1})), -infinite);
    // an element by itself has no part of its neighbour
    const array<double, 1> ends = {-infinite, 1, 5, infinite};
    EXPECT_EQ(item(quantile(ends, 1. / 3)), 1);
    EXPECT_EQ(item(quantile(ends, 0.0, quantile_method::lower)), -infinite);
    EXPECT_EQ(item(quantile(ends, 0.6, quantile_method::higher)), 5);
    EXPECT_EQ(item(percentile(ends, 75, quantile_method::inverted_cdf)), 5);
    EXPECT_TRUE(std::isnan(item(quantile(array<double, 1>{1, nan_value}, 0.0))));
    EXPECT_THROW(static_cast<void>(median(zeros<double>({0, 3}), axis=0)), error);
    EXPECT_EQ(median(zeros<double>({0, 3}), axis=1).shape(), (shape<1>(0)));
    EXPECT_THROW(static_cast<void>(quantile(x, 1.5)), error);
    EXPECT_THROW(static_cast<void>(quantile(x, nan_value)), error);
    EXPECT_EQ(message_of([&] { static_cast<void>(percentile(x, 150)); }), "percentile: 150 is not between 0 and 100");
}

TEST_F(quantiles, pass_gradients_on) {
    const array<double, 1> x = {3, 1, 2, 10};
    EXPECT_THAT(to_host(grad(median(x), x)), ElementsAre(0.5, 0, 0.5, 0));
    EXPECT_THAT(to_host(grad(max(topk(x, 2)) + sum(topk(x, 2)), x)), ElementsAre(1, 0, 0, 2));
}

class selections : public on_devices {};

TEST_F(selections, take_the_greatest_first) {
    const array<float, 2> x = {{3, 1, 4, 1}, {5, 9, 2, 6}};
    EXPECT_THAT(to_host(reshape(topk(x, 2), {4})), ElementsAre(4, 3, 9, 6));
    EXPECT_THAT(to_host(reshape(argtopk(x, 3), {6})), ElementsAre(2, 0, 1, 1, 3, 0));
    EXPECT_THAT(to_host(reshape(topk(x, 1, axis=0), {4})), ElementsAre(5, 9, 4, 6));
    EXPECT_EQ(topk(x, 0).shape(), (shape<2>(2, 0)));
    EXPECT_THAT(to_host(reshape(rank_of(x), {8})), ElementsAre(2, 0, 3, 1, 1, 3, 0, 2));
    try {
        static_cast<void>(topk(x, 5));
        FAIL();
    } catch (const error& e) {
        EXPECT_STREQ(e.what(), "topk: 5 elements requested along axis 1 of shape (2, 4); request 0 to 4");
    }
}

TEST_F(selections, sort_by_several_keys) {
    const array<int, 1> first = {1, 5, 1, 4, 3, 4, 4}, last = {9, 4, 0, 4, 0, 2, 1};
    EXPECT_THAT(to_host(lexsort(first, last)), ElementsAre(2, 4, 6, 5, 3, 1, 0));
    EXPECT_THAT(to_host(lexsort(last)), ElementsAre(2, 4, 6, 5, 1, 3, 0));
}

class searches : public on_devices {};

TEST_F(searches, find_places_and_bins) {
    const array<int, 1> s = {1, 2, 2, 4}, x = {0, 1, 2, 3, 4, 5}, edges = {1, 2, 4};
    EXPECT_THAT(to_host(searchsorted(s, x)), ElementsAre(0, 0, 1, 3, 3, 4));
    EXPECT_THAT(to_host(searchsorted(s, x, side::right)), ElementsAre(0, 1, 3, 3, 4, 4));
    EXPECT_THAT(to_host(searchsorted(s, x + 0.5)), ElementsAre(0, 1, 3, 3, 4, 4));
    EXPECT_EQ(item(searchsorted(s, 3)), 3);
    EXPECT_THAT(to_host(digitize(x, edges)), ElementsAre(0, 1, 2, 2, 3, 3));
    EXPECT_THAT(to_host(digitize(x, edges, side::right)), ElementsAre(0, 0, 1, 2, 2, 3));
    EXPECT_THAT(to_host(searchsorted(zeros<int>(0), x)), ElementsAre(0, 0, 0, 0, 0, 0));
    const array<double, 1> with_nan = {1, 2, nan_value};
    EXPECT_THAT(to_host(searchsorted(with_nan, array<double, 1>{-0.0, 3, nan_value})), ElementsAre(0, 2, 2));
    EXPECT_EQ(searchsorted(s, reshape(x, {2, 3})).shape(), (shape<2>(2, 3)));
}

/// In arrays of any length, of which shared memory holds all elements or every n-th.
template <class T>
void expect_places(std::int64_t length, std::int64_t count) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << ": " << count << " in " << length);
    std::mt19937 random(static_cast<unsigned>(length));
    std::vector<T> sorted(static_cast<std::size_t>(length)), x(static_cast<std::size_t>(count));
    for (T& v : sorted) v = static_cast<T>(random() % 30000);
    std::sort(sorted.begin(), sorted.end());
    for (T& v : x) v = static_cast<T>(random() % 30001);
    x.back() = std::numeric_limits<T>::max();
    if constexpr (!std::is_integral_v<T>) {
        sorted.back() = x.front() = std::numeric_limits<T>::quiet_NaN();
        x.back() = std::numeric_limits<T>::infinity();
    }
    const auto precedes = [](T a, T b) { return a < b || (b != b && a == a); };
    std::vector<std::int64_t> left, right;
    for (const T v : x) {
        left.push_back(std::lower_bound(sorted.begin(), sorted.end(), v, precedes) - sorted.begin());
        right.push_back(std::upper_bound(sorted.begin(), sorted.end(), v, precedes) - sorted.begin());
    }
    const auto s = from_host(sorted), values = from_host(x);
    EXPECT_EQ(to_host(searchsorted(s, values)), left);
    EXPECT_EQ(to_host(searchsorted(s, values, side::right)), right);
}

TEST_F(searches, in_arrays_of_all_lengths) {
    for (const std::int64_t length : {1, 3, 4, 255, 4095, 4096, 50000}) expect_places<float>(length, 1025);
    for (const std::int64_t length : {4, 4096}) expect_places<std::int32_t>(length, 300);  // some follow all
    expect_places<std::uint8_t>(300, 1000);
    expect_places<double>(5000, 999);
    expect_places<float>(5000, 3);  // few values
    expect_places<std::int32_t>(5000, 39);
    expect_places<double>(5000, 40);
    if (emulated()) return;
    expect_places<std::int64_t>(100001, 2000003);
    expect_places<std::uint16_t>(8191, 77777);
}

TEST_F(searches, interpolate) {
    const array<double, 1> px = {1, 2, 4}, py = {10, 20, 0}, x = {0, 1, 1.5, 2, 3, 4, 9, nan_value};
    EXPECT_THAT(to_host(interp(x, px, py)), ElementsAre(10, 10, 15, 20, 10, 0, 0, IsNan()));
    EXPECT_THAT(to_host(interp(x, px(range(0, 1)), py(range(0, 1)))), ElementsAre(10, 10, 10, 10, 10, 10, 10, IsNan()));
}

/// NumPy's values at steps, and beside infinite points.
TEST_F(searches, interpolate_at_steps_and_infinities) {
    const double inf = std::numeric_limits<double>::infinity();
    const array<double, 1> px = {1, 1, 2, 2}, py = {10, 20, 30, 40}, x = {0, 1, 1.5, 2, 3};
    EXPECT_THAT(to_host(interp(x, px, py)), ElementsAre(10, 20, 25, 40, 40));
    const array<double, 1> qx = {0, 1, 2, 3, 4}, qy = {inf, 1, inf, inf, 5}, y = {0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4};
    EXPECT_THAT(to_host(interp(y, qx, qy)), ElementsAre(inf, inf, 1, inf, inf, inf, inf, inf, 5));
    EXPECT_THAT(to_host(interp(y(range(0, 3)), qx, array<double, 1>{1, -inf, 0, nan_value, 0})),
                ElementsAre(1, -inf, -inf));
    EXPECT_THAT(to_host(interp(astype<float>(y), astype<float>(qx), astype<float>(qy))),
                ElementsAre(inf, inf, 1, inf, inf, inf, inf, inf, 5));
}

/// Numbers of different dtypes are compared as by == and <, which round no integer of 32 bits and wrap no sign.
TEST_F(searches, compare_numbers_of_different_dtypes) {
    const array<int, 1> i = {16777217, 16777216, 3};
    const array<float, 1> f = {3, 16777216};
    EXPECT_EQ(to_host(isin(i, f)), (std::vector<bool>{false, true, true}));
    EXPECT_THAT(to_host(searchsorted(f, i)), ElementsAre(2, 1, 0));
    EXPECT_THAT(to_host(digitize(i, f)), ElementsAre(2, 2, 1));
    const std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();
    const auto beyond = static_cast<std::uint64_t>(most) + 1;
    const array<std::int64_t, 1> s = {least, -1, 5, most - 1, most};
    const array<std::uint64_t, 1> u = {5, beyond - 1, beyond, std::numeric_limits<std::uint64_t>::max()};
    EXPECT_THAT(to_host(searchsorted(s, u)), ElementsAre(2, 4, 5, 5));
    EXPECT_THAT(to_host(searchsorted(s, u, side::right)), ElementsAre(3, 5, 5, 5));
    EXPECT_THAT(to_host(searchsorted(u, s)), ElementsAre(0, 0, 0, 1, 1));
    EXPECT_EQ(to_host(isin(s, u)), (std::vector<bool>{false, false, true, false, true}));
    EXPECT_EQ(to_host(isin(u, s)), (std::vector<bool>{true, true, false, false}));
    EXPECT_EQ(to_host(isin(array<std::int8_t, 1>{-1, 5}, u)), (std::vector<bool>{false, true}));
}

/// Between many points, and few; with steps, where two points have one x.
template <class T>
void expect_interpolated(std::int64_t points) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << ", " << points << " points");
    std::mt19937 random(static_cast<unsigned>(points));
    std::vector<T> px(static_cast<std::size_t>(points)), py(px.size()), x(1500);
    for (T& v : px) v = static_cast<T>(random() % 5000) / 4;
    for (T& v : py) v = static_cast<T>(random() % 1000);
    std::sort(px.begin(), px.end());
    for (T& v : x) v = static_cast<T>(random() % 10400) / 8 - 20;
    const auto found = to_host(interp(from_host(x), from_host(px), from_host(py)));
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto at = static_cast<std::size_t>(std::upper_bound(px.begin(), px.end(), x[i]) - px.begin());
        const double wanted = x[i] < px.front() ? py.front()
                              : x[i] >= px.back()
                                  ? py.back()
                                  : py[at - 1] + (x[i] - px[at - 1]) * static_cast<double>(py[at] - py[at - 1]) /
                                                     static_cast<double>(px[at] - px[at - 1]);
        ASSERT_NEAR(found[i], wanted, 1e-3) << x[i];
    }
}

TEST_F(searches, interpolate_between_any_number_of_points) {
    for (const std::int64_t points : {2, 17, 1024, 1025}) expect_interpolated<float>(points);
    expect_interpolated<double>(1024);
    expect_interpolated<double>(20000);
}

TEST_F(searches, interpolate_with_gradients) {
    const array<double, 1> px = {1, 2, 4}, py = {10, 20, 0};
    const array<double, 2> x = {{0, 1.25, 2.5}, {9, 3, 1.5}}, w = {{1, 2, 3}, {4, 5, 6}};
    const auto y = sum(w * interp(x, px, py));
    EXPECT_THAT(to_host(reshape(grad(y, x), {6})), ElementsAre(0, 20, -30, 0, -50, 60));
    EXPECT_THAT(to_host(grad(y, py)), ElementsAre(5.5, 0.5 + 2.25 + 2.5 + 3, 0.75 + 2.5 + 4));
    EXPECT_THAT(to_host(grad(y, px)), ElementsAre(-45, 2 * -2.5 + 22.5 + 25 - 30, 7.5 + 25));
}

TEST_F(searches, interpolate_refuses) {
    const array<float, 1> x = {1, 2}, none = zeros<float>(0);
    EXPECT_THROW((void)interp(x, none, none), error);
    EXPECT_THROW((void)interp(x, x, x(range(0, 1))), error);
}

TEST_F(searches, tell_members) {
    const array<double, 1> x = {1, 2, -0.0, nan_value}, among = {2, 0, nan_value, 7};
    EXPECT_THAT(to_host(astype<int>(isin(x, among))), ElementsAre(0, 1, 1, 0));
    EXPECT_THAT(to_host(astype<int>(isin(x, zeros<double>({2, 0})))), ElementsAre(0, 0, 0, 0));
}

TEST_F(searches, find_what_is_distinct) {
    const array<int, 2> x = {{3, 1, 2}, {3, 1, 3}};
    const auto u = unique_all(x);
    EXPECT_THAT(to_host(u.values), ElementsAre(1, 2, 3));
    EXPECT_THAT(to_host(u.indices), ElementsAre(1, 2, 0));
    EXPECT_THAT(to_host(u.inverse), ElementsAre(2, 0, 1, 2, 0, 2));
    EXPECT_THAT(to_host(u.counts), ElementsAre(2, 1, 3));
    const array<double, 1> odd = {nan_value, 0.0, nan_value, -0.0, 1};
    EXPECT_THAT(to_host(unique(odd)), ElementsAre(0, 1, IsNan()));
    EXPECT_THAT(to_host(unique_all(odd).counts), ElementsAre(2, 1, 2));
    EXPECT_EQ(unique(zeros<float>({0, 4})).shape(), (shape<1>(0)));
    EXPECT_THAT(to_host(unique(array<double, 1>{5})), ElementsAre(5));
}

TEST_F(searches, treat_arrays_as_sets) {
    const array<int, 1> a = {1, 3, 4, 3, 9}, b = {3, 2, 1, 2};
    EXPECT_THAT(to_host(union1d(a, b)), ElementsAre(1, 2, 3, 4, 9));
    EXPECT_THAT(to_host(intersect1d(a, b)), ElementsAre(1, 3));
    EXPECT_THAT(to_host(setdiff1d(a, b)), ElementsAre(4, 9));
    EXPECT_THAT(to_host(setxor1d(a, b)), ElementsAre(2, 4, 9));
    EXPECT_EQ(intersect1d(a, zeros<int>(0)).shape(), (shape<1>(0)));
}

}  // namespace
}  // namespace sinter::test
