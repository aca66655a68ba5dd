// Scans along every axis, in odd extents and both directions, fused with their producers and consumers.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

SINTER_REDUCTION(bits_of_all, integral, identity, T(0), x | y)

namespace sinter::test {
namespace {

class scans : public on_devices {};

struct how {
    bool exclusive = false, reverse = false;
};

/// f folded along an axis, up to each element.
naive running(const naive& x, int along, double start, const std::function<double(double, double)>& f, how way = {}) {
    naive result(x.shape);
    const auto axis_at = static_cast<std::size_t>(along);
    const std::int64_t n = x.shape[axis_at];
    index lines = x.shape;
    lines[axis_at] = n == 0 ? 0 : 1;
    for_each_index(lines, [&](index at) {
        double so_far = start;
        for (std::int64_t i = 0; i < n; ++i) {
            at[axis_at] = way.reverse ? n - 1 - i : i;
            const double next = f(so_far, x[at]);
            result[at] = way.exclusive ? so_far : next;
            so_far = next;
        }
    });
    return result;
}

naive sums(const naive& x, int along, how way = {}) { return running(x, along, 0, std::plus<>(), way); }
naive products(const naive& x, int along, how way = {}) { return running(x, along, 1, std::multiplies<>(), way); }
naive maxima(const naive& x, int along, how way = {}) { return running(x, along, -infinity, larger, way); }
naive minima(const naive& x, int along, how way = {}) { return running(x, along, infinity, smaller, way); }

/// Sums of whole numbers are exact, in whatever order they are added.
naive whole(const index& shape, unsigned seed) { return random_integers(shape, seed, -50, 50); }

TEST_F(scans, along_every_axis_of_odd_extents) {
    unsigned seed = 100;
    for (const index& s : {index{1, 1, 1}, index{5, 7, 3}, index{2, 33, 65}, index{3, 1, 130}, index{130, 2, 1}}) {
        SCOPED_TRACE(testing::PrintToString(s));
        const naive a = whole(s, seed++);
        const auto x = to_array<float, 3>(a);
        for (int along = 0; along < 3; ++along) {
            SCOPED_TRACE(along);
            expect_equal(cumsum(x, axis=along), sums(a, along), 0);
            if (emulated() && (along + static_cast<int>(seed)) % 3 != 0) continue;
            expect_equal(cumsum(x, axis=along, exclusive), sums(a, along, {true, false}), 0);
            expect_equal(cumsum(x, axis=along - 3, reverse), sums(a, along, {false, true}), 0);
            expect_equal(cumsum(x, axis=along, exclusive, reverse), sums(a, along, {true, true}), 0);
            expect_equal(cummax(x, axis=along), maxima(a, along), 0);
            expect_equal(cummin(x, axis=along, reverse), minima(a, along, {false, true}), 0);
        }
    }
}

TEST_F(scans, rows_of_many_lengths) {
    for (std::int64_t n : {2, 3, 8, 31, 32, 33, 64, 100, 127, 128, 256, 500, 1000, 1024, 2048, 4096, 5000, 10007}) {
        if (emulated() && n % 3 == 1) continue;
        SCOPED_TRACE(n);
        const std::int64_t rows = n < 1000 ? 7 : 3;
        const naive a = whole({rows, n}, static_cast<unsigned>(n));
        const auto x = to_array<float, 2>(a);
        expect_equal(cumsum(x, axis=1), sums(a, 1), 0);
        expect_equal(cumsum(x, axis=1, exclusive), sums(a, 1, {true, false}), 0);
        const auto one = to_array<double, 1>(naive({n}, std::vector<double>(a.values.begin(), a.values.begin() + n)));
        expect_equal(cumsum(one), sums(naive({n}, std::vector<double>(a.values.begin(), a.values.begin() + n)), 0), 0);
    }
}

TEST_F(scans, columns_of_many_lengths) {
    for (std::int64_t n : {2, 5, 16, 31, 100, 257, 1000, 4099})
        for (std::int64_t columns : {1, 3, 32, 100, 1024}) {
            if (n * columns > (emulated() ? 60000 : 500000)) continue;
            SCOPED_TRACE(testing::Message() << n << " x " << columns);
            const naive a = whole({n, columns}, static_cast<unsigned>(n + columns));
            const auto x = to_array<float, 2>(a);
            expect_equal(cumsum(x, axis=0), sums(a, 0), 0);
            expect_equal(cumsum(x, axis=0, exclusive, reverse), sums(a, 0, {true, true}), 0);
        }
}

TEST_F(scans, fuse_with_what_comes_before_and_after) {
    using namespace sinter::literals;
    const naive a = random({13, 257}, 7), b = random({257}, 8);
    const auto x = to_array<double, 2>(a);
    const auto y = to_array<double, 1>(b);
    const auto e = 2 * cumsum(exp(x) * y, axis=1_c) - x;
    static_assert(launches<decltype(e)> == 1);
    const naive summed = sums(map([](double p, double q) { return std::exp(p) * q; }, a, b), 1);
    expect_equal(e, map([](double s, double p) { return 2 * s - p; }, summed, a));

    const auto share = cumsum(abs(x), axis=1_c) / sum(abs(x), axis=1_c, keepdims);
    static_assert(launches<decltype(share)> == 1);
    const naive size = map([](double p) { return std::abs(p); }, a);
    expect_equal(share, map([](double s, double t) { return s / t; }, sums(size, 1), sum_of(size, 2, true)));

    const auto down = cumsum(x - mean(x, axis=0_c, keepdims), axis=0_c);
    static_assert(launches<decltype(down)> == 1);
    expect_equal(down, sums(map([](double p, double m) { return p - m; }, a, mean_of(a, 1, true)), 0));
}

TEST_F(scans, of_scans_and_inside_reductions) {
    using namespace sinter::literals;
    const naive a = whole({9, 300}, 9);
    const auto x = to_array<double, 2>(a);
    const auto twice = cummax(cumsum(x, axis=1_c), axis=1_c);
    static_assert(launches<decltype(twice)> == 1);
    expect_equal(twice, maxima(sums(a, 1), 1), 0);
    const auto highest = max(cumsum(x, axis=1_c), axis=1_c);
    static_assert(launches<decltype(highest)> == 1);
    expect_equal(highest, max_of(sums(a, 1), 2), 0);
    const auto soft = softmax(cumsum(x, axis=1_c) / 100, axis=1_c);
    static_assert(launches<decltype(soft)> == 1);
    const naive e = map([](double s) { return std::exp(s / 100); }, sums(a, 1));
    expect_equal(soft, map([](double p, double t) { return p / t; }, e, sum_of(e, 2, true)), 1e-10);
    // along two axes: the sums of all rectangles that begin in the corner
    const auto corner = cumsum(cumsum(x, axis=1_c), axis=0_c);
    static_assert(launches<decltype(corner)> == 2);
    expect_equal(corner, sums(sums(a, 1), 0), 0);
    // in both directions
    const auto around = cumsum(x, axis=0_c) + cumsum(x, axis=0_c, reverse);
    static_assert(launches<decltype(around)> == 2);
    expect_equal(around, map([](double f, double r) { return f + r; }, sums(a, 0), sums(a, 0, {false, true})), 0);
}

TEST_F(scans, of_views_and_under_views) {
    const naive a = whole({6, 40, 5}, 10);
    const auto x = to_array<float, 3>(a);
    expect_equal(cumsum(permute(x, {2, 1, 0}), axis=0), sums(permuted(a, {2, 1, 0}), 0), 0);
    expect_equal(permute(cumsum(x, axis=1), {1, 2, 0}), permuted(sums(a, 1), {1, 2, 0}), 0);
    expect_equal(permute(cumsum(x, axis=1, reverse), {1, 2, 0}), permuted(sums(a, 1, {false, true}), {1, 2, 0}), 0);
    expect_equal(flip(cumsum(flip(x, axis=1), axis=1), axis=1), sums(a, 1, {false, true}), 0);
    expect_equal(reshape(cumsum(reshape(x, {1200})), {6, 40, 5}),
                 naive({6, 40, 5}, sums(naive({1200}, a.values), 0).values), 0);
    const naive s = sums(a, 1), back = sums(a, 1, {false, true});
    naive last({6, 5}), few({6, 7, 5}), late({6, 39, 5}), few_back({6, 7, 5}), first({6, 1, 5});
    for_each_index(last.shape, [&](const index& at) { last[at] = s[{at[0], 39, at[1]}]; });
    for_each_index(few.shape, [&](const index& at) { few[at] = s[at]; });
    for_each_index(few.shape, [&](const index& at) { few_back[at] = back[at]; });
    for_each_index(first.shape, [&](const index& at) { first[at] = 0; });
    for_each_index(late.shape, [&](const index& at) { late[at] = s[{at[0], at[1] + 1, at[2]}]; });
    expect_equal(cumsum(x, axis=1)(all, -1, all), last, 0);
    expect_equal(cumsum(x, axis=1)(all, range(0, 7), all), few, 0);
    expect_equal(cumsum(x, axis=1, reverse)(all, range(0, 7), all), few_back, 0);
    expect_equal(cumsum(x, axis=1, exclusive)(all, range(0, 1), all), first, 0);
    expect_equal(cumsum(x, axis=1)(all, range(1, end), all), late, 0);
    const naive line = whole({5}, 11);
    expect_equal(x + cumsum(to_array<float, 1>(line)), map([](double p, double c) { return p + c; }, a, sums(line, 0)),
                 0);
}

TEST_F(scans, beside_other_results_in_one_pack) {
    const naive a = whole({11, 70}, 12);
    const auto x = to_array<double, 2>(a);
    array<double, 2> c, r, d;
    array<double, 1> t;
    tie(c, t, d) = pack(cumsum(x, axis=1), sum(x, axis=1), x * 2);
    expect_equal(c, sums(a, 1), 0);
    expect_equal(t, sum_of(a, 2), 0);
    expect_equal(d, map([](double p) { return 2 * p; }, a), 0);
    tie(c, r) = pack(cumsum(x, axis=1), cumsum(x, axis=1, reverse));
    expect_equal(c, sums(a, 1), 0);
    expect_equal(r, sums(a, 1, {false, true}), 0);
}

TEST_F(scans, have_the_dtypes_of_the_reductions) {
    const naive a = random_integers({4, 300}, 13, 0, 1);
    const auto bits = to_array<float, 2>(a) > 0.5f;
    static_assert(decltype(cumsum(bits, axis=1))::type == dtype::int64);
    static_assert(decltype(cummax(bits, axis=1))::type == dtype::bool_);
    expect_equal(cumsum(bits, axis=1), sums(a, 1));
    expect_equal(scan(any, bits, axis=0), maxima(a, 0));
    const naive bytes = random_integers({3, 1000}, 14, -128, 127);
    const auto x = to_array<std::int8_t, 2>(bytes);
    static_assert(decltype(cumsum(x, axis=1))::type == dtype::int64);
    static_assert(decltype(cummin(x, axis=1))::type == dtype::int8);
    expect_equal(cumsum(x, axis=1), sums(bytes, 1));
    expect_equal(cummin(x, axis=1), minima(bytes, 1));
    const array<std::int32_t, 1> large = broadcast_to(2000000011, {1000});
    EXPECT_EQ(to_host(array<std::int64_t, 1>(cumsum(large)))[999], 1000 * std::int64_t{2000000011});
    const naive small = random({2, 500}, 15, 0.9, 1.1);
    expect_equal(cumprod(to_array<float, 2>(small), axis=1), products(small, 1), 1e-4);
    // halves are accumulated in float32: beyond 2048 a float16 would not see that 1 is added
    const array<float16, 1> ones = astype<float16>(broadcast_to(1.f, {4096}));
    naive counted(index{4096});
    for (std::size_t i = 0; i < 4096; ++i) counted.values[i] = static_cast<double>(i + 1);
    expect_equal(astype<float>(cumsum(ones)), counted, 1e-3);
}

TEST_F(scans, of_complex_numbers) {
    const naive re = whole({5, 90}, 16), im = whole({5, 90}, 17);
    const auto z = to_array<float, 2>(re) + std::complex<float>(0, 1) * to_array<float, 2>(im);
    for (int along = 0; along < 2; ++along) {
        expect_equal(real(cumsum(z, axis=along)), sums(re, along), 0);
        expect_equal(imag(cumsum(z, axis=along, exclusive)), sums(im, along, {true, false}), 0);
    }
}

TEST_F(scans, of_rows_of_the_users_own) {
    const naive a = random_integers({7, 100}, 18, 0, 1 << 20);
    const auto x = to_array<std::int32_t, 2>(a);
    const auto either = [](double p, double q) {
        return static_cast<double>(static_cast<std::int64_t>(p) | static_cast<std::int64_t>(q));
    };
    expect_equal(scan(bits_of_all, x, axis=1), running(a, 1, 0, either));
    expect_equal(scan(bits_of_all, x, axis=0, exclusive), running(a, 0, 0, either, {true, false}));
}

TEST_F(scans, propagate_nan_as_the_reductions_do) {
    naive a = random({5, 400}, 19);
    a[{1, 0}] = a[{2, 399}] = a[{3, 200}] = nan_value;
    const auto x = to_array<float, 2>(a);
    expect_equal(cummax(x, axis=1), maxima(a, 1));
    expect_equal(cummin(x, axis=0), minima(a, 0));
    expect_equal(cumsum(x, axis=1), sums(a, 1), 1e-4);
    expect_equal(scan(nanmax, x, axis=1),
                 running(a, 1, nan_value, [](double p, double q) { return std::fmax(p, q); }));
}

TEST_F(scans, of_nothing_and_of_one) {
    const array<double, 2> none(shape<2>(0, 3)), flat(shape<2>(3, 0));
    expect_equal(cumsum(none, axis=0), naive(index{0, 3}));
    expect_equal(cumsum(none, axis=1), naive(index{0, 3}));
    expect_equal(cummax(flat, axis=1), naive(index{3, 0}));
    const array<float, 2> one = {{1}, {2}, {3}};
    expect_equal(cumsum(one, axis=1), naive({3, 1}, {1, 2, 3}));
    expect_equal(cumsum(one, axis=1, exclusive), naive({3, 1}, {0, 0, 0}));
    expect_equal(cumprod(one, axis=1, exclusive), naive({3, 1}, {1, 1, 1}));
    expect_equal(cumsum(one, axis=0), naive({3, 1}, {1, 3, 6}));
    expect_equal(cumsum(broadcast_to(2, {5})), naive({5}, {2, 4, 6, 8, 10}));
    expect_equal(cumsum(arange<int>(6), reverse), naive({6}, {15, 15, 14, 12, 9, 5}));
}

TEST_F(scans, write_through_views_and_over_their_operands) {
    const naive a = whole({20, 33}, 20);
    array<double, 2> x = to_array<double, 2>(a);
    x = cumsum(x, axis=1);
    expect_equal(x, sums(a, 1), 0);
    x(all, range(0, 10)) = cumsum(x(all, range(0, 10)), axis=0);
    const naive first = sums(a, 1), down = sums(first, 0);
    naive expected = first;
    for_each_index(expected.shape, [&](const index& at) {
        if (at[1] < 10) expected[at] = down[at];
    });
    expect_equal(x, expected, 0);
}

// Found by the fuzzer: backwards, and what is read at computed indices does not move along the axis.
TEST_F(scans, from_the_end_of_what_is_read_at_computed_places) {
    const naive a = whole({90}, 21);
    naive taken(index{77});
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < 77; ++i) {
        places.push_back(i * 37 % 90);
        taken[index{i}] = a[index{places.back()}];
    }
    const array<double, 1> x = to_array<double, 1>(a);
    const array<std::int64_t, 1> at = from_host(places);
    expect_equal(array<double, 1>(cumsum(take(x, at), axis=0, reverse)), sums(taken, 0, {false, true}), 0);
}

// Found by the fuzzer: a scan along one element turns no loop around, whose tail begins at the front.
TEST_F(scans, from_the_end_of_one_element) {
    const array<double, 1> x = {5, 1, 2, 3, 4};
    expect_equal(array<double, 1>(cummax(max(x, axis=0, keepdims), axis=0, reverse)), naive(index{1}, {5}), 0);
}

TEST_F(scans, refuse_an_axis_beyond_the_rank) {
    const array<float, 2> x = {{1, 2}, {3, 4}};
    try {
        (void)cumsum(x, axis=2);
        FAIL() << "no error";
    } catch (const error& e) {
        EXPECT_NE(std::string(e.what()).find("cumsum: axis=2 is out of range"), std::string::npos) << e.what();
    }
}

}  // namespace
}  // namespace sinter::test
