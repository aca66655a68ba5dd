// Reductions over every set of axes, of every rank, in odd extents, of empty operands and with NaN.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

class reductions : public on_devices {};

/// The `Count` axes of a mask, some of them counted from the end.
template <int Count, int Rank>
std::array<int, static_cast<std::size_t>(Count)> axes_of_mask(unsigned mask) {
    std::array<int, static_cast<std::size_t>(Count)> axes{};
    std::size_t n = 0;
    for (int a = 0; a < Rank; ++a)
        if (mask >> a & 1) axes[n++] = a % 2 ? a - Rank : a;
    return axes;
}

template <int Rank, int Count>
void over_axes(const naive& a, const array<double, Rank>& x, unsigned mask) {
    const auto axes = axes_of_mask<Count, Rank>(mask);
    detail::runtime_axes<Count> over{};
    std::copy(axes.begin(), axes.end(), over.value);
    expect_equal(sum(x, over), sum_of(a, mask));
    expect_equal(max(x, over, keepdims), max_of(a, mask, true));
}

template <int Rank>
void of_rank() {
    index s(Rank);
    const std::int64_t extents[] = {3, 2, 5, 1, 2, 3, 2, 2};
    for (int a = 0; a < Rank; ++a) s[static_cast<std::size_t>(a)] = extents[a];
    const naive a = random(s, Rank);
    const auto x = to_array<double, Rank>(a);
    for (unsigned mask = 1; mask < 1u << Rank; ++mask) {
        if (emulated() && mask % 5 != Rank % 5) continue;
        SCOPED_TRACE(testing::Message() << "shape " << testing::PrintToString(s) << ", axes " << mask);
        [&]<int... Less>(std::integer_sequence<int, Less...>) {
            ((__builtin_popcount(mask) == Less + 1 ? over_axes<Rank, Less + 1>(a, x, mask) : void()), ...);
        }(std::make_integer_sequence<int, Rank>());
    }
    expect_equal(sum(x), sum_of(a, (1u << Rank) - 1));
    expect_equal(sum(x, keepdims), sum_of(a, (1u << Rank) - 1, true));
}

TEST_F(reductions, every_set_of_axes_of_ranks_1_to_4) {
    of_rank<1>();
    of_rank<2>();
    of_rank<3>();
    of_rank<4>();
}

TEST_F(reductions, every_set_of_axes_of_ranks_5_and_6) {
    of_rank<5>();
    of_rank<6>();
}

TEST_F(reductions, eight_axes) {
    const index s = {2, 3, 1, 2, 2, 3, 1, 2};
    const naive a = random(s, 30);
    const auto x = to_array<double, 8>(a);
    expect_equal(sum(x), sum_of(a, 255));
    expect_equal(sum(x, axis={0, 2, 4, 6}), sum_of(a, 0b01010101));
    expect_equal(min(x, axis={1, 3, 5, 7}, keepdims), min_of(a, 0b10101010, true));
    expect_equal(sum(x, axis=-1), sum_of(a, 0b10000000));
}

TEST_F(reductions, every_function) {
    for (const index& s : {index{5, 7, 3}, index{1, 64, 33}, index{2, 1, 129}}) {
        SCOPED_TRACE(testing::PrintToString(s));
        const naive a = random(s, 31, 0.5, 1.5);
        const auto x = to_array<float, 3>(a);
        for (int over = 0; over < 3; ++over) {
            const unsigned mask = 1u << over;
            expect_equal(sum(x, axis=over), sum_of(a, mask));
            expect_equal(prod(x, axis=over), prod_of(a, mask), 1e-4);
            expect_equal(max(x, axis=over), max_of(a, mask));
            expect_equal(min(x, axis=over), min_of(a, mask));
            expect_equal(mean(x, axis=over, keepdims), mean_of(a, mask, true));
        }
        expect_equal(mean(x), mean_of(a, 7));
        expect_equal(prod(x, axis={0, 1}, keepdims), prod_of(a, 3, true), 1e-4);
    }
}

