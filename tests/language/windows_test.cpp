// Windows over operands: sliding_window, rolling statistics, padding by mode, convolution and recurrences, against
// plain loops; and their gradients.
#include <sinter/convolve.hpp>
#include <sinter/pad_modes.hpp>
#include <sinter/recurrence.hpp>
#include <sinter/sliding_window.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class windowed : public on_devices {};

/// A result whose every element is found from where it stands.
template <class F>
naive by_place(const index& shape, F f) {
    naive result(shape);
    for_each_index(shape, [&](const index& at) { result[at] = f(at); });
    return result;
}

TEST_F(windowed, along_each_axis_and_some) {
    const naive x = test::random({6, 7}, 1);
    const auto a = to_array<double, 2>(x);
    expect_equal(sliding_window(a, {3, 2}), by_place({4, 6, 3, 2}, [&](const index& at) {
                     return x[{at[0] + at[2], at[1] + at[3]}];
                 }));
    expect_equal(sliding_window(a * 2, 4, axis=-1), by_place({6, 4, 4}, [&](const index& at) {
                     return 2 * x[{at[0], at[1] + at[2]}];
                 }));
    expect_equal(sliding_window(a, {7, 6}, axis={1, 0}), by_place({1, 1, 7, 6}, [&](const index& at) {
                     return x[{at[3], at[2]}];
                 }));
    EXPECT_EQ(sliding_window(a, {1, 1}).shape(), (shape<4>(6, 7, 1, 1)));
    EXPECT_THROW((void)sliding_window(a, 7, axis=0), error);
    EXPECT_THROW((void)sliding_window(a, {0, 1}), error);
}

TEST_F(windowed, ranges_are_steps_and_dilations) {
    const naive x = test::random({31}, 2);
    const auto a = to_array<double, 1>(x);
    expect_equal(sliding_window(a, 5)(range(0, end, 3)),
                 by_place({9, 5}, [&](const index& at) { return x[{3 * at[0] + at[1]}]; }));
    expect_equal(sliding_window(a, 9)(all, range(0, end, 4)),
                 by_place({23, 3}, [&](const index& at) { return x[{at[0] + 4 * at[1]}]; }));
    expect_equal(sum(sliding_window(flip(a), 9)(range(end - 1, 0, -2), range(8, end, -4)), axis=1),
                 by_place({11}, [&](const index& at) {
                     const std::int64_t first = 22 - 2 * at[0];
                     return x[{30 - first - 8}] + x[{30 - first - 4}] + x[{30 - first}];
                 }));
}

TEST_F(windowed, reductions_of_windows_are_one_launch) {
    const naive x = test::random({12, 40}, 3);
    const auto a = to_array<float, 2>(x);
    const auto pooled = max(sliding_window(a, {2, 2})(range(0, end, 2), range(0, end, 2)), axis={-2, -1});
    expect_equal(pooled, by_place({6, 20}, [&](const index& at) {
                     const std::int64_t i = 2 * at[0], j = 2 * at[1];
                     return std::max({x[{i, j}], x[{i, j + 1}], x[{i + 1, j}], x[{i + 1, j + 1}]});
                 }));
    const auto lengths = sqrt(sum(square(sliding_window(exp(a), 3, axis=1)), axis=-1_c));
    EXPECT_EQ(launches<decltype(lengths)>, 1);
    expect_equal(lengths, by_place({12, 38}, [&](const index& at) {
                     double s = 0;
                     for (std::int64_t k = 0; k < 3; ++k) s += std::exp(2 * x[{at[0], at[1] + k}]);
                     return std::sqrt(s);
                 }));
}

/// Their elements are in no memory.
TEST_F(windowed, windows_of_indices) {
    const std::int64_t n = 40007;
    const auto x = arange<std::int64_t>(n);
    const auto first = [](const index& at) { return static_cast<double>(at[0]); };
    expect_equal(min(sliding_window(x, 2), axis=1), by_place({n - 1}, first));
    expect_equal(max(sliding_window(x * 3 - 1, 4), axis=1),
                 by_place({n - 3}, [&](const index& at) { return 3 * (first(at) + 3) - 1; }));
}

