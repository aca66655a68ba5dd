// Slices: x(all, range(1, -1), newaxis, 3) of arrays and of expressions, by Python's rules; flip; stencils of shifted
// slices; one array read in two orders.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

namespace sinter::test {
namespace {

class slices : public on_devices {};

using optional_index = std::optional<std::int64_t>;

/// The elements that Python's slice(start, stop, step) takes of n.
index sliced(std::int64_t n, std::int64_t start, optional_index stop, std::int64_t step = 1) {
    std::int64_t i = start < 0 ? start + n : start;
    i = step > 0 ? std::max<std::int64_t>(i, 0) : std::min(i, n - 1);
    std::int64_t last = step > 0 ? n : -1;  // the first that is not taken
    if (stop) last = *stop < 0 ? *stop + n : *stop;
    index taken;
    for (; i >= 0 && i < n && (step > 0 ? i < last : i > last); i += step) taken.push_back(i);
    return taken;
}

index whole(std::int64_t n) { return sliced(n, 0, {}); }

/// x at the product of the elements taken along each axis. `dropped` says which axes the result does without.
naive picked(const naive& x, const std::vector<index>& taken, unsigned dropped = 0) {
    index shape, of_result;
    for (std::size_t a = 0; a < taken.size(); ++a) {
        shape.push_back(static_cast<std::int64_t>(taken[a].size()));
        if (!(dropped >> a & 1)) of_result.push_back(shape.back());
    }
    naive result(of_result);
    std::size_t next = 0;
    for_each_index(shape, [&](const index& at) {
        index from(at.size());
        for (std::size_t a = 0; a < at.size(); ++a) from[a] = taken[a][static_cast<std::size_t>(at[a])];
        result.values[next++] = x[from];
    });
    return result;
}

naive reshaped(naive x, index shape) {
    x.shape = std::move(shape);
    return x;
}

const auto add = std::plus<>();
const auto subtract = std::minus<>();

TEST_F(slices, ranges_follow_python) {
    for (std::int64_t n : {0, 1, 5}) {
        const naive a = random({n}, 80);
        const auto x = to_array<float, 1>(a);
        for (std::int64_t start = -n - 2; start <= n + 2; ++start)
            for (std::int64_t step : {1, 2, 3, 9, -1, -2, -3, -9}) {
                if (emulated() && (start + step) % 3 != 0) continue;
                SCOPED_TRACE(testing::Message() << n << " elements from " << start << " by " << step);
                expect_equal(x(range(start, end, step)), picked(a, {sliced(n, start, {}, step)}));
                for (std::int64_t stop = -n - 2; stop <= n + 2; stop += emulated() ? 3 : 1)
                    expect_equal(x(range(start, stop, step)), picked(a, {sliced(n, start, stop, step)}));
            }
    }
    constexpr std::int64_t far = std::int64_t{1} << 60;
    const naive a = random({7}, 81);
    const auto x = to_array<float, 1>(a);
    expect_equal(x(range(-far, far)), a);
    expect_equal(x(range(far, -far, -1)), picked(a, {sliced(7, -1, {}, -1)}));
    expect_equal(x(range(2, end, far)), picked(a, {{2}}));
    expect_equal(x(range(2, end, -far)), picked(a, {{2}}));
}

TEST_F(slices, every_kind_of_index) {
    const naive a = random({4, 9, 5}, 82);
    const auto x = to_array<float, 3>(a);
    expect_equal(x(), a);
    expect_equal(x(all, all, all), a);
    expect_equal(x(1), picked(a, {{1}, whole(9), whole(5)}, 1));
    expect_equal(x(-1, all, 3), picked(a, {{3}, whole(9), {3}}, 5));
    expect_equal(x(3, -9, -5), picked(a, {{3}, {0}, {0}}, 7));
    expect_equal(x(all, range(1, -1)), picked(a, {whole(4), sliced(9, 1, -1), whole(5)}));
    expect_equal(x(all, range(1, -1), 3), picked(a, {whole(4), sliced(9, 1, -1), {3}}, 4));
    expect_equal(x(range(0, end, 2), 0, range(-1, end, -2)),
                 picked(a, {sliced(4, 0, {}, 2), {0}, sliced(5, -1, {}, -2)}, 2));
    expect_equal(x(newaxis), reshaped(a, {1, 4, 9, 5}));
    expect_equal(x(all, newaxis, 2, newaxis), reshaped(picked(a, {whole(4), {2}, whole(5)}), {4, 1, 1, 5}));
    expect_equal(x(newaxis, 2, newaxis, range(7, 2, -3), newaxis, all, newaxis),
                 reshaped(picked(a, {{2}, sliced(9, 7, 2, -3), whole(5)}), {1, 1, 2, 1, 5, 1}));
    expect_equal(x(all, range(3, 3)), naive(index{4, 0, 5}));
    const std::uint8_t small = 2;
    expect_equal(x(all, small, std::int64_t{-2}), picked(a, {whole(4), {2}, {3}}, 6));
}

TEST_F(slices, of_every_size_of_element) {
    const naive a = random_integers({13, 21}, 83, 0, 1);
    const naive expected = picked(a, {sliced(13, 1, -1), sliced(21, -2, 0, -3)});
    const auto check = [&]<class T>(T) {
        expect_equal(to_array<T, 2>(a)(range(1, -1), range(-2, 0, -3)), expected);
        expect_equal(to_array<T, 2>(a)(range(1, -1), range(1, end)), picked(a, {sliced(13, 1, -1), sliced(21, 1, {})}));
    };
    check(bool{});
    check(std::int8_t{});
    check(std::uint16_t{});
    check(std::int32_t{});
    check(std::uint64_t{});
    check(float{});
    check(double{});
}

// Long rows that begin at every distance from an aligned address.
TEST_F(slices, that_spoil_the_alignment) {
    const std::int64_t n = emulated() ? 3000 : 300000;
    const naive a = random({2, n}, 84);
    const auto x = to_array<float, 2>(a);
    for (std::int64_t from : {1, 2, 3, 4, 5}) {
        SCOPED_TRACE(from);
        const naive part = picked(a, {whole(2), sliced(n, from, {})});
        expect_equal(x(all, range(from, end)) + 1, map([](double p) { return p + 1; }, part), 1e-6);
        expect_equal(x(1, range(from, end)), picked(a, {{1}, sliced(n, from, {})}, 1));
        expect_equal(max(x(all, range(from, end)), axis=1), max_of(part, 2));
    }
}

TEST_F(slices, of_slices) {
    const naive a = random({10, 12}, 85);
    const auto x = to_array<double, 2>(a);
    const naive once = picked(a, {sliced(10, 8, 1, -2), sliced(12, 1, {})});
    const auto y = x(range(8, 1, -2), range(1, end));
    expect_equal(y(range(-1, end, -1), range(0, end, 4)), picked(once, {sliced(4, -1, {}, -1), sliced(11, 0, {}, 4)}));
    expect_equal(y(2)(range(3, -1)), picked(once, {{2}, sliced(11, 3, -1)}, 1));
    expect_equal(transpose(y)(range(1, 5), -1), picked(transposed(once), {sliced(11, 1, 5), {3}}, 2));
    expect_equal(transpose(y(all, range(2, 4))), transposed(picked(once, {whole(4), sliced(11, 2, 4)})));
    expect_equal(permute(x(all, newaxis, range(0, end, 5)), {2, 0, 1}),
                 reshaped(transposed(picked(a, {whole(10), sliced(12, 0, {}, 5)})), {3, 10, 1}));
    expect_equal(broadcast_to(x(range(0, 1), range(0, 3)), {4, 3}),
                 map(add, naive(index{4, 3}), picked(a, {{0}, sliced(12, 0, 3)})));
}

TEST_F(slices, of_expressions) {
    const naive a = random({8, 15}, 86), b = random({15}, 87);
    const auto x = to_array<double, 2>(a);
    const auto y = to_array<double, 1>(b);
    const naive e = map([](double p, double q) { return std::exp(p) * q; }, a, b);
    expect_equal((exp(x) * y)(range(6, 0, -2), range(3, end)), picked(e, {sliced(8, 6, 0, -2), sliced(15, 3, {})}));
    expect_equal((exp(x) * y)(-1), picked(e, {{7}, whole(15)}, 1));
    // of reductions: only what is asked for
    expect_equal(sum(x, axis=1)(range(2, -1)), picked(sum_of(a, 2), {sliced(8, 2, -1)}));
    expect_equal(sum(x, axis=0)(range(-1, end, -1)) * 2,
                 map([](double p) { return p * 2; }, picked(sum_of(a, 1), {sliced(15, -1, {}, -1)})));
    expect_equal(max(x, axis=1, keepdims)(all, 0), max_of(a, 2));
    expect_equal(max(x, axis=1)(3), picked(max_of(a, 2), {{3}}, 1));
    expect_equal((x - mean(x, axis=1, keepdims))(range(1, 3), range(0, end, 7)),
                 picked(map(subtract, a, mean_of(a, 2, true)), {sliced(8, 1, 3), sliced(15, 0, {}, 7)}));
    expect_equal(broadcast_to(1.5, {4, 4})(0, range(0, 2)), naive({2}, {1.5, 1.5}));
}

TEST_F(slices, under_reductions) {
    const naive a = random({17, 40}, 88);
    const auto x = to_array<double, 2>(a);
    const naive part = picked(a, {sliced(17, -1, 2, -3), sliced(40, 1, {}, 2)});
    const auto y = x(range(-1, 2, -3), range(1, end, 2));
    expect_equal(sum(y), sum_of(part, 3));
    expect_equal(sum(y, axis=0), sum_of(part, 1));
    expect_equal(max(y, axis=1), max_of(part, 2));
    expect_equal(softmax(y, axis=1), [&] {
        const naive e = map([](double p, double m) { return std::exp(p - m); }, part, max_of(part, 2, true));
        return map(std::divides<>(), e, sum_of(e, 2, true));
    }());
    EXPECT_EQ(item(sum(x(range(5, 5)))), 0);
    EXPECT_EQ(item(sum(x(2, 3))), (a[{2, 3}]));
    // two halves of one array, reduced side by side and one after the other
    const naive low = picked(a, {whole(17), sliced(40, 0, 20)}), high = picked(a, {whole(17), sliced(40, 20, {})});
    expect_equal(sum(x(all, range(0, 20)), axis=1) - max(x(all, range(20, end)), axis=1),
                 map(subtract, sum_of(low, 2), max_of(high, 2)));
    expect_equal(x(all, range(0, 20)) - mean(x(all, range(20, end)), axis=1, keepdims),
                 map(subtract, low, mean_of(high, 2, true)));
    expect_equal(x - x(all, range(0, 1)), map(subtract, a, picked(a, {whole(17), {0}})));
    expect_equal(x / sum(x(0)),
                 map([s = sum_of(picked(a, {{0}, whole(40)}), 3).values[0]](double p) { return p / s; }, a));
}

TEST_F(slices, newaxis_makes_outer_products) {
    const naive a = random({19}, 89), b = random({33}, 90);
    const auto x = to_array<float, 1>(a), y = to_array<float, 1>(b);
    const naive product = map(std::multiplies<>(), reshaped(a, {19, 1}), b);
    expect_equal(x(all, newaxis) * y, product);
    expect_equal(y * x(range(-1, end, -1), newaxis), picked(product, {sliced(19, -1, {}, -1), whole(33)}));
    // the distances between all pairs of points, and the nearest other one
    const naive p = random({23, 3}, 91);
    const auto points = to_array<double, 2>(p);
    const naive distance =
        map([](double s) { return std::sqrt(s); }, sum_of(map([](double u, double v) { return (u - v) * (u - v); },
                                                              reshaped(p, {23, 1, 3}), reshaped(p, {1, 23, 3})),
                                                          4));
    const auto between = norm(points(all, newaxis) - points(newaxis), axis=2);
    expect_equal(between, distance);
    expect_equal(max(between, axis=0), max_of(distance, 1));
}

TEST_F(slices, flip) {
    const naive a = random({6, 7, 5}, 92);
    const auto x = to_array<double, 3>(a);
    for (int k = 0; k < 3; ++k) {
        std::vector<index> taken = {whole(6), whole(7), whole(5)};
        std::reverse(taken[static_cast<std::size_t>(k)].begin(), taken[static_cast<std::size_t>(k)].end());
        const naive flipped = picked(a, taken);
        expect_equal(flip(x, axis=k), flipped);
        expect_equal(flip(x, axis=k - 3) + x, map(add, flipped, a));
        expect_equal(flip(exp(x) - 1, axis=k), map([](double p) { return std::exp(p) - 1; }, flipped));
        expect_equal(flip(flip(x, axis=k), axis=k), a);
        expect_equal(max(flip(x, axis=k), axis=1), max_of(flipped, 2));
        expect_equal(flip(sum(x, axis=1, keepdims), axis=k), sum_of(flipped, 2, true));
    }
    expect_equal(flip(flip(flip(x, axis=0), axis=1), axis=2),
                 picked(a, {sliced(6, -1, {}, -1), sliced(7, -1, {}, -1), sliced(5, -1, {}, -1)}));
    expect_equal(flip(array<float, 2>(shape<2>(0, 3)), axis=0), naive(index{0, 3}));
    expect_equal(flip(x(all, range(1, 1)), axis=1), naive(index{6, 0, 5}));
}

TEST_F(slices, shifted_stencils) {
    const std::int64_t n = 1003;
    const naive a = random({n}, 93);
    const auto x = to_array<float, 1>(a);
    const auto shifted = [&](std::int64_t from, std::int64_t to) { return picked(a, {sliced(n, from, to)}); };
    expect_equal(x(range(1, end)) - x(range(0, -1)), map(subtract, shifted(1, n), shifted(0, -1)));
    const auto second = [](double l, double m, double r) { return l - 2 * m + r; };
    expect_equal(x(range(0, -2)) - 2 * x(range(1, -1)) + x(range(2, end)),
                 map(second, shifted(0, -2), shifted(1, -1), shifted(2, n)), 1e-5);
    auto d = x(range(1, end)) - x(range(0, -1));
    expect_equal(d(range(1, end)) - d(range(0, -1)), map(second, shifted(0, -2), shifted(1, -1), shifted(2, n)), 1e-5);
    expect_equal(max(abs(d)),
                 max_of(map([](double p, double q) { return std::abs(p - q); }, shifted(1, n), shifted(0, -1)), 1));

    const naive b = random({24, 31}, 94);
    const auto u = to_array<double, 2>(b);
    const auto at = [&](std::int64_t i, std::int64_t j) {  // the interior, displaced
        return picked(b, {sliced(24, 1 + i, 23 + i), sliced(31, 1 + j, 30 + j)});
    };
    const auto inner = range(1, -1);
    const naive laplacian = map([](double m, double t, double l, double r, double o) { return t + l + r + o - 4 * m; },
                                at(0, 0), at(-1, 0), at(0, -1), at(0, 1), at(1, 0));
    const auto e = u(range(0, -2), inner) + u(range(2, end), inner) + u(inner, range(0, -2)) + u(inner, range(2, end)) -
                   4 * u(inner, inner);
    expect_equal(e, laplacian);
    expect_equal(sum(square(e), axis=0), sum_of(map([](double p) { return p * p; }, laplacian), 1));
    expect_equal(max(abs(e)), max_of(map([](double p) { return std::abs(p); }, laplacian), 3));
}

TEST_F(slices, of_what_they_are_assigned_to) {
    naive a = random({29, 18}, 95);
    auto x = to_array<float, 2>(a);
    x = flip(x, axis=0);
    a = picked(a, {sliced(29, -1, {}, -1), whole(18)});
    expect_equal(x, a);
    x += flip(x, axis=1);
    a = map(add, a, picked(a, {whole(29), sliced(18, -1, {}, -1)}));
    expect_equal(x, a);
    x = x(range(0, -1)) + x(range(1, end));
    a = map(add, picked(a, {sliced(29, 0, -1), whole(18)}), picked(a, {sliced(29, 1, {}), whole(18)}));
    expect_equal(x, a);
    x = std::move(x)(range(1, end), range(0, end, 2));
    expect_equal(x, picked(a, {sliced(28, 1, {}), sliced(18, 0, {}, 2)}));
}

// An array that a kernel reads in two orders at once, where the orders differ in strides alone.
TEST_F(slices, beside_the_whole_array) {
    for (std::int64_t n : {5, 33, 130}) {
        SCOPED_TRACE(n);
        const naive a = random({n, n}, 96, 0.5, 1.5);
        const auto x = to_array<double, 2>(a);
        const naive total = sum_of(a, 2, true), shares = map(std::divides<>(), a, total);
        expect_equal(transpose(x) / sum(x, axis=1, keepdims), map(std::divides<>(), transposed(a), total));
        expect_equal(x / sum(x, axis=1, keepdims) - transpose(x), map(subtract, shares, transposed(a)));
        expect_equal(transpose(x) - x / sum(x, axis=1, keepdims), map(subtract, transposed(a), shares));
        expect_equal(sum(x, axis=1, keepdims) - transpose(x) / x,
                     map(subtract, total, map(std::divides<>(), transposed(a), a)));
        expect_equal(x / sum(transpose(x), axis=1, keepdims),
                     map(std::divides<>(), a, sum_of(transposed(a), 2, true)));
        expect_equal(sum(x - mean(transpose(x), axis=1, keepdims), axis=1),
                     sum_of(map(subtract, a, mean_of(transposed(a), 2, true)), 2), 1e-10);
        expect_equal(flip(x, axis=1) - x / sum(x, axis=1, keepdims),
                     map(subtract, picked(a, {whole(n), sliced(n, -1, {}, -1)}), shares));
        expect_equal(x(0) - x(all, 0) / sum(x(0)), map([s = sum_of(picked(a, {{0}, whole(n)}), 3).values[0]](
                                                           double p, double q) { return p - q / s; },
                                                       picked(a, {{0}, whole(n)}, 1), picked(a, {whole(n), {0}}, 2)));
    }
}

TEST_F(slices, errors) {
    using testing::AllOf, testing::HasSubstr;
    const array<float, 3> x(shape<3>(2, 3, 4));
    EXPECT_THAT(message_of([&] { return x(2); }),
                AllOf(HasSubstr("index 2"), HasSubstr("axis 0"), HasSubstr("extent 2")));
    EXPECT_THAT(message_of([&] { return x(-3); }), HasSubstr("index -3"));
    EXPECT_THAT(message_of([&] { return x(all, newaxis, range(0, 1), 4); }),
                AllOf(HasSubstr("index 4"), HasSubstr("axis 2"), HasSubstr("extent 4")));
    EXPECT_THAT(message_of([&] { return exp(x)(0, 1, -5); }), AllOf(HasSubstr("index -5"), HasSubstr("axis 2")));
    EXPECT_THAT(message_of([&] { return x(all, range(1, 1))(0, 0); }),
                AllOf(HasSubstr("axis 1"), HasSubstr("extent 0")));
    EXPECT_THAT(message_of([] { return range(0, 5, 0); }), HasSubstr("step is 0"));
    EXPECT_THAT(message_of([] { return range(0, end, 0); }), HasSubstr("step is 0"));
    EXPECT_THAT(message_of([&] { return flip(x, axis=3); }), AllOf(HasSubstr("flip"), HasSubstr("axis=3")));
    EXPECT_THAT(message_of([&] { return flip(x, axis=-4); }), HasSubstr("axis=-4"));
    EXPECT_THAT(message_of([&] { return x(range(0, 1)) + x(all, range(0, 2)); }), HasSubstr("(2, 2, 4)"));
    EXPECT_THAT(message_of([&] { return max(x(range(0, 0))); }), AllOf(HasSubstr("max"), HasSubstr("(0, 3, 4)")));
}

}  // namespace
}  // namespace sinter::test
