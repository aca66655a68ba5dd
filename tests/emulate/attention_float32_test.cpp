// Attention of float32 numbers, and of float16 scores with float32 biases, on the emulated device, against the same in
// double precision: one launch, as precise as three, also where operands are huge, infinite or NaN.
#include <tests/emulate/on_emulated_device.hpp>
#include <tests/emulate/relative_error.hpp>
#include <tests/language/naive.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace sinter::test {
namespace {

constexpr float below_all = -std::numeric_limits<float>::infinity();

class attention_float32 : public on_emulated_device {
protected:
    attention_float32() : on_emulated_device(true) {}

    template <class T, int Rank>
    static array<T, Rank> numbers(const index& shape, unsigned seed, double most = 1) {
        return to_array<T, Rank>(random(shape, seed, -most, most));
    }

    template <class Tree>
    static array<element_t<Tree::type>, Tree::rank> of_one_launch(const expr<Tree>& e) {
        using T = element_t<Tree::type>;
        const explanation why = explain(e);
        EXPECT_EQ(why.launches, 1);
        EXPECT_NE(why.kernels[0].schedule.find("the sum of 3 bfloat16 numbers"), std::string::npos)
            << why.kernels[0].schedule;
        array<T, Tree::rank> result = broadcast_to(std::numeric_limits<T>::quiet_NaN(), e.shape());
        result = e;
        return result;
    }

    /// `f` of queries, keys and values, once as they are and once in double precision.
    template <class T, class F>
    void expect(const index& sizes, const F& f, const std::string& what, double allowed = 2e-6) {
        SCOPED_TRACE(what);
        const std::int64_t heads = sizes[0], rows = sizes[1], keys = sizes[2], steps = sizes[3], columns = sizes[4];
        const auto q = numbers<T, 3>({heads, rows, steps}, 1), k = numbers<T, 3>({heads, keys, steps}, 2),
                   v = numbers<T, 3>({heads, keys, columns}, 3);
        const array<float, 3> result = of_one_launch(f(q, k, v));
        const array<double, 3> exact = f(doubles(q), doubles(k), doubles(v));
        EXPECT_LT(relative_error(to_naive(doubles(result)), to_naive(exact)), allowed);
    }

    static auto scores(const auto& q, const auto& k) { return matmul(q, permute(k, {0, 2, 1})) * 0.25f; }
    static auto index_of_row(std::int64_t rows) { return arange<int>(rows)(all, newaxis); }
    static auto index_of_key(std::int64_t keys) { return arange<int>(keys)(newaxis, all); }

