// Reductions of broadcast products: distances, matrix products, kernels summed over points.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>

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
    return explain(e).kernels.at(0).schedule.find("contraction") == 0;
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

// A reduction of what a product gives, along columns that fit a tile: one launch.
TEST_F(products, nearest_of_some_centres) {
    for (const auto& [n, centres, d] : {std::array{500, 64, 32}, {333, 37, 9}, {300, 100, 3}, {260, 256, 17}}) {
        SCOPED_TRACE(centres);
        const naive a = random({n, d}, 13), b = random({centres, d}, 14), weights = random({centres}, 15);
        const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
        const auto w = to_array<float, 1>(weights);
        const auto distance = sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2);
        const naive expected = folded(a, b, 0, [](double s, double u, double v) { return s + (u - v) * (u - v); });
        const auto nearest = min(distance, axis=1);
        EXPECT_EQ(explain(nearest).launches, 1);
        EXPECT_TRUE(is_tiled(nearest));
        expect_equal(nearest, min_of(expected, 2));
        const naive weighted = map([](double u, double v) { return std::sqrt(u) + v; }, expected, weights);
        expect_equal(max(sqrt(distance) + w, axis=1), max_of(weighted, 2));
    }
}

TEST_F(products, which_centre_is_nearest) {
    const naive a = random({301, 8}, 16), b = random({50, 8}, 17);
    const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
    const auto distance = sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2);
    const auto which = min(where(distance == min(distance, axis=1, keepdims), arange(50), 50), axis=1);
    EXPECT_EQ(explain(which).launches, 1);
    naive expected(index{301});
    for (std::int64_t i = 0; i < 301; ++i) {
        float least = std::numeric_limits<float>::infinity();
        for (std::int64_t j = 0; j < 50; ++j) {
            float total = 0;
            for (std::int64_t k = 0; k < 8; ++k) {
                const auto difference = static_cast<float>(a[{i, k}] - b[{j, k}]);
                total += difference * difference;
            }
            if (total >= least) continue;
            least = total;
            expected[{i}] = static_cast<double>(j);
        }
    }
    expect_equal(which, expected);
}

TEST_F(products, loops_over_products_in_layers) {
    const naive a = random({2, 200, 16}, 18), b = random({2, 60, 16}, 19);
    const auto q = to_array<float, 3>(a), k = to_array<float, 3>(b);
    const auto score = sum(q(all, all, newaxis, all) * k(all, newaxis, all, all), axis=3) / 4;
    naive scores({2, 200, 60});
    for_each_index(scores.shape, [&](const index& at) {
        for (std::int64_t s = 0; s < 16; ++s) scores[at] += a[{at[0], at[1], s}] * b[{at[0], at[2], s}] / 4;
    });
    const naive highest = max_of(scores, 4, true);
    const naive raised = map([](double v, double m) { return std::exp(v - m); }, scores, highest);
    const auto total = sum(exp(score - max(score, axis=2, keepdims)), axis=2);
    EXPECT_EQ(explain(total).launches, 1);
    expect_equal(total, sum_of(raised, 4));
    const auto each = exp(-(max(score, axis=2, keepdims) - score));
    EXPECT_EQ(explain(each).launches, 1);
    expect_equal(each, raised);
}

// A block goes over the tiles of its rows one after the other: what the product gives is nowhere stored.
TEST_F(products, reduced_over_more_columns_than_a_tile_has) {
    for (const auto& [n, m, d] : {std::array{300, 700, 5}, {600, 601, 3}, {500, 263, 17}}) {
        SCOPED_TRACE(m);
        const naive a = random({n, d}, 20), b = random({m, d}, 21), weights = random({m}, 22), own = random({n}, 23);
        const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
        const auto w = to_array<float, 1>(weights), z = to_array<float, 1>(own);
        const naive distance = folded(a, b, 0, [](double s, double u, double v) { return s + (u - v) * (u - v); });
        const auto e = sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2);
        const auto nearest = min(e, axis=1);
        EXPECT_TRUE(is_tiled(nearest));
        expect_equal(nearest, min_of(distance, 2));
        const auto kernel = sum(exp(-0.5f * e) * w, axis=1);
        expect_equal(kernel,
                     sum_of(map([](double v, double f) { return std::exp(-0.5 * v) * f; }, distance, weights), 2));
        naive column = own;
        column.shape = {n, 1};
        expect_equal(2.f * max(sqrt(e) * z(all, newaxis) + w, axis=1) - z,
                     map([](double v, double p) { return 2 * v - p; },
                         max_of(map([](double v, double p, double q) { return std::sqrt(v) * p + q; }, distance, column,
                                    weights),
                                2),
                         own));
    }
}

// Rows for all blocks of a device: few of them would go over their tiles for too long.
TEST_F(products, of_many_rows_are_reduced_in_one_launch) {
    const device_scope on(host());  // explained as an H200 would compute it
    const array<float, 2> many(shape<2>(1 << 15, 3)), few(shape<2>(500, 3)), y(shape<2>(70000, 3));
    const auto nearest = [&](const auto& x) {
        return min(sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2), axis=1);
    };
    EXPECT_EQ(explain(nearest(many)).launches, 1);
    EXPECT_EQ(explain(nearest(few)).launches, 2);
}

TEST_F(products, several_reductions_of_a_product_share_it) {
    const naive a = random({400, 4}, 24), b = random({500, 4}, 25);
    const auto x = to_array<double, 2>(a), y = to_array<double, 2>(b);
    const naive distance = folded(a, b, 0, [](double s, double u, double v) { return s + (u - v) * (u - v); });
    const auto e = sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2);
    const auto both = pack(min(e, axis=1), argmin(e, axis=1), sum(1.0 / (1.0 + e), axis=1));
    array<double, 1> least, near;
    array<std::int64_t, 1> which;
    tie(least, which, near) = both;
    expect_equal(least, min_of(distance, 2));
    expect_equal(near, sum_of(map([](double v) { return 1 / (1 + v); }, distance), 2));
    naive first(index{400});
    for (std::int64_t i = 0; i < 400; ++i) {
        const auto row = distance.values.begin() + i * 500;
        first[{i}] = static_cast<double>(std::min_element(row, row + 500) - row);
    }
    expect_equal(which, first);
}

// Elements that are stored, or loops of which each needs the one before, need all columns at once.
TEST_F(products, stored_along_more_columns_than_a_tile_has) {
    const naive a = random({300, 5}, 26), b = random({700, 5}, 27);
    const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
    const auto e = sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2);
    EXPECT_EQ(explain(e - min(e, axis=1, keepdims)).launches, 2);
    const naive distance = folded(a, b, 0, [](double s, double u, double v) { return s + (u - v) * (u - v); });
    expect_equal(e - min(e, axis=1, keepdims), map(std::minus<>(), distance, min_of(distance, 2, true)));
}

}  // namespace
}  // namespace sinter::test