TEST_F(reductions, constant_axes_agree_with_run_time_ones) {
    using namespace sinter::literals;
    const naive a = random({7, 19, 5}, 32);
    const auto x = to_array<double, 3>(a);
    expect_equal(sum(x, axis=0_c), sum_of(a, 1));
    expect_equal(sum(x, axis=1_c), sum_of(a, 2));
    expect_equal(sum(x, axis=-1_c, keepdims), sum_of(a, 4, true));
    expect_equal(mean(x, axis=2_c), mean_of(a, 4));
}

TEST_F(reductions, odd_extents) {
    for (std::int64_t rows : {1, 2, 13})
        for (std::int64_t columns : {1, 2, 31, 32, 33, 127, 257, 1021, 4099}) {
            if (emulated() && rows * columns > 5000) continue;
            SCOPED_TRACE(testing::Message() << rows << " x " << columns);
            const naive a = random({rows, columns}, 33);
            const auto x = to_array<float, 2>(a);
            expect_equal(sum(x, axis=1), sum_of(a, 2));
            expect_equal(sum(x, axis=0), sum_of(a, 1));
            expect_equal(max(x * x, axis=1), max_of(map([](double p) { return p * p; }, a), 2));
            expect_equal(sum(x), sum_of(a, 3), 1e-4);
            const naive b = random({columns, rows}, 34);
            expect_equal(min(to_array<float, 2>(b), axis=0), min_of(b, 1));
        }
}

TEST_F(reductions, of_long_arrays) {
    const std::int64_t n = emulated() ? 30011 : 1000003;
    const naive a = random({n}, 35);
    const auto x = to_array<double, 1>(a);
    expect_equal(sum(x), sum_of(a, 1), 1e-10);
    expect_equal(max(x), max_of(a, 1));
    const naive b = random({3, n / 3}, 36);
    const auto y = to_array<float, 2>(b);
    expect_equal(sum(y, axis=1), sum_of(b, 2), 2e-5);
    expect_equal(min(y, axis=0), min_of(b, 1));
    const naive c = random({n / 3, 3}, 37);
    expect_equal(sum(to_array<double, 2>(c), axis=0), sum_of(c, 1), 1e-10);
}

TEST_F(reductions, of_integers_accumulate_in_64_bits) {
    const std::int64_t n = 1537;
    const array<std::int32_t, 1> x = broadcast_to(2000000011, {n});
    EXPECT_EQ(item(sum(x)), n * 2000000011);
    const array<std::int8_t, 1> small = broadcast_to(std::int8_t{-100}, {n});
    EXPECT_EQ(item(sum(small)), -100 * n);
    const array<std::uint8_t, 1> bytes = broadcast_to(std::uint8_t{255}, {n});
    EXPECT_EQ(item(sum(bytes)), 255u * static_cast<std::uint64_t>(n));
    EXPECT_EQ(item(prod(astype<std::int32_t>(broadcast_to(2, {40})))), std::int64_t{1} << 40);
    EXPECT_EQ(item(max(small + broadcast_to(0, {n}))), -100);
    // exact beyond the 53 bits of a double
    const std::int64_t big = std::int64_t{1} << 60;
    const array<std::int64_t, 1> large = {big, 1, big, 1, -3};
    EXPECT_EQ(item(sum(large)), 2 * big - 1);
    EXPECT_EQ(item(max(large)), big);
}

TEST_F(reductions, of_bool_count_and_decide) {
    const naive a = random({31, 67}, 38);
    const auto x = to_array<float, 2>(a);
    const naive positive = map([](double p) { return p > 0; }, a);
    expect_equal(sum(x > 0), sum_of(positive, 3));
    expect_equal(sum(x > 0, axis=0), sum_of(positive, 1));
    expect_equal(max(x > 1.99f, axis=1), max_of(map([](double p) { return p > 1.99f; }, a), 2));
    expect_equal(min(x > -2, axis=1), min_of(map([](double p) { return p > -2; }, a), 2));
    expect_equal(mean(x > 0), mean_of(positive, 3));
}

