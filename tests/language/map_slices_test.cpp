// Functions of slices over any leading axes.
#include <sinter/map_slices.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

class slices_mapped : public on_devices {};

constexpr auto multiply = [](auto a, auto b) { return sum(a * b, axis=-2_c); };  // m, n, p

TEST_F(slices_mapped, products_of_matrices) {
    const naive a = random({5, 9}, 1), b = random({9, 4}, 2), c = random({3, 5, 9}, 3), d = random({2, 1, 9, 4}, 4);
    const auto x = to_array<double, 2>(a), y = to_array<double, 2>(b);
    const auto z = to_array<double, 3>(c);
    const auto w = to_array<double, 4>(d);
    const auto product = [](const naive& p, const naive& q, const index& shape) {
        naive result(shape);
        for_each_index(shape, [&](const index& at) {
            const std::size_t rank = at.size();
            for (std::int64_t n = 0; n < 9; ++n) {
                index left(at.end() - static_cast<std::ptrdiff_t>(p.shape.size()), at.end()), right = left;
                right.assign(at.end() - static_cast<std::ptrdiff_t>(q.shape.size()), at.end());
                left.back() = n;
                left[left.size() - 2] = at[rank - 2];
                right[right.size() - 2] = n;
                right.back() = at[rank - 1];
                for (std::size_t i = 0; i + 2 < q.shape.size(); ++i)
                    if (q.shape[i] == 1) right[i] = 0;
                result[at] += p[left] * q[right];
            }
        });
        return result;
    };
    expect_equal(map_slices<"(m,n),(n,p)->(m,p)">(multiply, x, y), product(a, b, {5, 4}));
    expect_equal(map_slices<"(m,n),(n,p)->(m,p)">(multiply, z, y), product(c, b, {3, 5, 4}));
    expect_equal(map_slices<"(m,n),(n,p)->(m,p)">(multiply, z, w), product(c, d, {2, 3, 5, 4}));
    static_assert(launches<decltype(exp(map_slices<"(m,n),(n,p)->(m,p)">(multiply, abs(z), w)))> == 1);
}

TEST_F(slices_mapped, that_keep_their_axes_or_change_their_order) {
    const naive a = random({4, 6, 7}, 5), weights = random({7}, 6, 0.5, 2);
    const auto x = to_array<double, 3>(a);
    const auto w = to_array<double, 1>(weights);
    const auto e =
        map_slices<"(n),(n)->(n)">([](auto v, auto u) { return v * u / sum(v * u, axis=-1_c, keepdims); }, x, w);
    static_assert(launches<decltype(e)> == 1);
    const naive scaled = map(std::multiplies<double>(), a, weights);
    expect_equal(e, map(std::divides<double>(), scaled, sum_of(scaled, 4, true)), 1e-10);
    expect_equal(map_slices<"(m,n)->(n,m)">([](auto v) { return 2 * v; }, x),
                 map([](double v) { return 2 * v; }, permuted(a, {0, 2, 1})));
    expect_equal(map_slices<"(m,n)->()">([](auto v) { return sum(v, axis={-2, -1}, keepdims); }, x), sum_of(a, 6));
    expect_equal(map_slices<"(n)->()">([](auto v) { return max(v, axis=-1_c); }, x), max_of(a, 4));
}

TEST_F(slices_mapped, nearest_points) {
    const naive a = random({2, 30, 3}, 7), b = random({20, 3}, 8);
    const auto least = map_slices<"(m,d),(n,d)->(m)">(
        [](auto p, auto q) { return min(sum(square(p - q), axis=-2_c, keepdims), axis=-1_c, keepdims); },
        to_array<double, 3>(a), to_array<double, 2>(b));
    naive expected({2, 30});
    for_each_index(expected.shape, [&](const index& at) {
        expected[at] = infinity;
        for (std::int64_t n = 0; n < 20; ++n) {
            double distance = 0;
            for (std::int64_t k = 0; k < 3; ++k) {
                const double apart = a[{at[0], at[1], k}] - b[{n, k}];
                distance += apart * apart;
            }
            expected[at] = std::min(expected[at], distance);
        }
    });
    expect_equal(least, expected);
}

/// Extents of 1 that the function leaves broadcast to those that the signature names.
TEST_F(slices_mapped, axes_that_the_result_does_not_depend_on) {
    const naive a = random({4, 6}, 9), b = random({5}, 10);
    const auto x = to_array<double, 2>(a);
    const auto y = to_array<double, 1>(b);
    naive sums({4, 6}), left({4, 6, 5}), right({4, 6, 5});
    const naive folded = sum_of(a, 2);
    for_each_index(sums.shape, [&](const index& at) { sums[at] = folded[{at[0]}]; });
    for_each_index(left.shape, [&](const index& at) {
        left[at] = 2 * a[{at[0], at[1]}];
        right[at] = 2 * b[{at[2]}];
    });
    expect_equal(map_slices<"(n)->(n)">([](auto v) { return sum(v, axis=-1_c, keepdims); }, x), sums, 1e-12);
    expect_equal(map_slices<"(n),(m)->(n,m)">([](auto v, auto) { return 2 * v; }, x, y), left);
    expect_equal(map_slices<"(n),(m)->(n,m)">([](auto, auto u) { return 2 * u; }, x, y),
                 naive({1, 6, 5}, std::vector<double>(right.values.begin(), right.values.begin() + 30)));
    const array<double, 2> none(shape<2>(3, 0));
    expect_equal(map_slices<"(n)->(n)">([](auto v) { return sum(v, axis=-1_c, keepdims); }, none), naive({3, 0}));
}

TEST_F(slices_mapped, mistakes_of_run_time) {
    const array<float, 2> x({3, 4}), y({5, 6});
    const auto message = [](auto f) -> std::string {
        try {
            f();
        } catch (const error& e) {
            return e.what();
        }
        return "no error";
    };
    EXPECT_EQ(message([&] { static_cast<void>(map_slices<"(m,n),(n,p)->(m,p)">(multiply, x, y)); }),
              "map_slices: the axes named n have extents 4 and 5; axes of one letter must have equal extents");
    EXPECT_EQ(message([&] { static_cast<void>(map_slices<"(m,n)->(m)">([](auto v) { return v + 1; }, x)); }),
              "map_slices: the result does not name axis n, which still has extent 4; reduce it, or name it in the "
              "result");
    EXPECT_EQ(
        message([&] { static_cast<void>(map_slices<"(n)->(n)">([](auto v) { return v(all, range(0, 2)); }, x)); }),
        "map_slices: the axes named n have extents 4 and 2; axes of one letter must have equal extents");
}

}  // namespace
}  // namespace sinter::test
