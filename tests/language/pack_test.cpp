// Several results from one kernel: their values, that it is one launch, and what is refused.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

namespace sinter::test {
namespace {

class packs : public on_devices {};

TEST_F(packs, reductions_of_one_operand_along_every_axis) {
    const naive x = random({7, 33, 20}, 1);
    const auto a = to_array<double, 3>(x);
    array<double, 2> m, v, top;
    for (int axis_at = 0; axis_at < 3; ++axis_at) {
        const unsigned mask = 1u << axis_at;
        const auto all_three = pack(mean(a, axis=axis_at), var(a, axis=axis_at), max(abs(a), axis=axis_at));
        EXPECT_EQ(explain(all_three).launches, 1);
        tie(m, v, top) = all_three;
        expect_equal(m, mean_of(x, mask));
        expect_equal(
            v, mean_of(map([](double e, double mean) { return (e - mean) * (e - mean); }, x, mean_of(x, mask, true)),
                       mask));
        expect_equal(top, max_of(map([](double e) { return std::abs(e); }, x), mask));
    }
}

TEST_F(packs, elementwise_results_beside_reductions) {
    for (const shape<2>& s :
         {shape<2>(300, 40), shape<2>(3, 5000), shape<2>(1, 1), shape<2>(1, 700), shape<2>(90, 1)}) {
        const naive x = random({s[0], s[1]}, 2);
        const auto a = to_array<float, 2>(x);
        array<float, 2> centred, doubled;
        array<float, 1> total;
        auto rows = pack(a - mean(a, axis=1_c, keepdims), sum(a, axis=1_c), a * 2);
        static_assert(launches<decltype(rows)> == 1);
        tie(centred, total, doubled) = rows;
        expect_equal(centred, map(std::minus<>(), x, mean_of(x, 2, true)));
        expect_equal(total, sum_of(x, 2), 1e-4);
        expect_equal(doubled, map([](double v) { return 2 * v; }, x));
        auto columns = pack(sum(a, axis=0_c), a * 3, a - max(a, axis=0_c, keepdims));
        static_assert(launches<decltype(columns)> == 1);
        tie(total, doubled, centred) = columns;
        expect_equal(total, sum_of(x, 1), 1e-4);
        expect_equal(doubled, map([](double v) { return 3 * v; }, x), 1e-5);
        expect_equal(centred, map(std::minus<>(), x, max_of(x, 1, true)));
        array<float, 0> most = max(a);
        tie(most, doubled) = pack(max(a), a + 1);
        expect_equal(most, max_of(x, 3));
        expect_equal(doubled, map([](double v) { return v + 1; }, x));
        if (emulated()) return;
    }
}

TEST_F(packs, a_result_without_elements_beside_one_that_has_some) {
    const array<float, 2> x(shape<2>(0, 3));
    array<float, 2> nothing;
    array<bool, 1> everything;
    tie(nothing, everything) = pack(exp(x), all(x > 0.0F, axis=0));
    EXPECT_TRUE(to_host(nothing).empty());
    EXPECT_EQ(to_host(everything), (std::vector<bool>{true, true, true}));
}

TEST_F(packs, share_a_reduction_that_they_both_need) {
    const array<double, 2> a = {{1, 2}, {3, 4}};
    const std::string text = source(pack(sum(a, axis=1_c), a / sum(a, axis=1_c, keepdims)));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("sum_3")));
    EXPECT_EQ(explain(pack(sum(a), sum(a * a))).launches, 1);
}

