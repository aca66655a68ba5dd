// Splitting and combining operands: unstack, split, meshgrid, broadcast_arrays, elements along an axis.
#include <sinter/along_axis.hpp>
#include <sinter/grids.hpp>
#include <sinter/split.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class parts : public on_devices {};

/// A result whose every element is found from where it stands.
template <class F>
naive by_place(const index& shape, F f) {
    naive result(shape);
    for_each_index(shape, [&](const index& at) { result[at] = f(at); });
    return result;
}

TEST_F(parts, unstack_gives_a_view_of_each_element) {
    const naive x = test::random({2, 3, 4}, 1);
    const auto a = to_array<double, 3>(x);
    const auto matrices = unstack(a);
    ASSERT_EQ(matrices.size(), 2U);
    expect_equal(matrices[1] * 2, by_place({3, 4}, [&](const index& at) { return 2 * x[{1, at[0], at[1]}]; }));
    const auto columns = unstack(a + 1, axis=-1);
    ASSERT_EQ(columns.size(), 4U);
    expect_equal(columns[2] - columns[0], by_place({2, 3}, [&](const index& at) {
                     return x[{at[0], at[1], 2}] - x[{at[0], at[1], 0}];
                 }));
    EXPECT_TRUE(unstack(empty<double>({0, 3})).empty());
    EXPECT_THROW((void)unstack(a, axis=3), error);
}

TEST_F(parts, split_evenly_and_at_positions) {
    const naive x = test::random({6, 5}, 2);
    const auto a = to_array<double, 2>(x);
    const auto rows = [&](std::int64_t first, std::int64_t count) {
        return by_place({count, 5}, [&](const index& at) { return x[{at[0] + first, at[1]}]; });
    };
    const auto thirds = split(a, 3);
    ASSERT_EQ(thirds.size(), 3U);
    expect_equal(thirds[0], rows(0, 2));
    expect_equal(thirds[2], rows(4, 2));
    EXPECT_THROW((void)split(a, 4), error);
    EXPECT_THROW((void)split(a, 0), error);
    const auto uneven = array_split(a, 4);
    ASSERT_EQ(uneven.size(), 4U);
    expect_equal(uneven[1], rows(2, 2));
    expect_equal(uneven[3], rows(5, 1));
    EXPECT_EQ(array_split(a, 9, axis=1)[7].shape(), (shape<2>(6, 0)));
    // positions by the rules of ranges
    const auto pieces = split(a, {2, -1, 9});
    ASSERT_EQ(pieces.size(), 4U);
    expect_equal(pieces[0], rows(0, 2));
    expect_equal(pieces[1], rows(2, 3));
    expect_equal(pieces[2], rows(5, 1));
    EXPECT_EQ(pieces[3].shape(), (shape<2>(0, 5)));
    expect_equal(sum(split(a, {3}, axis=1)[1], axis=1), by_place({6}, [&](const index& at) {
                     return x[{at[0], 3}] + x[{at[0], 4}];
                 }));
    EXPECT_EQ(split(a, {4, 2})[1].shape(), (shape<2>(0, 5)));
}

TEST_F(parts, grids) {
    const array<double, 1> x = {1, 2, 3};
    const array<int, 1> y = {10, 20};
    const auto [px, py] = meshgrid(x, y);
    expect_equal(px + py, naive({2, 3}, {11, 12, 13, 21, 22, 23}));
    EXPECT_EQ(py.dtype(), dtype::int32);
    const auto [i, j] = meshgrid(indexing::ij, x, y);
    expect_equal(i - j, naive({3, 2}, {-9, -19, -8, -18, -7, -17}));
    const auto [a, b, c] = meshgrid(x, y, y * 2);
    EXPECT_EQ(a.shape(), (shape<3>(2, 3, 2)));
    expect_equal(sum(a + b * c, axis={0, 1, 2}), naive({}, {3 * 30.0 * 60 + 4 * 6}));
    const auto [alone] = meshgrid(x);
    expect_equal(alone, naive({3}, {1, 2, 3}));

    const auto [p, q, r] = broadcast_arrays(x, y(all, newaxis), reshape(x, {1, 1, 3}));
    EXPECT_EQ(p.shape(), (shape<3>(1, 2, 3)));
    EXPECT_EQ(q.shape(), r.shape());
    expect_equal(q, naive({1, 2, 3}, {10, 10, 10, 20, 20, 20}));
    EXPECT_THROW((void)broadcast_arrays(x, y), error);
    expect_equal(matrix_transpose(p * q), naive({1, 3, 2}, {10, 20, 20, 40, 30, 60}));
    EXPECT_EQ(permute_dims(p, {2, 0, 1}).shape(), (shape<3>(3, 1, 2)));
}

