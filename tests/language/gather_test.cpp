// Gathers: take, roll, concat, stack, pad, of arrays and of expressions, against plain loops.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

class gathers : public on_devices {};

std::int64_t within(std::int64_t i, std::int64_t n) { return std::clamp<std::int64_t>(i < 0 ? i + n : i, 0, n - 1); }

/// The plain meaning of take along one axis.
naive taken(const naive& x, const index& places_shape, const std::vector<std::int64_t>& places, std::size_t axis) {
    index shape(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(shape.end(), places_shape.begin(), places_shape.end());
    shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.shape.end());
    naive result(shape);
    for_each_index(shape, [&](const index& at) {
        index from(x.shape.size()), place(places_shape.size());
        for (std::size_t q = 0; q < place.size(); ++q) place[q] = at[axis + q];
        for (std::size_t a = 0; a < from.size(); ++a)
            from[a] = a < axis ? at[a] : a > axis ? at[a + place.size() - 1] : 0;
        from[axis] = within(places[static_cast<std::size_t>(position(places_shape, place))], x.shape[axis]);
        result[at] = x[from];
    });
    return result;
}

/// A result whose every element is found from where it stands.
template <class F>
naive by_place(const index& shape, F f) {
    naive result(shape);
    for_each_index(shape, [&](const index& at) { result[at] = f(at); });
    return result;
}

TEST_F(gathers, take_along_every_axis) {
    const naive x = test::random({5, 7, 3}, 1);
    const auto a = to_array<double, 3>(x);
    const array<int, 1> one = {0, 6, -1, -7, 2, 100, -100, 3, 3};
    const array<std::int64_t, 2> two = {{1, -2}, {0, 2}, {4, 1}};
    const std::vector<std::int64_t> ones = {0, 6, -1, -7, 2, 100, -100, 3, 3}, twos = {1, -2, 0, 2, 4, 1};
    for (int axis_at = 0; axis_at < 3; ++axis_at) {
        const auto at = static_cast<std::size_t>(axis_at);
        expect_equal(take(a, one, axis=axis_at), taken(x, {9}, ones, at));
        expect_equal(take(a * 2.0, two, axis=axis_at - 3),
                     map([](double v) { return v * 2; }, taken(x, {3, 2}, twos, at)));
    }
}

// One index for all elements, which a kernel with wide accesses loads before the rows that it names.
TEST_F(gathers, take_one_of_many_rows) {
    const naive x = test::random({3, 32, 40}, 9);
    const auto a = to_array<float, 3>(map([](double v) { return static_cast<double>(static_cast<float>(v)); }, x));
    const array<std::int64_t, 1> one = {-2};
    const naive expected = taken(to_naive(astype<double>(a)), {1}, {-2}, 0);
    expect_equal(take(a, one, axis=0), expected);
    expect_equal(take(a, one, axis=0) * 2.f, map([](double v) { return 2 * v; }, expected));
}

TEST_F(gathers, the_axis_may_be_a_constant) {
    const naive x = test::random({4, 6}, 8);
    const auto a = to_array<double, 2>(x);
    const array<int, 1> places = {3, 0, 5};
    expect_equal(take(a, places, axis=1_c), taken(x, {3}, {3, 0, 5}, 1));
    EXPECT_EQ(to_host(take(a, places, axis=-1_c)), to_host(take(a, places, axis=1)));
    EXPECT_EQ(to_host(flip(a, axis=0_c)), to_host(flip(a, axis=0)));
    EXPECT_EQ(to_host(roll(concat(axis=1_c, a, a), 2, axis=1_c)),
              to_host(roll(concat(axis=1, a, a), 2, axis=1)));
}

TEST_F(gathers, take_fuses_with_what_stands_around_it) {
    const naive x = test::random({6, 300}, 2);
    const auto a = to_array<double, 2>(x);
    const array<std::uint8_t, 1> rows = {5, 0, 0, 3};
    const naive picked = taken(x, {4}, {5, 0, 0, 3}, 0);
    // a reduction over what was taken, a gather of a reduction, and both in the epilogue of another
    const auto sums = sum(take(a, rows, axis=0), axis=1_c);
    EXPECT_EQ(launches<decltype(sums)>, 1);
    expect_equal(sums, sum_of(picked, 2));
    expect_equal(take(sum(a, axis=1), rows), sum_of(picked, 2));
    expect_equal(take(a, rows, axis=0) - take(max(a, axis=1, keepdims), rows, axis=0),
                 map(std::minus<>(), picked, max_of(picked, 2, true)));
}

