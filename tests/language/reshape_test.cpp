// The same elements with other axes: reshape, ravel, repeat, tile, diagonal, of arrays and of expressions.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

namespace sinter::test {
namespace {

class reshapes : public on_devices {};

naive reshaped(naive x, index shape) {
    x.shape = std::move(shape);
    return x;
}

template <class F>
naive by_place(const index& shape, F f) {
    naive result(shape);
    for_each_index(shape, [&](const index& at) { result[at] = f(at); });
    return result;
}

TEST_F(reshapes, of_arrays_and_of_expressions) {
    const naive x = random({4, 6, 10}, 1);
    const auto a = to_array<double, 3>(x);
    expect_equal(reshape(a, {24, 10}), reshaped(x, {24, 10}));
    expect_equal(reshape(a, {2, 2, 3, -1, 5}), reshaped(x, {2, 2, 3, 4, 5}));
    expect_equal(reshape(a, {10, 6, 4}), reshaped(x, {10, 6, 4}));
    expect_equal(reshape(a, {1, 240, 1}), reshaped(x, {1, 240, 1}));
    expect_equal(ravel(a * 2.0), reshaped(map([](double v) { return 2 * v; }, x), {240}));
    // of what is no line in memory: permuted, reversed, broadcast
    expect_equal(ravel(transpose(a)), reshaped(transposed(x), {240}));
    expect_equal(reshape(permute(a, {1, 0, 2}), {12, 20}), reshaped(permuted(x, {1, 0, 2}), {12, 20}));
    const naive row = random({10}, 2);
    expect_equal(reshape(a + to_array<double, 1>(row), {15, 16}), reshaped(map(std::plus<>(), x, row), {15, 16}));
    expect_equal(reshape(a(all, range(5, end, -2), range(1, 9)), {8, 12}),
                 reshaped(by_place({4, 3, 8},
                                   [&](const index& at) {
                                       return x[{at[0], 5 - 2 * at[1], at[2] + 1}];
                                   }),
                          {8, 12}));
}

TEST_F(reshapes, there_and_back_is_the_same_line) {
    const naive x = random({6, 35}, 3);
    const auto a = to_array<float, 2>(x);
    const auto there = reshape(a, {7, 30}) + 1.f;
    expect_equal(reshape(there, {6, 35}), map([](double v) { return v + 1; }, x));
    // nothing but the line is left of it: no division, and no second axis
    EXPECT_THAT(source(reshape(there, {6, 35})), testing::Not(testing::HasSubstr("%")));
    EXPECT_THAT(source(reshape(there, {6, 35})), testing::Not(testing::HasSubstr("extent")));
}

TEST_F(reshapes, reductions_over_and_under_them) {
    const naive x = random({12, 50}, 4);
    const auto a = to_array<double, 2>(x);
    expect_equal(sum(reshape(a, {3, 4, 50}), axis=0), sum_of(reshaped(x, {3, 4, 50}), 1));
    expect_equal(sum(reshape(a, {60, 10}), axis=1), sum_of(reshaped(x, {60, 10}), 2));
    expect_equal(max(reshape(transpose(a), {20, 30}), axis=1), max_of(reshaped(transposed(x), {20, 30}), 2));
    expect_equal(reshape(sum(a, axis=1), {3, 4}), reshaped(sum_of(x, 2), {3, 4}));
    expect_equal(reshape(a, {50, 12}) / sum(a),
                 map([](double v, double s) { return v / s; }, reshaped(x, {50, 12}), reshaped(sum_of(x, 3), {})),
                 1e-9);
    // pooling: every 3 x 5 patch to its maximum
    expect_equal(max(reshape(a, {4, 3, 10, 5}), axis={1, 3}), max_of(reshaped(x, {4, 3, 10, 5}), 10));
}

TEST_F(reshapes, empty_ones_and_wrong_ones) {
    const array<double, 2> none(shape<2>(0, 3));
    EXPECT_EQ(reshape(none, {5, 0, 2}).shape(), shape<3>(5, 0, 2));
    EXPECT_TRUE(to_host(reshape(none, {3, 0})).empty());
    const array<double, 1> a = {1, 2, 3, 4, 5, 6};
    EXPECT_EQ(item(reshape(a(range(2, 3)), shape<0>())), 3);
    EXPECT_THROW((void)reshape(a, {4, 2}), error);
    EXPECT_THROW((void)reshape(a, {-1, 4}), error);
    EXPECT_THROW((void)reshape(a, {-1, -1}), error);
    EXPECT_THROW((void)reshape(none, {-1, 0}), error);
}

TEST_F(reshapes, repeat_and_tile) {
    const naive x = random({3, 7}, 5);
    const auto a = to_array<double, 2>(x);
    expect_equal(repeat(a, 4, axis=1), by_place({3, 28}, [&](const index& at) { return x[{at[0], at[1] / 4}]; }));
    expect_equal(repeat(a + 1.0, 2, axis=0), by_place({6, 7}, [&](const index& at) {
                     return x[{at[0] / 2, at[1]}] + 1;
                 }));
    expect_equal(repeat(a, 0, axis=0), naive({0, 7}));
    expect_equal(tile(a, {2, 3}), by_place({6, 21}, [&](const index& at) { return x[{at[0] % 3, at[1] % 7}]; }));
    expect_equal(sum(tile(a, {2, 1}), axis=0), map([](double v) { return 2 * v; }, sum_of(x, 1)));
    expect_equal(tile(a, {2}), by_place({3, 14}, [&](const index& at) { return x[{at[0], at[1] % 7}]; }));
    expect_equal(tile(a(0), {3, 2}), by_place({3, 14}, [&](const index& at) { return x[{0, at[1] % 7}]; }));
    expect_equal(tile(sum(a), {2}), naive({2}, {sum_of(x, 3)[{}], sum_of(x, 3)[{}]}));
    EXPECT_THROW((void)repeat(a, -1, axis=0), error);
}

TEST_F(reshapes, of_nothing) {
    const array<int, 3> none(shape<3>(1, 1, 0));
    EXPECT_EQ(item(sum(astype<std::int64_t>(reshape(none, {0})))), 0);
}

TEST_F(reshapes, of_parts_of_what_is_reshaped) {
    const naive x = random({4, 3}, 7);
    const auto a = to_array<double, 2>(x);
    const auto rows = [&](std::int64_t first) {
        return by_place({2, 3}, [&](const index& at) { return x[{first + at[0], at[1]}]; });
    };
    expect_equal(reshape(ravel(a)(range(3, 9)), {2, 3}), rows(1));
    expect_equal(reshape(ravel(a * 1)(range(6, 12)), {2, 3}), rows(2));
    expect_equal(
        reshape(ravel(a)(range(2, 8)), {2, 3}),  // these begin within a row
        by_place({2, 3}, [&](const index& at) { return x.values[static_cast<std::size_t>(2 + 3 * at[0] + at[1])]; }));
}

TEST_F(reshapes, diagonals) {
    const naive x = random({2, 5, 8}, 6);
    const auto a = to_array<double, 3>(x);
    expect_equal(diagonal(a), by_place({2, 5}, [&](const index& at) { return x[{at[0], at[1], at[1]}]; }));
    expect_equal(diagonal(a, 5), by_place({2, 3}, [&](const index& at) { return x[{at[0], at[1], at[1] + 5}]; }));
    expect_equal(diagonal(a * a, -3), by_place({2, 2}, [&](const index& at) {
                     return x[{at[0], at[1] + 3, at[1]}] * x[{at[0], at[1] + 3, at[1]}];
                 }));
    expect_equal(diagonal(a, 9), naive({2, 0}));
    expect_equal(sum(diagonal(a), axis=1), by_place({2}, [&](const index& at) {
                     double trace = 0;
                     for (std::int64_t i = 0; i < 5; ++i) trace += x[{at[0], i, i}];
                     return trace;
                 }));
}

TEST_F(reshapes, as_numpys_functions_without_a_list) {
    const array<int, 2> x = {{1, 2, 3}, {4, 5, 6}};
    EXPECT_EQ(reshape(x, -1).shape(), shape<1>(6));
    EXPECT_EQ(to_host(reshape(x, 6)), (std::vector<int>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(reshape(x, {-1, 2}).shape(), shape<2>(3, 2));
    EXPECT_EQ(to_host(repeat(x, 2)), (std::vector<int>{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
    EXPECT_EQ(to_host(take(x, -1, axis=1)), (std::vector<int>{3, 6}));
    EXPECT_EQ(item(take(ravel(x), 2)), 3);
    EXPECT_THROW((void)reshape(x, 5), error);
}

TEST_F(reshapes, axes_exchanged_moved_added_and_left_out) {
    const naive a = random({2, 3, 4}, 30);
    const auto x = to_array<double, 3>(a);
    expect_equal(swapaxes(x, 0, -1), permuted(a, {2, 1, 0}));
    expect_equal(swapaxes(x, 1, 1), a);
    expect_equal(moveaxis(x, 0, -1), permuted(a, {1, 2, 0}));
    expect_equal(moveaxis(x + 1, -1, 0), map([](double v) { return v + 1; }, permuted(a, {2, 0, 1})));
    expect_equal(moveaxis(x, 1, 0), permuted(a, {1, 0, 2}));
    EXPECT_EQ(expand_dims(x, axis=-1).shape(), shape<4>(2, 3, 4, 1));
    EXPECT_EQ(expand_dims(x, axis={0, 2}).shape(), shape<5>(1, 2, 1, 3, 4));
    EXPECT_EQ(expand_dims(sum(x), axis=0_c).shape(), shape<1>(1));
    EXPECT_EQ(to_host(expand_dims(x, axis={0, -1})), a.values);
    EXPECT_EQ(squeeze(sum(x, axis={0, 2}, keepdims), axis={0, 2}).shape(), shape<1>(3));
    EXPECT_EQ(to_host(squeeze(expand_dims(x, axis=1), axis=-3)), a.values);
    EXPECT_EQ(squeeze(sum(x, keepdims), axis={0, 1, 2}).shape(), shape<0>());
    EXPECT_THROW((void)squeeze(x, axis=0), error);
    EXPECT_THROW((void)squeeze(x, axis=3), error);
    EXPECT_THROW((void)expand_dims(x, axis=4), error);
    EXPECT_THROW((void)expand_dims(x, axis={0, -5}), error);
    EXPECT_THROW((void)swapaxes(x, 0, 3), error);
    EXPECT_THROW((void)moveaxis(x, -4, 0), error);
    expect_equal(grad(sum(swapaxes(x, 0, 2) * swapaxes(x, 0, 2)), x), map([](double v) { return 2 * v; }, a));
}

}  // namespace
}  // namespace sinter::test
