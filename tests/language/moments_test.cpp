// Variances and functions built on them, in one pass: far from zero, with outliers, of rows and columns of every
// length, masked, packed, empty, and where kernels pass on the moments themselves.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sinter::test {
namespace {

class variances : public on_devices {};

/// The variance over the axes of a mask, in long double: the definition, in two passes over the distances from the
/// first element.
naive exact_var(const naive& a, unsigned mask, double less = 0) {
    naive count = fold(a, mask, true, 0, [](double n, double) { return n + 1; });
    index kept = count.shape;
    std::vector<long double> mean(count.values.size()), squares(count.values.size());
    const naive first = fold(a, mask, true, nan_value, [](double p, double q) { return std::isnan(p) ? q : p; });
    const auto each = [&](auto f) {
        for_each_index(a.shape, [&](const index& at) {
            std::size_t to = 0;
            for (std::size_t d = 0; d < at.size(); ++d)
                to = to * static_cast<std::size_t>(kept[d]) + static_cast<std::size_t>(kept[d] == 1 ? 0 : at[d]);
            f(to, static_cast<long double>(a[at]) - static_cast<long double>(first.values[to]));
        });
    };
    each([&](std::size_t to, long double v) { mean[to] += v; });
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] /= static_cast<long double>(count.values[i]);
    each([&](std::size_t to, long double v) { squares[to] += (v - mean[to]) * (v - mean[to]); });
    naive result = fold(a, mask, false, 0, [](double, double) { return 0.0; });
    for (std::size_t i = 0; i < squares.size(); ++i)
        result.values[i] = static_cast<double>(squares[i] / std::max<long double>(count.values[i] - less, 0));
    return result;
}

/// Noise around an offset, as T holds it.
template <class T>
naive around(T offset, const index& shape, unsigned seed) {
    naive a = random(shape, seed);
    for (double& v : a.values) v = static_cast<double>(static_cast<T>(v) + offset);
    return a;
}

