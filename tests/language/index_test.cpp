// Indices other than integers and ranges: end - k, ellipsis, index arrays; alone, combined and out of range.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <gmock/gmock.h>

namespace sinter::test {
namespace {

class indices : public on_devices {};

TEST_F(indices, counted_from_the_end) {
    const array<int, 1> x = arange(7);
    using list = std::vector<int>;
    const std::int64_t k = 3;
    EXPECT_EQ(item(x(end - 1)), 6);
    EXPECT_EQ(item(x(end - 7)), 0);
    EXPECT_EQ(item((x * 2)(end - k)), 8);
    EXPECT_EQ(to_host(x(range(3))), (list{0, 1, 2}));
    EXPECT_EQ(to_host(x(range(-3))), (list{0, 1, 2, 3}));
    EXPECT_EQ(to_host(x(range(end - 5))), (list{0, 1}));
    EXPECT_EQ(to_host(x(range(1, end - 1))), (list{1, 2, 3, 4, 5}));
    EXPECT_EQ(to_host(x(range(end - 3, end))), (list{4, 5, 6}));
    EXPECT_EQ(to_host(x(range(end - 3, end - 1))), (list{4, 5}));
    EXPECT_EQ(to_host(x(range(end - 1, end, -2))), (list{6, 4, 2, 0}));
    EXPECT_EQ(to_host(x(range(end - 1, end - 4, -1))), (list{6, 5, 4}));
    EXPECT_EQ(to_host(x(range(end - 100, end - 5))), (list{0, 1}));  // cut, and not counted from the end again
    EXPECT_EQ(to_host(x(range(end - 2, end - 0))), (list{5, 6}));
    EXPECT_TRUE(to_host(x(range(0, end - 8))).empty());
    EXPECT_TRUE(to_host(x(range(end - 1, end - 0, -1))).empty());  // unlike `end`, a place after the last element
}

TEST_F(indices, out_of_range) {
    const array<int, 2> x = {{1, 2, 3}, {4, 5, 6}};
    EXPECT_EQ(message_of([&] { (void)x(0, end - 4); }),
              "index end - 4 is out of range for axis 1 of extent 3: use end - 3 to end - 1");
    EXPECT_NE(message_of([&] { (void)x(end - 0); }), "");
    EXPECT_NE(message_of([&] { (void)x(ellipsis, -4); }), "");
    const std::int64_t i = 2;
    EXPECT_EQ(message_of([&] { (void)x(i); }), "index 2 is out of range for axis 0 of extent 2: use -2 to 1");
    const array<int, 1> none;
    EXPECT_EQ(message_of([&] { (void)none(0); }),
              "index 0 is out of range for axis 0 of extent 0, which has no elements");
}

TEST_F(indices, an_ellipsis_stands_for_the_axes_left) {
    const naive a = random({3, 4, 5}, 1);
    const auto x = to_array<double, 3>(a);
    const auto same = [](const auto& one, const auto& other) {
        EXPECT_EQ(one.shape(), other.shape());
        EXPECT_EQ(to_host(one), to_host(other));
    };
    same(x(ellipsis), x);
    same(x(ellipsis, 2), x(all, all, 2));
    same(x(1, ellipsis), x(1));
    same(x(1, ellipsis, 2), x(1, all, 2));
    same(x(0, 1, ellipsis, 2), x(0, 1, 2));
    same(x(newaxis, ellipsis, newaxis), x(newaxis, all, all, all, newaxis));
    same((x + 1)(ellipsis, range(1, 3), newaxis, -1), (x + 1)(all, range(1, 3), newaxis, -1));
    same(sum(x)(ellipsis, newaxis), sum(x)(newaxis));
}

TEST_F(indices, an_array_takes_the_place_of_its_axis) {
    const naive a = random({3, 4, 5}, 2);
    auto x = to_array<double, 3>(a);
    const array<int, 1> i = {2, 0, -1, 2};
    const array<std::int64_t, 2> j = {{3, 0}, {1, 1}};
    const auto same = [](const auto& one, const auto& other) {
        EXPECT_EQ(one.shape(), other.shape());
        EXPECT_EQ(to_host(one), to_host(other));
    };
    same(x(i), take(x, i, axis=0));
    same(x(all, j), take(x, j, axis=1));
    same(x(ellipsis, i), take(x, i, axis=2));
    same(x(i, 1), take(x, i, axis=0)(all, 1));
    same(x(1, i), take(x(1), i, axis=0));
    same(x(range(1, end), j, 0, newaxis), take(x(range(1, end)), j, axis=1)(all, all, all, 0, newaxis));
    same(x(newaxis, i, ellipsis, range(0, end, 2)), take(x, i, axis=0)(newaxis, all, all, range(0, end, 2)));
    same((x * 2)(argmax(x(all, 0, 0))), take(x * 2, argmax(x(all, 0, 0)), axis=0));
    const auto rows = to_host(x(i)(1, 0));
    for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(rows[k], a.values[k]);
    const array<double, 1> v = {1, 2, 3};
    EXPECT_EQ(to_host(grad(sum(v(i) * v(i)), v)), (std::vector<double>{2, 0, 18}));
}

}  // namespace
}  // namespace sinter::test
