// In-place writes at indices, especially many of them: at(x, i) = v and at(x, i) += v, against loops.
#include <tests/language/on_devices.hpp>
#include <tests/language/places.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

class writes_at : public on_devices {};

/// More comparisons than an expression is given on devices.
constexpr std::int64_t wide = 6007;
constexpr std::size_t many = 9001;

TEST_F(writes_at, a_vector) {
    const naive x = test::random({wide}, 1), v = test::random({static_cast<std::int64_t>(many)}, 2);
    const auto places = random_places(wide, many, 3);
    const auto i = to_indices<int>(places);
    auto a = to_array<double, 1>(x);
    const auto b = to_array<double, 1>(v);
    at(a, i) = b;
    expect_equal(a, with_put(x, places, 0, v));
    a = to_array<double, 1>(x);
    at(a, i) += 2 * b;
    expect_equal(a, with_added(x, places, 0, map([](double d) { return 2 * d; }, v)));
    at(a, i) = 0.5;
    expect_equal(a, with_put(with_added(x, places, 0, map([](double d) { return 2 * d; }, v)), places, 0, naive(0.5)));
}

/// Short lists are expressions on devices.
TEST_F(writes_at, every_axis) {
    for (const std::int64_t extent : {std::int64_t{3}, wide}) {
        for (std::size_t axis_at = 0; axis_at < 3; ++axis_at) {
            const std::size_t m = extent == 3 ? 11 : 1001;
            const auto places = random_places(extent, m, static_cast<unsigned>(axis_at));
            const auto i = to_indices<std::int64_t>(places);
            index from = {2, 3, 2}, shape = from;
            from[axis_at] = extent;
            shape[axis_at] = static_cast<std::int64_t>(m);
            const naive x = test::random(from, 4), v = test::random(shape, 5);
            auto a = to_array<float, 3>(x);
            const auto b = to_array<float, 3>(v);
            at(a, i, axis=static_cast<int>(axis_at)) = b;
            expect_equal(a, with_put(x, places, axis_at, v));
            a = to_array<float, 3>(x);
            at(a, i, axis=static_cast<int>(axis_at) - 3) += b;
            expect_equal(a, with_added(x, places, axis_at, v));
        }
    }
}

/// Equal indices that fill many threads' runs, and all of them: sums of the same order every time.
TEST_F(writes_at, long_runs_of_one_place) {
    const naive v = test::random({20011}, 6);
    const auto b = to_array<float, 1>(v);
    for (const std::int64_t period : {std::int64_t{1}, std::int64_t{2}, std::int64_t{64}, std::int64_t{4999}}) {
        std::vector<std::int64_t> places(v.values.size());
        for (std::size_t k = 0; k < places.size(); ++k) places[k] = 17 + static_cast<std::int64_t>(k) / 300 % period;
        const auto i = to_indices<int>(places);
        const naive x = test::random({wide}, 7);
        auto a = to_array<float, 1>(x), again = a;
        at(a, i) += b;
        expect_equal(a, with_added(x, places, 0, v), 1e-4);
        at(again, i) += b;
        EXPECT_EQ(to_host(again), to_host(a));
        again = to_array<float, 1>(x);
        at(again, i) = b;
        expect_equal(again, with_put(x, places, 0, v));
    }
}

/// Many values per place, in any order and sorted: on GPUs, in the shared memory of one block, and of several.
TEST_F(writes_at, many_values_of_a_place) {
    for (const std::int64_t extent : {std::int64_t{801}, std::int64_t{emulated() ? 802 : 50021}}) {
        const std::size_t n = static_cast<std::size_t>(extent) * 33;
        const naive x = test::random({extent}, 20), v = test::random({static_cast<std::int64_t>(n)}, 21);
        const naive integers = random_integers({static_cast<std::int64_t>(n)}, 22, -99, 99);
        const naive zero(index{extent});
        auto places = random_places(extent, n, 23);
        for (int turn = 0; turn < 2; ++turn) {
            const auto i = to_indices<int>(places);
            auto a = to_array<float, 1>(x), again = a;
            at(a, i) += to_array<float, 1>(v);
            expect_equal(a, with_added(x, places, 0, v), 1e-5);
            at(again, i) += to_array<float, 1>(v);
            EXPECT_EQ(to_host(again), to_host(a));
            auto d = to_array<double, 1>(x);
            at(d, i) += to_array<double, 1>(v);
            expect_equal(d, with_added(x, places, 0, v), 1e-12);
            auto counts = to_array<int, 1>(zero);
            at(counts, i) += to_array<int, 1>(integers);
            expect_equal(counts, with_added(zero, places, 0, integers));
            std::sort(places.begin(), places.end());
        }
    }
}