/// Relative differences of positive values.
template <class Tree>
void expect_close(const expr<Tree>& e, const naive& expected, double allowed) {
    const auto got = to_host(e);
    ASSERT_EQ(got.size(), expected.values.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(static_cast<double>(got[i]), expected.values[i], allowed * expected.values[i]) << "element " << i;
}

TEST_F(variances, do_not_lose_their_digits_far_from_zero) {
    for (const index& s : {index{3, 2001}, index{2001, 3}, index{70, 67}})
        for (const float offset : {0.f, 100.f, -1e5f, 1e8f}) {
            SCOPED_TRACE(testing::PrintToString(s) + " around " + std::to_string(offset));
            const naive a = around(offset, s, 700), d = around(1e7 * static_cast<double>(offset), s, 701);
            const auto x = to_array<float, 2>(a);
            const auto y = to_array<double, 2>(d);
            for (int k = 0; k < 2; ++k) {
                expect_close(var(x, axis=k), exact_var(a, 1u << k), 4e-6);
                expect_close(var(y, axis=k, ddof=1), exact_var(d, 1u << k, 1), 1e-13);
            }
            expect_close(var(x), exact_var(a, 3), 4e-6);
            expect_close(var(y), exact_var(d, 3), 1e-13);
        }
}

TEST_F(variances, of_elements_among_which_some_are_far_off) {
    for (const std::int64_t stray : {0, 1, 4000}) {
        naive a = random({2, 4001}, 702);
        a[{0, stray}] = 1e6;
        a[{1, stray}] = -3e3;
        expect_close(var(to_array<float, 2>(a), axis=1), exact_var(a, 2), 4e-6);
        expect_close(var(to_array<double, 2>(transposed(a)), axis=0), exact_var(a, 2), 1e-13);
    }
}

TEST_F(variances, of_every_length) {
    for (const std::int64_t n : {1, 2, 3, 7, 31, 33, 130, 1025, 20000}) {
        if (emulated() && n % 2 == 0 && n != 20000) continue;
        SCOPED_TRACE(n);
        const naive a = around(30.f, {5, n}, 703);
        const auto x = to_array<float, 2>(a);
        const auto y = to_array<double, 2>(transposed(a));
        expect_equal(var(x, axis=1), exact_var(a, 2));
        expect_equal(var(y, axis=0), exact_var(a, 2));
        expect_equal(var(x), exact_var(a, 3));
        if (n > 1)
            expect_equal(stddev(x, axis=1, ddof=1), map([](double v) { return std::sqrt(v); }, exact_var(a, 2, 1)));
    }
    expect_equal(var(to_array<float, 2>(random({40, 1}, 704)), axis=1), naive(index{40}));
    expect_equal(var(to_array<float, 2>(random({40, 1}, 704)), axis=1, ddof=1),
                 naive({40}, std::vector<double>(40, nan_value)));
    expect_equal(var(sum(to_array<double, 1>(random({9}, 705)))), naive(0.0));
}

TEST_F(variances, of_what_is_not_finite_and_of_nothing) {
    naive a = random({6, 50}, 706);
    a[{0, 0}] = nan_value;
    a[{1, 49}] = infinity;
    a[{2, 0}] = -infinity;
    a[{3, 17}] = 3e38;  // its square is beyond float
    const auto x = to_array<float, 2>(a);
    naive expected = exact_var(a, 2);
    expected.values[3] = infinity;
    expect_equal(var(x, axis=1), expected);
    expect_equal(var(transpose(x), axis=0), expected);
    expect_equal(var(x(range(1, 3), range(0, 1)), axis=1)(range(1, end)), naive({1}, {nan_value}));
    const array<double, 2> none(shape<2>(4, 0));
    expect_equal(var(none, axis=1), naive({4}, std::vector<double>(4, nan_value)));
    expect_equal(standardise(none, axis=1), naive(index{4, 0}));
    EXPECT_TRUE(std::isnan(item(var(none))));
    const array<double, 1> one = {2};
    EXPECT_EQ(item(var(one)), 0);
    EXPECT_TRUE(std::isnan(item(var(one, ddof=1))));
    EXPECT_TRUE(std::isnan(item(var(one, ddof=3))));
}

TEST_F(variances, of_some_elements) {
    naive a = around(1e6f, {7, 333}, 707);
    const naive m = map([](double p) { return double(p > 0.5); }, random({7, 333}, 708));
    const auto x = to_array<float, 2>(a);
    const auto mask = to_array<bool, 2>(m);
    for (int k = 0; k < 2; ++k) {
        naive expected = fold(a, 1u << k, false, 0, [](double, double) { return 0.0; });
        const int other = 1 - k;
        for (std::int64_t i = 0; i < expected.shape[0]; ++i) {
            std::vector<double> some;
            for (std::int64_t j = 0; j < a.shape[static_cast<std::size_t>(k)]; ++j) {
                index at(2);
                at[static_cast<std::size_t>(other)] = i;
                at[static_cast<std::size_t>(k)] = j;
                if (m[at] != 0) some.push_back(a[at]);
            }
            const auto n = static_cast<std::int64_t>(some.size());
            expected[{i}] = exact_var(naive({n}, some), 1, 1).values[0];
        }
        expect_equal(var(x, axis=k, where=mask, ddof=1), expected, 1e-5);
        expect_equal(nanvar(where(mask, x, std::nanf("")), axis=k, ddof=1), expected, 1e-5);
    }
    EXPECT_TRUE(std::isnan(item(var(x, where=x < 0))));
}

// whether an infinity is alone, first, last, or meets its neighbours only where partial results are merged
TEST_F(variances, of_some_elements_with_an_infinity) {
    for (const std::int64_t n : {1, 2, 33, 5000})
        for (const std::int64_t at : {std::int64_t{0}, n - 1}) {
            naive a = random({3, n}, 711);
            a[{1, at}] = infinity;
            naive expected = exact_var(a, 2);
            expected.values[1] = nan_value;
            const auto x = to_array<float, 2>(a);
            expect_equal(nanvar(x, axis=1), expected, 1e-5);
            expect_equal(var(transpose(x), axis=0, where=transpose(x) == transpose(x)), expected, 1e-5);
        }
}

TEST_F(variances, of_other_dtypes) {
    const naive a = around(200.f, {9, 77}, 709), n = random_integers({9, 77}, 710, -100, 100);
    const auto h = to_array<float16, 2>(a);
    naive rounded = a;
    for (double& v : rounded.values) v = static_cast<double>(static_cast<float>(float16(static_cast<float>(v))));
    for (int k = 0; k < 2; ++k) {
        expect_close(astype<float>(var(h, axis=k)), exact_var(rounded, 1u << k), 1e-3);
        expect_equal(var(to_array<std::int16_t, 2>(n), axis=k), exact_var(n, 1u << k));
        expect_equal(var(to_array<bool, 2>(map([](double v) { return double(v > 0); }, n)), axis=k),
                     exact_var(map([](double v) { return double(v > 0); }, n), 1u << k));
    }
    static_assert(decltype(var(h))::type == dtype::float16);
}

TEST_F(variances, packed_with_others_are_one_pass) {
    using namespace sinter::literals;
    const naive a = around(10.f, {301, 83}, 711);
    const auto x = to_array<float, 2>(a);
    const auto both = pack(mean(x, axis=0_c), var(x, axis=0_c), max(x, axis=0_c));
    static_assert(launches<decltype(pack(mean(x, axis=0_c), var(x, axis=0_c), max(x, axis=0_c)))> == 1);
    array<float, 1> m, v, most;
    tie(m, v, most) = both;
    expect_equal(m, mean_of(a, 1));
    expect_equal(v, exact_var(a, 1));
    expect_equal(most, max_of(a, 1));
    EXPECT_EQ(source(both).find("fold_1"), std::string::npos) << "x is read twice:\n" << source(both);
    EXPECT_NE(source(standardise(x, axis=0_c)).find("element_1"), std::string::npos) << "x is read three times";
}

TEST_F(variances, that_go_from_kernel_to_kernel) {
    const naive a = around(5.f, {61, 45}, 712);
    const auto x = to_array<float, 2>(a);
    const auto y = to_array<double, 2>(a);
    const naive off = map(std::minus<>(), a, mean_of(a, 1, true));
    const naive v = exact_var(a, 1);
    const naive scaled = map([](double p, double q) { return p / std::sqrt(q); }, off, v);
    expect_equal(sum(standardise(x, axis=0), axis=1), sum_of(scaled, 2), 1e-4);
    expect_equal(sum(standardise(y, axis=0), axis=1), sum_of(scaled, 2), 1e-11);
    expect_equal(max(y * var(y, axis=1, keepdims), axis=0),
                 max_of(map(std::multiplies<>(), a, exact_var(naive({61, 45, 1}, a.values), 2)), 1), 1e-11);
}

TEST_F(variances, of_differences_of_all_pairs) {
    const naive a = random({34, 19}, 713), b = random({41, 19}, 714);
    const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
    naive apart(index{34, 41, 19});
    for_each_index(apart.shape, [&](const index& at) { apart[at] = a[{at[0], at[2]}] - b[{at[1], at[2]}]; });
    expect_equal(var(x(all, newaxis, all) - y, axis=2), exact_var(apart, 4));
}

TEST_F(variances, standardise) {
    for (const index& s : {index{4, 1030}, index{1030, 4}}) {
        const naive a = around(1e4f, s, 715);
        const auto x = to_array<double, 2>(a);
        for (int k = 0; k < 2; ++k) {
            naive v = exact_var(a, 1u << k);
            v.shape = mean_of(a, 1u << k, true).shape;
            const naive off = map(std::minus<>(), a, mean_of(a, 1u << k, true));
            expect_equal(sinter::standardise(x, axis=k),
                         map([](double p, double q) { return p / std::sqrt(q); }, off, v), 1e-8);
        }
    }
}

}  // namespace
}  // namespace sinter::test