TEST_F(packs, update_in_place) {
    const naive p0 = random({1001}, 3), g0 = random({1001}, 4), m0 = random({1001}, 5);
    auto p = to_array<double, 1>(p0);
    auto m = to_array<double, 1>(m0);
    const auto g = to_array<double, 1>(g0);
    const void *p_at = p.storage()->data, *m_at = m.storage()->data;
    tie(p, m) = pack(p - (m * 0.9 + g) * 0.1, m * 0.9 + g);
    EXPECT_EQ(p.storage()->data, p_at);
    EXPECT_EQ(m.storage()->data, m_at);
    const naive m1 = map([](double u, double w) { return 0.9 * u + w; }, m0, g0);
    expect_equal(m, m1);
    expect_equal(p, map([](double u, double w) { return u - 0.1 * w; }, p0, m1));
    // each reads the other backwards: not in place
    const auto was_p = to_host(p), was_m = to_host(m);
    tie(p, m) = pack(flip(m, axis=0), flip(p, axis=0));
    EXPECT_EQ(to_host(p), std::vector<double>(was_m.rbegin(), was_m.rend()));
    EXPECT_EQ(to_host(m), std::vector<double>(was_p.rbegin(), was_p.rend()));
    auto copy = p;
    tie(p, m) = pack(p + 1, p + 2);
    EXPECT_EQ(to_host(copy), std::vector<double>(was_m.rbegin(), was_m.rend()));
}

TEST_F(packs, convert_to_the_arrays_dtype) {
    const array<int, 1> a = {1, 2, 3};
    array<std::int64_t, 0> s;
    array<double, 1> halves;
    tie(s, halves) = pack(sum(a), a / 2);
    EXPECT_EQ(item(s), 6);
    EXPECT_EQ(to_host(halves), (std::vector<double>{0.5, 1, 1.5}));
}

TEST_F(packs, what_cannot_share_a_kernel_has_one_of_its_own) {
    const naive x = random({37, 21}, 6);
    const auto a = to_array<double, 2>(x);
    array<double, 1> rows, columns, tops;
    array<double, 2> doubled;
    array<double, 0> whole;
    auto all_of_them = pack(sum(a, axis=1), sum(a, axis=0), 2 * a, max(a, axis=1), sum(a));
    EXPECT_EQ(explain(all_of_them).launches, 2);  // what is doubled with the rows, the whole with the columns
    tie(rows, columns, doubled, tops, whole) = all_of_them;
    expect_equal(rows, sum_of(x, 2));
    expect_equal(columns, sum_of(x, 1));
    expect_equal(doubled, map([](double v) { return 2 * v; }, x));
    expect_equal(tops, max_of(x, 2));
    expect_equal(whole, sum_of(x, 3));
    // what several need of an earlier kernel is made once: the means of the columns
    const auto centred = a - mean(a, axis=0, keepdims);
    auto two = pack(sum(square(centred), axis=1), sum(centred));
    EXPECT_EQ(explain(two).launches, 2);
    tie(rows, whole) = two;
    const naive off = map(std::minus<>(), x, mean_of(x, 1, true));
    expect_equal(rows, sum_of(map([](double v) { return v * v; }, off), 2));
    EXPECT_NEAR(item(whole), 0, 1e-12);
}