TEST_F(parts, elements_along_an_axis) {
    const naive x = test::random({3, 5}, 3);
    const auto a = to_array<double, 2>(x);
    const array<int, 2> places = {{4, 0}, {-1, 2}, {1, 1}};
    const std::int64_t plain[3][2] = {{4, 0}, {4, 2}, {1, 1}};
    expect_equal(take_along_axis(a, places, axis=1), by_place({3, 2}, [&](const index& at) {
                     return x[{at[0], plain[at[0]][at[1]]}];
                 }));
    // the greatest of each column, and operands that broadcast
    expect_equal(take_along_axis(a * 2, argmax(a, axis=0, keepdims), axis=0),
                 map([](double v) { return 2 * v; }, max_of(x, 1, true)));
    const array<std::uint8_t, 2> one_row = {{3, 0, 7}};
    expect_equal(take_along_axis(a, one_row, axis=-1), by_place({3, 3}, [&](const index& at) {
                     const std::int64_t column[] = {3, 0, 4};
                     return x[{at[0], column[at[1]]}];
                 }));
    expect_equal(take_along_axis(a(range(0, 1), all), places, axis=1), by_place({3, 2}, [&](const index& at) {
                     return x[{0, plain[at[0]][at[1]]}];
                 }));
    EXPECT_THROW((void)take_along_axis(a, array<int, 2>{{1}, {2}}, axis=1), error);
    EXPECT_THROW((void)take_along_axis(empty<double>({3, 0}), places, axis=1), error);
    expect_equal(grad(sum(take_along_axis(a, places, axis=1)), a),
                 naive({3, 5}, {1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 0}));
}

TEST_F(parts, several_arrays_of_indices) {
    const naive x = test::random({4, 5, 6}, 4);
    const auto a = to_array<double, 3>(x);
    const array<int, 1> i = {3, 0, -1}, k = {5, 1, 2};
    const std::int64_t plain_i[] = {3, 0, 3}, plain_k[] = {5, 1, 2};
    expect_equal(a(i, k), by_place({3, 6}, [&](const index& at) {
                     return x[{plain_i[at[0]], std::min<std::int64_t>(plain_k[at[0]], 4), at[1]}];
                 }));
    expect_equal(a(all, i, k), by_place({4, 3}, [&](const index& at) {
                     return x[{at[0], plain_i[at[1]] == 3 && at[1] == 2 ? 4 : plain_i[at[1]], plain_k[at[1]]}];
                 }));
    // they broadcast, stand beside integers, and there may be three
    const array<std::uint8_t, 2> column = {{2}, {0}};
    expect_equal((a * 2)(ellipsis, column, k), by_place({4, 2, 3}, [&](const index& at) {
                     return 2 * x[{at[0], at[1] == 0 ? 2 : 0, plain_k[at[2]]}];
                 }));
    expect_equal(a(i, 1, k), by_place({3}, [&](const index& at) { return x[{plain_i[at[0]], 1, plain_k[at[0]]}]; }));
    expect_equal(a(i, column, k), by_place({2, 3}, [&](const index& at) {
                     return x[{plain_i[at[1]], at[0] == 0 ? 2 : 0, plain_k[at[1]]}];
                 }));
    const auto diagonal_sum = sum(a(arange(4), arange(4)), axis=1_c);
    EXPECT_EQ(launches<decltype(diagonal_sum)>, 1);
    expect_equal(diagonal_sum, by_place({4}, [&](const index& at) {
                     double s = 0;
                     for (std::int64_t j = 0; j < 6; ++j) s += x[{at[0], at[0], j}];
                     return s;
                 }));
    EXPECT_THROW((void)a(i, array<int, 1>{1, 2}), error);
    EXPECT_THROW((void)empty<double>({0, 2})(i, k), error);
    expect_equal(grad(sum(a(i, k, 0)), a)(3, 4, range(0, 2)), naive({2}, {1, 0}));
}

TEST_F(parts, elements_written_along_an_axis) {
    const array<double, 2> a = {{1, 2, 3}, {4, 5, 6}};
    const array<int, 2> places = {{0, 2}, {-2, 1}};
    // of equal indices the last one counts
    expect_equal(put_along_axis(a, places, array<double, 2>{{10, 20}, {30, 40}}, axis=1),
                 naive({2, 3}, {10, 2, 20, 4, 40, 6}));
    expect_equal(put_along_axis(a, argmin(a, axis=0, keepdims), 0, axis=0), naive({2, 3}, {0, 0, 0, 4, 5, 6}));
    expect_equal(put_along_axis(a, array<int, 2>{{1}}, -1, axis=-1), naive({2, 3}, {1, -1, 3, 4, -1, 6}));
    // beyond the axis nothing is written
    expect_equal(put_along_axis(a, array<int, 2>{{5}, {-9}}, -1, axis=1), naive({2, 3}, {1, 2, 3, 4, 5, 6}));
    const array<double, 1> v = {1, 2, 3};
    expect_equal(put_along_axis(v, array<int, 1>{2, 0}, array<int, 1>{7, 8}, axis=0), naive({3}, {8, 2, 7}));
}

}  // namespace
}  // namespace sinter::test
