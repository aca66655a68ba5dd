// The functions composed of the table's rows, with any and all: var, stddev, norm, softmax and count_nonzero over every
// set of axes, for every kind of dtype, with NaN and with empty operands.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class composites : public on_devices {};

const auto subtract = std::minus<>();

/// What the composite functions must give over the axes of a mask, from the plainest loops.
struct expected {
    const naive& a;
    unsigned mask;
    bool keep = false;

    naive squares(const naive& x) const {
        return map([](double p) { return p * p; }, x);
    }
    naive var() const { return mean_of(squares(map(subtract, a, mean_of(a, mask, true))), mask, keep); }
    naive stddev() const {
        return map([](double v) { return std::sqrt(v); }, var());
    }
    naive norm() const {
        return map([](double s) { return std::sqrt(s); }, sum_of(squares(a), mask, keep));
    }
    naive softmax() const {
        const naive e = map([](double p, double m) { return std::exp(p - m); }, a, max_of(a, mask, true));
        return map(std::divides<>(), e, sum_of(e, mask, true));
    }
    naive count_nonzero() const {
        return sum_of(map([](double p) { return p != 0; }, a), mask, keep);
    }
    naive any() const {
        return fold(a, mask, keep, 0, [](double p, double q) { return p != 0 || q != 0; });
    }
    naive all() const {
        return fold(a, mask, keep, 1, [](double p, double q) { return p != 0 && q != 0; });
    }
};

template <int Count>
detail::runtime_axes<Count> axes_of_mask(unsigned mask, int rank) {
    detail::runtime_axes<Count> axes{};
    int n = 0;
    for (int a = 0; a < rank; ++a)
        if (mask >> a & 1) axes.value[n++] = a % 2 ? a - rank : a;
    return axes;
}

/// Calls f(axes, mask) for every set of axes of a rank, but the empty one.
template <int Rank, class F>
void for_each_set_of_axes(F f) {
    for (unsigned mask = 1; mask < 1u << Rank; ++mask) {
        SCOPED_TRACE(testing::Message() << "axes " << mask);
        [&]<int... Less>(std::integer_sequence<int, Less...>) {
            ((__builtin_popcount(mask) == Less + 1 ? f(axes_of_mask<Less + 1>(mask, Rank), mask) : void()), ...);
        }(std::make_integer_sequence<int, Rank>());
    }
}

TEST_F(composites, over_every_set_of_axes) {
    for (const index& s : {index{5, 3, 37}, index{1, 66, 2}}) {
        if (emulated() && s[0] == 1) continue;
        const naive a = random(s, 97);
        const auto x = to_array<double, 3>(a);
        for_each_set_of_axes<3>([&](auto over, unsigned mask) {
            const expected should{a, mask}, kept{a, mask, true};
            expect_equal(var(x, over), should.var(), 1e-11);
            expect_equal(stddev(x, over, keepdims), kept.stddev(), 1e-11);
            expect_equal(norm(x, over), should.norm());
            expect_equal(softmax(x, over), should.softmax());
        });
        expect_equal(var(x), expected{a, 7}.var(), 1e-11);
        expect_equal(norm(x, keepdims), expected{a, 7, true}.norm());
        expect_equal(softmax(x), expected{a, 7}.softmax());
    }
}

TEST_F(composites, counting_over_every_set_of_axes) {
    naive a = random_integers({6, 4, 35}, 98, -1, 1);
    for (std::int64_t i = 0; i < 35; ++i) a[{2, 1, i}] = 0;    // a row without any
    for (std::int64_t i = 0; i < 35; ++i) a[{4, 3, i}] = -1;   // a row of nothing else
    for (std::int64_t i = 0; i < 6; ++i) a[{i, 0, 7}] = 0.25;  // must not be cut to 0
    const auto x = to_array<float, 3>(a);
    const auto flags = to_array<bool, 3>(a);
    for_each_set_of_axes<3>([&](auto over, unsigned mask) {
        const expected should{a, mask}, kept{a, mask, true};
        expect_equal(count_nonzero(x, over), should.count_nonzero());
        expect_equal(any(x, over, keepdims), kept.any());
        expect_equal(all(x, over), should.all());
        expect_equal(any(flags, over), should.any());
        expect_equal(all(flags, over, keepdims), kept.all());
        expect_equal(count_nonzero(flags, over, keepdims), kept.count_nonzero());
    });
    EXPECT_TRUE(item(any(x)));
    EXPECT_FALSE(item(all(x)));
    EXPECT_FALSE(item(any(x > 1)));
    EXPECT_TRUE(item(all(x >= -1)));
    expect_equal(all(x(4, 3) < 0), naive(1.0));
    expect_equal(count_nonzero(flags), expected{a, 7}.count_nonzero());
}

