// Several results from one kernel: what they are, that one launch makes them, and what is refused.
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

TEST_F(packs, what_cannot_share_a_kernel_is_refused) {
    const array<double, 2> a = {{1, 2, 3}, {4, 5, 6}};
    array<double, 1> rows, columns;
    tie(rows, columns) = pack(sum(a, axis=1), max(a, axis=1));
    try {
        tie(rows, columns) = pack(sum(a, axis=1), sum(a, axis=0));
        FAIL() << "took results along different axes";
    } catch (const error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("assign those that differ by themselves"));
    }
    EXPECT_EQ(to_host(rows), (std::vector<double>{6, 15}));
}

}  // namespace
}  // namespace sinter::test
