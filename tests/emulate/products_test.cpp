// Products by a library: its requests, the layout of its operands, and when a kernel computes the product instead. The
// library here is naive loops over the descriptors that cuBLASLt would receive.
#include <tests/emulate/on_emulated_device.hpp>
#include <tests/language/naive.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace sinter::test {
namespace {

class library_products : public on_emulated_device {
protected:
    library_products() : on_emulated_device(true) {}

    /// The expression's value, by `calls` calls of the library and `launches` kernels.
    template <class Tree>
    void expect(const expr<Tree>& e, int calls, int launches, const naive& expected, double allowed = 1e-5) {
        const int calls_before = emulated().library_calls(), launches_before = emulated().launches();
        const array<element_t<Tree::type>, Tree::rank> result = e;
        EXPECT_EQ(emulated().library_calls() - calls_before, calls);
        EXPECT_EQ(emulated().launches() - launches_before, launches);
        expect_equal(result, expected, allowed);
    }

    static naive product(const naive& a, const naive& b) {
        naive result({a.shape[0], b.shape[1]});
        for_each_index(result.shape, [&](const index& at) {
            for (std::int64_t k = 0; k < a.shape[1]; ++k) result[at] += a[{at[0], k}] * b[{k, at[1]}];
        });
        return result;
    }