TEST_F(composites, of_floats_and_integers) {
    const naive a = random({12, 45}, 99), n = random_integers({12, 45}, 100, -50, 50);
    const auto f = to_array<float, 2>(a);
    const auto i = to_array<std::int32_t, 2>(n);
    const auto b = to_array<std::int8_t, 2>(n);
    for (int k = 0; k < 2; ++k) {
        const expected of_a{a, 1u << k}, of_n{n, 1u << k};
        expect_equal(var(f, axis=k), of_a.var());
        expect_equal(stddev(f, axis=k), of_a.stddev());
        expect_equal(norm(f, axis=k), of_a.norm());
        expect_equal(softmax(f, axis=k), of_a.softmax());
        expect_equal(var(i, axis=k), of_n.var());  // integers give float64
        expect_equal(norm(b, axis=k), of_n.norm());
        expect_equal(softmax(b, axis=k), of_n.softmax());
        expect_equal(count_nonzero(b, axis=k), of_n.count_nonzero());
        expect_equal(any(b == 50, axis=k), expected{map([](double p) { return p == 50; }, n), 1u << k}.any());
        static_assert(decltype(var(i))::type == dtype::float64 && decltype(norm(b))::type == dtype::float64);
        static_assert(decltype(count_nonzero(f))::type == dtype::int64 && decltype(any(i))::type == dtype::bool_);
    }
}

TEST_F(composites, of_expressions_and_constant_axes) {
    using namespace sinter::literals;
    const naive a = random({14, 51}, 101);
    const auto x = to_array<double, 2>(a);
    const naive e = map([](double p) { return 3 * p - 1; }, a);
    const auto y = 3 * x - 1;
    expect_equal(var(y, axis=1_c), expected{e, 2}.var(), 1e-11);
    expect_equal(stddev(y, axis=-2_c), expected{e, 1}.stddev(), 1e-11);
    expect_equal(norm(y, axis=0_c, keepdims), expected{e, 1, true}.norm());
    expect_equal(softmax(y, axis=1_c), expected{e, 2}.softmax());
    expect_equal((y - mean(y, axis=1, keepdims)) / stddev(y, axis=1, keepdims),
                 map(std::divides<>(), map(subtract, e, mean_of(e, 2, true)), expected{e, 2, true}.stddev()), 1e-11);
    expect_equal(softmax(transpose(y), axis=0), transposed(expected{e, 2}.softmax()));
    expect_equal(count_nonzero(x > 0, axis=1_c) - sum(x > 0, axis=1_c), naive(index{14}));
}

TEST_F(composites, of_nan_and_of_nothing) {
    naive a = random({9, 40}, 102);
    a[{3, 7}] = a[{8, 39}] = nan_value;
    a[{5, 0}] = infinity;
    const auto x = to_array<float, 2>(a);
    expect_equal(var(x, axis=1), expected{a, 2}.var());
    expect_equal(norm(x, axis=1), expected{a, 2}.norm());
    expect_equal(softmax(x, axis=1), expected{a, 2}.softmax());
    expect_equal(softmax(x * 100, axis=1), expected{map([](double p) { return p * 100; }, a), 2}.softmax());
    expect_equal(count_nonzero(x * 0, axis=1), expected{map([](double p) { return p * 0; }, a), 2}.count_nonzero());
    EXPECT_TRUE(item(any(isnan(x))));  // NaN is not zero
    EXPECT_TRUE(item(all(x)));
    const array<float, 2> none(shape<2>(0, 3));
    expect_equal(any(none, axis=0), naive({3}, {0, 0, 0}));
    expect_equal(all(none, axis=0), naive({3}, {1, 1, 1}));
    expect_equal(count_nonzero(none, axis=0), naive({3}, {0, 0, 0}));
    expect_equal(norm(none, axis=0), naive({3}, {0, 0, 0}));
    expect_equal(var(none, axis=0), naive({3}, {nan_value, nan_value, nan_value}));
    expect_equal(var(none, axis=1), naive(index{0}));
    expect_equal(norm(none), naive(0.0));
}

}  // namespace
}  // namespace sinter::test