TEST_F(reductions, of_nothing) {
    const array<double, 2> none(shape<2>(0, 3));
    EXPECT_EQ(item(sum(none)), 0);
    EXPECT_EQ(item(prod(none)), 1);
    EXPECT_TRUE(std::isnan(item(mean(none))));
    expect_equal(sum(none, axis=0), naive({3}, {0, 0, 0}));
    expect_equal(prod(none, axis=0, keepdims), naive({1, 3}, {1, 1, 1}));
    expect_equal(sum(none, axis=1), naive(index{0}));
    expect_equal(max(none, axis=1), naive(index{0}));  // no result needs an element
    EXPECT_EQ(item(sum(none > 0)), 0);
    EXPECT_EQ(item(sum(none) + 5), 5);
    const array<float, 3> gap(shape<3>(2, 0, 3));
    expect_equal(sum(gap, axis=1), naive(index{2, 3}));
    expect_equal(sum(gap, axis={1, 2}), naive(index{2}));
    expect_equal(sum(gap, axis=0), naive(index{0, 3}));
}

TEST_F(reductions, propagate_nan) {
    for (std::int64_t where_nan : {0, 1, 63, 100, 299}) {
        naive a = random({300}, 39);
        a[{where_nan}] = nan_value;
        const auto x = to_array<float, 1>(a);
        EXPECT_TRUE(std::isnan(item(max(x)))) << where_nan;
        EXPECT_TRUE(std::isnan(item(min(x)))) << where_nan;
        EXPECT_TRUE(std::isnan(item(sum(x)))) << where_nan;
    }
    naive a = random({37, 50}, 40);
    a[{0, 0}] = a[{5, 49}] = a[{36, 20}] = nan_value;
    const auto x = to_array<double, 2>(a);
    expect_equal(max(x, axis=1), max_of(a, 2));
    expect_equal(min(x, axis=0), min_of(a, 1));
    expect_equal(maximum(x, 0), map(larger, a, naive(0.0)));
    expect_equal(minimum(0, x), map(smaller, naive(0.0), a));
}

TEST_F(reductions, of_infinities_and_extremes) {
    naive a(index{70});
    std::fill(a.values.begin(), a.values.end(), -infinity);
    EXPECT_EQ(item(max(to_array<float, 1>(a))), -std::numeric_limits<float>::infinity());
    a[{69}] = infinity;
    EXPECT_EQ(item(max(to_array<double, 1>(a))), infinity);
    EXPECT_EQ(item(max(full({70}, std::numeric_limits<int>::lowest()))), std::numeric_limits<int>::lowest());
    EXPECT_EQ(item(min(full({70}, std::uint8_t{255}))), 255);
}

TEST_F(reductions, with_prologue_and_epilogue) {
    const naive a = random({23, 45}, 41), b = random({45}, 42);
    const auto x = to_array<double, 2>(a);
    const auto y = to_array<double, 1>(b);
    const naive product = map([](double p, double q) { return std::exp(p) * q; }, a, b);
    expect_equal(sqrt(abs(sum(exp(x) * y, axis=1))) + 1,
                 map([](double s) { return std::sqrt(std::abs(s)) + 1; }, sum_of(product, 2)));
    expect_equal(2 * sum(exp(x) * y, axis=0) - y,
                 map([](double s, double q) { return 2 * s - q; }, sum_of(product, 1), b));
}

TEST_F(reductions, of_reductions_that_keep_their_axes) {
    const naive a = random({4, 5, 6}, 43);
    const auto x = to_array<double, 3>(a);
    expect_equal(sum(sum(x, axis=0, keepdims), axis=0, keepdims), sum_of(a, 1, true));
    expect_equal(sum(sum(x, axis=0, keepdims), axis=2, keepdims), sum_of(a, 5, true));
    expect_equal(max(max(x, axis=1, keepdims), axis={0, 1}), max_of(a, 3));
    expect_equal(sum(sum(x, axis={0, 1}, keepdims), axis={0, 1, 2}), sum_of(a, 7));
}

/// The inner reduction folds one value over and over; the outer one, in a kernel of its own, what comes of it.
TEST_F(reductions, of_reductions_of_what_is_repeated) {
    const naive x = random({511}, 77);
    const auto v = to_array<double, 1>(x);
    const auto repeated = broadcast_to(v(all, newaxis), {511, 2});
    expect_equal(min(min(repeated, axis=1_c), axis=0_c), min_of(x, 1));
    expect_equal(sum(sum(repeated, axis=1_c), axis=0_c), map([](double s) { return 2 * s; }, sum_of(x, 1)));
}

}  // namespace
}  // namespace sinter::test
