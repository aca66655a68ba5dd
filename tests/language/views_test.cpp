// Views: permuted and repeated axes of arrays, of expressions and of reductions.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

class views : public on_devices {};

TEST_F(views, transpose) {
    for (const index& s : {index{1, 1}, index{3, 5}, index{1, 40}, index{40, 1}, index{65, 33}, index{0, 4}}) {
        SCOPED_TRACE(testing::PrintToString(s));
        const naive a = random(s, 70), b = random({s[1], s[0]}, 71);
        const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
        expect_equal(transpose(x), transposed(a));
        expect_equal(transpose(x) + y, map(std::plus<>(), transposed(a), b));
        expect_equal(transpose(x * 2 - transpose(y)),
                     transposed(map([](double p, double q) { return p * 2 - q; }, a, transposed(b))));
        expect_equal(transpose(transpose(x)), a);
    }
}

// Large enough for tiles in shared memory.
TEST_F(views, transposes_of_large_matrices) {
    for (const index& s : {index{200, 132}, index{129, 257}}) {
        SCOPED_TRACE(testing::PrintToString(s));
        const naive a = random(s, 76), b = random({s[1], s[0]}, 77);
        auto x = to_array<float, 2>(a);
        const auto y = to_array<float, 2>(b);
        const naive sum = map(std::plus<>(), a, transposed(b));
        expect_equal(transpose(x), transposed(a));
        expect_equal(x + transpose(y), sum);
        const auto d = to_array<double, 2>(a);
        expect_equal(exp(transpose(d)) - transpose(x), transposed(map([](double p) { return std::exp(p) - p; }, a)),
                     1e-6);
        x += transpose(y);
        expect_equal(x, sum);
    }
    const naive c = random({150, 150}, 78);
    auto x = to_array<double, 2>(c);
    x = x + transpose(x);
    expect_equal(x, map(std::plus<>(), c, transposed(c)));
}

TEST_F(views, every_permutation_of_three_axes) {
    const naive a = random({4, 3, 7}, 72);
    const auto x = to_array<double, 3>(a);
    std::vector<int> order = {0, 1, 2};
    do {
        const int axes[3] = {order[0], order[1], order[2]};
        SCOPED_TRACE(testing::PrintToString(order));
        expect_equal(permute(x, axes), permuted(a, order));
        expect_equal(permute(exp(x), axes) + 1, map([](double p) { return std::exp(p) + 1; }, permuted(a, order)));
        expect_equal(sum(permute(x, axes), axis=1), sum_of(permuted(a, order), 2));
        expect_equal(permute(permute(x, axes), axes), permuted(permuted(a, order), order));
    } while (std::next_permutation(order.begin(), order.end()));
    expect_equal(permute(x, {-1, 0, -2}), permuted(a, {2, 0, 1}));
}

TEST_F(views, permutations_of_five_axes) {
    const naive a = random({2, 3, 1, 4, 2}, 73);
    const auto x = to_array<double, 5>(a);
    expect_equal(permute(x, {4, 2, 0, 1, 3}), permuted(a, {4, 2, 0, 1, 3}));
    expect_equal(permute(x, {0, 1, 3, 4, 2}) * 2, map([](double p) { return p * 2; }, permuted(a, {0, 1, 3, 4, 2})));
}

TEST_F(views, broadcast_to) {
    const naive a = random({5, 1}, 74);
    const auto x = to_array<float, 2>(a);
    const auto repeated = [&](index s) { return map([](double p, double) { return p; }, a, naive(std::move(s))); };
    expect_equal(broadcast_to(x, {5, 4}), repeated({5, 4}));
    expect_equal(broadcast_to(x, {3, 5, 4}), repeated({3, 5, 4}));
    expect_equal(broadcast_to(x + 1, {2, 5, 1}) - 1, repeated({2, 5, 1}), 1e-6);
    expect_equal(sum(broadcast_to(x, {3, 5, 4}), axis={0, 2}), sum_of(repeated({3, 5, 4}), 5));
    expect_equal(broadcast_to(2.5, {3, 2}), naive({3, 2}, {2.5, 2.5, 2.5, 2.5, 2.5, 2.5}));
    expect_equal(broadcast_to(sum(x), {4}), map([](double p, double) { return p; }, sum_of(a, 3), naive(index{4})));
    expect_equal(broadcast_to(x, {0, 5, 2}), naive(index{0, 5, 2}));
}

TEST_F(views, of_reductions) {
    const naive a = random({6, 5, 9}, 75);
    const auto x = to_array<double, 3>(a);
    expect_equal(transpose(sum(x, axis=1)), transposed(sum_of(a, 2)));
    expect_equal(transpose(max(x, axis=0)) + 1, map([](double p) { return p + 1; }, transposed(max_of(a, 1))));
    expect_equal(transpose(x) - transpose(mean(x, axis=2, keepdims)),
                 map(std::minus<>(), transposed(a), transposed(mean_of(a, 4, true))));
    expect_equal(sum(transpose(x - mean(x, axis=0)), axis=0),
                 sum_of(transposed(map(std::minus<>(), a, mean_of(a, 1))), 1), 1e-11);
}

TEST_F(views, a_matrix_and_its_transpose) {
    const naive a = random({37, 37}, 76);
    const auto x = to_array<double, 2>(a);
    expect_equal(x + transpose(x), map(std::plus<>(), a, transposed(a)));
    expect_equal(max(abs(x - transpose(x)), axis=0),
                 max_of(map([](double p, double q) { return std::abs(p - q); }, a, transposed(a)), 1));
}

TEST_F(views, two_reductions_through_views) {
    const naive a = random({8, 13}, 77);
    const auto x = to_array<double, 2>(a);
    // the rows' sums twice: once as they are, once through the transpose
    expect_equal(sum(x, axis=1) * max(transpose(x), axis=0), map(std::multiplies<>(), sum_of(a, 2), max_of(a, 2)));
    // an outer product of two reductions takes two launches
    expect_equal(transpose(broadcast_to(sum(x, axis=1), {13, 8})) * max(x, axis=0),
                 map([](double r, double c) { return r * c; }, sum_of(a, 2, true), max_of(a, 1, true)));
}

TEST_F(views, made_from_values) {
    EXPECT_EQ(to_host(zeros<int>({2, 3})), std::vector<int>(6, 0));
    EXPECT_EQ(to_host(ones<float>({5})), std::vector<float>(5, 1));
    EXPECT_EQ(to_host(full({1, 2, 2}, 2.5)), std::vector<double>(4, 2.5));
    EXPECT_EQ(to_host(full({3}, true)), std::vector<bool>(3, true));
    const array<double, 2> braces = {{1, 2, 3}, {4, 5, 6}};
    expect_equal(braces, naive({2, 3}, {1, 2, 3, 4, 5, 6}));
    const array<float, 3> cube = {{{1}, {2}}, {{3}, {4}}};
    expect_equal(cube, naive({2, 2, 1}, {1, 2, 3, 4}));
}

}  // namespace
}  // namespace sinter::test
