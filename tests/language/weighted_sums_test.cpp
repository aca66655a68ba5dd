// Products with the softmax of another product's results: one kernel that reads both once, whatever expression computes
// the scores.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class weighted_sums : public on_devices {};

template <class T>
naive rounded(const naive& x) {
    return map([](double v) { return static_cast<double>(static_cast<float>(static_cast<T>(static_cast<float>(v)))); },
               x);
}

/// q [b, i, d], k [b, j, d], v [b, j, c]; score(dot, b, i, j) is what the weights are a softmax of.
template <class Score>
naive expected_of(const naive& q, const naive& k, const naive& v, Score score) {
    const std::int64_t rows = q.shape[1], keys = k.shape[1], steps = q.shape[2], columns = v.shape[2];
    naive result({q.shape[0], rows, columns});
    for (std::int64_t b = 0; b < q.shape[0]; ++b)
        for (std::int64_t i = 0; i < rows; ++i) {
            std::vector<double> x(static_cast<std::size_t>(keys));
            double largest = -infinity, total = 0;
            for (std::int64_t j = 0; j < keys; ++j) {
                double dot = 0;
                for (std::int64_t d = 0; d < steps; ++d) dot += q[{b, i, d}] * k[{b, j, d}];
                x[static_cast<std::size_t>(j)] = score(dot, b, i, j);
                largest = std::max(largest, x[static_cast<std::size_t>(j)]);
            }
            for (double& one : x) total += one = std::exp(one - largest);
            for (std::int64_t j = 0; j < keys; ++j)
                for (std::int64_t c = 0; c < columns; ++c)
                    result[{b, i, c}] += x[static_cast<std::size_t>(j)] / total * v[{b, j, c}];
        }
    return result;
}

template <class T>
struct operands {
    operands(std::int64_t batch, std::int64_t rows, std::int64_t keys, std::int64_t steps, std::int64_t columns)
        : a(rounded<T>(random({batch, rows, steps}, 1))),
          b(rounded<T>(random({batch, keys, steps}, 2))),
          w(rounded<T>(random({batch, keys, columns}, 3))),
          q(to_array<T, 3>(a)),
          k(to_array<T, 3>(b)),
          v(to_array<T, 3>(w)) {}
    naive a, b, w;
    array<T, 3> q, k, v;
    auto scores() const { return matmul(q, permute(k, {0, 2, 1})); }
};

TEST_F(weighted_sums, of_scores_as_they_are_and_scaled) {
    for (const auto& [batch, rows, keys, steps, columns] :
         {std::array{2, 48, 64, 32, 32}, {1, 33, 71, 19, 27}, {3, 16, 130, 64, 48}}) {
        const operands<float16> of(batch, rows, keys, steps, columns);
        const float scale = 0.125f;
        expect_equal(array<float16, 3>(matmul(softmax(of.scores(), axis=-1), of.v)),
                     expected_of(of.a, of.b, of.w, [](double dot, auto...) { return dot; }), 4e-3);
        expect_equal(array<float16, 3>(matmul(softmax(of.scores() * scale, axis=-1), of.v)),
                     expected_of(of.a, of.b, of.w, [](double dot, auto...) { return dot / 8; }), 4e-3);
    }
    const operands<bfloat16> of(2, 40, 56, 24, 40);
    expect_equal(array<bfloat16, 3>(matmul(softmax(of.scores() * 0.125f, axis=-1), of.v)),
                 expected_of(of.a, of.b, of.w, [](double dot, auto...) { return dot / 8; }), 2e-2);
}

TEST_F(weighted_sums, of_matrices) {
    const operands<float16> of(1, 48, 64, 32, 32);
    const auto q = of.q(0, all, all), k = of.k(0, all, all), v = of.v(0, all, all);
    const array<float16, 2> result = matmul(softmax(matmul(q, transpose(k)) * 0.25f, axis=1), v);
    naive expected = expected_of(of.a, of.b, of.w, [](double dot, auto...) { return dot / 4; });
    expected.shape = {48, 32};
    expect_equal(result, expected, 4e-3);
}

