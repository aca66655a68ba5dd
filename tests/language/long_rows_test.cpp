// Rows that fill the registers of a block: functions of their elements are computed once, and what else the result
// reads is loaded in parts. Lengths that wide accesses do not divide, arrays that begin at any element, columns, and
// one row of all elements.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <cmath>

namespace sinter::test {
namespace {

class long_rows : public on_devices {
protected:
    /// tanh(x * y) - max(tanh(x * y)) * z + w along one axis, or all.
    static naive expected(const naive& x, const naive& y, const naive& z, const naive& w, unsigned axes) {
        const naive values = map([](double a, double b) { return std::tanh(a * b); }, x, y);
        return map([](double v, double m, double c, double d) { return v - m * c + d; }, values,
                   max_of(values, axes, true), z, w);
    }

    static void check(const index& shape, int along) {
        SCOPED_TRACE(shape[1]);
        const naive x_ = random(shape, 1), y_ = random(shape, 2), z_ = random(shape, 3), w_ = random({shape[1]}, 4);
        const auto x = to_array<float, 2>(x_), y = to_array<float, 2>(y_), z = to_array<float, 2>(z_);
        const auto w = to_array<float, 1>(w_);
        const auto v = tanh(x * y);
        expect_equal(v - max(v, axis=along, keepdims) * z + w, expected(x_, y_, z_, w_, 1u << along));
    }
};

TEST_F(long_rows, of_wide_accesses) { check({3, 32768}, 1); }
TEST_F(long_rows, of_single_elements) { check({2, 8191}, 1); }
TEST_F(long_rows, of_columns) { check({61, 260}, 0); }

TEST_F(long_rows, of_all_elements) {
    const index shape{301, 37};
    const naive x_ = random(shape, 1), y_ = random(shape, 2), z_ = random(shape, 3), w_ = random({37}, 4);
    const auto x = to_array<float, 2>(x_), y = to_array<float, 2>(y_), z = to_array<float, 2>(z_);
    const auto w = to_array<float, 1>(w_);
    const auto v = tanh(x * y);
    expect_equal(v - max(v, axis={0, 1}, keepdims) * z + w, expected(x_, y_, z_, w_, 3));
}

TEST_F(long_rows, that_begin_at_any_element) {
    const naive x_ = random({5, 4099}, 1);
    const auto x = to_array<float, 2>(x_);
    const index inner{5, 4096};
    const auto part = [&](std::int64_t from) {
        naive made(inner);
        for_each_index(inner, [&](const index& at) { made[at] = x_[{at[0], at[1] + from}]; });
        return made;
    };
    const auto v = tanh(x(all, range(1, 4097)) * x(all, range(1, 4097)));
    const auto z = x(all, range(3, end));
    expect_equal(v - max(v, axis=1, keepdims) * z + z, expected(part(1), part(1), part(3), part(3), 2));
}

TEST_F(long_rows, of_nan_and_infinities) {
    naive x_ = random({3, 32768}, 1);
    x_[{1, 777}] = nan_value;
    x_[{2, 32767}] = infinity;
    const auto x = to_array<float, 2>(x_);
    const naive values = map([](double a) { return std::exp(a); }, x_);
    expect_equal(exp(x) / max(exp(x), axis=1, keepdims),
                 map([](double v, double m) { return v / m; }, values, max_of(values, 2, true)));
}

}  // namespace
}  // namespace sinter::test
