// Reductions of products' rows and columns that never store the product, on the emulated device, against sums in double
// precision: what follows the product, several reductions, batches, computed factors, NaN, and rows past the tiles.
#include <tests/emulate/on_emulated_device.hpp>
#include <tests/language/naive.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace sinter::test {
namespace {

naive rounded(const naive& x) {
    return map([](double v) { return static_cast<double>(static_cast<float>(static_cast<float16>(v))); }, x);
}

naive product(const naive& a, const naive& b) {
    naive p({a.shape[0], b.shape[1]});
    for_each_index(p.shape, [&](const index& at) {
        for (std::int64_t k = 0; k < a.shape[1]; ++k) p[at] += a[{at[0], k}] * b[{k, at[1]}];
    });
    return p;
}

class product_folds : public on_emulated_device {
protected:
    product_folds() : on_emulated_device(false) {}

    template <class E>
    void expect_one(const E& e) {
        const explanation seen = explain(e);
        EXPECT_EQ(seen.launches, 1);
        EXPECT_NE(seen.kernels[0].schedule.find("tensor"), std::string::npos) << seen.kernels[0].schedule;
    }
    template <class E>
    void expect(const E& e, const naive& values, double tolerance = 4e-3) {
        expect_one(e);
        const array<float16, 1> result = e;
        expect_equal(result, values, tolerance);
    }