TEST_F(gathers, places_may_be_computed) {
    const naive x = test::random({1001}, 3);
    const auto a = to_array<double, 1>(x);
    const auto i = arange<std::int64_t>(500);
    expect_equal(take(a, i * std::int64_t{2} + std::int64_t{1}),
                 by_place({500}, [&](const index& at) { return x[{2 * at[0] + 1}]; }));
    expect_equal(take(flip(a, axis=0)(range(1, end)), i),
                 by_place({500}, [&](const index& at) { return x[{999 - at[0]}]; }));
    // places that are taken themselves
    expect_equal(take(a, take(i, i(range(499, end, -1)))),
                 by_place({500}, [&](const index& at) { return x[{499 - at[0]}]; }));
}

/// One array read once per row and, in the row's loop, at many places: each read has a name of its own in the kernel.
TEST_F(gathers, many_reads_of_one_array) {
    const array<double, 1> v = {3, 1, 2};
    const array<int, 1> places = {2, 1, 0};
    const array<int, 0> place = sum(places) - 2;
    expect_equal(maximum(take(v * max(v, keepdims), places), take(v, place)), naive({3}, {6, 3, 9}));
    const auto rolled = [&]<std::size_t... by>(std::index_sequence<by...>) {
        return (roll(v, static_cast<std::int64_t>(by), axis=0) + ...);
    };
    expect_equal(rolled(std::make_index_sequence<30>{}), naive({3}, {60, 60, 60}));
}

/// A reduced axis has one element, wherever it is read: the kernel has no use for the places.
TEST_F(gathers, places_that_make_no_difference) {
    const naive x = test::random({6, 300}, 4);
    const auto a = to_array<double, 2>(x);
    const array<int, 1> anywhere = {0, -1, 5, 0};
    const naive most = max_of(x, 2, true);
    expect_equal(take(max(a, axis=1, keepdims), anywhere, axis=1), by_place({6, 4}, [&](const index& at) {
                     return most[{at[0], 0}];
                 }));
    // nor of an axis that stays, if it has one element: the loop that finds the maximum does not know the places
    const naive row = test::random({1, 37}, 9);
    const auto m = max(to_array<double, 2>(row), axis=1, keepdims);
    expect_equal(take(broadcast_to(m, {1, 1}), anywhere, axis=0),
                 by_place({4, 1}, [&](const index&) { return max_of(row, 3)[{}]; }));
}

TEST_F(gathers, nothing_to_take) {
    const array<double, 2> none(shape<2>(0, 3));
    const array<int, 1> no_places(shape<1>(0));
    EXPECT_EQ(take(none, no_places, axis=0).shape(), shape<2>(0, 3));
    EXPECT_TRUE(to_host(take(none, no_places, axis=0)).empty());
    EXPECT_THROW((void)take(none, array<int, 1>{1, 2}, axis=0), error);
    EXPECT_THROW((void)take(none, 0, axis=0), error);
    const array<double, 2> some = {{1, 2}, {3, 4}};
    EXPECT_TRUE(to_host(take(some, no_places, axis=1)).empty());
}

TEST_F(gathers, a_number_out_of_range_throws) {
    const array<double, 2> x = {{1, 2, 3}, {4, 5, 6}};
    expect_equal(take(x, -3, axis=1), naive({2}, {1, 4}));
    EXPECT_EQ(message_of([&] { (void)take(x, 3, axis=1); }),
              "index 3 is out of range for axis 1 of extent 3: use -3 to 2");
    EXPECT_THROW((void)take(x, -3, axis=0), error);
    EXPECT_THROW((void)take(x(0), 4294967296, axis=0), error);
    expect_equal(take(x(0), array<int, 1>{3, -4}), naive({2}, {3, 1}));  // elements of arrays are the kernel's
}