TEST_F(weighted_sums, of_masked_scores_and_with_what_follows) {
    const operands<float16> of(2, 40, 40, 32, 24);
    const auto i = arange<int>(40)(all, newaxis), j = arange<int>(40)(newaxis, all);
    const auto causal = where(j <= i, of.scores() * 0.125f, -std::numeric_limits<float>::infinity());
    const auto of_mask = [](double dot, std::int64_t, std::int64_t row, std::int64_t key) {
        return key <= row ? dot / 8 : -infinity;
    };
    expect_equal(array<float16, 3>(matmul(softmax(causal, axis=-1), of.v)), expected_of(of.a, of.b, of.w, of_mask),
                 4e-3);
    const auto window = where(abs(i - j) < 5, tanh(of.scores() * 0.0625f) * 3, -1e9f);
    expect_equal(array<float16, 3>(maximum(matmul(softmax(window, axis=-1), of.v), 0)),
                 map([](double x) { return std::max(x, 0.0); },
                     expected_of(of.a, of.b, of.w,
                                 [](double dot, std::int64_t, std::int64_t row, std::int64_t key) {
                                     return std::abs(row - key) < 5 ? 3 * std::tanh(dot / 16) : -1e9;
                                 })),
                 4e-3);
}

/// Whatever the scores are computed of, one kernel does it all, with the values of a plain loop in double.
template <class Tree>
void expect_one_kernel(const expr<Tree>& e, const naive& expected, double allowed = 4e-3) {
    const auto launches = [] {
        return emulated() ? static_cast<emulate::emulated_device&>(current_device().get()).launches() : 0;
    };
    const int before = launches();
    const array<element_t<Tree::type>, Tree::rank> result = e;
    EXPECT_EQ(launches() - before, emulated() ? 1 : 0);
    naive in_shape = expected;
    const auto extents = result.shape();
    in_shape.shape.assign(extents.extent, extents.extent + Tree::rank);
    ASSERT_EQ(count(in_shape.shape), count(expected.shape));
    expect_equal(result, in_shape, allowed);
}

const auto plain = [](double dot, auto...) { return dot; };
const auto quarter = [](double dot, auto...) { return dot / 4; };

TEST_F(weighted_sums, wherever_the_scale_is) {
    for (const auto& [batch, rows, keys, steps, columns] : {std::array{2, 48, 64, 32, 32}, {3, 33, 71, 24, 40}}) {
        const operands<float16> of(batch, rows, keys, steps, columns);
        const float scale = 0.25f;
        const naive as_is = expected_of(of.a, of.b, of.w, plain), scaled = expected_of(of.a, of.b, of.w, quarter);
        const auto kt = permute(of.k, {0, 2, 1});
        expect_one_kernel(matmul(softmax(of.scores(), axis=-1), of.v), as_is);
        expect_one_kernel(matmul(softmax(scale * of.scores(), axis=-1), of.v), scaled);
        expect_one_kernel(matmul(softmax(of.scores() / 4, axis=2), of.v), scaled);
        expect_one_kernel(matmul(softmax(matmul(of.q * scale, kt), axis=-1), of.v), scaled);
        expect_one_kernel(matmul(softmax(matmul(of.q, kt * scale), axis=-1), of.v), scaled);
        expect_one_kernel(matmul(softmax(matmul(of.q, permute(of.k * scale, {0, 2, 1})), axis=-1), of.v), scaled);
        const naive behind = map([](double v) { return v / 4; }, as_is);
        expect_one_kernel(matmul(softmax(of.scores(), axis=-1), of.v) * scale, behind);
        expect_one_kernel(matmul(softmax(of.scores(), axis=-1), of.v * scale), behind);
        if (emulated()) break;
    }
    const operands<bfloat16> of(2, 40, 56, 24, 40);
    expect_one_kernel(matmul(softmax(of.scores(), axis=-1), of.v), expected_of(of.a, of.b, of.w, plain), 2e-2);
    expect_one_kernel(matmul(softmax(matmul(of.q * 0.25f, permute(of.k, {0, 2, 1})), axis=-1), of.v),
                      expected_of(of.a, of.b, of.w, quarter), 2e-2);
}

