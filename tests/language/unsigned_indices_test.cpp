// Indices of uint64 from 2^63 on are out of range: they do not count from the end, as negative ones of int64 do.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <sinter/along_axis.hpp>
#include <sinter/at.hpp>
#include <sinter/debug.hpp>
#include <sinter/groups.hpp>

#include <gmock/gmock.h>

namespace sinter::test {
namespace {

constexpr auto last = ~std::uint64_t{0}, half = std::uint64_t{1} << 63;

class unsigned_indices : public on_devices {
protected:
    array<std::uint64_t, 1> i_;
    array<int, 1> x_, six_;

private:
    void SetUp() override {
        on_devices::SetUp();
        if (IsSkipped()) return;
        i_ = {0, last, 2, half, 3, half + 3};
        x_ = {10, 20, 30, 40};
        six_ = {1, 2, 3, 4, 5, 6};
    }
};

using ints = std::vector<int>;

TEST_F(unsigned_indices, read_the_last_element) {
    const ints nearest = {10, 40, 30, 40, 40, 40};
    EXPECT_EQ(to_host(take(x_, i_)), nearest);
    EXPECT_EQ(to_host(x_(i_)), nearest);
    EXPECT_EQ(to_host(take(x_ * 1, i_ + std::uint64_t{0}, axis=0)), nearest);
    EXPECT_EQ(to_host(take_along_axis(x_, i_, axis=0)), nearest);
    const array<int, 2> m = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    const array<std::uint64_t, 1> rows = {0, last, 0, last, 0, last};
    EXPECT_EQ(to_host(m(rows, i_)), (ints{1, 8, 3, 8, 4, 8}));
    EXPECT_EQ(to_host(take(m, i_, axis=1)(1)), (ints{5, 8, 7, 8, 8, 8}));
}

TEST_F(unsigned_indices, write_nothing) {
    EXPECT_EQ(to_host(put(x_, i_, six_)), (ints{1, 20, 3, 5}));
    EXPECT_EQ(to_host(scatter_add(x_, i_, six_)), (ints{11, 20, 33, 45}));
    EXPECT_EQ(to_host(put_along_axis(x_, i_, six_, axis=0)), (ints{1, 20, 3, 5}));
    array<int, 1> y = x_;
    at(y, i_) = six_;
    EXPECT_EQ(to_host(y), (ints{1, 20, 3, 5}));
    at(y, i_) += six_;
    EXPECT_EQ(to_host(y), (ints{2, 20, 6, 10}));
    EXPECT_EQ(to_host(segment_sum(six_, i_, 4)), (std::vector<std::int64_t>{1, 0, 3, 5}));
    EXPECT_EQ(to_host(bincount(i_, 4)), (std::vector<std::int64_t>{1, 0, 1, 1}));
}

/// With more comparisons than an expression is given.
TEST_F(unsigned_indices, write_nothing_to_long_arrays) {
    const std::int64_t n = 5000;
    array<int, 1> y = zeros<int>({n});
    const array<std::uint64_t, 1> places = where(arange<std::uint64_t>(n) < 4u, last - arange<std::uint64_t>(n), 7u);
    at(y, places) += 1;
    EXPECT_EQ(item(y(7)), n - 4);
    EXPECT_EQ(item(sum(y)), n - 4);
    at(y, places) = 2;
    EXPECT_EQ(item(sum(y)), 2);
}

TEST_F(unsigned_indices, are_found_by_the_check) {
    const debug_scope checked({.bounds = true});
    array<int, 1> y;
    EXPECT_EQ(
        message_of([&] { y = take(x_, i_); }),
        "bounds check: element (1,) of the indices x1 is 18446744073709551615, which is beyond axis 0 of x0 with 4 "
        "elements, in take(x0, x1); indices are from -4 to 3");
    EXPECT_THAT(message_of([&] { y = put(x_, i_, 1); }),
                testing::HasSubstr("is 18446744073709551615, which is beyond"));
    const array<std::uint64_t, 1> good = {3, 0};
    y = take(x_, good);
    EXPECT_EQ(to_host(y), (ints{40, 10}));
}

TEST_F(unsigned_indices, as_numbers) {
    for (const std::uint64_t i : {std::uint64_t{4}, half, last}) {
        EXPECT_THAT(message_of([&] { (void)take(x_, i); }),
                    testing::HasSubstr("is out of range for axis 0 of extent 4"));
        EXPECT_THAT(message_of([&] { (void)x_(i); }), testing::HasSubstr("is out of range for axis 0 of extent 4"));
        EXPECT_THAT(message_of([&] { (void)x_.host_view()(i); }), testing::HasSubstr("is outside shape (4,)"));
    }
    EXPECT_EQ(to_host(roll(x_, last - 1)), to_host(roll(x_, 2)));  // 2^64 - 2 elements: a multiple of four and two more
    EXPECT_EQ(to_host(roll(x_, {last - 1}, axis={0})), to_host(roll(x_, 2)));
    EXPECT_THAT(message_of([&] { (void)split(x_, last); }),
                testing::HasSubstr("cannot be split into 9223372036854775807"));
}

}  // namespace
}  // namespace sinter::test