    const index plain{2, 90, 139, 16, 16};
};

const auto attention_of = [](const auto& q, const auto& k, const auto& v) {
    return matmul(softmax(matmul(q, permute(k, {0, 2, 1})) * 0.25f, axis=-1), v);
};

TEST_F(attention_float32, of_any_sizes) {
    for (const index& n : {index{2, 90, 139, 16, 16},
                           {1, 33, 71, 19, 27},
                           {3, 16, 130, 64, 48},
                           {1, 70, 64, 128, 128},
                           {1, 40, 24, 20, 4}})
        expect<float>(n, attention_of, testing::PrintToString(n));
}

TEST_F(attention_float32, with_masks) {
    const auto i = index_of_row(90), j = index_of_key(139);
    const auto masked = [&](const auto& condition, float instead) {
        return [=](const auto& q, const auto& k, const auto& v) {
            using T = typename std::remove_cvref_t<decltype(v)>::value_type;
            return matmul(softmax(where(condition, scores(q, k), static_cast<T>(instead)), axis=-1), v);
        };
    };
    const array<int, 1> lengths = {100, 20};
    for (const float instead : {below_all, -1e9f, -3.f}) {
        expect<float>(plain, masked(j <= i, instead), "causal");
        expect<float>(plain, masked(abs(i - j) < 37, instead), "a window");
        expect<float>(plain, masked(j < lengths(all, newaxis, newaxis), instead), "lengths");
    }
    const auto there = numbers<float, 3>({2, 1, 139}, 5) > -0.5f;
    expect<float>(plain, masked(there, below_all), "an array");
    EXPECT_NE(explain(masked(j <= i, below_all)(numbers<float, 3>({2, 90, 16}, 1), numbers<float, 3>({2, 139, 16}, 2),
                                                numbers<float, 3>({2, 139, 16}, 3)))
                  .kernels[0]
                  .schedule.find("skipped"),
              std::string::npos);
}

TEST_F(attention_float32, with_rows_that_have_no_score) {
    const auto i = index_of_row(90), j = index_of_key(139);
    const auto q = numbers<float, 3>({2, 90, 16}, 1), k = numbers<float, 3>({2, 139, 16}, 2),
               v = numbers<float, 3>({2, 139, 16}, 3);
    const array<float, 3> result =
        of_one_launch(matmul(softmax(where(j <= i - 60, scores(q, k), below_all), axis=-1), v));
    const array<double, 3> exact =
        matmul(softmax(where(j <= i - 60, scores(doubles(q), doubles(k)), double(below_all)), axis=-1), doubles(v));
    expect_equal(result, to_naive(exact), 1e-6);
}

TEST_F(attention_float32, whatever_is_done_to_scores_and_weights) {
    const auto i = index_of_row(90), j = index_of_key(139);
    const auto bias = numbers<float, 2>({90, 139}, 5);
    const auto slopes = numbers<float, 3>({2, 1, 1}, 6);
    const auto of = [](const auto& f) {
        return [f](const auto& q, const auto& k, const auto& v) {
            using T = typename std::remove_cvref_t<decltype(v)>::value_type;
            return matmul(softmax(f(scores(q, k), T()), axis=-1), v);
        };
    };
    const auto in = [](const auto& x, auto type) { return astype<decltype(type)>(x); };
    expect<float>(plain, of([&](const auto& s, auto type) { return s + in(bias, type); }), "a bias");
    expect<float>(plain, of([&](const auto& s, auto type) { return s - in(slopes, type) * in(abs(i - j), type); }),
                  "slopes");
    expect<float>(plain, of([&](const auto& s, auto) { return tanh(s / 30) * 30; }), "a soft cap");
    const auto kept = numbers<float, 3>({2, 90, 139}, 7) > -0.8f;
    expect<float>(
        plain,
        [&](const auto& q, const auto& k, const auto& v) {
            using T = typename std::remove_cvref_t<decltype(v)>::value_type;
            return matmul(where(kept, softmax(scores(q, k), axis=-1), T(0)) / 0.75f, v);
        },
        "a dropout");
}

TEST_F(attention_float32, of_queries_in_groups) {
    const auto q = numbers<float, 4>({2, 3, 70, 16}, 1), k = numbers<float, 4>({2, 1, 99, 16}, 2),
               v = numbers<float, 4>({2, 1, 99, 24}, 3);
    const auto f = [](const auto& a, const auto& b, const auto& c) {
        return matmul(softmax(matmul(a, permute(b, {0, 1, 3, 2})) * 0.25f, axis=-1), c);
    };
    const array<float, 4> result = of_one_launch(f(q, k, v));
    const array<double, 4> exact = f(doubles(q), doubles(k), doubles(v));
    EXPECT_LT(relative_error(to_naive(doubles(result)), to_naive(exact)), 2e-6);
}

/// Where one product is of halves, or one factor: results are float32.
TEST_F(attention_float32, of_halves_and_floats) {
    const auto run = [&]<class Q, class K, class V>(Q, K, V, double allowed, const char* what) {
        SCOPED_TRACE(what);
        const auto q = numbers<Q, 3>({2, 90, 16}, 1), k = numbers<K, 3>({2, 139, 16}, 2),
                   v = numbers<V, 3>({2, 139, 24}, 3);
        const auto bias = numbers<float, 2>({90, 139}, 5);
        const auto f = [&](const auto& a, const auto& b, const auto& c, const auto& d) {
            return matmul(softmax(matmul(a, permute(b, {0, 2, 1})) + d, axis=-1), c);
        };
        const array<float, 3> result = of_one_launch(f(q, k, v, bias));
        const array<double, 3> exact = f(doubles(q), doubles(k), doubles(v), doubles(bias));
        EXPECT_LT(relative_error(to_naive(doubles(result)), to_naive(exact)), allowed);
    };
    run(float16(), float16(), float16(), 4e-3, "float16 scores");  // rounded to float16
    run(bfloat16(), bfloat16(), bfloat16(), 4e-2, "bfloat16 scores");
    run(float16(), float16(), float(), 4e-3, "float16 scores, float32 values");
    run(float(), float16(), float16(), 2e-6, "float32 queries");
    run(float(), bfloat16(), bfloat16(), 2e-6, "float32 queries, bfloat16 keys");
    run(float(), float(), bfloat16(), 2e-6, "bfloat16 values");
}

/// What is no finite number gives what separate launches give: the same of double precision.
TEST_F(attention_float32, of_infinities_and_nan) {
    naive qs = random({1, 40, 16}, 1, 0.5, 1), ks = random({1, 72, 16}, 2, 0.5, 1), vs = random({1, 72, 24}, 3, 0.5, 1);
    for (naive* x : {&qs, &ks, &vs})
        for (double& one : x->values) one = std::round(one * 4) / 4;  // parts beside the first are 0
    vs[{0, 3, 5}] = infinity;
    vs[{0, 40, 6}] = -infinity;
    vs[{0, 9, 7}] = infinity, vs[{0, 50, 7}] = -infinity;
    vs[{0, 11, 8}] = nan_value;
    qs[{0, 4, 2}] = nan_value;
    ks[{0, 21, 1}] = -infinity;  // these scores are minus infinity, but for row 7
    qs[{0, 7, 3}] = infinity;
    const array<float, 3> q = to_array<float, 3>(qs), k = to_array<float, 3>(ks), v = to_array<float, 3>(vs);
    const array<float, 3> result = of_one_launch(attention_of(q, k, v));
    const array<double, 3> exact = attention_of(doubles(q), doubles(k), doubles(v));
    expect_equal(result, to_naive(exact), 2e-6);
}

/// Rounded to bfloat16, the greatest numbers would be infinite.
TEST_F(attention_float32, of_the_greatest_and_least_numbers) {
    const float greatest = std::numeric_limits<float>::max();
    const auto q = numbers<float, 3>({1, 40, 16}, 1), k = numbers<float, 3>({1, 72, 16}, 2);
    const array<float, 3> huge = where(numbers<float, 3>({1, 72, 24}, 3) > 0, greatest, -greatest);
    const auto scaled = [&](const array<float, 3>& v, double by) {
        const array<float, 3> result = of_one_launch(attention_of(q, k, v));
        const array<double, 3> exact = attention_of(doubles(q), doubles(k), doubles(v));
        EXPECT_LT(
            relative_error(to_naive(array<double, 3>(doubles(result) * by)), to_naive(array<double, 3>(exact * by))),
            2e-6);
    };
    scaled(huge, 0x1p-120);
    scaled(numbers<float, 3>({1, 72, 24}, 3) * 0x1p-100f, 0x1p100);
    const array<float, 3> large = q * 0x1p60f, small = k * 0x1p-60f;
    const array<float, 3> result = of_one_launch(attention_of(large, small, numbers<float, 3>({1, 72, 24}, 3)));
    const array<double, 3> exact = attention_of(doubles(q), doubles(k), doubles(numbers<float, 3>({1, 72, 24}, 3)));
    EXPECT_LT(relative_error(to_naive(doubles(result)), to_naive(exact)), 2e-6);
}

}  // namespace
}  // namespace sinter::test
