// Reductions of reductions, and whole-array results together with row results: one launch on a GPU.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class all_groups : public on_devices {
protected:
    /// One launch of a GPU, be it this device or not.
    template <class E>
    static void expect_one_launch(const E& e) {
        const explanation why = explain(e);
        EXPECT_EQ(why.launches, 1) << why.text();
        EXPECT_TRUE(why.reasons.empty()) << why.text();
    }
};

const std::vector<index> shapes = {{2, 2}, {37, 5}, {300, 31}, {129, 256}, {7, 1000}, {1000, 3}, {5, 4001}};

TEST_F(all_groups, fold_what_rows_come_to) {
    for (const index& shape : shapes) {
        const naive x = random(shape, 11);
        const auto a = to_array<double, 2>(x);
        expect_one_launch(max(norm(a, axis=1)));
        const naive norms =
            map([](double v) { return std::sqrt(v); }, sum_of(map([](double v) { return v * v; }, x), 2));
        expect_equal(max(norm(a, axis=1)), max_of(norms, 1));
        expect_equal(2 * max(norm(a, axis=1)) + min(norm(a, axis=1)),
                     map([](double u, double v) { return 2 * u + v; }, max_of(norms, 1), min_of(norms, 1)));
    }
}

TEST_F(all_groups, fold_elements_beside_what_rows_come_to) {
    for (const index& shape : shapes) {
        const naive x = random(shape, 12);
        const auto a = to_array<double, 2>(x);
        const auto distance = mean(abs(a - mean(a, axis=1, keepdims)));
        expect_one_launch(distance);
        const naive off = map([](double u, double v) { return std::abs(u - v); }, x, mean_of(x, 2, true));
        expect_equal(distance, mean_of(off, 3), 1e-13);
    }
}

TEST_F(all_groups, are_results_beside_those_of_rows) {
    for (const index& shape : shapes) {
        const naive x = random(shape, 13);
        const auto a = to_array<double, 2>(x);
        array<double, 1> sums;
        array<double, 0> whole, most;
        expect_one_launch(pack(sum(a, axis=1), mean(a)));
        tie(sums, whole) = pack(sum(a, axis=1), mean(a));
        expect_equal(sums, sum_of(x, 2), 1e-13);
        expect_equal(whole, mean_of(x, 3), 1e-13);
        expect_one_launch(pack(max(sum(a, axis=1)), sum(a, axis=1)));
        tie(most, sums) = pack(max(sum(a, axis=1)), sum(a, axis=1));
        expect_equal(sums, sum_of(x, 2), 1e-13);
        expect_equal(most, max_of(sum_of(x, 2), 1), 1e-13);
    }
}

TEST_F(all_groups, are_no_reason_for_another_launch) {
    const auto a = to_array<double, 2>(random({300, 31}, 20));
    const explanation why = explain(pack(sum(a, axis=1), max(sum(a, axis=1)), sum(a, axis=0)));
    EXPECT_EQ(why.launches, 2) << why.text();
    ASSERT_EQ(why.reasons.size(), 1u) << why.text();
    EXPECT_NE(why.reasons[0].find("Result 2"), std::string::npos) << why.reasons[0];
}

TEST_F(all_groups, of_rows_along_several_axes_with_weights) {
    const naive x = random({6, 11, 40}, 14), w = random({11}, 15);
    const auto a = to_array<double, 3>(x);
    const auto b = to_array<double, 1>(w);
    expect_one_launch(max(sum(a, axis=2) * b));
    expect_equal(max(sum(a, axis=2) * b), max_of(map(std::multiplies<>(), sum_of(x, 4), w), 3), 1e-13);
    expect_one_launch(min(transpose(max(a, axis=2))));
    expect_equal(min(transpose(max(a, axis=2))), min_of(max_of(x, 4), 3));
    // and with a number that the last block reads
    array<double, 0> total = sum(b);
    const double first = item(total);
    total = total + max(prod(a, axis=2));
    EXPECT_NEAR(item(total), first + max_of(prod_of(x, 4), 3).values[0], 1e-12);
}

TEST_F(all_groups, fold_what_columns_come_to) {
    for (const index& shape : std::vector<index>{{5, 300}, {31, 129}, {256, 1000}, {3, 4000}, {40, 2}}) {
        const naive x = random(shape, 19);
        const auto a = to_array<float, 2>(x);
        expect_one_launch(max(sum(a, axis=0)));
        expect_equal(max(sum(a, axis=0)), max_of(sum_of(x, 1), 1), 1e-4);
        const naive off = map([](double u, double v) { return std::abs(u - v); }, x, mean_of(x, 1, true));
        expect_equal(sum(abs(a - mean(a, axis=0, keepdims))), sum_of(off, 3), 1e-4);
    }
}

TEST_F(all_groups, of_other_dtypes) {
    const naive x = random_integers({50, 17}, 16, -9, 9);
    const auto narrow = to_array<std::int8_t, 2>(x);
    const naive sums = sum_of(x, 2);
    EXPECT_EQ(item(max(sum(narrow, axis=1))), static_cast<std::int64_t>(max_of(sums, 1).values[0]));
    EXPECT_EQ(item(sum(argmax(narrow, axis=1) * 0 + 1)), 50);
    EXPECT_EQ(item(any(all(narrow > -10, axis=1))), true);
    EXPECT_EQ(item(all(any(narrow > 8, axis=1))), min_of(max_of(x, 2), 1).values[0] > 8);
    const auto half = to_array<float16, 2>(x);
    EXPECT_EQ(static_cast<float>(item(max(sum(half, axis=1)))), static_cast<float>(max_of(sums, 1).values[0]));
    const auto wide = to_array<double, 2>(x);  // by moments
    const naive off = map([](double u, double v) { return (u - v) * (u - v); }, sums, mean_of(sums, 1, true));
    EXPECT_NEAR(item(var(sum(wide, axis=1))), mean_of(off, 1).values[0], 1e-9);
    const naive apart = map([](double u, double v) { return (u - v) * (u - v); }, x, mean_of(x, 2, true));
    EXPECT_NEAR(item(mean(var(wide, axis=1))), mean_of(apart, 3).values[0], 1e-9);
}

/// The results are the same in every run, and the tickets ready again.
TEST_F(all_groups, repeat) {
    const auto a = to_array<float, 2>(random({3000, 40}, 17));
    const float first = item(mean(sqrt(sum(a * a, axis=1))));
    for (int run = 0; run < 3; ++run) EXPECT_EQ(item(mean(sqrt(sum(a * a, axis=1)))), first);
}

TEST_F(all_groups, of_nothing) {
    const array<double, 2> none(shape{0, 5}), empty(shape{5, 0});
    EXPECT_EQ(item(sum(sqrt(sum(none, axis=1)))), 0);
    EXPECT_EQ(item(sum(1 + sum(empty, axis=1))), 5);
}

/// What is computed of a reduction along an axis of one element, and of all of that.
TEST_F(all_groups, of_single_elements) {
    const naive x = random_integers({2, 1}, 18, 1, 60);
    const auto a = to_array<std::int64_t, 2>(x);
    const auto shifted = a >> sum(a, axis=1, keepdims);
    EXPECT_EQ(to_host(array<bool, 2>(shifted == nanmin(shifted)))[0], true);
}

}  // namespace
}  // namespace sinter::test