TEST_F(packs, in_place_behind_other_kernels) {
    const naive x = random({33, 65}, 7), w0 = random({65}, 8), b0 = random({33}, 9);
    const auto a = to_array<double, 2>(x);
    auto w = to_array<double, 1>(w0);
    auto b = to_array<double, 1>(b0);
    const void *w_at = w.storage()->data, *b_at = b.storage()->data;
    // each needs what an earlier kernel reads of the other: both kernels run before either is written
    tie(w, b) = pack(w - sum(a * b(all, newaxis), axis=0) - sum(a * sum(a * w, axis=1, keepdims), axis=0),
                     b * 2 + sum(a * sum(a * b(all, newaxis), axis=0), axis=1));
    const naive bx = map(std::multiplies<>(), x, naive({33, 1}, b0.values));
    const naive y0 = sum_of(map(std::multiplies<>(), x, w0), 2, true), z0 = sum_of(bx, 1);
    const naive back = sum_of(map(std::multiplies<>(), x, y0), 1);
    const naive w1 = map([](double u, double v, double g) { return u - v - g; }, w0, z0, back);
    const naive b1 = map([](double u, double v) { return 2 * u + v; }, b0, sum_of(map(std::multiplies<>(), x, z0), 2));
    expect_equal(w, w1);
    expect_equal(b, b1);
    // The last kernel's result is; where an earlier one's were, it would be lost if the last one failed.
    EXPECT_NE(w.storage()->data == w_at, b.storage()->data == b_at);
    w_at = w.storage()->data;
    tie(b, w) = pack(b - sum(a * w, axis=1), w * 3);  // the first kernel reads w, the second writes it
    EXPECT_EQ(w.storage()->data, w_at);
    const naive b2 = map(std::minus<>(), b1, sum_of(map(std::multiplies<>(), x, w1), 2));
    expect_equal(b, b2, 1e-11);
    expect_equal(w, map([](double v) { return 3 * v; }, w1));
    const void* before = w.storage()->data;
    tie(w, b) = pack(w / 3, sum(a * w, axis=1));  // the kernel of the sums runs first
    EXPECT_EQ(w.storage()->data, before);
    expect_equal(w, w1);
    expect_equal(b, sum_of(map([](double u, double v) { return 3 * u * v; }, x, w1), 2), 1e-11);
    const auto c = copy(a);  // a matrix of its own: rows and columns of one are folded by one kernel
    tie(w, b) =
        pack(sum(a, axis=0), sum(c * w, axis=1));  // the second kernel reads what the first would have written
    EXPECT_NE(w.storage()->data, before);
    expect_equal(w, sum_of(x, 1), 1e-11);
    expect_equal(b, sum_of(map(std::multiplies<>(), x, w1), 2), 1e-11);
}

/// Whichever kernel makes them: what only the last one stores is written to a view at once.
TEST_F(packs, views_take_the_results_of_every_kernel) {
    const naive a = random({4, 6}, 10), b = random({5}, 11), none({7, 9}, std::vector<double>(63, 0));
    const auto x = to_array<double, 2>(a);
    const auto y = to_array<double, 1>(b);
    const naive sums = sum_of(a, 1);
    const auto check = [&](const array<double, 2>& whole, const array<double, 2>& row, const array<double, 2>& part) {
        naive in_whole = none, in_row = none, in_part = none;
        for (std::int64_t i = 0; i < 4; ++i)
            for (std::int64_t j = 0; j < 6; ++j) in_whole[{1 + i, 2 + j}] = a[{i, j}];
        for (std::int64_t j = 0; j < 6; ++j) in_row[{j, 3}] = sums[{j}];
        for (std::int64_t j = 0; j < 5; ++j) in_part[{2, 8 - j}] = b[{j}];
        expect_equal(whole, in_whole);
        expect_equal(row, in_row);
        expect_equal(part, in_part);
    };
    const auto in_every_order = [&](auto& u, auto& v, auto& w) {
        const auto elements = [](auto& to) { return to(range(1, 5), range(2, 8)); };
        const auto column = [](auto& to) { return to(range(0, 6), 3); };
        const auto backwards = [](auto& to) { return to(2, range(8, 3, -1)); };
        tie(elements(u[0]), column(v[0]), backwards(w[0])) = pack(x, sum(x, axis=0), y);
        tie(column(v[1]), backwards(w[1]), elements(u[1])) = pack(sum(x, axis=0), y, x);
        tie(backwards(w[2]), elements(u[2]), column(v[2])) = pack(y, x, sum(x, axis=0));
    };
    const auto empty = [] { return std::vector<array<double, 2>>(3, zeros<double>({7, 9})); };
    auto u = empty(), v = empty(), w = empty();
    in_every_order(u, v, w);
    for (std::size_t i = 0; i < 3; ++i) check(u[i], v[i], w[i]);
    u = empty(), v = empty(), w = empty();
    const graph recorded = capture([&] { in_every_order(u, v, w); });
    recorded.launch();
    for (std::size_t i = 0; i < 3; ++i) check(u[i], v[i], w[i]);
}

}  // namespace
}  // namespace sinter::test
