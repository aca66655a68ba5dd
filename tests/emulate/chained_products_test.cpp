// Products of functions of products, on the emulated device against the same in double precision: one kernel, which
// stores no element of the first product. Attention without a softmax is one, and so is a network's hidden layer.
#include <tests/emulate/on_emulated_device.hpp>
#include <tests/emulate/relative_error.hpp>
#include <tests/language/naive.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sinter::test {
namespace {

class chained_products : public on_emulated_device {
protected:
    chained_products() : on_emulated_device(true) {}

    template <class T>
    static array<T, 3> halves(const index& shape, unsigned seed) {
        return to_array<T, 3>(
            map([](double v) { return double(static_cast<float>(static_cast<T>(float(v)))); }, random(shape, seed)));
    }

    struct sizes {
        std::int64_t batches, rows, keys, steps, columns;
    };

    /// `f` of queries, keys and values of these sizes. Odd ones do not fill their tiles.
    template <class T, class F>
    void expect(const sizes& n, const F& f, const std::string& what) {
        SCOPED_TRACE(what + " of " + std::to_string(n.rows) + " x " + std::to_string(n.keys));
        const auto q = halves<T>({n.batches, n.rows, n.steps}, 1), k = halves<T>({n.batches, n.keys, n.steps}, 2),
                   v = halves<T>({n.batches, n.keys, n.columns}, 3);
        EXPECT_EQ(explain(f(q, k, v)).launches, 1);
        const array<T, 3> result = f(q, k, v);
        const array<double, 3> exact = f(doubles(q), doubles(k), doubles(v));
        const double enough = std::is_same_v<T, float16> ? 0.01 : 0.08;
        EXPECT_LT(relative_error(to_naive(doubles(result)), to_naive(exact)), enough);
    }

    template <class F>
    void expect_of_all(const F& f, const std::string& what) {
        expect<float16>({2, 150, 200, 32, 48}, f, what);
        expect<float16>({1, 67, 129, 21, 35}, f, what + ", odd");
        expect<bfloat16>({3, 64, 96, 16, 16}, f, what + ", bfloat16");
    }

    static auto scores(const auto& q, const auto& k) { return matmul(q, permute(k, {0, 2, 1})); }
};

TEST_F(chained_products, of_the_product_itself) {
    expect_of_all([](const auto& q, const auto& k, const auto& v) { return matmul(scores(q, k), v); }, "a product");
}

TEST_F(chained_products, of_functions_of_it) {
    expect_of_all([](const auto& q, const auto& k, const auto& v) { return matmul(sigmoid(scores(q, k)), v); },
                  "sigmoid");
    expect_of_all([](const auto& q, const auto& k, const auto& v) { return matmul(square(relu(scores(q, k))), v); },
                  "squared relu");
    expect_of_all(
        [](const auto& q, const auto& k, const auto& v) {
            const auto i = arange<int>(q.shape()[1])(all, newaxis), j = arange<int>(k.shape()[1])(newaxis, all);
            return matmul(where(j <= i, gelu(scores(q, k) * 0.5f), 0), v);
        },
        "a mask");
}

TEST_F(chained_products, followed_by_an_epilogue) {
    expect_of_all(
        [](const auto& q, const auto& k, const auto& v) { return tanh(matmul(relu(scores(q, k)), v) * 0.1f); },
        "an epilogue");
}

/// Of two kernels that were one, of which one result is stored no longer, the other keeps its axes.
TEST_F(chained_products, beside_a_mean_of_another_one) {
    const auto q = halves<float16>({1, 64, 20}, 1), k = halves<float16>({1, 33, 20}, 2),
               v = halves<float16>({1, 33, 64}, 3), w = halves<float16>({1, 20, 64}, 4),
               t = halves<float16>({1, 1, 33}, 5);
    const auto both = [](const auto& x, const auto& y, const auto& z, const auto& u, const auto& shift) {
        return pack(matmul(scores(x, y) + shift, z), mean(matmul(scores(x, y) * 2.f, z) * abs(matmul(x, u)), axis=1));
    };
    array<float16, 3> result;
    array<float16, 2> means;
    tie(result, means) = both(q, k, v, w, t);
    array<double, 3> exact;
    array<double, 2> exact_means;
    tie(exact, exact_means) = both(doubles(q), doubles(k), doubles(v), doubles(w), doubles(t));
    EXPECT_LT(relative_error(to_naive(doubles(result)), to_naive(exact)), 0.01);
    EXPECT_LT(relative_error(to_naive(doubles(means)), to_naive(exact_means)), 0.01);
}

TEST_F(chained_products, that_are_slower_in_one_kernel_are_two) {
    const auto x = halves<float16>({1, 64, 400}, 1), w = halves<float16>({1, 32, 400}, 2);
    const auto v = halves<float16>({1, 32, 16}, 3);
    EXPECT_EQ(explain(matmul(relu(scores(x, w)), v)).launches, 2) << "the first product has too many steps";
}

}  // namespace
}  // namespace sinter::test