TEST_F(gathers, roll_goes_round) {
    for (const shape<2>& s : {shape<2>(5, 9), shape<2>(1, 33), shape<2>(64, 4)}) {
        const naive x = test::random({s[0], s[1]}, 4);
        const auto a = to_array<float, 2>(x);
        for (int by : {0, 1, -1, 5, -17, 1000}) {
            for (int axis_at : {0, 1}) {
                expect_equal(roll(a + 1.f, by, axis=axis_at),
                             by_place({s[0], s[1]},
                                      [&](index at) {
                                          auto& i = at[static_cast<std::size_t>(axis_at)];
                                          i = ((i - by) % s[axis_at] + s[axis_at]) % s[axis_at];
                                          return static_cast<double>(static_cast<float>(x[at])) + 1;
                                      }),
                             1e-6);
            }
            if (emulated()) break;
        }
    }
}

TEST_F(gathers, concat_and_stack) {
    const naive x = test::random({4, 5}, 5), y = test::random({4, 2}, 6), z = test::random({4, 5}, 7);
    const auto a = to_array<double, 2>(x);
    const auto b = to_array<double, 2>(y);
    const auto c = to_array<double, 2>(z);
    const array<double, 2> nothing(shape<2>(4, 0));
    expect_equal(concat(axis=1, a, b * 2.0, nothing, c), by_place({4, 12}, [&](const index& at) {
                     return at[1] < 5 ? x[at] : at[1] < 7 ? 2 * y[{at[0], at[1] - 5}] : z[{at[0], at[1] - 7}];
                 }));
    expect_equal(concat(axis=-2, a, c), by_place({8, 5}, [&](const index& at) {
                     return at[0] < 4 ? x[at] : z[{at[0] - 4, at[1]}];
                 }));
    expect_equal(stack(axis=1, a, c), by_place({4, 2, 5}, [&](const index& at) {
                     return at[1] == 0 ? x[{at[0], at[2]}] : z[{at[0], at[2]}];
                 }));
    expect_equal(sum(concat(axis=1, a, b), axis=1), by_place({4}, [&](const index& at) {
                     double s = 0;
                     for (std::int64_t j = 0; j < 5; ++j) s += x[{at[0], j}];
                     for (std::int64_t j = 0; j < 2; ++j) s += y[{at[0], j}];
                     return s;
                 }));
    EXPECT_THROW((void)concat(axis=0, a, b), error);
    EXPECT_THROW((void)concat(axis=2, a, c), error);
    // dtypes promote
    const array<int, 1> whole = {1, 2};
    const array<double, 1> half = {0.5};
    EXPECT_EQ(to_host(concat(axis=0, whole, half)), (std::vector<double>{1, 2, 0.5}));
}

/// Rows long enough for wide accesses, of parts that begin and end at multiples of these or at any element.
template <class T>
void check_joins_and_rolls(std::int64_t rows, std::int64_t n, std::int64_t m) {
    naive x({rows, n}), y({rows, m});
    for (naive* all : {&x, &y})
        for_each_index(all->shape,
                       [&](const index& at) { (*all)[at] = static_cast<double>((7 * at[0] + at[1]) % 97); });
    for_each_index(y.shape, [&](const index& at) { y[at] -= 100; });
    const auto a = to_array<T, 2>(x);
    const auto b = to_array<T, 2>(y);
    const auto joined = [&](std::int64_t i, std::int64_t j) { return j < n ? x[{i, j}] : y[{i, j - n}]; };
    expect_equal(concat(a, b, axis=1),
                 by_place({rows, n + m}, [&](const index& at) { return joined(at[0], at[1]); }));
    expect_equal(concat(b, a, a, axis=1), by_place({rows, m + 2 * n}, [&](const index& at) {
                     return at[1] < m ? y[at] : x[{at[0], (at[1] - m) % n}];
                 }));
    for (const std::int64_t by : {1, 3, 8}) {
        expect_equal(roll(concat(a, b, axis=1), by, axis=1), by_place({rows, n + m}, [&](const index& at) {
                         return joined(at[0], (at[1] + (n + m) * 8 - by) % (n + m));
                     }));
        expect_equal(concat(roll(roll(a, by, axis=1), 2, axis=1), b, axis=1),
                     by_place({rows, n + m}, [&](const index& at) {
                         return at[1] < n ? x[{at[0], (at[1] + n * 10 - by - 2) % n}] : y[{at[0], at[1] - n}];
                     }));
        expect_equal(pad(a, {{1, 0}, {by, m}}), by_place({rows + 1, by + n + m}, [&](const index& at) {
                         const std::int64_t j = at[1] - by;
                         return at[0] >= 1 && j >= 0 && j < n ? x[{at[0] - 1, j}] : 0;
                     }));
        expect_equal(take(a, arange<std::int64_t>(n + m) - by, axis=1), by_place({rows, n + m}, [&](const index& at) {
                         return x[{at[0], within(at[1] - by, n)}];
                     }));
    }
}