TEST_F(windowed, rolling_statistics) {
    const naive x = test::random({3, 50}, 4);
    const auto a = to_array<double, 2>(x);
    const auto window = [&](const index& at, auto f) {
        std::vector<double> w;
        for (std::int64_t k = 0; k < 7; ++k) w.push_back(x[{at[0], at[1] + k}]);
        return f(w);
    };
    const auto total = [](const auto& w) {
        double s = 0;
        for (double v : w) s += v;
        return s;
    };
    const auto variance = [&](const auto& w) {
        const double mean = total(w) / 7;
        double s = 0;
        for (double v : w) s += (v - mean) * (v - mean);
        return s / 6;
    };
    const index to = {3, 44};
    expect_equal(rolling_sum(a, 7), by_place(to, [&](const index& at) { return window(at, total); }));
    expect_equal(rolling_mean(a, 7, axis=1), by_place(to, [&](const index& at) { return window(at, total) / 7; }));
    expect_equal(rolling_var(a, 7, axis=1, ddof=1),
                 by_place(to, [&](const index& at) { return window(at, variance); }));
    expect_equal(rolling_var(a, 7, ddof=1), by_place(to, [&](const index& at) { return window(at, variance); }));
    expect_equal(rolling_std(a, 7, ddof=1, axis=1),
                 by_place(to, [&](const index& at) { return std::sqrt(window(at, variance)); }));
    expect_equal(rolling_std(a, 7),
                 by_place(to, [&](const index& at) { return std::sqrt(window(at, variance) * 6 / 7); }));
    expect_equal(rolling_max(a, 7), by_place(to, [&](const index& at) {
                     return window(at, [](const auto& w) { return *std::max_element(w.begin(), w.end()); });
                 }));
    expect_equal(rolling_min(transpose(a), 7, axis=0), by_place({44, 3}, [&](const index& at) {
                     return window({at[1], at[0]}, [](const auto& w) { return *std::min_element(w.begin(), w.end()); });
                 }));
    // an infinity stays in its windows, and integers have 64 bits
    const array<double, 1> far = {1, inf, 2, 3, 4};
    expect_equal(rolling_sum(far, 2), naive({4}, {infinity, infinity, 5, 7}));
    const array<std::uint8_t, 1> bytes = {200, 100, 255};
    EXPECT_EQ(to_host(rolling_sum(bytes, 2)), (std::vector<std::uint64_t>{300, 355}));
}

/// What NumPy's modes read: the index in n elements of place i before or behind them.
std::int64_t edge_of(std::int64_t i, std::int64_t n) { return std::clamp<std::int64_t>(i, 0, n - 1); }
std::int64_t wrap_of(std::int64_t i, std::int64_t n) { return ((i % n) + n) % n; }
std::int64_t symmetric_of(std::int64_t i, std::int64_t n) {
    const std::int64_t at = wrap_of(i, 2 * n);
    return at < n ? at : 2 * n - 1 - at;
}
std::int64_t reflect_of(std::int64_t i, std::int64_t n) {
    if (n == 1) return 0;
    const std::int64_t at = wrap_of(i, 2 * n - 2);
    return at < n ? at : 2 * n - 2 - at;
}

TEST_F(windowed, padding_that_reads_elsewhere) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, std::int64_t{5}}) {
        const naive x = test::random({3, n}, 5);
        const auto a = to_array<double, 2>(x);
        const auto padded = [&](auto rule) {
            return by_place({3 + 1 + 4, n + 12 + 7}, [&](const index& at) {
                return x[{rule(at[0] - 1, 3), rule(at[1] - 12, n)}];
            });
        };
        expect_equal(pad(a, {{1, 4}, {12, 7}}, pad_mode::edge), padded(edge_of));
        expect_equal(pad(a, {{1, 4}, {12, 7}}, pad_mode::wrap), padded(wrap_of));
        expect_equal(pad(a, {{1, 4}, {12, 7}}, pad_mode::symmetric), padded(symmetric_of));
        expect_equal(pad(a, {{1, 4}, {12, 7}}, pad_mode::reflect), padded(reflect_of));
        if (emulated()) break;
    }
    const array<int, 1> v = {1, 2, 3};
    EXPECT_EQ(to_host(pad(v, {{0, 0}}, pad_mode::wrap)), to_host(v));
    EXPECT_THROW((void)pad(v, {{-1, 0}}, pad_mode::wrap), error);
    EXPECT_THROW((void)pad(empty<int>({0}), {{1, 0}}, pad_mode::edge), error);
}