TEST_F(weighted_sums, whatever_is_added_to_the_scores) {
    const operands<float16> of(2, 40, 48, 32, 24);
    const naive added = rounded<float16>(random({40, 48}, 11)), slopes = rounded<float16>(random({2, 1, 1}, 12, 0, 1));
    const naive some = random_integers({2, 1, 48}, 13, 0, 1);
    const auto bias = to_array<float16, 2>(added);
    const auto slope = to_array<float16, 3>(slopes);
    const array<bool, 3> there = to_array<int, 3>(some) == 0;
    const auto i = arange<int>(40)(all, newaxis), j = arange<int>(48)(newaxis, all);
    expect_one_kernel(matmul(softmax(of.scores() + bias, axis=-1), of.v),
                      expected_of(of.a, of.b, of.w, [&](double dot, std::int64_t, std::int64_t row, std::int64_t key) {
                          return dot + added[{row, key}];
                      }));
    expect_one_kernel(matmul(softmax(where(j <= i, of.scores(), -infinity), axis=-1), of.v),
                      expected_of(of.a, of.b, of.w, [](double dot, std::int64_t, std::int64_t row, std::int64_t key) {
                          return key <= row ? dot : -infinity;
                      }));
    expect_one_kernel(matmul(softmax(where(there, of.scores(), -1e4), axis=-1), of.v),
                      expected_of(of.a, of.b, of.w, [&](double dot, std::int64_t b, std::int64_t, std::int64_t key) {
                          return some[{b, 0, key}] == 0 ? dot : -1e4;
                      }));
    expect_one_kernel(
        matmul(softmax(of.scores() - slope * astype<float16>(abs(i - j)), axis=-1), of.v),
        expected_of(of.a, of.b, of.w, [&](double dot, std::int64_t b, std::int64_t row, std::int64_t key) {
            return dot - slopes[{b, 0, 0}] * static_cast<double>(std::abs(row - key));
        }));
}

TEST_F(weighted_sums, written_by_hand) {
    const operands<float16> of(2, 40, 48, 32, 24);
    const naive expected = expected_of(of.a, of.b, of.w, plain);
    const auto e = exp(of.scores() - max(of.scores(), axis=2, keepdims));
    expect_one_kernel(matmul(e / sum(e, axis=2, keepdims), of.v), expected);
    expect_one_kernel(matmul(astype<float16>(softmax(astype<float>(of.scores()), axis=2)), of.v), expected);
}

TEST_F(weighted_sums, with_any_number_of_batches) {
    const operands<float16> of(6, 24, 40, 16, 24);
    const naive expected = expected_of(of.a, of.b, of.w, plain);
    const auto by_two = [](const array<float16, 3>& x) { return reshape(x, {2, 3, x.shape()[1], x.shape()[2]}); };
    const array<float16, 4> q = by_two(of.q), k = by_two(of.k), v = by_two(of.v);
    expect_one_kernel(matmul(softmax(matmul(q, permute(k, {0, 1, 3, 2})), axis=-1), v), expected);
    expect_one_kernel(matmul(softmax(matmul(q * 0.25f, permute(k, {0, 1, 3, 2})), axis=-1), v),
                      expected_of(of.a, of.b, of.w, quarter));
    const operands<float16> one(1, 24, 40, 16, 24);
    expect_one_kernel(matmul(softmax(matmul(one.q(0), transpose(one.k(0))), axis=-1), one.v(0)),
                      expected_of(one.a, one.b, one.w, plain));
}

TEST_F(weighted_sums, of_operands_that_are_computed) {
    const operands<float16> of(2, 40, 48, 32, 24);
    const naive whole = random_integers({2, 48, 32}, 14, -100, 100),
                scales = rounded<float16>(random({2, 48, 1}, 15, 0, 0.01));
    const naive keys = rounded<float16>(map(std::multiplies<double>(), whole, scales));
    const auto k = astype<float16>(to_array<std::int8_t, 3>(whole)) * to_array<float16, 3>(scales);
    expect_one_kernel(matmul(softmax(matmul(of.q, permute(k, {0, 2, 1})), axis=-1), of.v),
                      expected_of(of.a, keys, of.w, plain));
}

}  // namespace
}  // namespace sinter::test