    const naive a = random({7, 11}, 1), b = random({11, 9}, 2), c = random({7, 9}, 3), bias = random({9}, 4);
    const naive p = product(a, b);
    const array<float, 2> x = to_array<float, 2>(a), y = to_array<float, 2>(b), z = to_array<float, 2>(c);
    const array<float, 2> xt = to_array<float, 2>(transposed(a)), yt = to_array<float, 2>(transposed(b));
    const array<float, 1> row = to_array<float, 1>(bias);
};

TEST_F(library_products, of_operands_as_they_lie) {
    expect(matmul(x, y), 1, 0, p);
    expect(matmul(transpose(xt), y), 1, 0, p);
    expect(matmul(x, transpose(yt)), 1, 0, p);
    expect(matmul(transpose(xt), transpose(yt)), 1, 0, p);
    const naive wide = random({9, 20}, 5);
    naive part({7, 11});
    for_each_index(part.shape, [&](const index& at) { part[at] = wide[{at[0] + 1, at[1] + 4}]; });
    expect(matmul(to_array<float, 2>(wide)(range(1, 8), range(4, 15)), y), 1, 0, product(part, b));
}

TEST_F(library_products, stored_in_columns) {
    array<float, 2> to({9, 7});
    const int before = emulated().library_calls();
    to = transpose(matmul(x, y));  // the view is one more kernel
    EXPECT_EQ(emulated().library_calls() - before, 1);
    expect_equal(to, transposed(p));
    array<float, 2> whole = zeros<float>({10, 12});
    whole(range(2, 9), range(1, 10)) = matmul(x, y);
    naive expected({10, 12});
    for_each_index(p.shape, [&](const index& at) { expected[{at[0] + 2, at[1] + 1}] = p[at]; });
    expect_equal(whole, expected);
    EXPECT_EQ(emulated().library_calls() - before, 2);
}

TEST_F(library_products, with_what_it_can_add) {
    const auto plus_row = map(std::plus<double>(), p, bias);
    expect(matmul(x, y) + row, 1, 0, plus_row);
    expect(row + 3 * matmul(x, y), 1, 0, map([](double v, double w) { return 3 * v + w; }, p, bias));
    expect(matmul(x, y) + z, 1, 0, map(std::plus<double>(), p, c));
    expect(2 * matmul(x, y) + z * 0.5 + row, 1, 0,
           map([](double v, double w, double u) { return 2 * v + w / 2 + u; }, p, c, bias));
    const float scale = 4;
    expect(matmul(x, y) * scale, 1, 0, map([](double v) { return 4 * v; }, p));
    array<float, 2> sum = z;
    const int before = emulated().library_calls();
    sum += matmul(x, y);
    EXPECT_EQ(emulated().library_calls() - before, 1);
    expect_equal(sum, map(std::plus<double>(), p, c));
}

TEST_F(library_products, and_what_it_cannot) {
    expect(relu(matmul(x, y)), 1, 1, map([](double v) { return std::max(v, 0.0); }, p));
    expect(matmul(x, y) * z, 1, 1, map(std::multiplies<double>(), p, c));
    expect(relu(matmul(x, y) + row), 1, 1, map([](double v, double w) { return std::max(v + w, 0.0); }, p, bias));
    expect(z - matmul(x, y), 1, 1, map(std::minus<double>(), c, p));
    expect(matmul(x, y) + z(all, range(0, 1)), 1, 1, [&] {
        naive r = p;
        for_each_index(p.shape, [&](const index& at) { r[at] += c[{at[0], 0}]; });
        return r;
    }());
    // kernels compute what the library does not support
    expect(matmul(x(all, range(0, end, 2)), y(range(0, end, 2), all)), 0, 1, [&] {
        naive left({7, 6}), right({6, 9});
        for_each_index(left.shape, [&](const index& at) { left[at] = a[{at[0], 2 * at[1]}]; });
        for_each_index(right.shape, [&](const index& at) { right[at] = b[{2 * at[0], at[1]}]; });
        return product(left, right);
    }());
    expect(matmul(x, row(newaxis, range(0, 1)) * ones<float>({11, 1})), 0, 2, [&] {
        naive r({7, 1});
        for_each_index(r.shape, [&](const index& at) {
            for (std::int64_t k = 0; k < 11; ++k) r[at] += a[{at[0], k}] * bias.values[0];
        });
        return r;
    }());
    expect(matmul(astype<int>(x), astype<int>(y)), 0, 3,
           product(map([](double v) { return std::trunc(v); }, a), map([](double v) { return std::trunc(v); }, b)));
}

TEST_F(library_products, in_batches) {
    const naive q = random({3, 4, 5, 6}, 6), w = random({4, 6, 7}, 7);
    naive expected({3, 4, 5, 7}), moved({4, 3, 5, 7});
    for_each_index(expected.shape, [&](const index& at) {
        for (std::int64_t k = 0; k < 6; ++k) expected[at] += q[{at[0], at[1], at[2], k}] * w[{at[1], k, at[3]}];
    });
    const auto u = to_array<float, 4>(q);
    const auto v = to_array<float, 3>(w);
    expect(matmul(u, v), 3, 0, expected);  // batches of 4, three times
    expect(matmul(u, v(0)), 1, 0, [&] {    // all rows of u are one matrix
        naive r({3, 4, 5, 7});
        for_each_index(r.shape, [&](const index& at) {
            for (std::int64_t k = 0; k < 6; ++k) r[at] += q[{at[0], at[1], at[2], k}] * w[{0, k, at[3]}];
        });
        return r;
    }());
    expect(matmul(permute(u, {1, 0, 2, 3}), v(all, newaxis)), 3, 0, permuted(expected, {1, 0, 2, 3}));
    const naive t = random({2, 4, 6}, 8);
    naive both({2, 4, 4});
    for_each_index(both.shape, [&](const index& at) {
        for (std::int64_t k = 0; k < 6; ++k) both[at] += t[{at[0], at[1], k}] * t[{at[0], at[2], k}];
    });
    const auto s = to_array<float, 3>(t);
    expect(matmul(s, permute(s, {0, 2, 1})), 1, 0, both);
}

template <class T>
naive rounded(const naive& x) {
    return map([](double v) { return static_cast<double>(static_cast<float>(static_cast<T>(static_cast<float>(v)))); },
               x);
}

// On tensor cores a product of halves is fused with its epilogue or with the computation of its operands where that
// saves more than the library gains.
TEST_F(library_products, of_halves_with_more_than_the_library_does) {
    const naive left = rounded<float16>(random({64, 80}, 11)), right = rounded<float16>(random({80, 48}, 12));
    const naive whole = random_integers({80, 48}, 13, -100, 100), scales = rounded<float16>(random({48}, 14));
    const auto lh = to_array<float16, 2>(left), rh = to_array<float16, 2>(right);
    const naive both = product(left, right);
    expect(matmul(lh, rh), 1, 0, both, 1e-3);
    expect(relu(matmul(lh, rh)), 0, 1, map([](double v) { return std::max(v, 0.0); }, both), 1e-3);
    expect(astype<float>(matmul(lh, astype<float16>(to_array<std::int8_t, 2>(whole)) * to_array<float16, 1>(scales))),
           0, 1, product(left, rounded<float16>(map(std::multiplies<double>(), whole, scales))), 1e-3);
    // also a softmax between two products: the scores and their softmax are never stored
    naive weights = map([](double v) { return v / 8; }, product(left, right));
    for (std::int64_t i = 0; i < 64; ++i) {
        double largest = -infinity, total = 0;
        for (std::int64_t j = 0; j < 48; ++j) largest = std::max(largest, weights[{i, j}]);
        for (std::int64_t j = 0; j < 48; ++j) total += weights[{i, j}] = std::exp(weights[{i, j}] - largest);
        for (std::int64_t j = 0; j < 48; ++j) weights[{i, j}] /= total;
    }
    expect(matmul(softmax(matmul(lh, rh) * 0.125f, axis=1), transpose(rh)), 0, 1, product(weights, transposed(right)),
           4e-3);
}

// Factors that are computed of bytes, in both orders, with a scale for each column and without.
TEST_F(library_products, of_bytes) {
    const naive left = rounded<float16>(random({16, 200}, 21)), scales = rounded<float16>(random({72}, 22));
    const naive whole = random_integers({200, 72}, 23, -128, 127);
    const naive scaled = product(left, rounded<float16>(map(std::multiplies<double>(), whole, scales)));
    const auto lh = to_array<float16, 2>(left);
    const auto w = to_array<std::int8_t, 2>(whole), wt = to_array<std::int8_t, 2>(transposed(whole));
    const auto sh = to_array<float16, 1>(scales);
    expect(astype<float>(matmul(lh, astype<float16>(w) * sh)), 0, 1, scaled, 1e-3);
    expect(astype<float>(matmul(lh, transpose(astype<float16>(wt) * sh(all, newaxis)))), 0, 1, scaled, 1e-3);
    expect(astype<float>(matmul(lh, astype<float16>(w))), 0, 1, product(left, whole), 1e-3);
    const naive above = map([](double v) { return v + 128; }, whole);
    expect(astype<float>(matmul(lh, astype<float16>(to_array<std::uint8_t, 2>(above)))), 0, 1, product(left, above),
           1e-3);
}

TEST_F(library_products, of_all_dtypes) {
    const auto xd = to_array<double, 2>(a), yd = to_array<double, 2>(b);
    expect(0.5 * matmul(xd, yd), 1, 0, map([](double v) { return v / 2; }, p), 1e-12);
    const naive ah = rounded<float16>(a), bh = rounded<float16>(b), ph = product(ah, bh);
    const auto xh = to_array<float16, 2>(a), yh = to_array<float16, 2>(b);
    expect(matmul(xh, yh), 1, 0, ph, 1e-3);
    expect(astype<float>(matmul(xh, yh)), 1, 0, ph, 1e-6);
    expect(matmul(xh, yh) + to_array<float16, 1>(bias), 1, 0, map(std::plus<double>(), ph, rounded<float16>(bias)),
           1e-3);
    expect(gelu(matmul(xh, yh)), 1, 1, map([](double v) { return v * std::erfc(-v / std::sqrt(2.0)) / 2; }, ph), 1e-3);
    // the first product is rounded where it becomes an operand, by the library itself
    expect(matmul(matmul(xh, yh), to_array<float16, 2>(transposed(b))), 2, 0,
           product(rounded<float16>(ph), transposed(bh)), 1e-2);
    const auto i = std::complex<double>(0, 1);
    const array<std::complex<double>, 2> xc = xd + i * xd, yc = yd - i * yd;
    const array<std::complex<double>, 2> pc = i * matmul(xc, yc);  // i (1 + i) (1 - i) p
    expect_equal(array<double, 2>(imag(pc)), map([](double v) { return 2 * v; }, p));
    expect_equal(array<double, 2>(real(pc)), naive({7, 9}));
}

TEST_F(library_products, of_what_is_computed) {
    const naive raised = map([](double v) { return std::exp(v); }, a);
    expect(matmul(exp(x), y), 1, 1, product(raised, b));
    expect(matmul(exp(x), transpose(exp(x))), 1, 1, product(raised, transposed(raised)));
    expect(sum(matmul(x, y), axis=1), 1, 1, sum_of(p, 2));
    expect(matmul(matmul(x, y), yt), 2, 0, product(p, transposed(b)));
}

TEST_F(library_products, in_a_graph_and_on_streams) {
    array<float, 2> into({7, 9});
    const graph g = capture([&] { into = matmul(x, y) + row; });
    const int before = emulated().library_calls();
    g.launch();
    g.launch();
    EXPECT_EQ(emulated().library_calls() - before, 2);
    expect_equal(into, map(std::plus<double>(), p, bias));
    stream q;
    array<float, 2> other;
    other.on(q) = matmul(x, y);
    expect_equal(other, p);
}

TEST_F(library_products, are_explained) {
    const explanation e = explain(relu(matmul(x, y) + row));
    ASSERT_EQ(e.launches, 2);
    EXPECT_EQ(e.kernels[0].schedule, "library: emulated: 7 x 9 x 11, float32");
    EXPECT_EQ(explain(matmul(x, y, precision=tf32)).kernels[0].schedule,
              "library: emulated: 7 x 9 x 11, float32, tf32");
    emulated().set_library(false);
    EXPECT_EQ(explain(relu(matmul(x, y) + row)).launches, 1);
}

}  // namespace
}  // namespace sinter::test