// NumPy pads the other axes of an array without elements
TEST_F(windowed, padding_beside_an_axis_of_nothing) {
    const array<double, 2> none = empty<double>({3, 0});
    const auto expect_nothing = [](const array<double, 2>& padded) { EXPECT_EQ(padded.shape(), shape<2>(4, 0)); };
    expect_nothing(pad(none, {{1, 0}, {0, 0}}, pad_mode::edge));
    expect_nothing(pad(none, {{1, 0}, {0, 0}}, pad_mode::wrap));
    expect_nothing(pad(none, {{0, 1}, {0, 0}}, pad_mode::reflect));
    expect_nothing(pad(none, {{0, 1}, {0, 0}}, pad_mode::symmetric));
    expect_nothing(pad(none, {{1, 0}, {0, 0}}, pad_mode::linear_ramp, 2));
    expect_nothing(pad(none, {{1, 0}, {0, 0}}, pad_mode::mean));
    expect_nothing(pad(none, {{1, 0}, {0, 0}}, pad_mode::maximum));
    expect_nothing(pad(none, {{0, 1}, {0, 0}}, pad_mode::minimum));
    const array<int, 1> integers = pad(empty<int>({0}), {{0, 0}}, pad_mode::linear_ramp, 2);
    EXPECT_EQ(integers.size(), 0);
}

/// Compared with what NumPy 2 gives.
TEST_F(windowed, padding_by_statistics_and_ramps) {
    const array<double, 2> x = {{1, 2, 6}, {4, 8, 9}};
    expect_equal(pad(x, {{1, 0}, {1, 2}}, pad_mode::mean),
                 naive({3, 6}, {5, 2.5, 5, 7.5, 5, 5, 3, 1, 2, 6, 3, 3, 7, 4, 8, 9, 7, 7}));
    expect_equal(pad(x, {{1, 0}, {0, 1}}, pad_mode::maximum), naive({3, 4}, {4, 8, 9, 9, 1, 2, 6, 6, 4, 8, 9, 9}));
    expect_equal(pad(x, {{1, 0}, {0, 1}}, pad_mode::minimum), naive({3, 4}, {1, 2, 6, 1, 1, 2, 6, 1, 4, 8, 9, 4}));
    expect_equal(pad(x, {{0, 0}, {2, 2}}, pad_mode::linear_ramp),
                 naive({2, 7}, {0, 0.5, 1, 2, 6, 3, 0, 0, 2, 4, 8, 9, 4.5, 0}));
    const array<int, 1> i = {10, 4, 5};
    expect_equal(pad(i, {{3, 2}}, pad_mode::linear_ramp, -5), naive({8}, {-5, 0, 5, 10, 4, 5, 0, -5}));
    expect_equal(pad(i, {{1, 1}}, pad_mode::mean), naive({5}, {6, 10, 4, 5, 6}));
    EXPECT_EQ(pad(i, {{1, 1}}, pad_mode::mean).dtype(), dtype::int32);
}

/// The plain sum of a convolution in one dimension.
naive convolved(const naive& x, const naive& k) {
    const std::int64_t n = x.shape[0], m = k.shape[0];
    return by_place({n + m - 1}, [&](const index& at) {
        double s = 0;
        for (std::int64_t j = 0; j < m; ++j)
            if (at[0] - j >= 0 && at[0] - j < n) s += x[{at[0] - j}] * k[{j}];
        return s;
    });
}
naive part(const naive& x, std::int64_t first, std::int64_t count) {
    return by_place({count}, [&](const index& at) { return x[{at[0] + first}]; });
}

TEST_F(windowed, convolutions_in_one_dimension) {
    const naive x = test::random({40}, 6);
    const auto a = to_array<double, 1>(x);
    for (const std::int64_t m : {1, 4, 5}) {
        const naive k = test::random({m}, 7);
        const auto filter = to_array<double, 1>(k);
        const naive whole = convolved(x, k);
        expect_equal(convolve(a, filter), whole);
        expect_equal(convolve(a, filter, overlap::same), part(whole, (m - 1) / 2, 40));
        expect_equal(convolve(a, filter, overlap::valid), part(whole, m - 1, 41 - m));
        expect_equal(correlate(a, flip(filter)), part(whole, m - 1, 41 - m));
        expect_equal(correlate(a, flip(filter), overlap::full), whole);
        if (emulated()) break;
    }
    // longer than the operand
    const array<double, 1> two = {1, 2}, three = {3, 4, 5};
    expect_equal(convolve(two, three), naive({4}, {3, 10, 13, 10}));
    EXPECT_THROW((void)convolve(two, three, overlap::valid), error);
    EXPECT_THROW((void)convolve(empty<double>({0}), three), error);
    // dtypes: the common one, and the conjugate of a complex filter
    const array<int, 1> i = {1, 2, 3};
    EXPECT_EQ(to_host(convolve(i, i)), (std::vector<int>{1, 4, 10, 12, 9}));
    const array<std::complex<double>, 1> z = {{1, 1}, {0, 2}};
    EXPECT_EQ(to_host(correlate(z, z)), (std::vector<std::complex<double>>{{6, 0}}));
}

