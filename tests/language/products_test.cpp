// Reductions of broadcast products: distances, matrix products, kernels summed over points.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class products : public on_devices {};

/// f folded over k of x[i, k] and y[j, k].
naive folded(const naive& x, const naive& y, double start, const std::function<double(double, double, double)>& f) {
    naive result({x.shape[0], y.shape[0]});
    for_each_index(result.shape, [&](const index& at) {
        double total = start;
        for (std::int64_t k = 0; k < x.shape[1]; ++k) total = f(total, x[{at[0], k}], y[{at[1], k}]);
        result[at] = total;
    });
    return result;
}

/// Whether a GPU computes it in tiles; the sizes here are meant to be large enough.
template <class Tree>
bool is_tiled(const expr<Tree>& e) {
    return explain(e).kernels.at(0).schedule.find("product") == 0;
}

TEST_F(products, squared_distances) {
    for (const auto& [n, m, d] : {std::array{401, 260, 19}, {2000, 64, 32}, {350, 257, 3}}) {
        const naive a = random({n, d}, 1), b = random({m, d}, 2);
        const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
        const auto e = sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2);
        EXPECT_TRUE(is_tiled(e));
        expect_equal(e, folded(a, b, 0, [](double s, double p, double q) { return s + (p - q) * (p - q); }));
    }
}

TEST_F(products, of_matrices_with_what_comes_before_and_after) {
    const naive a = random({280, 40}, 3), b = random({40, 301}, 4), bias = random({301}, 5);
    const auto x = to_array<double, 2>(a), y = to_array<double, 2>(b);
    const auto row = to_array<double, 1>(bias);
    const auto product = sum(tanh(x)(all, all, newaxis) * y, axis=1);
    const auto e = where(product + row > 0, product + row, 0.0);
    EXPECT_TRUE(is_tiled(e));
    const naive p = folded(a, transposed(b), 0, [](double s, double u, double v) { return s + std::tanh(u) * v; });
    expect_equal(e, map([](double u, double v) { return std::max(u + v, 0.0); }, p, bias));
}

TEST_F(products, of_an_array_with_itself) {
    const naive a = random({300, 21}, 6);
    const auto x = to_array<float, 2>(a);
    const auto gram = sum(x(all, newaxis, all) * x(newaxis, all, all), axis=2);
    EXPECT_TRUE(is_tiled(gram));
    const naive expected = folded(a, a, 0, [](double s, double u, double v) { return s + u * v; });
    expect_equal(gram, expected);
    expect_equal(gram / 21, map([](double u) { return u / 21; }, expected));
}

TEST_F(products, several_reductions_of_one_loop) {
    const naive a = random({260, 25}, 7), b = random({270, 25}, 8);
    const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
    const auto d = abs(x(all, newaxis, all) - y(newaxis, all, all));
    const auto e = max(d, axis=2) - min(d, axis=2);
    EXPECT_TRUE(is_tiled(e));
    const naive highest = folded(a, b, 0, [](double s, double u, double v) { return std::max(s, std::abs(u - v)); });
    const naive lowest =
        folded(a, b, infinity, [](double s, double u, double v) { return std::min(s, std::abs(u - v)); });
    expect_equal(e, map([](double u, double v) { return u - v; }, highest, lowest));
}

TEST_F(products, of_slices_with_odd_offsets_and_of_integers) {
    const naive a = random_integers({301, 42}, 9, -50, 50), b = random_integers({42, 290}, 10, 0, 20);
    const auto x = to_array<std::int32_t, 2>(a);
    const auto y = to_array<std::uint8_t, 2>(b);
    const auto e =
        sum(x(range(1, end), newaxis, range(1, end, 2)) * transpose(y)(newaxis, all, range(0, end, 2)), axis=2);
    EXPECT_TRUE(is_tiled(e));
    naive expected({300, 290});
    for_each_index(expected.shape, [&](const index& at) {
        for (std::int64_t k = 0; k < 21; ++k) expected[at] += a[{at[0] + 1, 2 * k + 1}] * b[{2 * k, at[1]}];
    });
    expect_equal(e, expected);
}

TEST_F(products, in_layers) {
    const naive a = random({3, 150, 20}, 11), b = random({3, 20, 170}, 12);
    const auto x = to_array<float, 3>(a), y = to_array<float, 3>(b);
    const auto e = sum(x(all, all, all, newaxis) * y(all, newaxis, all, all), axis=2);
    EXPECT_TRUE(is_tiled(e));
    naive expected({3, 150, 170});
    for_each_index(expected.shape, [&](const index& at) {
        for (std::int64_t k = 0; k < 20; ++k) expected[at] += a[{at[0], at[1], k}] * b[{at[0], k, at[2]}];
    });
    expect_equal(e, expected);
}

}  // namespace
}  // namespace sinter::test