    static constexpr std::int64_t rows = 70, columns = 277, steps = 264;
    const naive as = rounded(random({rows, steps}, 1, -0.5, 0.5)), bs = rounded(random({steps, columns}, 2, -0.5, 0.5)),
                ts = rounded(random({columns}, 3)), us = rounded(random({rows}, 4)), p = product(as, bs);
    const array<float16, 2> a = to_array<float16, 2>(as), b = to_array<float16, 2>(bs),
                            bt = to_array<float16, 2>(transposed(bs));
    const array<float16, 1> t = to_array<float16, 1>(ts), u = to_array<float16, 1>(us);
};

double positive(double x) { return std::max(x, 0.0); }

TEST_F(product_folds, of_rows_and_columns) {
    expect(sum(relu(matmul(a, b) - 0.5f), axis=1), sum_of(map([](double x) { return positive(x - 0.5); }, p), 2));
    expect(max(matmul(a, transpose(bt)), axis=1), max_of(p, 2));
    expect(min(matmul(a, b), axis=0), min_of(p, 1));
    expect(sum(abs(matmul(a, b)), axis=0), sum_of(map([](double x) { return std::abs(x); }, p), 1));
}

TEST_F(product_folds, of_what_follows_by_row_column_and_index) {
    const naive biased = map([](double x, double by_column) { return positive(x + by_column); }, p, ts);
    expect(sum(relu(matmul(a, b) + t), axis=1), sum_of(biased, 2));
    const naive scaled = map(std::multiplies<>(), p, naive({rows, 1}, us.values));
    expect(max(matmul(a, b) * u(all, newaxis), axis=1), max_of(scaled, 2));
    naive masked = p;
    for_each_index(p.shape, [&](const index& at) {
        if (at[1] > at[0]) masked[at] = 0;
    });
    const auto i = arange<int>(rows)(all, newaxis), j = arange<int>(columns)(newaxis, all);
    expect(sum(where(j <= i, matmul(a, b), float16(0.f)), axis=1), sum_of(masked, 2), 8e-3);
    expect(u * max(matmul(a, b), axis=1) + 1.f, map([](double x, double y) { return x * y + 1; }, us, max_of(p, 2)),
           8e-3);
}

TEST_F(product_folds, to_indices_and_to_sums_of_exponentials) {
    const auto e = argmax(matmul(a, b), axis=1);
    expect_one(e);
    const array<std::int64_t, 1> found = e;
    const naive q = rounded(p);
    const std::vector<std::int64_t> at = to_host(found);
    for (std::int64_t i = 0; i < rows; ++i) {
        double most = -infinity;
        for (std::int64_t j = 0; j < columns; ++j) most = std::max(most, q[{i, j}]);
        EXPECT_NEAR((q[{i, at[static_cast<std::size_t>(i)]}]), most, 2e-2);
    }
    naive sums(index{rows});
    for_each_index(p.shape, [&](const index& place) { sums[{place[0]}] += std::exp(p[place]); });
    expect(logsumexp(matmul(a, b), axis=1), map([](double x) { return std::log(x); }, sums));
}

TEST_F(product_folds, of_several_reductions) {
    const auto both = pack(max(matmul(a, b), axis=1), sum(matmul(a, b), axis=1));
    expect_one(both);
    array<float16, 1> m, s;
    tie(m, s) = both;
    expect_equal(m, max_of(p, 2), 4e-3);
    expect_equal(s, sum_of(p, 2), 2e-2);
}

TEST_F(product_folds, of_rows_and_of_columns_by_a_kernel_each) {
    const auto both = pack(max(matmul(a, b), axis=1), sum(relu(matmul(a, b)), axis=0), min(matmul(a, b), axis=1));
    EXPECT_EQ(explain(both).launches, 2);
    array<float16, 1> m, s, n;
    tie(m, s, n) = both;
    expect_equal(m, max_of(p, 2), 4e-3);
    expect_equal(s, sum_of(map(positive, p), 1), 8e-3);
    expect_equal(n, min_of(p, 2), 4e-3);
}

/// Two products cannot be computed in one kernel, even where one has as many steps as the other has columns.
TEST_F(product_folds, of_sums_of_two_products) {
    const naive ms = rounded(random({64, 70}, 9, -1, 1)), vs = rounded(random({70, 33}, 10, -1, 1)),
                qs = rounded(random({64, 33}, 11, -1, 1)), ws = rounded(random({33, 33}, 12, -1, 1));
    const naive both = map(std::plus<>(), product(qs, ws), product(ms, vs));
    const array<float16, 2> m = to_array<float16, 2>(ms), v = to_array<float16, 2>(vs), q = to_array<float16, 2>(qs),
                            w = to_array<float16, 2>(ws);
    const array<float16, 1> total = sum(matmul(q, w) + matmul(m, v), axis=1);
    expect_equal(total, sum_of(both, 2), 3e-2);
    const array<float16, 1> most = max(matmul(m, v) + matmul(q, w), axis=1);
    expect_equal(most, max_of(both, 2), 8e-3);
}

TEST_F(product_folds, in_batches_and_of_computed_factors) {
    const naive xs = rounded(random({3, 70, 24}, 5, -1, 1)), ys = rounded(random({3, 24, 300}, 6, -1, 1));
    naive largest({3, 70});
    for (std::int64_t l = 0; l < 3; ++l)
        for (std::int64_t i = 0; i < 70; ++i) {
            double most = -infinity;
            for (std::int64_t j = 0; j < 300; ++j) {
                double one = 0;
                for (std::int64_t k = 0; k < 24; ++k) one += xs[{l, i, k}] * ys[{l, k, j}];
                most = std::max(most, one);
            }
            largest[{l, i}] = most;
        }
    const auto x = to_array<float16, 3>(xs), y = to_array<float16, 3>(ys);
    const auto e = max(matmul(x, y), axis=2);
    expect_one(e);
    const array<float16, 2> got = e;
    expect_equal(got, largest, 4e-3);
    const naive whole = random_integers({steps, columns}, 7, -100, 100),
                weights = rounded(random({columns}, 8, 0, 0.01));
    const naive dequantised = rounded(map(std::multiplies<>(), whole, weights));
    expect(max(matmul(a, astype<float16>(to_array<std::int8_t, 2>(whole)) * to_array<float16, 1>(weights)), axis=1),
           max_of(product(as, dequantised), 2), 8e-3);
}

TEST_F(product_folds, of_what_is_not_finite) {
    naive with_nan = as;
    with_nan[{3, 5}] = nan_value;
    with_nan[{7, 2}] = infinity;
    with_nan[{8, 2}] = -infinity;
    const auto x = to_array<float16, 2>(with_nan);
    const naive q = product(with_nan, bs);
    const array<float16, 1> most = max(matmul(x, b), axis=1), total = sum(matmul(x, b), axis=1);
    expect_equal(most, max_of(q, 2), 4e-3);
    expect_equal(total, sum_of(q, 2), 2e-2);
}

}  // namespace
}  // namespace sinter::test
