// Targets of tie besides arrays: views, scalars, external memory; packs in parts, printed and explained.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <sstream>

namespace sinter::test {
namespace {

class ties : public on_devices {};

TEST_F(ties, views_numbers_and_arrays) {
    const naive y = random({4, 7}, 1);
    const auto b = to_array<float, 2>(y);
    array<double, 2> x = zeros<double>({3, 4});
    array<float, 1> totals;
    double most = 0;
    float least = 0;
    tie(x(1), totals, most, x(all, range(0, 1)), least) =
        pack(sum(b, axis=1), sum(b, axis=0), max(b), sum(b), min(b));
    const naive rows = sum_of(y, 2);
    const double whole = sum_of(y, 3).values[0];
    const auto row = to_host(x(1));
    for (std::size_t j = 1; j < 4; ++j) EXPECT_NEAR(row[j], rows.values[j], 1e-5);
    for (double first : to_host(x(all, 0))) EXPECT_NEAR(first, whole, 1e-5);  // row 1's, too: it comes later
    EXPECT_EQ(to_host(x(range(0, end, 2), range(1, end))), std::vector<double>(6, 0));
    expect_equal(totals, sum_of(y, 1), 1e-5);
    EXPECT_NEAR(most, max_of(y, 3).values[0], 1e-6);
    EXPECT_EQ(least, to_host(min(b))[0]);
}

TEST_F(ties, a_result_fills_a_view) {
    array<float, 2> x = {{1, 2, 3}, {4, 5, 6}};
    const auto before = x;
    float total = 0;
    tie(x(1), total) = pack(max(x), sum(x));
    EXPECT_EQ(to_host(x), (std::vector<float>{1, 2, 3, 6, 6, 6}));
    EXPECT_EQ(total, 21);
    EXPECT_EQ(to_host(before), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    array<float, 2> none;
    tie(none(all, range(0, end)), total) = pack(x(0, 0), x(0, 1));
    EXPECT_EQ(total, 2);
}

TEST_F(ties, views_of_one_array_take_what_it_was_before) {
    const naive x = random({5, 6}, 2);
    auto a = to_array<double, 2>(x);
    tie(a(0), a(end - 1)) = pack(a(4), a(0));  // exchanged
    for (std::int64_t j = 0; j < 6; ++j) {
        EXPECT_EQ(item(a(0, j)), (x[{4, j}]));
        EXPECT_EQ(item(a(4, j)), (x[{0, j}]));
        EXPECT_EQ(item(a(2, j)), (x[{2, j}]));
    }
    auto b = to_array<double, 2>(random({5, 5}, 3));
    tie(transpose(b)(1), b(1)) = pack(b(0) * 0 + 1, b(0) * 0 + 2);  // they cross: the later one holds
    EXPECT_EQ(item(b(1, 1)), 2);
    EXPECT_EQ(item(b(0, 1)), 1);
    auto c = to_array<double, 2>(x);
    const auto both = pack(c(1) + c(0), c(0) - c(1));
    tie(c(0), c(1)) = both;  // a pack that is kept holds the array, too
    for (std::int64_t j = 0; j < 6; ++j) {
        EXPECT_EQ(item(c(0, j)), (x[{1, j}] + x[{0, j}]));
        EXPECT_EQ(item(c(1, j)), (x[{0, j}] - x[{1, j}]));
    }
    array<double, 1> again;
    double first = 0;
    tie(again, first) = pack(both.get<0>(), both.get<1>()(0));
    EXPECT_EQ(first, (x[{0, 0}] - x[{1, 0}]));
}

/// What is made before the last kernel is copied to its place in the end: from memory of its own, without gaps.
TEST_F(ties, a_column_that_the_first_kernel_makes) {
    const naive m = random({11, 13}, 6), n = random({7, 3}, 7);
    const auto rows = to_array<double, 2>(m), others = to_array<double, 2>(n);
    array<double, 2> x = zeros<double>({11, 4}), twice;
    tie(x(all, 1), twice) = pack(sum(rows, axis=1), others * 2);
    expect_equal(x(all, 1), sum_of(m, 2));
    EXPECT_EQ(to_host(x(all, range(0, end, 2))), std::vector<double>(22, 0));
    expect_equal(twice, map(std::plus<>(), n, n));
}

/// The sums are stored first and read across, so that the result that is these sums is there before the other one.
TEST_F(ties, a_result_that_the_other_reads) {
    const naive x = random({6, 6}, 5);
    const auto a = to_array<double, 2>(x);
    array<double, 2> scaled, sums;
    const auto s = sum(a, axis=1, keepdims);
    tie(scaled, sums) = pack(a * s * transpose(s), s);
    const naive want = sum_of(x, 2, true);
    expect_equal(sums, want);
    expect_equal(scaled, map([](double p, double q, double r) { return p * q * r; }, x, want, transposed(want)));
}

TEST_F(ties, one_evaluation_in_place) {
    auto a = to_array<float, 2>(random({3, 40}, 4));
    const float* const at = address(a);
    array<float, 1> sums;
    tie(a(1), sums) = pack(a(1) * 2, sum(a, axis=1));
    EXPECT_EQ(address(a), at);
    const auto copy = a;
    tie(a(1), sums) = pack(a(1) * 2, sum(a, axis=1));
    EXPECT_EQ(address(copy), at);
    EXPECT_NE(address(a), at);
}

TEST_F(ties, an_array_named_twice_is_refused) {
    array<float, 1> x = {1, 2}, y;
    EXPECT_THROW(tie(x, x) = pack(x + 1, x + 2), error);
    EXPECT_THROW(tie(x, y, x(0)) = pack(x + 1, x, sum(x)), error);
    EXPECT_EQ(to_host(x), (std::vector<float>{1, 2}));
}

TEST_F(ties, memory_from_outside_is_written) {
    if (test_device_name() != "host") return;
    std::vector<float> memory = {1, 2, 3};
    auto x = wrap(memory, {3});
    float total = 0;
    tie(x, total) = pack(flip(x), sum(x));
    EXPECT_EQ(memory, (std::vector<float>{3, 2, 1}));
    EXPECT_EQ(total, 6);
    array<float, 1> two = {1, 2};
    EXPECT_THROW(tie(x, total) = pack(two, sum(two)), error);
    std::vector<float> other = {1, 0, 2};
    auto y = wrap(other, {3});
    tie(x, y) = pack(x + y, x - y);  // each element of both is read before it is written
    EXPECT_EQ(memory, (std::vector<float>{4, 2, 3}));
    EXPECT_EQ(other, (std::vector<float>{2, 2, -1}));
}

TEST_F(ties, a_pack_in_parts) {
    const array<double, 2> x = {{1, 2}, {3, 6}};
    auto [low, high, scaled] = pack(min(x, axis=1), max(x, axis=1), x * 0.5);
    EXPECT_EQ(to_host(high - low), (std::vector<double>{1, 3}));
    EXPECT_EQ(to_host(scaled), (std::vector<double>{0.5, 1, 1.5, 3}));
    array<double, 2> w = {{1, 2}, {3, 4}};
    array<double, 1> b = {1, 1};
    auto [dw, db] = grad(sum(square(x * w + b)), w, b);
    w -= dw;  // db still means the loss of before
    b -= db;
    EXPECT_EQ(to_host(w), (std::vector<double>{1 - 4, 2 - 20, 3 - 60, 4 - 300}));
    EXPECT_EQ(to_host(b), (std::vector<double>{1 - 24, 1 - 60}));
}

TEST_F(ties, packs_print_and_are_explained) {
    const array<int, 2> x = {{1, 2}, {3, 4}};
    std::ostringstream out;
    out << pack(sum(x), x + 1);
    EXPECT_EQ(out.str(), "10\n[[2 3]\n [4 5]]");
    EXPECT_EQ(explain(sum(x), max(x)).launches, explain(pack(sum(x), max(x))).launches);
    EXPECT_EQ(source(sum(x), x), source(pack(sum(x), x)));
    EXPECT_EQ(explain(x).launches, 1);
    EXPECT_FALSE(source(x).empty());
}

}  // namespace
}  // namespace sinter::test