TEST_F(windowed, filters_of_several_axes_and_batches) {
    const naive x = test::random({2, 9, 11}, 8), k = test::random({3, 4}, 9);
    const auto a = to_array<double, 3>(x);
    const auto filter = to_array<double, 2>(k);
    const auto at_place = [&](std::int64_t b, std::int64_t i, std::int64_t j) {
        double s = 0;
        for (std::int64_t p = 0; p < 3; ++p)
            for (std::int64_t q = 0; q < 4; ++q)
                if (i + p >= 0 && i + p < 9 && j + q >= 0 && j + q < 11) s += x[{b, i + p, j + q}] * k[{p, q}];
        return s;
    };
    expect_equal(correlate(a, filter),
                 by_place({2, 7, 8}, [&](const index& at) { return at_place(at[0], at[1], at[2]); }));
    expect_equal(correlate(a, filter, overlap::same),
                 by_place({2, 9, 11}, [&](const index& at) { return at_place(at[0], at[1] - 1, at[2] - 2); }));
    expect_equal(convolve(a, flip(filter), overlap::full),
                 by_place({2, 11, 14}, [&](const index& at) { return at_place(at[0], at[1] - 2, at[2] - 3); }));
    // three axes: the sum of each cube of two
    const auto cubes = convolve(a, ones({2, 2, 2}), overlap::valid);
    expect_equal(cubes, sum_of(by_place({1, 8, 10, 2, 2, 2},
                                        [&](const index& at) {
                                            return x[{at[0] + at[3], at[1] + at[4], at[2] + at[5]}];
                                        }),
                               56));
}

// As many results as tiles of threads need: margins are selected once for each element of a tile.
TEST_F(windowed, filters_of_larger_operands) {
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{176, 192}, {173, 197}}) {
        const naive x = test::random({rows, columns}, 11), k = test::random({3, 5}, 12);
        const auto a = to_array<double, 2>(x);
        const auto filter = to_array<double, 2>(k);
        const auto at_place = [&](std::int64_t i, std::int64_t j) {
            double s = 0;
            for (std::int64_t p = 0; p < 3; ++p)
                for (std::int64_t q = 0; q < 5; ++q)
                    if (i + p >= 0 && i + p < rows && j + q >= 0 && j + q < columns) s += x[{i + p, j + q}] * k[{p, q}];
            return s;
        };
        const auto same = correlate(a, filter, overlap::same);
        if (emulated()) {
            EXPECT_NE(explain(same).text().find("windows: "), std::string::npos);
        }
        expect_equal(same, by_place({rows, columns}, [&](const index& at) { return at_place(at[0] - 1, at[1] - 2); }));
        expect_equal(correlate(a, filter),
                     by_place({rows - 2, columns - 4}, [&](const index& at) { return at_place(at[0], at[1]); }));
        const auto highest = max(sliding_window(a, {2, 9}), axis={-2, -1});
        expect_equal(highest, by_place({rows - 1, columns - 8}, [&](const index& at) {
                         double most = x[{at[0], at[1]}];
                         for (std::int64_t p = 0; p < 2; ++p)
                             for (std::int64_t q = 0; q < 9; ++q) most = std::max(most, x[{at[0] + p, at[1] + q}]);
                         return most;
                     }));
    }
}

