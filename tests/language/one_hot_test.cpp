// Sums in which a one-hot comparison selects one element, computed as a gather: of arrays and of expressions, together
// with other reductions and along every axis.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <cmath>

namespace sinter::test {
namespace {

class one_hot_sums : public on_devices {};

naive picked(const naive& x, const std::vector<int>& labels) {
    naive result(index{x.shape[0]});
    for (std::int64_t i = 0; i < x.shape[0]; ++i) {
        const std::int64_t l = labels[static_cast<std::size_t>(i)];
        result[{i}] = l >= 0 && l < x.shape[1] ? x[{i, l}] : 0;
    }
    return result;
}

TEST_F(one_hot_sums, along_each_axis) {
    const naive x = test::random({37, 11}, 1);
    const auto a = to_array<double, 2>(x);
    std::vector<int> of_rows(37), of_columns(11);
    for (std::size_t i = 0; i < 37; ++i) of_rows[i] = static_cast<int>(i * 5 % 13) - 1;
    for (std::size_t i = 0; i < 11; ++i) of_columns[i] = static_cast<int>(i * 7 % 41) - 2;
    const array<int, 1> rows = from_host(of_rows), columns = from_host(of_columns);
    expect_equal(sum(where(arange(11) == rows(all, newaxis), a, 0), axis=1), picked(x, of_rows));
    naive across(index{11, 37});
    for_each_index(across.shape, [&](const index& at) { across[at] = x[{at[1], at[0]}]; });
    expect_equal(sum(where(arange(37)(all, newaxis) == columns, a, 0), axis=0), picked(across, of_columns));
    naive total(index{});
    for (double v : picked(x, of_rows).values) total.values[0] += v;
    EXPECT_NEAR(item(sum(where(arange(11) == rows(all, newaxis), a, 0))), total.values[0], 1e-12);
}

TEST_F(one_hot_sums, beside_a_softmax) {
    const naive x = test::random({29, 50}, 2);
    const auto a = to_array<double, 2>(x);
    std::vector<int> labels(29);
    for (std::size_t i = 0; i < 29; ++i) labels[i] = static_cast<int>(i * 17 % 50);
    const array<int, 1> l = from_host(labels);
    naive expected(index{29});
    double mean_expected = 0;
    for (std::int64_t i = 0; i < 29; ++i) {
        double sum_of = 0;
        for (std::int64_t c = 0; c < 50; ++c) sum_of += std::exp(x[{i, c}]);
        expected[{i}] = x[{i, labels[static_cast<std::size_t>(i)]}] - std::log(sum_of);
        mean_expected += expected[{i}] / 29;
    }
    const auto hot = arange(50) == l(all, newaxis);
    expect_equal(sum(where(hot, log_softmax(a, axis=1), 0), axis=1), expected, 1e-12);
    expect_equal(sum(where(hot, a, 0), axis=1) - logsumexp(a, axis=1), expected, 1e-12);
    EXPECT_NEAR(item(mean(sum(where(hot, a, 0), axis=1) - logsumexp(a, axis=1))), mean_expected, 1e-12);
}

TEST_F(one_hot_sums, only_what_is_picked_counts) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const array<float, 2> x = {{nan, inf, 1}, {nan, 2, -inf}, {nan, 4, 5}};
    const array<int, 1> l = {2, 2, 0};
    const std::vector<float> r = to_host(sum(where(l(all, newaxis) == arange(3), x, 0.f), axis=1));
    EXPECT_EQ(r[0], 1);
    EXPECT_EQ(r[1], -inf);
    EXPECT_TRUE(std::isnan(r[2]));
}

}  // namespace
}  // namespace sinter::test
