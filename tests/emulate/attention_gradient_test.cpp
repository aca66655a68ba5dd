// Derivatives of products with a softmax of a product between them on the emulated device, against sums in double
// precision: none of the kernels stores what is as large as the scores, whatever the scores' function is.
#include <tests/emulate/on_emulated_device.hpp>
#include <tests/emulate/relative_error.hpp>
#include <tests/language/naive.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace sinter::test {
namespace {

struct sizes {
    std::int64_t batches = 1, rows = 70, keys = 99, steps = 16, columns = 16;
};

/// A score of the product of a query and a key, and its derivative by that.
struct score {
    double value, slope;
};
using score_function = std::function<score(const index&, double)>;

template <class T>
naive rounded(const naive& x) {
    return map([](double v) { return static_cast<double>(static_cast<float>(static_cast<T>(static_cast<float>(v)))); },
               x);
}

struct derivatives {
    naive q, k, v;
};

template <class T>
class problem {
public:
    explicit problem(const sizes& s) : n(s) {}

    auto scores() const { return matmul(q, permute(k, {0, 2, 1})); }
    auto i() const { return arange<int>(n.rows)(all, newaxis); }
    auto j() const { return arange<int>(n.keys)(newaxis, all); }

    /// Of the sum of the results times given numbers.
    derivatives expected(const score_function& f) const {
        derivatives d{naive(qs.shape), naive(ks.shape), naive(vs.shape)};
        for (std::int64_t b = 0; b < n.batches; ++b)
            for (std::int64_t row = 0; row < n.rows; ++row) add_row(d, b, row, f);
        return d;
    }

    const sizes n;
    naive qs = rounded<T>(random({n.batches, n.rows, n.steps}, 1)),
          ks = rounded<T>(random({n.batches, n.keys, n.steps}, 2)),
          vs = rounded<T>(random({n.batches, n.keys, n.columns}, 3)),
          ws = rounded<T>(random({n.batches, n.rows, n.columns}, 4));
    const array<T, 3> q = to_array<T, 3>(qs), k = to_array<T, 3>(ks), v = to_array<T, 3>(vs), w = to_array<T, 3>(ws);

private:
    void add_row(derivatives& d, std::int64_t b, std::int64_t row, const score_function& f) const {
        std::vector<double> weights, slopes, by_weight;
        double largest = -infinity, total = 0, mean = 0;
        for (std::int64_t key = 0; key < n.keys; ++key) {
            double product = 0, of_weight = 0;
            for (std::int64_t s = 0; s < n.steps; ++s) product += qs[{b, row, s}] * ks[{b, key, s}];
            for (std::int64_t c = 0; c < n.columns; ++c) of_weight += ws[{b, row, c}] * vs[{b, key, c}];
            const score one = f({b, row, key}, product);
            weights.push_back(one.value);
            slopes.push_back(one.slope);
            by_weight.push_back(of_weight);
            largest = std::max(largest, one.value);
        }
        for (double& x : weights) total += x = std::exp(x - largest);
        for (std::size_t key = 0; key < weights.size(); ++key) mean += (weights[key] /= total) * by_weight[key];
        for (std::int64_t key = 0; key < n.keys; ++key) {
            const auto at = static_cast<std::size_t>(key);
            const double by_score = weights[at] * (by_weight[at] - mean) * slopes[at];
            for (std::int64_t s = 0; s < n.steps; ++s) {
                d.q[{b, row, s}] += by_score * ks[{b, key, s}];
                d.k[{b, key, s}] += by_score * qs[{b, row, s}];
            }
            for (std::int64_t c = 0; c < n.columns; ++c) d.v[{b, key, c}] += weights[at] * ws[{b, row, c}];
        }
    }
};

/// The largest difference, relative to the root of the mean square.
template <class T, int Rank>
double error_of(const array<T, Rank>& found, const naive& expected) {
    const array<double, Rank> values = astype<double>(found);
    return relative_error(to_naive(values), expected);
}

class attention_gradient : public on_emulated_device {
protected:
    attention_gradient() : on_emulated_device(true) {}

    template <class T>
    static void expect_near(const problem<T>& of, const array<T, 3>& dq, const array<T, 3>& dk, const array<T, 3>& dv,
                            const score_function& f) {
        const derivatives d = of.expected(f);
        const double enough = std::is_same_v<T, float16> ? 0.02 : 0.15;
        EXPECT_LT(error_of(dq, d.q), enough);
        EXPECT_LT(error_of(dk, d.k), enough);
        EXPECT_LT(error_of(dv, d.v), enough);
    }

