// Scatters: put, scatter_add, bincount and histogram, of arrays and of expressions, against loops.
#include <tests/language/on_devices.hpp>
#include <tests/language/places.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

class scatters : public on_devices {};

TEST_F(scatters, along_every_axis) {
    const naive x = test::random({5, 7, 9}, 1);
    const auto a = to_array<double, 3>(x);
    for (std::size_t axis_at = 0; axis_at < 3; ++axis_at) {
        const auto places = random_places(x.shape[axis_at], 11, static_cast<unsigned>(axis_at));
        const auto i = to_indices<int>(places);
        index shape = x.shape;
        shape[axis_at] = 11;
        const naive v = test::random(shape, 2);
        const auto b = to_array<double, 3>(v);
        const int at = static_cast<int>(axis_at);
        expect_equal(put(a, i, b, axis=at), with_put(x, places, axis_at, v));
        expect_equal(scatter_add(a, i, b, axis=at - 3), with_added(x, places, axis_at, v));
        EXPECT_EQ(explain(put(a, i, b, axis=at)).launches, 1);
        EXPECT_EQ(explain(scatter_add(a, i, b, axis=at)).launches, 1);
        if (emulated()) break;
    }
}

TEST_F(scatters, values_broadcast) {
    const naive x = test::random({6, 130}, 3), row = test::random({130}, 4), column = test::random({4, 1}, 5);
    const auto a = to_array<double, 2>(x);
    const std::vector<std::int64_t> places = {5, 0, 5, -5};
    const auto i = to_indices<std::int8_t>(places);
    expect_equal(put(a, i, to_array<double, 1>(row), axis=0), with_put(x, places, 0, row));
    expect_equal(scatter_add(a, i, to_array<double, 2>(column), axis=0), with_added(x, places, 0, column));
    expect_equal(put(a, i, 7, axis=0), with_put(x, places, 0, naive(7)));
    expect_equal(scatter_add(a, i, 0.5, axis=0), with_added(x, places, 0, naive(0.5)));
}

TEST_F(scatters, long_lists) {
    const std::int64_t n = 300;
    const std::size_t m = emulated() ? 1000 : 20001;
    const naive x = test::random({n}, 6), v = test::random({static_cast<std::int64_t>(m)}, 7);
    const auto places = random_places(n, m, 8);
    const auto i = to_indices<std::int64_t>(places);
    const auto a = to_array<float, 1>(x), b = to_array<float, 1>(v);
    expect_equal(put(a, i, b), with_put(x, places, 0, v));
    expect_equal(scatter_add(a, i, b), with_added(x, places, 0, v), 2e-5);
    EXPECT_EQ(to_host(scatter_add(a, i, b)), to_host(scatter_add(a, i, b)));
}

TEST_F(scatters, fuse_with_what_stands_around_them) {
    const naive x = test::random({40, 7}, 9), v = test::random({13, 7}, 10);
    const auto places = random_places(20, 13, 11);
    const auto a = to_array<double, 2>(x), b = to_array<double, 2>(v);
    const auto i = to_indices<int>(places);
    // values, target and indices are expressions, and so is what reads the result
    const auto e = sqrt(abs(scatter_add(2 * a, 2 * i, b * b, axis=0)));
    EXPECT_EQ(explain(e).launches, 1);
    std::vector<std::int64_t> twice = places;
    for (std::int64_t& p : twice) p *= 2;
    const naive added =
        with_added(map([](double d) { return 2 * d; }, x), twice, 0, map([](double d) { return d * d; }, v));
    expect_equal(e, map([](double d) { return std::sqrt(std::abs(d)); }, added));

    const array<double, 1> row = a(0);
    const auto of_row = put(row, i, 1.0);
    static_assert(launches<decltype(of_row)> == 1 && launches<decltype(scatter_add(row, i, 1.0))> == 1);
    // what was put is read back; what was not is left
    const array<int, 1> some = {3, 0, -1};
    const array<double, 1> values = {1.5, 2.5, 3.5};
    EXPECT_EQ(to_host(take(put(row, some, values), some)), to_host(values));
    expect_equal(put(row, some, take(row, some)), naive({7}, to_host(row)));
}

template <class T>
class scatters_of : public on_devices {};
using some_types = testing::Types<bool, std::int8_t, std::uint16_t, int, std::uint64_t, float, double>;
TYPED_TEST_SUITE(scatters_of, some_types);