/// Rows of many elements, whose indices are sorted: equal ones fill many threads' runs.
TEST_F(writes_at, long_runs_of_one_row) {
    const std::int64_t rows = 1001, lanes = 17, n = 3001;
    const naive x = test::random({rows, lanes}, 18), v = test::random({n, lanes}, 19);
    for (const std::int64_t period : {std::int64_t{1}, std::int64_t{3}, std::int64_t{700}}) {
        std::vector<std::int64_t> places(static_cast<std::size_t>(n));
        for (std::size_t k = 0; k < places.size(); ++k) places[k] = 17 + static_cast<std::int64_t>(k) / 100 % period;
        const auto i = to_indices<int>(places);
        auto a = to_array<float, 2>(x), again = a;
        at(a, i, axis=0) += to_array<float, 2>(v);
        expect_equal(a, with_added(x, places, 0, v), 1e-4);
        at(again, i, axis=0) += to_array<float, 2>(v);
        EXPECT_EQ(to_host(again), to_host(a));
    }
}

/// Extents of three digits' worth, and of a whole number of digits.
template <class T>
void expect_long_axes() {
    for (const std::int64_t extent : {std::int64_t{65535}, std::int64_t{65536}, std::int64_t{70001}}) {
        auto places = random_places(extent, 301, 8);
        places.insert(places.end(), {extent - 1, 0, -1, -extent, extent, -extent - 1});
        const auto i = to_indices<int>(places);
        const naive x = random_integers({extent}, 9, -5, 5), v = random_integers({307}, 10, -9, 9);
        auto a = to_array<T, 1>(x);
        at(a, i) += to_array<T, 1>(v);
        expect_equal(a, with_added(x, places, 0, v));
        at(a, i) = to_array<T, 1>(v);
        expect_equal(a, with_put(with_added(x, places, 0, v), places, 0, v));
    }
}

TEST_F(writes_at, long_axes) {
    expect_long_axes<double>();
    expect_long_axes<std::int64_t>();
}

template <class T>
class writes_at_of : public on_devices {};
using all_types = testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, unsigned,
                                 std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(writes_at_of, all_types);

TYPED_TEST(writes_at_of, dtypes) {
    using T = TypeParam;
    const int most = std::is_same_v<T, bool> ? 1 : 3;
    const naive x = random_integers({wide}, 11, 0, most), v = random_integers({3001}, 12, 0, most);
    const auto places = random_places(wide, 3001, 13);
    const auto i = to_indices<short>(places);
    auto a = to_array<T, 1>(x);
    const auto b = to_array<T, 1>(v);
    at(a, i) = b;
    expect_equal(a, with_put(x, places, 0, v));
    if constexpr (!std::is_same_v<T, bool>) {
        at(a, i) += b;
        expect_equal(a, with_added(with_put(x, places, 0, v), places, 0, v));
    }
}

// Integers wrap, whatever the order in which equal indices' values are added.
TEST_F(writes_at, rows_of_integers_wrap) {
    array<std::uint32_t, 3> a = full({3, 2001, 5}, std::uint32_t(0xfffffff0));
    const std::vector<std::int64_t> places(3001, 7);
    at(a, to_indices<int>(places), axis=1) += 2u;
    const std::uint32_t wrapped = 0xfffffff0u + 6002u;
    EXPECT_EQ(item(sum(a(all, 7, all) == wrapped)), 15);
    EXPECT_EQ(item(sum(a == std::uint32_t(0xfffffff0))), 3 * 2000 * 5);
}

TEST_F(writes_at, halves_and_complex_numbers) {
    const std::vector<std::int64_t> places(3001, 5);
    const auto i = to_indices<int>(places);
    array<float16, 1> h = astype<float16>(zeros<float>({wide}));
    at(h, i) += float16(1);
    EXPECT_EQ(static_cast<float>(to_host(h)[5]), 3000.f);  // 3001 to even, not the 2048 of sums in float16
    at(h, i) = float16(0.5);
    EXPECT_EQ(static_cast<float>(to_host(h)[5]), 0.5f);
    const auto of = [&]<class C>(C) {
        array<C, 1> z = full({wide}, C(1, 2));
        at(z, i) += C(0, 1);
        EXPECT_EQ(to_host(z)[5], C(1, 3003));
        at(z, i) = C(-1, 1);
        EXPECT_EQ(to_host(z)[5], C(-1, 1));
        EXPECT_EQ(to_host(z)[4], C(1, 2));
    };
    of(std::complex<float>());
    of(std::complex<double>());
}

