// Selection by masks and counts, with sizes that depend on the data and with given sizes; statistics of groups.
#include <sinter/groups.hpp>
#include <sinter/masks.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <climits>
#include <complex>
#include <cstring>
#include <memory>
#include <span>

namespace sinter::test {
namespace {

class masks : public on_devices {};

using integers = std::vector<std::int64_t>;

/// The row-major positions of what is not zero.
integers places_of(const naive& x) {
    integers found;
    for (std::size_t i = 0; i < x.values.size(); ++i)
        if (x.values[i] != 0) found.push_back(static_cast<std::int64_t>(i));
    return found;
}

/// NVRTC 13.0 left bytes beside the first one of a wide access in differences of truths.
TEST_F(masks, differences_of_truths_as_bytes) {
    const naive x = random_integers({21, 640}, 1, 0, 1), y = random_integers({21, 640}, 2, 0, 1);
    const array<bool, 2> a = to_array<int, 2>(x) > 0, b = to_array<int, 2>(y) > 0;
    const array<float, 2> d = astype<float>(astype<std::int8_t>(a) - astype<std::int8_t>(b));
    naive expected = x;
    for (std::size_t i = 0; i < x.values.size(); ++i) expected.values[i] = x.values[i] - y.values[i];
    expect_equal(d, expected);
}

TEST_F(masks, where_elements_are_not_zero) {
    for (const std::int64_t n : {0, 1, 7, 16, 17, 300, emulated() ? 1000 : 5000}) {
        const naive x = random_integers({n}, 1, -1, 1);
        const auto a = to_array<int, 1>(x);
        const integers expected = places_of(x);
        EXPECT_EQ(to_host(flatnonzero(a)), expected);
        EXPECT_EQ(to_host(nonzero(a)[0]), expected);
        // with a size: what is left over is the extent
        integers filled = expected;
        const std::int64_t size = static_cast<std::int64_t>(expected.size()) + 3;
        filled.resize(static_cast<std::size_t>(size), n);
        EXPECT_EQ(to_host(nonzero(a, size)[0]), filled) << n;
        if (n > 100) {
            EXPECT_EQ(to_host(nonzero(a, 20)[0]), integers(expected.begin(), expected.begin() + 20));
        }
    }
    EXPECT_EQ(to_host(flatnonzero(zeros<int>({9}))), integers());
    EXPECT_EQ(to_host(flatnonzero(ones<int>({3}))), (integers{0, 1, 2}));
    EXPECT_EQ(to_host(flatnonzero(array<double, 1>{0, NaN, -0.0, inf})), (integers{1, 3}));
}

TEST_F(masks, several_axes) {
    const array<int, 2> x = {{0, 3, 0}, {5, 0, 6}};
    const auto [i, j] = nonzero(x);
    EXPECT_EQ(to_host(i), (integers{0, 1, 1}));
    EXPECT_EQ(to_host(j), (integers{1, 0, 2}));
    EXPECT_EQ(to_host(argwhere(x > 0)), (integers{0, 1, 1, 0, 1, 2}));
    EXPECT_EQ(argwhere(x > 9).shape(), (shape<2>(0, 2)));
    const auto [k, l] = nonzero(x, 4);
    EXPECT_EQ(to_host(k), (integers{0, 1, 1, 2}));
    EXPECT_EQ(to_host(l), (integers{1, 0, 2, 3}));
    EXPECT_THROW((void)nonzero(x, -1), error);
}

TEST_F(masks, elements_and_slices) {
    const naive x = test::random({9, 11}, 2);
    const auto a = to_array<double, 2>(x);
    std::vector<double> positive;
    for (double v : x.values)
        if (v > 0) positive.push_back(v);
    const auto n = static_cast<std::int64_t>(positive.size());
    expect_equal(extract(a > 0, a), naive({n}, positive));
    EXPECT_EQ(extract(a > 9, a).size(), 0);
    // an expression, which goes on
    const auto some = extract(a > 0, a * 2, 5);
    static_assert(operand<decltype(some)> && !detail::is_array<std::remove_const_t<decltype(some)>>);
    double sum_of_five = 0;
    for (std::size_t i = 0; i < 5; ++i) sum_of_five += 2 * positive[i];
    expect_equal(sum(some), naive({}, {sum_of_five}));
    std::vector<double> filled = positive;
    filled.resize(positive.size() + 2, -1);
    expect_equal(extract(a > 0, a, n + 2, -1), naive({n + 2}, filled));
    expect_equal(extract(a > 9, a, 2), naive({2}, {0, 0}));

    naive rows({0, 11});
    for (std::int64_t i = 0; i < 9; ++i) {
        if (x[{i, 0}] <= 0) continue;
        ++rows.shape[0];
        for (std::int64_t j = 0; j < 11; ++j) rows.values.push_back(x[{i, j}]);
    }
    expect_equal(compress(a(all, 0) > 0, a, axis=0), rows);
    expect_equal(compress(a(all, 0) > 0, a, rows.shape[0], axis=0), rows);
    expect_equal(compress(a(all, 0) > 0, transpose(a), axis=1), test::transposed(rows));
    EXPECT_EQ(compress(a(all, 0) > 9, a, axis=0).shape(), (shape<2>(0, 11)));
    EXPECT_THROW((void)compress(a(all, 0) > 0, a, axis=1), error);
}

TEST_F(masks, elements_by_a_mask_as_an_index) {
    const naive x = test::random({9, 11}, 3);
    auto a = to_array<double, 2>(x);
    std::vector<double> positive;
    for (double v : x.values)
        if (v > 0) positive.push_back(v);
    const auto n = static_cast<std::int64_t>(positive.size());
    const array chosen = a(a > 0);
    expect_equal(chosen, naive({n}, positive));
    EXPECT_EQ(a(a > 0).size(), n);
    EXPECT_EQ(to_host((a + 0)(a > 0)), positive);

    // reductions wait for nothing
    const auto total = sum(a(a > 0));
    EXPECT_EQ(launches<decltype(total)>, 1);
    const naive all_positive({n}, positive);
    expect_equal(total, sum_of(all_positive, 1));
    expect_equal(mean(a(a > 0)), mean_of(all_positive, 1));
    expect_equal(stddev(a(a > 0), ddof=1), naive({}, {item(stddev(chosen, ddof=1))}));
    expect_equal(max(a(a > 0), initial=-inf), max_of(all_positive, 1));
    expect_equal(max((2 * a)(a > 9), initial=5), naive({}, {5}));

    // written to
    const array before = a;
    a(a > 1) = 1;
    expect_equal(a, map([](double v) { return v > 1 ? 1 : v; }, x));
    a(a < 0) *= -1;
    expect_equal(a, map([](double v) { return std::abs(v > 1 ? 1 : v); }, x));
    a = before;
    a(a > 0) = arange(n);
    naive counted = x;
    std::int64_t next = 0;
    for (double& v : counted.values)
        if (v > 0) v = static_cast<double>(next++);
    expect_equal(a, counted);
    expect_equal(before, x);
    a = before;
    a(a > 0) -= array<double, 0>(3.0);
    expect_equal(a, map([](double v) { return v > 0 ? v - 3 : v; }, x));
    a(broadcast_to(array<bool, 1>(arange(11) == 2), {9, 11})) = a * 0;
    EXPECT_EQ(item(sum(abs(a(all, 2)))), 0);
    array<int, 1> i = {1, 2, 3};
    i(i > 1) = 7;
    EXPECT_EQ(to_host(i), (std::vector<int>{1, 7, 7}));
    i(i > 1) += array<int, 1>{10, 20};  // of one axis, too, the vector's elements come one after the other
    EXPECT_EQ(to_host(i), (std::vector<int>{1, 17, 27}));
    i(i > 20) *= -1;
    EXPECT_EQ(to_host(i), (std::vector<int>{1, 17, -27}));
    EXPECT_THROW((void)a(array<bool, 2>{{true, false}}), error);
}

TEST_F(masks, choose_what_numpy_chooses) {
    const auto read = [](const char* name) {
        return load_npz<std::int64_t, 2>(SINTER_TEST_DIR "/data/counting.npz", name);
    };
    const auto x = load_npz<double, 1>(SINTER_TEST_DIR "/data/counting.npz", "x");
    const auto matrix = read("matrix");
    EXPECT_EQ(to_host(argwhere(matrix)), to_host(read("argwhere")));
    EXPECT_EQ(to_host(flatnonzero(matrix > 0)),
              to_host(load_npz<std::int64_t, 1>(SINTER_TEST_DIR "/data/counting.npz", "flatnonzero")));
    EXPECT_EQ(to_host(extract(x > 0.5, x)),
              to_host(load_npz<double, 1>(SINTER_TEST_DIR "/data/counting.npz", "extract")));
    EXPECT_EQ(to_host(compress(matrix(all, 3) > 0, matrix, axis=0)), to_host(read("compress")));
}

/// What a mask of every third, or so, chooses of elements that are their own positions.
template <class T>
void expect_chosen(std::int64_t n) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << ": " << n);
    const naive chosen = random_integers({n}, static_cast<unsigned>(n), 0, 2);
    const array<bool, 1> mask = to_array<int, 1>(chosen) == 1;
    const array<T, 1> values = astype<T>(arange<int>(n) % 120);
    std::vector<T> wanted;
    for (const std::int64_t i : places_of(map([](double v) { return v == 1; }, chosen)))
        wanted.push_back(static_cast<T>(static_cast<float>(i % 120)));
    const auto same = [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof a) == 0; };
    const std::vector<T> found = to_host(extract(mask, values)), computed = to_host(extract(mask, values + T(0.f)));
    EXPECT_TRUE(std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(), same));
    EXPECT_TRUE(std::equal(computed.begin(), computed.end(), wanted.begin(), wanted.end(), same));
}

