// The named options of reductions: where=, initial= and ddof=, over every axis, and what they reject; reductions that
// ignore NaN.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <algorithm>

namespace sinter::test {
namespace {

class options : public on_devices {};

using testing::AllOf, testing::HasSubstr;

/// The elements that a mask takes, and `other` in the place of the rest.
naive chosen(const naive& a, const naive& mask, double other) {
    return map([other](double p, double m) { return m != 0 ? p : other; }, a, mask);
}
naive counted(const naive& a, const naive& mask, unsigned axes, bool keep = false) {
    return sum_of(map([](double, double m) { return m; }, a, mask), axes, keep);
}
naive mean_of_chosen(const naive& a, const naive& mask, unsigned axes, bool keep = false) {
    return map(std::divides<>(), sum_of(chosen(a, mask, 0), axes, keep), counted(a, mask, axes, keep));
}
naive var_of_chosen(const naive& a, const naive& mask, unsigned axes, double less) {
    const naive off = map(std::minus<>(), a, mean_of_chosen(a, mask, axes, true));
    const naive squares = sum_of(chosen(map([](double p) { return p * p; }, off), mask, 0), axes);
    return map([less](double s, double n) { return s / std::max(n - less, 0.0); }, squares, counted(a, mask, axes));
}

TEST_F(options, where_over_every_axis) {
    const naive a = random({7, 5, 33}, 200), m = map([](double p) { return double(p > 0.3); }, random({7, 5, 33}, 201));
    const auto x = to_array<double, 3>(a);
    const auto mask = to_array<bool, 3>(m);
    for (int k = 0; k < 3; ++k) {
        const unsigned over = 1u << k;
        SCOPED_TRACE(k);
        expect_equal(sum(x, axis=k, where=mask), sum_of(chosen(a, m, 0), over));
        expect_equal(prod(x, where=mask, axis=k, keepdims), prod_of(chosen(a, m, 1), over, true));
        expect_equal(max(x, axis=k, where=mask, initial=-1), max_of(chosen(a, m, -1), over));
        expect_equal(min(x, axis=k, initial=0.5, where=mask),
                     map(smaller, min_of(chosen(a, m, 0.5), over), naive(0.5)));
        expect_equal(mean(x, axis=k, where=mask), mean_of_chosen(a, m, over));
        expect_equal(var(x, axis=k, where=mask, ddof=1), var_of_chosen(a, m, over, 1), 1e-10);
        expect_equal(count_nonzero(x, axis=k, where=mask), counted(a, m, over));
        expect_equal(any(x > 1, axis=k, where=mask),
                     max_of(chosen(map([](double p) { return double(p > 1); }, a), m, 0), over));
    }
    expect_equal(sum(x, where=mask), sum_of(chosen(a, m, 0), 7));
    expect_equal(mean(x, where=mask, keepdims), mean_of_chosen(a, m, 7, true));
}

TEST_F(options, where_is_any_expression_and_broadcasts) {
    const naive a = random({6, 40}, 202), row = random({40}, 203), column = random({6, 1}, 204);
    const auto positive = [](const naive& n) { return map([](double p) { return double(p > 0); }, n); };
    const auto x = to_array<float, 2>(a), c = to_array<float, 2>(column);
    const auto r = to_array<float, 1>(row);
    expect_equal(sum(x, axis=1, where=x > 0, initial=10),
                 map([](double s) { return s + 10; }, sum_of(chosen(a, positive(a), 0), 2)));
    expect_equal(sum(x, axis=0, where=r > 0), sum_of(chosen(a, positive(row), 0), 1));
    expect_equal(mean(x, axis=1, where=c > 0), mean_of_chosen(a, positive(column), 2));
    expect_equal(stddev(x, axis=0, where=c > 0, ddof=1),
                 map([](double v) { return std::sqrt(v); }, var_of_chosen(a, positive(column), 1, 1)));
    // above the mean of the row: a reduction within the mask
    const naive above = map([](double p, double q) { return double(p > q); }, a, mean_of(a, 2, true));
    expect_equal(sum(x, axis=1, where=x > mean(x, axis=1, keepdims)), sum_of(chosen(a, above, 0), 2));
    // the function of that name is still there
    expect_equal(where(x > 0, x, 0), chosen(a, positive(a), 0));
}

TEST_F(options, initial_is_combined_and_gives_the_value_of_nothing) {
    const naive a = random_integers({4, 9}, 205, -50, 50);
    const auto x = to_array<std::int32_t, 2>(a);
    expect_equal(max(x, axis=1, initial=20), map([](double p) { return std::max(p, 20.0); }, max_of(a, 2)));
    expect_equal(
        prod(x % 3, axis=0, initial=2),
        map([](double p) { return 2 * p; }, prod_of(map([](double p) { return p - 3 * std::floor(p / 3); }, a), 1)));
    expect_equal(sum(x, initial=true), map([](double p) { return p + 1; }, sum_of(a, 3)));
    const array<float, 2> none(shape<2>(3, 0));
    expect_equal(max(none, axis=1, initial=-7), naive({3}, {-7, -7, -7}));
    expect_equal(sum(none, axis=1, initial=2.5), naive({3}, {2.5, 2.5, 2.5}));
    EXPECT_TRUE(item(any(none, initial=true)));
    const array<float, 1> nan = {1, std::nanf(""), 3};
    EXPECT_TRUE(std::isnan(item(max(nan, initial=5))));
}

TEST_F(options, ddof_is_taken_off) {
    const naive a = random({5, 8}, 206);
    const auto x = to_array<float, 2>(a);
    const naive all = map([](double) { return 1.0; }, a);
    for (int d : {0, 1, 3}) expect_equal(var(x, axis=1, ddof=d), var_of_chosen(a, all, 2, d), 1e-5);
    expect_equal(var(x, axis=0, ddof=0.5), var_of_chosen(a, all, 1, 0.5), 1e-5);
    expect_equal(var(x(sinter::all, range(0, 1)), axis=1, ddof=1), naive({5}, std::vector<double>(5, nan_value)));
}

TEST_F(options, nan_is_left_out) {
    naive a = random({6, 50}, 207);
    for (std::int64_t i = 0; i < 6; ++i)
        for (std::int64_t j = 0; j < 50; j += i + 2) a[{i, j}] = nan_value;
    for (std::int64_t j = 0; j < 50; ++j) a[{3, j}] = nan_value;
    const naive valid = map([](double p) { return double(!std::isnan(p)); }, a), zeros = chosen(a, valid, 0);
    const auto x = to_array<double, 2>(a);
    for (int k = 0; k < 2; ++k) {
        const unsigned over = 1u << k;
        expect_equal(nansum(x, axis=k), sum_of(zeros, over));
        expect_equal(nanprod(x, axis=k, keepdims), prod_of(chosen(a, valid, 1), over, true));
        expect_equal(nanmean(x, axis=k), mean_of_chosen(zeros, valid, over));
        expect_equal(nanvar(x, axis=k, ddof=1), var_of_chosen(zeros, valid, over, 1), 1e-10);
        expect_equal(nanstd(x, axis=k),
                     map([](double v) { return std::sqrt(v); }, var_of_chosen(zeros, valid, over, 0)), 1e-10);
        const naive most = fold(a, over, false, nan_value, [](double p, double q) { return std::fmax(p, q); });
        const naive least = fold(a, over, false, nan_value, [](double p, double q) { return std::fmin(p, q); });
        expect_equal(nanmax(x, axis=k), most);
        expect_equal(nanmin(x, axis=k), least);
    }
    const naive positive = map([](double p) { return double(p > 0); }, a);  // no NaN is
    expect_equal(nanmean(x, axis=1, where=x > 0), mean_of_chosen(zeros, positive, 2));
    expect_equal(nansum(x, axis=0, where=x > 0, initial=3),
                 map([](double s) { return s + 3; }, sum_of(chosen(zeros, positive, 0), 1)));
    const naive n = random_integers({30}, 208, -9, 9);
    const auto i = to_array<std::int16_t, 1>(n);
    expect_equal(nansum(i), sum_of(n, 1));
    expect_equal(nanmax(i), max_of(n, 1));
    expect_equal(nanmean(i), mean_of(n, 1));
}

TEST_F(options, one_launch) {
    using namespace sinter::literals;
    const array<float, 2> x(shape<2>(3, 4));
    static_assert(launches<decltype(sum(x, axis=1_c, where=x > 0, initial=1))> == 1);
    static_assert(launches<decltype(var(x, axis=1_c, where=x > 0, ddof=1))> == 1);
    static_assert(launches<decltype(nanvar(x, axis=0_c))> == 1);
    static_assert(launches<decltype(nanmean(x))> == 1);
}

TEST_F(options, what_does_not_fit_is_said) {
    const array<float, 2> x(shape<2>(3, 4));
    const array<bool, 1> mask(shape<1>(3));
    const auto message = [](auto f) {
        try {
            f();
        } catch (const error& e) {
            return std::string(e.what());
        }
        return std::string("nothing was thrown");
    };
    EXPECT_THAT(message([&] { return sum(x, where=mask); }),
                AllOf(HasSubstr("sum: the mask of shape (3,)"), HasSubstr("(3, 4)")));
    EXPECT_THAT(message([&] { return mean(x, where=mask); }), HasSubstr("mean: the mask of shape (3,)"));
    EXPECT_THAT(message([&] { return nanmean(x, where=mask); }), HasSubstr("the mask of shape (3,)"));
    const array<float, 1> one(shape<1>(1));
    const array<bool, 1> two(shape<1>(2));
    EXPECT_THAT(message([&] { return sum(one, where=two); }), HasSubstr("does not broadcast"));
    EXPECT_THAT(message([&] { return norm(x, axis=1, ord=0.0); }), HasSubstr("norm: the order 0 cannot be given"));
}

}  // namespace
}  // namespace sinter::test
