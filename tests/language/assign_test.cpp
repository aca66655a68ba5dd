// Assignment to views: x(all, 0) = y * 2 writes through, reads x's old elements, and does not change copies of x.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class assigning : public on_devices {};

/// x with the elements for which `chosen` maps an index to a value written.
template <class F>
naive written(naive x, F f) {
    for_each_index(x.shape, [&](const index& at) { x[at] = f(at, x[at]); });
    return x;
}

TEST_F(assigning, through_indices_ranges_and_new_axes) {
    const naive x = random({6, 9}, 1), y = random({6}, 2);
    auto a = to_array<double, 2>(x);
    const auto b = to_array<double, 1>(y);
    a(all, 0) = b * 2.0;
    expect_equal(a, written(x, [&](const index& at, double v) { return at[1] == 0 ? 2 * y[{at[0]}] : v; }));
    a = to_array<double, 2>(x);
    a(range(1, end, 2), range(-1, end, -3)) = 7;
    expect_equal(a, written(x, [](const index& at, double v) { return at[0] % 2 == 1 && at[1] % 3 == 2 ? 7 : v; }));
    a = to_array<double, 2>(x);
    a(all, newaxis, range(3, 9)) += 1;
    expect_equal(a, written(x, [](const index& at, double v) { return at[1] >= 3 ? v + 1 : v; }));
    a = to_array<double, 2>(x);
    a(-2) = a(0);  // a view of the same type on both sides
    expect_equal(a, written(x, [&](const index& at, double v) { return at[0] == 4 ? x[{0, at[1]}] : v; }));
    a = to_array<double, 2>(x);
    a(all, range(0, 4)) = sum(a, axis=1, keepdims);  // broadcasts
    expect_equal(a, written(x, [&](const index& at, double v) { return at[1] < 4 ? sum_of(x, 2)[{at[0]}] : v; }));
}

TEST_F(assigning, reads_what_was_there_before) {
    const naive x = random({40, 50}, 3);
    auto a = to_array<float, 2>(x);
    a(range(1, end)) = a(range(0, -1)) * 2.f;  // overlapping: a copy in between
    expect_equal(a, written(x, [&](const index& at, double v) { return at[0] > 0 ? 2 * x[{at[0] - 1, at[1]}] : v; }));
    a = to_array<float, 2>(x);
    a(all, range(-1, end, -1)) = a;
    expect_equal(a, written(x, [&](const index& at, double) { return x[{at[0], 49 - at[1]}]; }));
    a = to_array<float, 2>(x);
    a(all, range(0, end, 2)) += a(all, range(1, end, 2));  // interleaved, never the same element
    expect_equal(a, written(x, [&](const index& at, double v) {
                     return at[1] % 2 == 0 ? v + x[{at[0], at[1] + 1}] : v;
                 }));
    a = to_array<float, 2>(x);
    a(range(0, 40), range(0, 40)) += transpose(a(range(0, 40), range(0, 40)));
    expect_equal(a, written(x, [&](const index& at, double v) { return at[1] < 40 ? v + x[{at[1], at[0]}] : v; }));
    a = to_array<float, 2>(x);
    a(3) /= sum(a(3));
    double total = 0;
    for (std::int64_t j = 0; j < 50; ++j) total += x[{3, j}];
    expect_equal(a, written(x, [&](const index& at, double v) { return at[0] == 3 ? v / total : v; }), 1e-4);
}

/// Threads past the last row read its index again, when its sum may be there already: one beyond the table.
TEST_F(assigning, over_the_indices_of_rows) {
    for (const std::int64_t rows : {2, 77}) {
        const array<std::int64_t, 2> table = full({rows, 6}, std::int64_t{1} << 40);
        array<std::int64_t, 1> i = arange<std::int64_t>(rows);
        i = sum(take(table, i, axis=0), axis=1);
        expect_equal(i, written(naive(index{rows}), [](const index&, double) { return 6 * 0x1p40; }));
    }
}

TEST_F(assigning, leaves_copies_and_expressions_alone) {
    const naive x = random({5, 5}, 4);
    auto a = to_array<double, 2>(x);
    const auto copy = a;
    const auto before = a * 2.0;
    a(0) = 0;
    expect_equal(copy, x);
    expect_equal(before, map([](double v) { return 2 * v; }, x));
    expect_equal(a, written(x, [](const index& at, double v) { return at[0] == 0 ? 0 : v; }));
    auto moved = std::move(a);
    moved(all, 1) = moved(all, 2);
    expect_equal(moved, written(x, [&](const index& at, double v) {
                     return at[0] == 0 ? 0 : at[1] == 1 ? x[{at[0], 2}] : v;
                 }));
}

TEST_F(assigning, converts_within_a_kind_and_refuses_other_shapes) {
    array<float, 2> a = {{1, 2, 3}, {4, 5, 6}};
    const array<double, 1> two = {7, 8}, three = {1, 2, 3};
    a(all, 1) = two;
    EXPECT_EQ(to_host(a), (std::vector<float>{1, 7, 3, 4, 8, 6}));
    EXPECT_THROW(a(all, 1) = three, error);
    EXPECT_THROW(a(2) = three, error);
    EXPECT_EQ(to_host(a), (std::vector<float>{1, 7, 3, 4, 8, 6}));
    a(all, range(0, 0)) = 5;  // nothing
    array<float, 2> none;
    none(all, range(0, end)) = 5;
    EXPECT_EQ(to_host(a), (std::vector<float>{1, 7, 3, 4, 8, 6}));
}

TEST_F(assigning, a_view_that_is_kept_is_an_expression) {
    array<double, 2> a = {{1, 2}, {3, 4}};
    auto row = a(0);
    a(0) = 10;
    EXPECT_EQ(to_host(row), (std::vector<double>{1, 2}));
    EXPECT_EQ(to_host(row + 1), (std::vector<double>{2, 3}));
    const auto e = a(all, 1) * 2;
    EXPECT_EQ(launches<decltype(row)>, 1);
    EXPECT_EQ(to_host(e), (std::vector<double>{20, 8}));
}

}  // namespace
}  // namespace sinter::test