TEST_F(masks, elements_of_all_dtypes_and_lengths) {
    expect_chosen<std::uint8_t>(9000);
    expect_chosen<float16>(8192);
    expect_chosen<float>(20000);
    expect_chosen<std::int64_t>(8193);
    expect_chosen<std::complex<double>>(777);
    for (const std::int64_t n : {1, 31, 32, 33, 255, 8191}) expect_chosen<int>(n);
    EXPECT_EQ(to_host(extract(array<bool, 2>{{true, false}}, array<int, 2>{{4, 5}})), (std::vector<int>{4}));
}

TEST_F(masks, of_arrays_elsewhere_than_on_the_current_device) {
    const array<int, 1> x = (arange<int>(1000) * 7 % 13) - 6, there = x.to(host());
    EXPECT_EQ(to_host(extract(there > 0, there)), to_host(extract(x > 0, x)));
    EXPECT_EQ(to_host(flatnonzero(there)), to_host(flatnonzero(x)));
}

TEST_F(masks, of_more_tiles_than_a_warp_looks_back_at_once) {
    const std::int64_t n = 4096 * 70 + 77;
    const auto truth = std::make_unique<bool[]>(static_cast<std::size_t>(n));
    integers wanted;
    for (std::int64_t i = 5; i < n; i += 1003 + i % 7) {
        truth[static_cast<std::size_t>(i)] = true;
        wanted.push_back(i);
    }
    const auto mask = from_host(std::span<const bool>(truth.get(), static_cast<std::size_t>(n)));
    EXPECT_EQ(to_host(flatnonzero(mask)), wanted);
}

