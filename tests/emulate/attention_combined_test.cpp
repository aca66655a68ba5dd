// Attention as it is combined in networks, forward and by its operands, on the emulated device against the same in
// double precision: grouped queries, whose heads share keys and values, dropout, masks, soft caps and biases together.
#include <tests/emulate/on_emulated_device.hpp>
#include <tests/emulate/relative_error.hpp>
#include <tests/language/naive.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace sinter::test {
namespace {

/// The largest difference, relative to the root of the mean square.
double error_of_rounded(const auto& found, const auto& exact) {
    return relative_error(to_naive(found), to_naive(exact));
}

class attention_combined : public on_emulated_device {
protected:
    attention_combined() : on_emulated_device(true) {}

    template <class T, int Rank>
    static array<T, Rank> halves(const index& shape, unsigned seed) {
        return to_array<T, Rank>(
            map([](double v) { return double(static_cast<float>(static_cast<T>(float(v)))); }, random(shape, seed)));
    }

    struct sizes {
        std::int64_t batches = 2, shared = 1, group = 3, rows = 70, keys = 99, steps = 16, columns = 16;
    };

    /// `f` of queries of shape (batch, head of keys, query's head of that, row, step), keys and values, whose third
    /// axis has one index. The gradient: the result and its statistics, sums of rows, and two kernels by the operands,
    /// three where keys and values differ in shape.
    template <class T, class F>
    void expect(const sizes& n, const F& f, const std::string& what, bool has_gradient = true) {
        SCOPED_TRACE(what);
        const auto q = halves<T, 5>({n.batches, n.shared, n.group, n.rows, n.steps}, 1),
                   k = halves<T, 5>({n.batches, n.shared, 1, n.keys, n.steps}, 2),
                   v = halves<T, 5>({n.batches, n.shared, 1, n.keys, n.columns}, 3),
                   w = halves<T, 5>({n.batches, n.shared, n.group, n.rows, n.columns}, 4);
        const double enough = std::is_same_v<T, float16> ? 0.03 : 0.2;
        EXPECT_EQ(explain(f(q, k, v)).launches, 1);
        const array<T, 5> result = f(q, k, v);
        const array<double, 5> exact = f(doubles(q), doubles(k), doubles(v));
        EXPECT_LT(error_of_rounded(doubles(result), exact), enough);
        if (!has_gradient) return;
        const auto loss = sum(astype<float>(f(q, k, v) * w));
        EXPECT_EQ(explain(grad(loss, q, k, v)).launches, n.steps == n.columns ? 4 : 5);
        array<T, 5> dq, dk, dv;
        tie(dq, dk, dv) = grad(loss, q, k, v);
        array<double, 5> exact_q, exact_k, exact_v;
        const auto q64 = doubles(q), k64 = doubles(k), v64 = doubles(v);
        tie(exact_q, exact_k, exact_v) = grad(sum(f(q64, k64, v64) * doubles(w)), q64, k64, v64);
        EXPECT_LT(error_of_rounded(doubles(dq), exact_q), enough) << "by queries";
        EXPECT_LT(error_of_rounded(doubles(dk), exact_k), enough) << "by keys";
        EXPECT_LT(error_of_rounded(doubles(dv), exact_v), enough) << "by values";
    }

    static auto scores(const auto& q, const auto& k) { return matmul(q, permute(k, {0, 1, 2, 4, 3})) * 0.25f; }
    static auto i(const sizes& n) { return arange<int>(n.rows)(all, newaxis); }
    static auto j(const sizes& n) { return arange<int>(n.keys)(newaxis, all); }

    static constexpr float none = -std::numeric_limits<float>::infinity();
};

TEST_F(attention_combined, queries_of_a_group_share_keys_and_values) {
    for (const sizes& n : {sizes{}, sizes{1, 2, 2, 40, 40, 16, 16}, sizes{1, 1, 5, 33, 50, 32, 24}}) {
        expect<float16>(
            n, [&](const auto& q, const auto& k, const auto& v) { return matmul(softmax(scores(q, k), axis=-1), v); },
            "plain");
        expect<float16>(
            n,
            [&](const auto& q, const auto& k, const auto& v) {
                return matmul(softmax(where(j(n) <= i(n) + 10, scores(q, k), none), axis=-1), v);
            },
            "causal");
    }
}

TEST_F(attention_combined, with_slopes_of_each_head) {
    const sizes n{1, 2, 3, 50, 60, 16, 16};
    const auto slopes = halves<float16, 4>({n.shared, n.group, 1, 1}, 5);
    const array<double, 4> slopes64 = doubles(slopes);
    expect<float16>(
        n,
        [&](const auto& q, const auto& k, const auto& v) {
            const auto x = scores(q, k);
            const auto distance = abs(i(n) - j(n));
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(q)>, array<double, 5>>)
                return matmul(softmax(where(j(n) <= i(n) + 10, x - slopes64 * distance * 0.125, none), axis=-1), v);
            else
                return matmul(
                    softmax(where(j(n) <= i(n) + 10, x - slopes * astype<float16>(distance) * 0.125f, none), axis=-1),
                    v);
        },
        "slopes");
}

TEST_F(attention_combined, with_all_of_them) {
    const sizes n{1, 2, 2, 50, 60, 16, 16};
    const auto m = to_array<bool, 5>(map([](double x) { return x > 0 ? 1. : 0.; },
                                         random_integers({n.batches, n.shared, n.group, n.rows, n.keys}, 6, 0, 3)));
    const auto f = [&](const auto& q, const auto& k, const auto& v) {
        const auto capped = tanh(scores(q, k) / 4) * 4;
        const auto p = softmax(where(j(n) <= i(n) + 10, capped, none), axis=-1);
        return matmul(where(m, p, 0.f) / 0.75f, v);
    };
    expect<float16>(n, f, "float16");
    expect<bfloat16>(n, f, "bfloat16");
}

TEST_F(attention_combined, with_a_dropout_by_random_numbers) {
    const sizes n{1, 1, 2, 40, 64, 16, 16};
    const auto kept = uniform<float>(random_key(3), shape<5>(1, 1, 2, 40, 64)) > 0.25f;
    expect<float16>(
        n,
        [&](const auto& q, const auto& k, const auto& v) {
            return matmul(where(kept, softmax(scores(q, k), axis=-1), 0.f) / 0.75f, v);
        },
        "random");
}

/// Cross attention: odd numbers of rows and keys, and of steps.
TEST_F(attention_combined, of_odd_sizes) {
    for (const sizes& n : {sizes{1, 2, 1, 77, 101, 40, 40}, sizes{1, 1, 1, 101, 77, 72, 72}})
        expect<float16>(
            n, [&](const auto& q, const auto& k, const auto& v) { return matmul(softmax(scores(q, k), axis=-1), v); },
            "odd");
}

}  // namespace
}  // namespace sinter::test