    /// The softmax and its product are one kernel, sums of rows one, the derivatives two, or three where shapes differ.
    template <class T, class Scores>
    static void expect(const problem<T>& of, const Scores& scores, const score_function& f) {
        const auto loss = sum(astype<float>(matmul(softmax(scores, axis=-1), of.v) * of.w));
        const explanation why = explain(grad(loss, of.q, of.k, of.v));
        EXPECT_EQ(why.launches, of.n.steps == of.n.columns ? 4 : 5);
        array<T, 3> dq, dk, dv;
        tie(dq, dk, dv) = grad(loss, of.q, of.k, of.v);
        expect_near(of, dq, dk, dv, f);
    }

    static constexpr float none = -std::numeric_limits<float>::infinity();
};

score scaled(const index&, double x) { return {x / 4, 0.25}; }

/// The scaled score where a condition of the row and the key holds.
score_function kept_where(const std::function<bool(std::int64_t, std::int64_t)>& holds, double masked = -infinity) {
    return [=](const index& at, double x) { return holds(at[1], at[2]) ? scaled(at, x) : score{masked, 0}; };
}

TEST_F(attention_gradient, of_plain_scores) {
    const problem<float16> of({});
    expect(of, of.scores() * 0.25f, scaled);
}

TEST_F(attention_gradient, of_any_size) {
    for (const sizes& n : {sizes{2, 70, 99, 16, 16}, sizes{1, 65, 130, 17, 33}, sizes{3, 64, 128, 32, 16},
                           sizes{1, 100, 131, 64, 72}, sizes{1, 144, 150, 96, 80}}) {
        const problem<float16> of(n);
        expect(of, of.scores() * 0.25f, scaled);
    }
}

TEST_F(attention_gradient, of_bfloat16) {
    const problem<bfloat16> of({1, 70, 99, 32, 32});
    expect(of, where(of.j() <= of.i() + 49, of.scores() * 0.25f, none),
           kept_where([](auto row, auto key) { return key <= row + 49; }));
}

/// There are several tiles of rows.
TEST_F(attention_gradient, with_masks_that_skip) {
    const problem<float16> of({1, 150, 150, 16, 16});
    const auto i = of.i(), j = of.j();
    const auto x = of.scores() * 0.25f;
    expect(of, where(j <= i, x, none), kept_where([](auto row, auto key) { return key <= row; }));
    expect(of, where(abs(i - j) < 37, x, none),
           kept_where([](auto row, auto key) { return std::abs(row - key) < 37; }));
}

TEST_F(attention_gradient, with_masks_of_other_forms) {
    const problem<float16> of({1, 99, 99, 16, 16});
    const auto i = of.i(), j = of.j();
    const auto x = of.scores() * 0.25f;
    expect(of, where(i > j, none, x), kept_where([](auto row, auto key) { return key >= row; }));
    expect(of, where(j <= i && i - j < 37, x, none),
           kept_where([](auto row, auto key) { return key <= row && row - key < 37; }));
    expect(of, where(j < 20 || j <= i - 50, x, none),
           kept_where([](auto row, auto key) { return key < 20 || key <= row - 50; }));
}

TEST_F(attention_gradient, with_masks_that_are_no_infinity) {
    const problem<float16> of({});
    for (const double masked : {-1e4, 2.0})
        expect(of, where(of.j() <= of.i(), of.scores() * 0.25f, static_cast<float>(masked)),
               kept_where([](auto row, auto key) { return key <= row; }, masked));
}

TEST_F(attention_gradient, with_lengths_for_each_batch) {
    const problem<float16> of({2, 70, 99, 16, 16});
    const array<int, 1> lengths = {80, 20};
    expect(of, where(of.j() < lengths(all, newaxis, newaxis), of.scores() * 0.25f, none),
           [](const index& at, double x) {
               return at[2] < (at[0] == 0 ? 80 : 20) ? scaled(at, x) : score{-infinity, 0};
           });
}

TEST_F(attention_gradient, with_soft_caps_and_biases) {
    const problem<float16> of({2, 70, 99, 16, 16});
    expect(of, tanh(of.scores() / 8) * 4, [](const index&, double x) {
        const double t = std::tanh(x / 8);
        return score{4 * t, (1 - t * t) / 2};
    });
    const naive bias = rounded<float16>(random({of.n.rows, of.n.keys}, 5));
    const auto b = to_array<float16, 2>(bias);
    expect(of, where(of.j() <= of.i() + 49, of.scores() * 0.25f + b, none), [&](const index& at, double x) {
        return at[2] <= at[1] + 49 ? score{x / 4 + bias[{at[1], at[2]}], 0.25} : score{-infinity, 0};
    });
    const naive slopes = rounded<float16>(random({of.n.batches, 1, 1}, 6));
    const auto s = to_array<float16, 3>(slopes);
    expect(of, of.scores() * 0.25f - s * astype<float16>(abs(of.i() - of.j())) * 0.125f,
           [&](const index& at, double x) {
               const auto distance = static_cast<double>(std::abs(at[1] - at[2]));
               return score{x / 4 - slopes[{at[0], 0, 0}] * distance / 8, 0.25};
           });
}

/// Keys and values that all batches share: what the products sum goes along two axes there.
TEST_F(attention_gradient, of_operands_that_batches_share) {
    const problem<float16> of({2, 70, 99, 16, 16});
    const array<float16, 2> k = of.k(0), v = of.v(0);
    const auto loss = [](const auto& q, const auto& keys, const auto& values, const auto& w) {
        return sum(matmul(softmax(matmul(q, transpose(keys)) * 0.25f, axis=-1), values) * w);
    };
    array<float16, 3> dq;
    array<float16, 2> dk, dv;
    tie(dq, dk, dv) = grad(loss(of.q, k, v, of.w), of.q, k, v);
    array<double, 3> exact_q;
    array<double, 2> exact_k, exact_v;
    const array<double, 3> q64 = astype<double>(of.q), w64 = astype<double>(of.w);
    const array<double, 2> k64 = astype<double>(k), v64 = astype<double>(v);
    tie(exact_q, exact_k, exact_v) = grad(loss(q64, k64, v64, w64), q64, k64, v64);
    EXPECT_LT(error_of(dq, to_naive(exact_q)), 0.02);
    EXPECT_LT(error_of(dk, to_naive(exact_k)), 0.02);
    EXPECT_LT(error_of(dv, to_naive(exact_v)), 0.02);
}

TEST_F(attention_gradient, of_losses_that_need_the_result) {
    const problem<float16> of({2, 70, 99, 16, 16});
    const auto result = matmul(softmax(of.scores() * 0.25f, axis=-1), of.v);
    const auto loss = sum(square(astype<float>(result - of.w)));
    array<float16, 3> dq, dk, dv;
    array<float, 0> value;
    EXPECT_LE(explain(value_and_grad(loss, of.q, of.k, of.v)).launches, 7);
    tie(value, dq, dk, dv) = value_and_grad(loss, of.q, of.k, of.v);
    problem<float16> other = of;
    const array<float16, 3> computed = result;
    const naive by_result = to_naive(array<double, 3>(2 * (astype<double>(computed) - astype<double>(of.w))));
    other.ws.values = by_result.values;
    expect_near(other, dq, dk, dv, scaled);
}

/// What multiplies the weights after the softmax is in the sums of rows of which the derivative is made, too.
TEST_F(attention_gradient, of_weights_that_are_changed) {
    const problem<float16> of({});
    const naive kept = random_integers({of.n.rows, of.n.keys}, 7, 0, 1);
    const auto m = to_array<float16, 2>(kept);
    const auto loss = sum(astype<float>(matmul(softmax(of.scores() * 0.25f, axis=-1) * m, of.v) * of.w));
    EXPECT_EQ(explain(grad(loss, of.q, of.k, of.v)).launches, 4);
    array<float16, 3> dq, dk, dv;
    tie(dq, dk, dv) = grad(loss, of.q, of.k, of.v);
    array<double, 3> exact_q, exact_k, exact_v;
    const auto as = [](const auto& x) { return array<double, 3>(astype<double>(x)); };
    const array<double, 3> q = as(of.q), k = as(of.k), v = as(of.v), w = as(of.w);
    const array<double, 2> double_m = astype<double>(m);
    const auto exact = sum(matmul(softmax(matmul(q, permute(k, {0, 2, 1})) * 0.25, axis=-1) * double_m, v) * w);
    tie(exact_q, exact_k, exact_v) = grad(exact, q, k, v);
    EXPECT_LT(error_of(dq, to_naive(exact_q)), 0.02);
    EXPECT_LT(error_of(dk, to_naive(exact_k)), 0.02);
    EXPECT_LT(error_of(dv, to_naive(exact_v)), 0.02);
}

}  // namespace
}  // namespace sinter::test