TEST_F(masks, counts_that_repeat) {
    const array<double, 1> v = {1, 2, 3, 4};
    const array<int, 1> counts = {2, 0, -1, 3};
    expect_equal(repeat(v, counts), naive({5}, {1, 1, 4, 4, 4}));
    expect_equal(repeat(reshape(v, {2, 2}), counts), naive({5}, {1, 1, 4, 4, 4}));
    expect_equal(repeat(reshape(v, {2, 2}), array<std::uint8_t, 1>{1, 3}, axis=1),
                 naive({2, 4}, {1, 2, 2, 2, 3, 4, 4, 4}));
    EXPECT_EQ(repeat(v, counts * 0).size(), 0);
    EXPECT_EQ(repeat(reshape(v, {2, 2}), array<int, 1>{0, 0}, axis=0).shape(), (shape<2>(0, 2)));
    EXPECT_THROW((void)repeat(v, array<int, 1>{1}), error);
    expect_equal(repeat(v, array<std::int64_t, 1>{-5, 1, 0, 1}), naive({2}, {2, 4}));
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    EXPECT_THAT(message_of([&] {
                    (void)repeat(v, array<std::int64_t, 1>{most, most, 5, 0});
                }),
                testing::AllOf(testing::StartsWith("repeat: 9223372036854775807 and 92"), testing::HasSubstr("2^63")));
    EXPECT_THAT(message_of([&] {
                    (void)repeat(v, array<std::uint64_t, 1>{1, std::uint64_t{1} << 63, 0, 0});
                }),
                testing::StartsWith("repeat: 1 and 9223372036854775807"));
    expect_equal(repeat(v, 2), naive({8}, {1, 1, 2, 2, 3, 3, 4, 4}));
}