TYPED_TEST(scatters_of, dtypes) {
    using T = TypeParam;
    const bool is_bool = std::is_same_v<T, bool>;
    const naive x = random_integers({17}, 12, 0, is_bool ? 1 : 9), v = random_integers({33}, 13, 0, is_bool ? 1 : 2);
    const auto places = random_places(17, 33, 14);
    const auto i = to_indices<short>(places);
    const auto a = to_array<T, 1>(x), b = to_array<T, 1>(v);
    static_assert(decltype(put(a, i, b))::type == dtype_of<T>);
    expect_equal(put(a, i, b), with_put(x, places, 0, v));
    if constexpr (!std::is_same_v<T, bool>) {
        static_assert(decltype(scatter_add(a, i, b))::type == dtype_of<T>);
        expect_equal(scatter_add(a, i, b), with_added(x, places, 0, v));
    }
}

TEST_F(scatters, halves_are_added_in_float32_and_rounded_once) {
    const array<float16, 1> a = astype<float16>(full({1}, 2048.f));
    const array<int, 1> i = {0, 0, 0};
    EXPECT_EQ(static_cast<float>(to_host(scatter_add(a, i, float16(1)))[0]), 2052.f);  // 2051 to even, not 2048
}

TEST_F(scatters, complex_numbers) {
    using C = std::complex<double>;
    const array<C, 1> a = {C(1, 2), C(3, 4)};
    const array<int, 1> i = {1, 1, 5};
    EXPECT_EQ(to_host(scatter_add(a, i, C(0, 1))), (std::vector<C>{C(1, 2), C(3, 6)}));
    EXPECT_EQ(to_host(put(a, i, C(0, 1))), (std::vector<C>{C(1, 2), C(0, 1)}));
}

TEST_F(scatters, nothing_at_all) {
    const array<double, 1> a = {1, 2, 3};
    const array<int, 1> nowhere(shape<1>(0));
    const array<double, 1> none(shape<1>(0));
    EXPECT_EQ(to_host(put(a, nowhere, none)), to_host(a));
    EXPECT_EQ(to_host(scatter_add(a, nowhere, 1.0)), to_host(a));
    EXPECT_TRUE(to_host(put(none, array<int, 1>{0, 1}, 5.0)).empty());
    EXPECT_TRUE(to_host(scatter_add(none, nowhere, none)).empty());
}

TEST_F(scatters, nan_stays_where_it_is_written) {
    const array<double, 1> a = {1, nan_value, 3};
    const array<int, 1> i = {0, 2, 7};
    const array<double, 1> v = {nan_value, 5, nan_value};
    expect_equal(scatter_add(a, i, v), naive({3}, {nan_value, nan_value, 8}));
    expect_equal(put(a, i, v), naive({3}, {nan_value, nan_value, 5}));
}

TEST_F(scatters, errors) {
    const array<double, 2> a(shape<2>(3, 4));
    const array<int, 1> i = {0, 1};
    const array<double, 1> three = {1, 2, 3};
    const auto message = [](auto f) -> std::string {
        try {
            f();
        } catch (const error& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(
        message([&] { (void)put(a, i, three, axis=1); }),
        "put: values of shape (3,) do not broadcast to (3, 2), one value per index: aligned at the last axis, only "
        "extents of 1 stretch");
    EXPECT_EQ(message([&] { (void)scatter_add(a, i, 1.0, axis=2); }),
              "scatter_add: axis=2 is out of range: the axes of an expression of rank 2 are -2 to 1");
    EXPECT_EQ(message([&] { (void)bincount(i, -1); }),
              "bincount: -1 elements are not possible; give a count of 0 or more");
    EXPECT_EQ(message([&] { (void)histogram(three, array<double, 1>{1}); }),
              "histogram: 1 edges make no bin; give 2 or more, in ascending order");
}

TEST_F(scatters, counts) {
    const naive x = random_integers({5000}, 15, -3, 40);
    const auto a = to_array<int, 1>(x);
    naive counts(index{37});
    for (double v : x.values)
        if (v >= 0 && v < 37) ++counts.values[static_cast<std::size_t>(v)];
    expect_equal(bincount(a, 37), counts);
    EXPECT_TRUE(to_host(bincount(a, 0)).empty());

    const naive y = test::random({3001}, 16);
    const std::vector<double> edges = {-1.5, -1, -1, 0.25, 1, 1.75};
    const auto b = to_array<double, 1>(y);
    array<double, 1> c = concat(axis=0, b, array<double, 1>{1.75, -1.5, -1, nan_value});
    naive heights(index{5});
    for (double v : to_host(c))
        for (std::size_t k = 0; k < 5; ++k)
            if (v >= edges[k] && (v < edges[k + 1] || (k == 4 && v == edges[5]))) ++heights.values[k];
    const auto e = histogram(c, from_host(edges));
    static_assert(launches<decltype(e)> == 1);
    expect_equal(e, heights);
    expect_equal(histogram(c, linspace(-1.0, 1.0, 2)),
                 naive(index{1}, {static_cast<double>(std::count_if(y.values.begin(), y.values.end(),
                                                                    [](double v) { return v >= -1 && v <= 1; })) +
                                  1}));
}

}  // namespace
}  // namespace sinter::test