TEST_F(gathers, joins_and_rolls_of_many_rows) {
    for (const auto& [n, m] : {std::pair{64, 32}, {48, 4}, {33, 31}, {5, 3}, {16, 16}}) {
        SCOPED_TRACE(std::to_string(n) + " + " + std::to_string(m));
        const std::int64_t rows = 5000 / n;
        check_joins_and_rolls<float>(rows, n, m);
        check_joins_and_rolls<std::int8_t>(rows, n, m);
    }
}

// Values run along what is gathered or joined, in rows and in columns.
TEST_F(gathers, scans_of_gathers) {
    const naive x = test::random({3, 7, 64}, 9), y = test::random({3, 7, 32}, 10);
    const auto a = to_array<float, 3>(x);
    const auto b = to_array<float, 3>(y);
    const array<int, 1> places = {1, 5, 2, 2};
    expect_equal(cummax(take(a, places, axis=1), axis=1), by_place({3, 4, 64}, [&](const index& at) {
                     double most = -1e9;
                     for (std::int64_t j = 0; j <= at[1]; ++j)
                         most = std::max(most, x[{at[0], std::array<std::int64_t, 4>{1, 5, 2, 2}[j], at[2]}]);
                     return most;
                 }));
    for (const bool along : {false, true})
        expect_equal(cummax(concat(a, b, axis=2), axis=along ? 2 : 1), by_place({3, 7, 96}, [&](index at) {
                         double most = -1e9;
                         std::int64_t& j = at[along ? 2 : 1];
                         for (; j >= 0; --j) most = std::max(most, at[2] < 64 ? x[at] : y[{at[0], at[1], at[2] - 64}]);
                         return most;
                     }));
}

TEST_F(gathers, pad_surrounds) {
    const naive x = test::random({3, 70}, 8);
    const auto a = to_array<double, 2>(x);
    expect_equal(pad(a, {{1, 2}, {0, 3}}, -4.0), by_place({6, 73}, [&](const index& at) {
                     return at[0] >= 1 && at[0] < 4 && at[1] < 70 ? x[{at[0] - 1, at[1]}] : -4;
                 }));
    // a stencil with a border of zeros: the sum of each element's neighbours
    const auto p = pad(a, {{0, 0}, {1, 1}});
    expect_equal(p(all, range(0, -2)) + p(all, range(2, end)), by_place({3, 70}, [&](const index& at) {
                     return (at[1] > 0 ? x[{at[0], at[1] - 1}] : 0) + (at[1] < 69 ? x[{at[0], at[1] + 1}] : 0);
                 }));
    const array<double, 1> nothing(shape<1>(0));
    EXPECT_EQ(to_host(pad(nothing, {{1, 1}}, 7.0)), (std::vector<double>{7, 7}));
    EXPECT_THROW((void)pad(a, {{-1, 0}, {0, 0}}), error);
}

TEST_F(gathers, the_axis_is_named_last_or_not_at_all) {
    const auto a = to_array<double, 2>(test::random({3, 4}, 20)), b = to_array<double, 2>(test::random({3, 4}, 21));
    const auto same = [](const auto& one, const auto& other) {
        EXPECT_EQ(one.shape(), other.shape());
        EXPECT_EQ(to_host(one), to_host(other));
    };
    same(concat(a, b), concat(axis=0, a, b));
    same(concat(a, b, axis=-1), concat(axis=1, a, b));
    same(concat(a * 2, b, a, axis=1_c), concat(axis=1, a * 2, b, a));
    same(concat(a), a);
    same(stack(a, b), stack(axis=0, a, b));
    same(stack(a, b, axis=-1), stack(axis=2, a, b));
    same(stack(a), a(newaxis));
    EXPECT_THROW((void)concat(a, b, axis=2), error);
    EXPECT_THROW((void)stack(a, b, axis=3), error);
}