TEST_F(masks, statistics_of_groups) {
    const array<double, 2> x = {{1, 2}, {3, 4}, {5, 6}, {-7, 8}, {100, 100}};
    const array<std::int8_t, 1> g = {2, 0, 2, 0, -1};
    expect_equal(segment_sum(x, g, 4), naive({4, 2}, {-4, 12, 0, 0, 6, 8, 0, 0}));
    expect_equal(segment_prod(x, g, 3), naive({3, 2}, {-21, 32, 1, 1, 5, 12}));
    expect_equal(segment_mean(x, g, 3), naive({3, 2}, {-2, 6, nan_value, nan_value, 3, 4}));
    expect_equal(segment_max(x, g, 3), naive({3, 2}, {3, 8, -infinity, -infinity, 5, 6}));
    expect_equal(segment_min(x, g, 3), naive({3, 2}, {-7, 4, infinity, infinity, 1, 2}));
    EXPECT_EQ(to_host(segment_max(array<int, 1>{4, 9}, array<int, 1>{1, 1}, 2)), (std::vector<int>{INT_MIN, 9}));
    EXPECT_EQ(to_host(segment_sum(array<std::uint8_t, 1>{200, 100}, array<int, 1>{0, 0}, 1)),
              (std::vector<std::uint64_t>{300}));
    EXPECT_THROW((void)segment_sum(x, array<int, 1>{1}, 2), error);
    EXPECT_THROW((void)segment_sum(x, g, -1), error);
    const array<double, 1> v = {1, 2, 3};
    const array<int, 1> h = {1, 0, 1};
    expect_equal(grad(sum(square(segment_sum(v, h, 2))), v), naive({3}, {8, 4, 8}));
    expect_equal(bincount(h, v, 3), naive({3}, {2, 4, 0}));
}

TEST_F(masks, histograms) {
    const array<double, 1> x = {0, 0.5, 1, 1.5, 3, 3, NaN, -1}, w = {1, 2, 4, 8, 16, 32, 64, 128};
    const array<double, 1> edges = {0, 1, 2, 3};
    expect_equal(histogram(x, edges, w), naive({3}, {3, 12, 48}));
    const auto bins = histogram_bin_edges(x(range(0, 6)), 4);
    expect_equal(bins, naive({5}, {0, 0.75, 1.5, 2.25, 3}));
    EXPECT_EQ(to_host(histogram(x(range(0, 6)), bins)), (integers{2, 1, 1, 2}));
    expect_equal(histogram_bin_edges(ones({3}), 2), naive({3}, {0.5, 1, 1.5}));
    EXPECT_EQ(to_host(histogram2d(x, flip(x), edges, edges)), (integers{0, 0, 0, 0, 0, 2, 0, 2, 0}));
    EXPECT_THROW((void)histogram_bin_edges(x, 0), error);
    EXPECT_THROW((void)histogram(x, edges, w(range(0, 3))), error);
}