TEST_F(writes_at, values_are_those_from_before) {
    const naive x = test::random({wide}, 14);
    std::vector<std::int64_t> backwards(static_cast<std::size_t>(wide));
    for (std::size_t k = 0; k < backwards.size(); ++k) backwards[k] = wide - 1 - static_cast<std::int64_t>(k);
    const auto i = to_indices<int>(backwards);
    auto a = to_array<double, 1>(x);
    const auto before = a;
    const double* where = address(a);
    at(a, i) = a;
    expect_equal(a, with_put(x, backwards, 0, x));
    expect_equal(before, x);
    at(a, i) += 3 * a;
    const naive turned = with_put(x, backwards, 0, x);
    expect_equal(a, with_added(turned, backwards, 0, map([](double d) { return 3 * d; }, turned)));
    EXPECT_NE(address(a), where);
    where = address(a);
    at(a, i) += 1.0;  // no other array shares it now
    EXPECT_EQ(address(a), where);
}

TEST_F(writes_at, memory_from_outside) {
    const device_scope on(host());
    std::vector<double> memory(2 * wide, 1);
    const auto i = to_indices<int>({0, 0, -1});
    auto dense = wrap(memory.data(), {wide});
    at(dense, i) += 2.0;
    EXPECT_EQ(memory[0], 5);
    EXPECT_EQ(memory[wide - 1], 3);
    auto strided = wrap(memory.data(), {wide}, {2});
    at(strided, i) = 7.0;
    EXPECT_EQ(memory[0], 7);
    EXPECT_EQ(memory[2 * wide - 2], 7);
    auto constant = wrap(static_cast<const double*>(memory.data()), {wide});
    EXPECT_THROW(at(constant, i) = 1.0, error);
    EXPECT_EQ(memory[0], 7);
}

TEST_F(writes_at, nothing_at_all) {
    array<double, 2> none(shape<2>(0, 3)), some = {{1, 2}, {3, 4}};
    const array<int, 1> nowhere(shape<1>(0)), one = {0};
    at(none, one, axis=0) = 1.0;
    at(none, one, axis=1) += 1.0;
    at(some, nowhere, axis=0) = 1.0;
    at(some, nowhere, axis=1) += 1.0;
    EXPECT_EQ(to_host(some), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_THROW(at(some, one, axis=0) = (array<double, 1>{1, 2, 3}), error);
    EXPECT_EQ(to_host(some), (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(writes_at, differences) {
    array<std::uint8_t, 1> bytes = {5, 1, 200};
    const array<int, 1> i = {0, 0, 1, -1};
    at(bytes, i) -= 1;
    EXPECT_EQ(to_host(bytes), (std::vector<std::uint8_t>{3, 0, 199}));
    at(bytes, i) -= array<std::uint8_t, 1>{1, 1, 1, 200};  // wraps around
    EXPECT_EQ(to_host(bytes), (std::vector<std::uint8_t>{1, 255, 255}));
    array<float16, 1> halves = {5.f, 1.f, 2.f};
    at(halves, i) -= 0.25;
    EXPECT_EQ(to_host(astype<float>(halves)), (std::vector<float>{4.5f, 0.75f, 1.75f}));
    array<double, 2> rows = {{1, 2}, {3, 4}};
    at(rows, array<int, 1>{1, 1}, axis=0) -= rows;
    EXPECT_EQ(to_host(rows), (std::vector<double>{1, 2, -1, -2}));
}

TEST_F(writes_at, recorded_in_a_graph) {
    const naive x = test::random({wide}, 15), v = test::random({3001}, 16);
    const auto places = random_places(wide, 3001, 17);
    const auto i = to_indices<int>(places);
    auto a = to_array<float, 1>(x);
    const auto b = to_array<float, 1>(v);
    at(a, i) += b;  // compiles the kernels
    at(a, i) = b;
    a = to_array<float, 1>(x);
    const auto g = capture([&] {
        at(a, i) += b;
        a += 1.f;
    });
    g.launch();
    g.launch();
    const naive once = map([](double d) { return d + 1; }, with_added(x, places, 0, v));
    expect_equal(a, map([](double d) { return d + 1; }, with_added(once, places, 0, v)), 1e-5);
}

}  // namespace
}  // namespace sinter::test