TEST_F(gathers, numbers_stack) {
    const array<float, 1> x = {1, 2, 4};
    const auto e = stack(sum(x), 0.5, max(x), 1);
    static_assert(decltype(e)::dtype() == dtype::float32);
    EXPECT_EQ(to_host(e), (std::vector<float>{7, 0.5, 4, 1}));
    EXPECT_EQ(to_host(stack(true, any(x > 3.0F), axis=-1)), (std::vector<bool>{true, true}));
    EXPECT_EQ(to_host(grad(sum(stack(sum(x), 2, prod(x)) * array<float, 1>{1, 10, 100}), x)),
              (std::vector<float>{801, 401, 201}));
}

TEST_F(gathers, roll_and_flip_along_several_axes_or_none) {
    const naive x = test::random({3, 4, 5}, 22);
    const auto a = to_array<double, 3>(x);
    const auto rolled = [&](std::int64_t by, std::int64_t across, std::int64_t along) {
        naive r(x.shape);
        for_each_index(x.shape, [&](const index& at) {
            r[{(at[0] + by + 6) % 3, (at[1] + across + 8) % 4, (at[2] + along + 10) % 5}] = x[at];
        });
        return r;
    };
    expect_equal(roll(a, {1, -2}, axis={0, 2}), rolled(1, 0, -2));
    expect_equal(roll(a, {-1, 3, 4}, axis={-1, 0, 1}), rolled(3, 4, -1));
    expect_equal(roll(a, 2, axis={1, 2}), rolled(0, 2, 2));
    expect_equal(roll(a, {2}, axis=1), rolled(0, 2, 0));
    EXPECT_THROW((void)roll(a, {1, 2}, axis={0, -3}), error);
    naive line({60}, x.values);
    for (std::int64_t by : {1, -7, 67}) {
        naive moved(x.shape);
        for (std::int64_t i = 0; i < 60; ++i)
            moved.values[static_cast<std::size_t>(((i + by) % 60 + 60) % 60)] = x.values[static_cast<std::size_t>(i)];
        expect_equal(roll(a, by), moved);
    }
    EXPECT_EQ(to_host(roll(array<int, 1>{1, 2, 3}, 1)), (std::vector<int>{3, 1, 2}));
    EXPECT_EQ(item(roll(sum(a), 5)), item(sum(a)));
    EXPECT_TRUE(to_host(roll(array<int, 2>({0, 3}), 1)).empty());
    const auto turned = [&](bool first, bool last) {
        naive r(x.shape);
        for_each_index(x.shape, [&](const index& at) {
            r[at] = x[{first ? 2 - at[0] : at[0], at[1], last ? 4 - at[2] : at[2]}];
        });
        return r;
    };
    expect_equal(flip(a, axis={0, -1}), turned(true, true));
    expect_equal(flip(a, axis=2_c), turned(false, true));
    EXPECT_EQ(to_host(flip(a)), std::vector<double>(x.values.rbegin(), x.values.rend()));
    EXPECT_EQ(item(flip(sum(a))), item(sum(a)));
    EXPECT_THROW((void)flip(a, axis={0, -3}), error);
}

// Rows of two elements beside rows at indices from memory: windows of neighbouring rows would need the index first.
TEST_F(gathers, short_rows_of_gathered_planes) {
    const std::int64_t planes = 3, rows = 4000;
    const array<float, 3> x = reshape(linspace(-1.f, 1.f, planes * rows * 2), {planes, rows, 2});
    const array<float, 3> y = reshape(linspace(0.f, 5.f, planes * rows * 2), {planes, rows, 2});
    const array<std::int64_t, 1> i = {2, 0, 2};
    const array<float, 3> r = (x - mean(x, axis=2, keepdims)) * take(y, i, axis=0);
    const auto xs = to_host(x), ys = to_host(y), rs = to_host(r);
    const std::int64_t from[] = {2, 0, 2};
    for (std::int64_t row = 0; row < planes * rows; ++row)
        for (std::int64_t c = 0; c < 2; ++c) {
            const auto at = [&](std::int64_t of, std::int64_t k) { return static_cast<std::size_t>(2 * of + k); };
            const float mean_of_row = (xs[at(row, 0)] + xs[at(row, 1)]) / 2;
            const std::int64_t gathered = from[row / rows] * rows + row % rows;
            ASSERT_FLOAT_EQ(rs[at(row, c)], (xs[at(row, c)] - mean_of_row) * ys[at(gathered, c)]) << row << ' ' << c;
        }
}

}  // namespace
}  // namespace sinter::test