TEST_F(masks, histograms_with_weights_at_the_edges) {
    const array<double, 1> edges = {-infinity, -1, 0, 0, 2, 2},
                           x = {-infinity, -5, -1, -0.0, 0, 1, 2, 2.5, infinity, NaN};
    const array<double, 1> w = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
    expect_equal(histogram(x, edges, w), naive({5}, {3, 4, 0, 56, 64}));  // equal edges: the last of their bins
    EXPECT_EQ(to_host(histogram(x, edges)), (integers{2, 1, 0, 3, 1}));
    const array<std::uint64_t, 1> large = {std::uint64_t{1} << 63, 3, 4};
    const array<std::int32_t, 1> small = {-1, 3, 4};
    expect_equal(histogram(large, small, array<double, 1>{1, 2, 4}), naive({2}, {0, 6}));
    EXPECT_THROW((void)histogram(x, array<double, 1>{1}, w), error);
}

/// Groups, elements and weights of several dtypes against plain loops, many results at once.
template <class Key, class Weight>
void expect_groups(std::int64_t n, std::int64_t groups) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<Key>) << " and " << name(dtype_of<Weight>) << ": " << n << " in "
                                    << groups);
    const naive k = random_integers({n}, 1, 0, static_cast<int>(groups) + 1), v = random_integers({n}, 2, -9, 9);
    naive sums(index{groups}), counts(index{groups}), most(index{groups});
    std::fill(most.values.begin(), most.values.end(), static_cast<double>(detail::lowest<Weight>));
    for (std::size_t i = 0; i < k.values.size(); ++i)
        if (k.values[i] < static_cast<double>(groups)) {
            const auto g = static_cast<std::size_t>(k.values[i]);
            sums.values[g] += v.values[i];
            ++counts.values[g];
            most.values[g] = std::max(most.values[g], v.values[i]);
        }
    const auto key = to_array<Key, 1>(k);
    const auto weight = to_array<Weight, 1>(v);
    array<element_t<decltype(sum(weight))::type>, 1> sum_of, count_of;
    array<Weight, 1> most_of;
    tie(sum_of, count_of, most_of) =
        pack(segment_sum(weight, key, groups), segment_sum(weight * Weight(0) + Weight(1), key, groups),
             segment_max(weight, key, groups));
    expect_equal(sum_of, sums);
    expect_equal(count_of, counts);
    expect_equal(most_of, most);
    expect_equal(bincount(flip(key), flip(weight), groups), sums);
    expect_equal(bincount(key + Key(1), weight, groups + 1)(range(1, end)), sums);  // computed keys
}

TEST_F(masks, groups_of_all_dtypes) {
    const std::int64_t n = emulated() ? 700 : 20011;
    expect_groups<std::uint8_t, float>(n, 100);
    expect_groups<std::int8_t, double>(n, 5);
    expect_groups<std::uint16_t, std::int32_t>(n, 70);
    expect_groups<std::int32_t, float>(n, 1031);
    expect_groups<std::uint32_t, std::int64_t>(n, 9);
    expect_groups<std::int64_t, double>(n, 40);
    expect_groups<std::uint64_t, double>(n, 40);
}

