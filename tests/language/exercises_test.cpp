// Everyday array tasks, each as a few expressions, with the values that NumPy 2 gives: typical exercises of books on
// NumPy, from creating arrays to statistics of groups.
#include <sinter/convolve.hpp>
#include <sinter/groups.hpp>
#include <sinter/masks.hpp>
#include <sinter/op/composite/covariance.hpp>
#include <sinter/op/composite/nan.hpp>
#include <sinter/pad_modes.hpp>
#include <sinter/polynomial.hpp>
#include <sinter/recurrence.hpp>
#include <sinter/tensor_products.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <climits>
#include <complex>

namespace sinter::test {
namespace {

class exercises : public on_devices {};

TEST_F(exercises, making) {
    expect_equal(zeros(4), naive({4}, {0, 0, 0, 0}));                             // a vector of zeros
    EXPECT_EQ(zeros({10, 10}).size() * 8, 800);                                   // the bytes of an array
    expect_equal(put(zeros(4), array<int, 1>{2}, 1), naive({4}, {0, 0, 1, 0}));   // with a one at one place
    EXPECT_EQ(to_host(arange(10, 14)), (std::vector<int>{10, 11, 12, 13}));       // a run of numbers
    EXPECT_EQ(to_host(flip(arange(4))), (std::vector<int>{3, 2, 1, 0}));          // turned around
    expect_equal(reshape(arange(6), {2, 3}), naive({2, 3}, {0, 1, 2, 3, 4, 5}));  // as a matrix
    EXPECT_EQ(to_host(flatnonzero(array<int, 1>{1, 2, 0, 0, 4})), (std::vector<std::int64_t>{0, 1, 4}));
    expect_equal(eye<double>(2), naive({2, 2}, {1, 0, 0, 1}));  // the identity
    expect_equal(diag(arange(1, 4), -1), naive({4, 4}, {0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0}));
    const auto place = arange(16);  // a chessboard
    expect_equal(reshape((floor_divide(place, 4) + place % 4) % 2, {4, 4}),
                 naive({4, 4}, {0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0}));
    expect_equal(tile(array<int, 2>{{0, 1}, {1, 0}}, {1, 2}), naive({2, 4}, {0, 1, 0, 1, 1, 0, 1, 0}));
    array<double, 2> frame = ones({4, 4});  // ones around zeros
    frame(range(1, -1), range(1, -1)) = 0;
    expect_equal(frame, naive({4, 4}, {1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1}));
    expect_equal(pad(ones({1, 2}), {{1, 1}, {1, 1}}), naive({3, 4}, {0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0}));
    array<double, 2> board = zeros({4, 4});  // every other element set
    board(range(1, end, 2), range(0, end, 2)) = 1;
    board(range(0, end, 2), range(1, end, 2)) = 1;
    EXPECT_EQ(item(sum(board)), 8);
    expect_equal(linspace(0, 1, 5)(range(1, -1)), naive({3}, {0.25, 0.5, 0.75}));  // within an interval, without ends
    const auto [gx, gy] = meshgrid(linspace(0, 1, 2), linspace(0, 1, 3));          // coordinates of the unit square
    expect_equal(gx + 10 * gy, naive({3, 2}, {0, 1, 5, 6, 10, 11}));
    const array<double, 1> a = {1, 2}, b = {3, 5};
    expect_equal(1 / (a(all, newaxis) - b), naive({2, 2}, {-0.5, -0.25, -1, -1. / 3}));  // Cauchy's matrix
    expect_equal(vander(a, 3), naive({2, 3}, {1, 1, 1, 4, 2, 1}));
    expect_equal(zeros({2, 3}) + arange(3), naive({2, 3}, {0, 1, 2, 0, 1, 2}));  // rows that count
    EXPECT_EQ(empty({3, 3, 3}).shape(), (shape<3>(3, 3, 3)));
    EXPECT_TRUE(array_equal(uniform<double>(random_key(1), {3}), uniform<double>(random_key(1), {3})));
    array<int, 1> fixed = arange(3);  // others do not see what is written
    const array<int, 1> seen = fixed;
    fixed(0) = 9;
    EXPECT_EQ(to_host(seen), (std::vector<int>{0, 1, 2}));
    expect_equal(from_host(std::vector<double>{1, 2}), naive({2}, {1, 2}));  // from an iteration
}

TEST_F(exercises, numbers) {
    EXPECT_TRUE(std::isnan(item(array<double, 0>(NaN) * 0)));  // what NaN does
    EXPECT_FALSE(item(array<double, 0>(NaN) == NaN));
    EXPECT_FALSE(item(array<double, 0>(0.3) == array<double, 0>(0.1) * 3));
    EXPECT_TRUE(allclose(array<double, 0>(0.3), array<double, 0>(0.1) * 3));
    const array<double, 1> z = {-1.5, 0.3, 2.5};
    expect_equal(copysign(ceil(abs(z)), z), naive({3}, {-2, 1, 3}));  // rounded away from zero
    expect_equal(trunc(z), naive({3}, {-1, 0, 2}));                   // five ways to whole numbers
    expect_equal(z - z % 1, naive({3}, {-2, 0, 2}));
    expect_equal(floor(z), naive({3}, {-2, 0, 2}));
    expect_equal(astype<double>(astype<int>(z)), naive({3}, {-1, 0, 2}));
    expect_equal(ceil(z) - 1, naive({3}, {-2, 0, 2}));
    expect_equal((z - min(z)) / (max(z) - min(z)), naive({3}, {0, 0.45, 1}));  // to the range from 0 to 1
    expect_equal(standardise(array<double, 1>{1, 3}), naive({2}, {-1, 1}));
    array<double, 1> w = {1, 5, 7, 9};  // a part negated where it stands
    w(w > 3 && w < 8) *= -1;
    expect_equal(w, naive({4}, {1, -5, -7, 9}));
    EXPECT_EQ(item(sum(arange(5))), 10);
    EXPECT_EQ(to_host(sqrt(array<std::complex<double>, 1>{{-1, 0}})), (std::vector<std::complex<double>>{{0, 1}}));
    const array<double, 1> a = {1, 2}, b = {3, 4};
    array<double, 1> s = a;  // in place: (a + b) * (-a / 2)
    s += b;
    s *= -a / 2;
    expect_equal(s, naive({2}, {-2, -6}));
    EXPECT_EQ(finfo<float>().eps, 0x1p-23);  // limits of dtypes
    EXPECT_EQ(iinfo<std::int64_t>().max, INT64_MAX);
    const array<float, 1> f = {1.5F, -2};
    EXPECT_EQ(to_host(astype<std::int32_t>(f)), (std::vector<std::int32_t>{1, -2}));  // floats to integers
    EXPECT_EQ(to_host(bit_cast<std::int32_t>(array<float, 1>{1.F})), (std::vector<std::int32_t>{0x3f800000}));
    const array<double, 1> r = {1, 1}, angle = {0, std::acos(-1) / 2};
    expect_equal(hypot(r * cos(angle), r * sin(angle)), naive({2}, {1, 1}));  // polar coordinates and back
    expect_equal(arg(polar(r, angle)), naive({2}, {0, std::acos(-1) / 2}));
    const array<std::uint8_t, 1> bytes = {0, 1, 6};  // as rows of bits
    const auto bits = (bytes(all, newaxis) >> flip(arange<std::uint8_t>(3))) & std::uint8_t(1);
    expect_equal(bits, naive({3, 3}, {0, 0, 0, 0, 0, 1, 1, 1, 0}));
}

TEST_F(exercises, searching) {
    const array<double, 1> v = {0.2, 0.9, 0.4, 0.7};
    EXPECT_EQ(item(argmax(v)), 1);
    expect_equal(put(v, array<std::int64_t, 0>(argmax(v))(newaxis), 0), naive({4}, {0.2, 0, 0.4, 0.7}));
    EXPECT_NEAR(item(take(v, argmin(abs(v - 0.5)))), 0.4, 1e-15);  // the nearest to a number
    const array<int, 1> i = {1, 2, 3, 5}, j = {2, 5, 7};
    const auto common = any(i(all, newaxis) == j, axis=1);  // what two arrays share
    EXPECT_EQ(to_host(extract(common, i)), (std::vector<int>{2, 5}));
    EXPECT_FALSE(item(any(all(array<int, 2>{{1, 0}, {0, 1}} == 0, axis=0))));  // columns of zeros
    const array<double, 2> m = {{3, NaN, 1}, {4, 5, 6}};
    EXPECT_TRUE(item(any(isnan(m))));  // missing values
    expect_equal(nanargmax(m, axis=1), naive({2}, {0, 2}));
    const array<double, 2> p = {{0, 1}, {1, 0}, {2, 2}};  // distances of points
    const auto d = norm(p(all, newaxis) - p(newaxis, all), axis=-1);
    expect_equal(d, naive({3, 3}, {0, std::sqrt(2), std::sqrt(5), std::sqrt(2), 0, std::sqrt(5), std::sqrt(5),
                                   std::sqrt(5), 0}));
    expect_equal(min(d + diag(full(3, 99.0)), axis=1), naive({3}, {std::sqrt(2), std::sqrt(2), std::sqrt(5)}));
    const array<int, 2> x = {{4, 4, 4}, {1, 2, 1}};  // rows of unlike values
    EXPECT_EQ(to_host(compress(any(x(all, range(1, end)) != x(all, range(0, -1)), axis=1), x, axis=0)),
              (std::vector<int>{1, 2, 1}));
    const auto row = 7 / 3, column = 7 % 3;  // the index of a position
    EXPECT_EQ(item(reshape(arange(9), {3, 3})(row, column)), 7);
    const auto [hi, hj] = nonzero(x == max(x));
    EXPECT_EQ(to_host(hj), (std::vector<std::int64_t>{0, 1, 2}));
    const array<int, 1> counted = {1, 3, 3, 2, 3};  // the most frequent value
    EXPECT_EQ(item(argmax(bincount(counted, 4))), 3);
    EXPECT_TRUE(array_equal(array<int, 1>{1, 2}, array<int, 1>{1, 2}));
    const auto rank_of = sum(v(all, newaxis) > v, axis=1);  // places in order, by counting
    EXPECT_EQ(to_host(rank_of), (std::vector<std::int64_t>{0, 3, 1, 2}));
    expect_equal(scatter_add(zeros(4), rank_of, v), naive({4}, {0.2, 0.4, 0.7, 0.9}));
    expect_equal(cummax(v), naive({4}, {0.2, 0.9, 0.9, 0.9}));
}

TEST_F(exercises, products_and_sums) {
    const array<double, 2> a = {{1, 2}, {3, 4}, {5, 6}}, b = {{1, 0, 2}, {0, 1, 1}};
    expect_equal(matmul(a, b), naive({3, 3}, {1, 2, 4, 3, 4, 10, 5, 6, 16}));
    expect_equal(sum(a * transpose(b), axis=1), naive({3}, {1, 4, 16}));  // the diagonal of a product alone
    expect_equal(a - mean(a, axis=1, keepdims), naive({3, 2}, {-0.5, 0.5, -0.5, 0.5, -0.5, 0.5}));
    expect_equal(sum(reshape(arange<double>(24), {2, 3, 2, 2}), axis={-2, -1}),  // over the last two axes
                 naive({2, 3}, {6, 22, 38, 54, 70, 86}));
    expect_equal(array<double, 2>{{1, 2}, {3, 4}}(newaxis)*array<double, 1>{1, 10}(all, newaxis, newaxis),
                 naive({2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40}));  // a matrix by a vector of factors
    expect_equal(tensordot(ones({2, 3, 3}), ones({2, 3, 1}), {0, 2}, {0, 1}), naive({3, 1}, {6, 6, 6}));
    expect_equal(outer(array<int, 1>{1, 2}, array<int, 1>{3, 4}), naive({2, 2}, {3, 4, 6, 8}));
    EXPECT_EQ(item(dot(array<int, 1>{1, 2}, array<int, 1>{3, 4})), 11);
    const array<double, 2> s = {{1, 2}, {7, 3}};  // the lower triangle mirrored
    expect_equal(s + transpose(s) - diag(diagonal(s)), naive({2, 2}, {1, 9, 9, 3}));
    array<double, 2> rows = a;  // two rows exchanged
    rows = take(a, array<int, 1>{1, 0, 2}, axis=0);
    expect_equal(rows(range(0, 2)), naive({2, 2}, {3, 4, 1, 2}));
    expect_equal(sum(a), naive({}, {21}));
}

TEST_F(exercises, windows_and_groups) {
    const array<double, 1> v = {1, 2, 3, 4, 5, 6};
    expect_equal(sliding_window(v, 4), naive({3, 4}, {1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6}));
    expect_equal(rolling_mean(v, 3), naive({4}, {2, 3, 4, 5}));               // moving averages
    expect_equal(sum(reshape(v, {3, 2}), axis=1), naive({3}, {3, 7, 11}));  // sums of blocks
    const array<double, 2> m = reshape(arange<double>(16), {4, 4});
    expect_equal(sum(sliding_window(m, {2, 2})(range(0, end, 2), range(0, end, 2)), axis={-2, -1}),
                 naive({2, 2}, {10, 18, 42, 50}));
    EXPECT_EQ(sliding_window(m, {3, 3}).shape(), (shape<4>(2, 2, 3, 3)));  // all blocks of 3 by 3
    expect_equal(repeat(v(range(0, 2)), 3), naive({6}, {1, 1, 1, 2, 2, 2}));
    array<double, 1> spaced = zeros(7);  // zeros between the elements
    spaced(range(0, end, 3)) = v(range(0, 3));
    expect_equal(spaced, naive({7}, {1, 0, 0, 2, 0, 0, 3}));
    // a step of the game of life
    const array<int, 2> cells = {{0, 0, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 0, 0}};
    const auto neighbours = correlate(cells, array<int, 2>{{1, 1, 1}, {1, 0, 1}, {1, 1, 1}}, overlap::same);
    expect_equal(astype<int>(neighbours == 3 || (cells == 1 && neighbours == 2)),
                 naive({5, 5}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    const array<int, 1> g = {0, 1, 0, 2, 1, 2};
    expect_equal(segment_mean(v, g, 3), naive({3}, {2, 3.5, 5}));  // means of subsets
    array<double, 1> f = zeros(4);                                 // added at indices, also at equal ones
    at(f, array<int, 1>{1, 1, 3}) += array<double, 1>{1, 2, 3};
    expect_equal(f, naive({4}, {0, 3, 0, 3}));
    EXPECT_EQ(to_host(histogram(v, array<double, 1>{0, 3, 7})), (std::vector<std::int64_t>{2, 4}));
    expect_equal(roll(v, 2), naive({6}, {5, 6, 1, 2, 3, 4}));
    expect_equal(diff(v), naive({5}, {1, 1, 1, 1, 1}));
    const auto path = cumsum(hypot(diff(array<double, 1>{0, 3, 3}), diff(array<double, 1>{0, 4, 9})));
    expect_equal(path, naive({2}, {5, 10}));  // the length along a path
    // a part of fixed shape around a place, filled up outside
    expect_equal(pad(m, {{1, 1}, {1, 1}}, -1)(range(0, 3), range(0, 3)),
                 naive({3, 3}, {-1, -1, -1, -1, 0, 1, -1, 4, 5}));
    const array<std::uint8_t, 3> picture = {{{1, 2, 3}, {1, 2, 3}}, {{4, 4, 4}, {1, 2, 3}}};  // how many colours
    const auto wide = astype<int>(picture);
    const auto code = wide(all, all, 0) * 65536 + wide(all, all, 1) * 256 + wide(all, all, 2);
    const auto flat = ravel(code);
    const auto first = argmax(flat(all, newaxis) == flat, axis=1) == arange<std::int64_t>(4);
    EXPECT_EQ(item(sum(first)), 2);
}

TEST_F(exercises, statistics) {
    const array<double, 2> x = {{1, 2, 3}, {4, 6, 9}};
    expect_equal(mean(x, axis=0), naive({3}, {2.5, 4, 6}));
    EXPECT_NEAR(item(corrcoef(x)(0, 1)), 0.99339926779878285, 1e-12);
    // intervals of confidence by resampling: means of drawn elements lie within the values
    const auto drawn = integers<int>(random_key(7), 0, 6, {50, 6});
    const array<double, 1> means = mean(take(ravel(x), drawn), axis=1);
    EXPECT_TRUE(item(all(means >= 1 && means <= 9)));
    const array<double, 1> n = normal<double>(random_key(3), {1000});
    EXPECT_LT(std::abs(item(mean(n))), 0.2);
    EXPECT_NEAR(item(stddev(n)), 1, 0.2);
    const array<int, 1> dice = {2, 2, 5};  // counts of values, and values from their counts
    EXPECT_EQ(to_host(bincount(dice, 7)), (std::vector<std::int64_t>{0, 0, 2, 0, 0, 1, 0}));
    EXPECT_EQ(to_host(repeat(arange(7), bincount(dice, 7))), (std::vector<int>{2, 2, 5}));
    expect_equal(ema(array<double, 1>{2, 4}, 0.5), naive({2}, {2, 3}));
    expect_equal(average(x, array<double, 1>{1, 1, 2}, axis=1), naive({2}, {2.25, 7}));
    EXPECT_EQ(to_host(shuffle(random_key(2), arange(5))).size(), 5U);
    // multinomial rows: whole numbers that add up to a given sum
    const array<double, 2> counts = {{1, 0, 3}, {2, 2.5, -0.5}, {2, 2, 0}};
    const auto whole = all(counts % 1 == 0, axis=1) && sum(counts, axis=1) == 4 && all(counts >= 0, axis=1);
    EXPECT_EQ(to_host(flatnonzero(whole)), (std::vector<std::int64_t>{0, 2}));
}

}  // namespace
}  // namespace sinter::test
