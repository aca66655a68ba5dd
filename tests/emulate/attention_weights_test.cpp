// Products with what multiplies a softmax of another product, as a dropout does, on the emulated device, against the
// same in double precision: one launch, whatever the factor is and however the softmax is written.
#include <tests/emulate/on_emulated_device.hpp>
#include <tests/language/naive.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace sinter::test {
namespace {

template <class T>
naive rounded_to(const naive& x) {
    return map([](double v) { return static_cast<double>(static_cast<float>(static_cast<T>(static_cast<float>(v)))); },
               x);
}

class attention_weights : public on_emulated_device {
protected:
    attention_weights() : on_emulated_device(true) {}

    template <class T, int Rank>
    static array<T, Rank> halves(const index& shape, unsigned seed) {
        return to_array<T, Rank>(rounded_to<T>(random(shape, seed)));
    }

    /// `f` of queries, keys and values, once as they are and once in double precision.
    template <class T, class F>
    void expect(const index& sizes, const F& f, const std::string& what) {
        SCOPED_TRACE(what);
        const std::int64_t heads = sizes[0], rows = sizes[1], keys = sizes[2], steps = sizes[3], columns = sizes[4];
        const auto q = halves<T, 3>({heads, rows, steps}, 1), k = halves<T, 3>({heads, keys, steps}, 2),
                   v = halves<T, 3>({heads, keys, columns}, 3);
        const auto e = f(q, k, v);
        const explanation why = explain(e);
        EXPECT_EQ(why.launches, 1);
        EXPECT_NE(why.kernels[0].schedule.find("tensor"), std::string::npos) << why.kernels[0].schedule;
        const array<T, 3> result = e;
        const array<double, 3> exact = f(doubles(q), doubles(k), doubles(v));
        expect_equal(array<double, 3>(astype<double>(result)), to_naive(exact),
                     std::is_same_v<T, float16> ? 1e-2 : 8e-2);
    }

    static auto scores(const auto& q, const auto& k) { return matmul(q, permute(k, {0, 2, 1})) * 0.25f; }
    template <class Score>
    static auto weights(const Score& s) {
        return softmax(s, axis=-1);
    }

    const index plain{2, 90, 139, 16, 16}, even{2, 90, 138, 16, 16};
};

TEST_F(attention_weights, after_a_dropout_by_an_array) {
    for (const index& n : {plain, even}) {
        const naive kept = random_integers({n[0], n[1], n[2]}, 4, 0, 3);
        const auto m = to_array<bool, 3>(map([](double x) { return x > 0 ? 1. : 0.; }, kept));
        const auto dropped = [&](const auto& q, const auto& k, const auto& v) {
            return matmul(where(m, weights(scores(q, k)), 0.f) / 0.75f, v);
        };
        expect<float16>(n, dropped, "where and a quotient");
        expect<bfloat16>(n, dropped, "where and a quotient");
        expect<float16>(
            n,
            [&](const auto& q, const auto& k, const auto& v) {
                return matmul(where(!m, 0.f, weights(scores(q, k)) * 1.25f), v);
            },
            "where the other way round");
        expect<float16>(
            n,
            [&](const auto& q, const auto& k, const auto& v) { return matmul(weights(scores(q, k)) * m / 0.75f, v); },
            "a product with a mask");
    }
}

TEST_F(attention_weights, after_a_dropout_by_random_numbers) {
    for (const index& n : {plain, even}) {
        const random_key key(7);
        const auto kept = uniform<float>(key, shape<3>(n[0], n[1], n[2])) > 0.25f;
        expect<float16>(
            n,
            [&](const auto& q, const auto& k, const auto& v) {
                return matmul(where(kept, weights(scores(q, k)), 0.f) / 0.75f, v);
            },
            "where and a quotient");
    }
}

TEST_F(attention_weights, times_numbers_of_any_kind) {
    const index n = even;
    const auto ij = halves<float, 2>({n[1], n[2]}, 5);
    const auto i = halves<float, 2>({n[1], 1}, 6), j = halves<float, 2>({1, n[2]}, 7);
    const auto of = [&](const auto& g) {
        return [&, g](const auto& q, const auto& k, const auto& v) {
            using T = std::remove_cvref_t<decltype(v)>;
            const auto type = [](const auto& x) { return astype<typename T::value_type>(x); };
            return matmul(type(g(weights(scores(q, k)))), v);
        };
    };
    expect<float16>(n, of([&](const auto& w) { return w * ij; }), "of rows and keys");
    expect<float16>(n, of([&](const auto& w) { return -(i * w); }), "of rows");
    expect<float16>(n, of([&](const auto& w) { return w / (3 + j); }), "of keys");
    expect<float16>(n, of([&](const auto& w) { return where(ij > 0, w, 0.f) * j * 0.5f; }), "of all");
}

TEST_F(attention_weights, however_a_softmax_is_written) {
    const auto below = [](const auto& s) { return exp(s - max(s, axis=-1, keepdims)); };
    const auto total = [](const auto& e) { return sum(e, axis=-1, keepdims); };
    for (const index& n : {plain, even}) {
        expect<float16>(
            n,
            [&](const auto& q, const auto& k, const auto& v) {
                const auto e = below(scores(q, k));
                return matmul(e, v) / total(e);
            },
            "divided after the product");
        expect<float16>(
            n,
            [&](const auto& q, const auto& k, const auto& v) {
                const auto e = below(scores(q, k));
                return matmul(e * reciprocal(total(e)), v);
            },
            "times a reciprocal");
        expect<float16>(
            n,
            [&](const auto& q, const auto& k, const auto& v) {
                const auto s = scores(q, k);
                return matmul(exp(s - logsumexp(s, axis=-1, keepdims)), v);
            },
            "relative to a logsumexp");
        expect<float16>(
            n,
            [&](const auto& q, const auto& k, const auto& v) {
                return matmul(exp(log_softmax(scores(q, k), axis=-1)), v);
            },
            "of a log_softmax");
    }
}

TEST_F(attention_weights, beside_the_logarithm_of_their_sum) {
    const auto q = halves<float16, 3>({2, 90, 16}, 1), k = halves<float16, 3>({2, 139, 16}, 2),
               v = halves<float16, 3>({2, 139, 16}, 3);
    const auto both = [&](const auto& a, const auto& b, const auto& c) {
        const auto s = scores(a, b);
        return pack(matmul(weights(s), c), logsumexp(s, axis=-1));
    };
    EXPECT_EQ(explain(both(q, k, v)).launches, 1);
    array<float16, 3> result;
    array<float16, 2> sums;
    tie(result, sums) = both(q, k, v);
    array<double, 3> exact;
    array<double, 2> exact_sums;
    tie(exact, exact_sums) = both(doubles(q), doubles(k), doubles(v));
    expect_equal(array<double, 3>(astype<double>(result)), to_naive(exact), 1e-2);
    expect_equal(array<double, 2>(astype<double>(sums)), to_naive(exact_sums), 1e-2);
}

}  // namespace
}  // namespace sinter::test