/// One sum per row, of keys that differ from row to row.
TEST_F(masks, groups_of_each_row) {
    const std::int64_t rows = 3, n = emulated() ? 300 : 9001, groups = 12;
    const naive k = random_integers({rows, n}, 1, -1, static_cast<int>(groups)),
                v = random_integers({rows, n}, 2, -9, 9);
    naive sums(index{rows, groups});
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t i = 0; i < n; ++i) {
            const auto at = static_cast<std::size_t>(r * n + i);
            if (k.values[at] >= 0 && k.values[at] < static_cast<double>(groups))
                sums.values[static_cast<std::size_t>(r * groups) + static_cast<std::size_t>(k.values[at])] +=
                    v.values[at];
        }
    const auto key = to_array<std::int64_t, 2>(k);
    const auto value = to_array<double, 2>(v);
    const auto mine = key(all, newaxis, all) == arange<std::int64_t>(groups)(newaxis, all, newaxis);
    expect_equal(sum(where(mine, value(all, newaxis, all), 0.0), axis=2), sums);
}

/// What is written where a mask is true does not change the array's shape.
TEST_F(masks, values_have_the_arrays_shape) {
    array<double, 2> row = {{1, 2, 3}};
    const array<double, 2> rows = {{4, 5, 6}, {7, 8, 9}};
    EXPECT_EQ(
        message_of([&] { row(row > 1) = rows; }),
        "x(mask): shape (2, 3) does not broadcast to (1, 3): aligned at the last axis, only extents of 1 stretch");
    EXPECT_THROW(row(row > 1) += rows, error);
    expect_equal(row, naive({1, 3}, {1, 2, 3}));
    row(row > 1) = rows(range(1, 2));
    row(row > 8) += rows(range(0, 1), range(0, 1));
    expect_equal(row, naive({1, 3}, {1, 8, 13}));
}

TEST_F(masks, fewer_values_than_trues) {
    array<double, 1> x = {1, 2, 3, 4};
    const array<double, 1> none, two = {8, 9};
    x(x > 1) = two;
    expect_equal(x, naive({4}, {1, 8, 9, 9}));
    x(x > 8) = none;
    x(x > 8) += none;
    expect_equal(x, naive({4}, {1, 8, 9, 9}));
}

TEST_F(masks, weights_are_one_per_element) {
    const array<int, 1> i = {0, 1};
    const array<double, 1> v = {1, 2, 3};
    EXPECT_EQ(message_of([&] { return bincount(i, v, 3); }),
              "bincount: 3 weights for 2 elements; give one per element");
    EXPECT_EQ(message_of([&] { return histogram(i, v, v); }),
              "histogram: 3 weights for 2 elements; give one per element");
}

TEST_F(masks, histograms_of_computed_elements) {
    const std::int64_t n = emulated() ? 500 : 10007;
    const naive xs = random_integers({n}, 3, 0, 99), ys = random_integers({n}, 4, 0, 99),
                ws = random_integers({n}, 5, 0, 9);
    naive weights(index{10}), pairs(index{5, 4});
    for (std::size_t i = 0; i < xs.values.size(); ++i) {
        const double x = xs.values[i] / 10, y = ys.values[i] / 10;
        weights.values[static_cast<std::size_t>(x)] += ws.values[i];
        if (x < 5 && y >= 2 && y < 6) ++pairs.values[static_cast<std::size_t>(x) * 4 + static_cast<std::size_t>(y - 2)];
    }
    const auto x = to_array<double, 1>(xs), y = to_array<double, 1>(ys), w = to_array<double, 1>(ws);
    const array<double, 1> edges = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, columns = {2, 3, 4, 5, 5.999};
    expect_equal(histogram(x / 10.0, edges, w * 1.0), weights);
    expect_equal(histogram2d(x / 10.0, y / 10.0, edges(range(0, 6)) - 1e-9, columns - 1e-9), pairs);
    expect_equal(grad(sum(square(histogram(x / 10.0, edges, w))), w)(range(0, 1)),
                 naive({1}, {2 * weights.values[static_cast<std::size_t>(xs.values[0] / 10)]}));
}

}  // namespace
}  // namespace sinter::test