// Windows of many elements are in shared memory once per block, whose last ones along an axis overlap their neighbours.
TEST_F(windowed, filters_of_many_elements) {
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{160, 256}, {133, 301}}) {
        const naive x = test::random({rows, columns}, 13), k = test::random({4, 17}, 14);
        const auto a = to_array<double, 2>(x);
        const auto filter = to_array<double, 2>(k);
        const auto same = correlate(a * 2, filter, overlap::same) + 1;
        if (emulated()) {
            EXPECT_NE(explain(same).text().find("staged in shared memory"), std::string::npos);
        }
        expect_equal(same, by_place({rows, columns}, [&](const index& at) {
                         double s = 1;
                         for (std::int64_t p = 0; p < 4; ++p)
                             for (std::int64_t q = 0; q < 17; ++q) {
                                 const std::int64_t i = at[0] + p - 2, j = at[1] + q - 8;
                                 if (i >= 0 && i < rows && j >= 0 && j < columns) s += 2 * x[{i, j}] * k[{p, q}];
                             }
                         return s;
                     }));
    }
    for (const std::int64_t n : {8192, 5003}) {
        const naive x = test::random({n}, 15), k = test::random({31}, 16);
        const naive whole = convolved(x, k);
        expect_equal(convolve(to_array<double, 1>(x), to_array<double, 1>(k), overlap::same), part(whole, 15, n));
        expect_equal(convolve(to_array<double, 1>(x), to_array<double, 1>(k)), whole);
    }
}

TEST_F(windowed, recurrences_are_scans) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{37}, std::int64_t{emulated() ? 2500 : 20000}}) {
        const naive b = test::random({2, n}, 10), a = test::random({2, n}, 11, -1, 1);
        naive expected({2, n}), average({2, n}), backwards({2, n});
        for (std::int64_t r = 0; r < 2; ++r) {
            double y = 0, m = b[{r, 0}], z = 0;
            for (std::int64_t i = 0; i < n; ++i) {
                expected[{r, i}] = y = a[{r, i}] * y + b[{r, i}];
                average[{r, i}] = m = i == 0 ? m : 0.3 * b[{r, i}] + 0.7 * m;
                backwards[{r, n - 1 - i}] = z = 0.5 * z + b[{r, n - 1 - i}];
            }
        }
        const auto x = to_array<double, 2>(b);
        expect_equal(linear_recurrence(to_array<double, 2>(a), x, axis=1), expected);
        expect_equal(linear_recurrence(0.5, x, axis=1, reverse), backwards);
        expect_equal(ema(x, 0.3, axis=1), average);
        expect_equal(ema(transpose(x), 0.3, axis=0), test::transposed(average));
    }
    // long enough for several blocks per row, which fold earlier parts in any order
    const naive ones({1, 40000}, std::vector<double>(40000, 1)), halves({1, 40000}, std::vector<double>(40000, 0.5));
    const auto tail = linear_recurrence(to_array<double, 2>(halves), to_array<double, 2>(ones), axis=1);
    expect_equal(tail(all, range(39990, end)), naive({1, 10}, std::vector<double>(10, 2)));
    EXPECT_EQ(ema(array<float, 1>{1, 2}, 0.5).dtype(), dtype::float32);
    expect_equal(ema(array<int, 1>{4, 8, 0}, 0.5), naive({3}, {4, 6, 3}));
}

TEST_F(windowed, gradients) {
    const naive x = test::random({9}, 12), k = test::random({3}, 13), g = test::random({7}, 14);
    const auto a = to_array<double, 1>(x), filter = to_array<double, 1>(k), weight = to_array<double, 1>(g);
    // of a sum of products with windows: the full convolution of the weights with the filter
    expect_equal(grad(sum(correlate(a, filter) * weight), a), convolved(g, k));
    expect_equal(grad(sum(correlate(a, filter) * weight), filter), by_place({3}, [&](const index& at) {
                     double s = 0;
                     for (std::int64_t i = 0; i < 7; ++i) s += g[{i}] * x[{i + at[0]}];
                     return s;
                 }));
    // of windows alone: how many have each element; with steps, every third
    expect_equal(grad(sum(sliding_window(a, 4)), a), naive({9}, {1, 2, 3, 4, 4, 4, 3, 2, 1}));
    expect_equal(grad(sum(sliding_window(a, 2)(range(0, end, 3))), a), naive({9}, {1, 1, 0, 1, 1, 0, 1, 1, 0}));
    expect_equal(grad(sum(pad(a, {{2, 1}}, pad_mode::reflect)), a), naive({9}, {1, 2, 2, 1, 1, 1, 1, 2, 1}));
    const auto m = reshape(a, {3, 3});
    expect_equal(grad(sum(sliding_window(m, {2, 2})), a), naive({9}, {1, 2, 1, 2, 4, 2, 1, 2, 1}));
}

}  // namespace
}  // namespace sinter::test
