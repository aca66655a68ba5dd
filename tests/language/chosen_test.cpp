// Selections by masks as values of each other, and of views and temporaries.
#include <sinter/masks.hpp>
#include <tests/language/on_devices.hpp>

#include <vector>

namespace sinter::test {
namespace {

class chosen : public on_devices {};

using doubles = std::vector<double>;

array<double, 2> first_twelve() { return reshape(arange(12.0), {3, 4}); }

/// Masks and arrays of one type make selections of one type, which C++ would copy.
TEST_F(chosen, are_values_of_each_other) {
    array<double, 2> x = first_twelve();
    const array<bool, 2> high = x > 5, low = x < 6;
    x(high) = x(low);
    EXPECT_EQ(to_host(x), (doubles{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
    x = first_twelve();
    x(x > 5) = x(x < 6);
    EXPECT_EQ(to_host(x), (doubles{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
    const array<double, 2> y = -first_twelve();
    x = first_twelve();
    x(high) = y(high);
    EXPECT_EQ(to_host(x), (doubles{0, 1, 2, 3, 4, 5, -6, -7, -8, -9, -10, -11}));
    x(high) += y(low);
    EXPECT_EQ(to_host(x), (doubles{0, 1, 2, 3, 4, 5, -6, -8, -10, -12, -14, -16}));
    x(low) -= x(low);
    EXPECT_EQ(to_host(x), (doubles{0, 0, 0, 0, 0, 0, -6, -8, -10, -12, -14, -16}));
    x(x > 99) = y(high);
    x(low) = y(y > 0);  // no values
    EXPECT_EQ(to_host(x), (doubles{0, 0, 0, 0, 0, 0, -6, -8, -10, -12, -14, -16}));
}

TEST_F(chosen, of_views_are_written) {
    array<double, 2> x = first_twelve();
    x(1)(x(1) > 5) = array<double, 1>{-1, -2};
    EXPECT_EQ(to_host(x), (doubles{0, 1, 2, 3, 4, 5, -1, -2, 8, 9, 10, 11}));
    transpose(x)(transpose(x) > 8) *= 10;
    EXPECT_EQ(to_host(x), (doubles{0, 1, 2, 3, 4, 5, -1, -2, 8, 90, 100, 110}));
    const array<bool, 1> odd = {false, true, false, true};
    x(0)(odd) = x(2)(odd);
    EXPECT_EQ(to_host(x), (doubles{0, 90, 2, 110, 4, 5, -1, -2, 8, 90, 100, 110}));
    flip(x, axis=0)(all, range(0, 4, 2))(flip(x, axis=0)(all, range(0, 4, 2)) < 0) = 7;
    EXPECT_EQ(to_host(x), (doubles{0, 90, 2, 110, 4, 5, 7, -2, 8, 90, 100, 110}));
    ravel(x)(ravel(x) > 7) -= 1;
    EXPECT_EQ(to_host(x), (doubles{0, 89, 2, 109, 4, 5, 7, -2, 7, 89, 99, 109}));
}

TEST_F(chosen, of_views_and_temporaries_are_read) {
    array<double, 2> x = first_twelve();
    EXPECT_EQ(to_host(x(0)(x(0) > 1)), (doubles{2, 3}));
    EXPECT_EQ(item(sum(x(0)(x(0) > 1))), 5);
    EXPECT_EQ(item(mean(transpose(x)(transpose(x) > 8))), 10);
    EXPECT_EQ(to_host(first_twelve()(x > 8)), (doubles{9, 10, 11}));
    EXPECT_EQ(x(all, 1)(x(all, 1) > 2).size(), 2);
}

}  // namespace
}  // namespace sinter::test
