// Composites over axes: normalisations, norms, inner products, weighted means, traces, the indices of extremes.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

class axis_composites : public on_devices {};

naive square_of(const naive& a) {
    return map([](double p) { return p * p; }, a);
}
naive root_of(const naive& a) {
    return map([](double p) { return std::sqrt(p); }, a);
}

TEST_F(axis_composites, normalisations) {
    using namespace sinter::literals;
    const naive a = random({6, 4, 37}, 400);
    const auto x = to_array<double, 3>(a);
    for (int k = 0; k < 3; ++k) {
        const unsigned over = 1u << k;
        SCOPED_TRACE(k);
        const naive off = map(std::minus<>(), a, mean_of(a, over, true));
        const naive var = mean_of(square_of(off), over, true);
        const auto with_eps = [&](const naive& v, double small) {
            return map([small](double p) { return std::sqrt(p + small); }, v);
        };
        expect_equal(standardise(x, axis=k), map(std::divides<>(), off, root_of(var)), 1e-10);
        expect_equal(layer_norm(x, axis=k), map(std::divides<>(), off, with_eps(var, 1e-5)), 1e-10);
        expect_equal(layer_norm(x, axis=k, eps=0.1), map(std::divides<>(), off, with_eps(var, 0.1)), 1e-10);
        expect_equal(rms_norm(x, axis=k, eps=0.1),
                     map(std::divides<>(), a, with_eps(mean_of(square_of(a), over, true), 0.1)));
        const naive below = map(std::minus<>(), a, max_of(a, over, true));
        const naive sums = sum_of(map([](double p) { return std::exp(p); }, below), over, true);
        expect_equal(log_softmax(x, axis=k), map([](double p, double s) { return p - std::log(s); }, below, sums));
        expect_equal(logsumexp(x, axis=k, keepdims),
                     map([](double s, double m) { return std::log(s) + m; }, sums, max_of(a, over, true)));
        expect_equal(ptp(x, axis=k), map(std::minus<>(), max_of(a, over), min_of(a, over)));
    }
    static_assert(launches<decltype(layer_norm(x, axis=-1_c))> == 1);
    static_assert(launches<decltype(log_softmax(x, axis=0_c))> == 1);
    static_assert(launches<decltype(logsumexp(x, axis=1_c))> == 1);
    static_assert(launches<decltype(standardise(x, axis=1_c, ddof=1))> == 1);
}

TEST_F(axis_composites, logsumexp_of_infinities) {
    const array<double, 2> x = {{-infinity, -infinity}, {infinity, 0}, {nan_value, 1}, {1000, 1000}, {-infinity, 3}};
    expect_equal(logsumexp(x, axis=1), naive({5}, {-infinity, infinity, nan_value, 1000 + std::log(2), 3}));
}

TEST_F(axis_composites, norms_of_every_order) {
    using namespace sinter::literals;
    const naive a = random({9, 31}, 401);
    const auto x = to_array<double, 2>(a);
    const naive sizes = map([](double p) { return std::abs(p); }, a);
    for (int k = 0; k < 2; ++k) {
        const unsigned over = 1u << k;
        const auto by_power = [&](double p) {
            const naive sums = sum_of(map([p](double s) { return std::pow(s, p); }, sizes), over);
            return map([p](double s) { return std::pow(s, 1 / p); }, sums);
        };
        expect_equal(norm(x, axis=k), by_power(2));
        expect_equal(norm(x, axis=k, ord=2_c), by_power(2));
        expect_equal(norm(x, axis=k, ord=1_c), by_power(1));
        expect_equal(norm(x, axis=k, ord=1), by_power(1));
        expect_equal(norm(x, axis=k, ord=3_c), by_power(3));
        expect_equal(norm(x, axis=k, ord=0.5), by_power(0.5), 1e-11);
        expect_equal(norm(x, axis=k, ord=inf, keepdims), max_of(sizes, over, true));
    }
    expect_equal(norm(reshape(x, {-1}), ord=1_c), sum_of(sizes, 3));
}

TEST_F(axis_composites, products) {
    const naive a = random({5, 23}, 402), b = random({5, 23}, 403), r = random({23}, 404);
    const auto x = to_array<double, 2>(a), y = to_array<double, 2>(b);
    const auto v = to_array<double, 1>(r);
    const naive ab = map(std::multiplies<>(), a, b), ar = map(std::multiplies<>(), a, r);
    expect_equal(vecdot(x, y), sum_of(ab, 2));
    expect_equal(vecdot(x, y, axis=0), sum_of(ab, 1));
    expect_equal(vecdot(x, v), sum_of(ar, 2));
    expect_equal(dot(v, v), sum_of(square_of(r), 1));
    expect_equal(inner(x(2), v),
                 sum_of(map(std::multiplies<>(), naive({23}, {a.values.begin() + 46, a.values.begin() + 69}), r), 1));
    const naive weighed = map(std::divides<>(), sum_of(ab, 2), sum_of(b, 2));
    expect_equal(average(x, y, axis=1), weighed, 1e-10);
    const naive total = sum_of(r, 1);
    expect_equal(average(x, v, axis=1), map(std::divides<>(), sum_of(ar, 2), total), 1e-10);
    expect_equal(average(x, axis=0, keepdims), mean_of(a, 1, true));
    static_assert(launches<decltype(average(x, y, axis=boost::hana::int_c<1>))> == 1);
}

TEST_F(axis_composites, traces) {
    const naive a = random({4, 7, 6}, 405);
    const auto x = to_array<double, 3>(a);
    for (int offset : {0, 2, -3}) {
        naive want(index{4});
        for (std::int64_t i = 0; i < 4; ++i)
            for (std::int64_t j = 0; j < 7; ++j)
                if (j + offset >= 0 && j + offset < 6) want[{i}] += a[{i, j, j + offset}];
        expect_equal(trace(x, offset), want);
    }
    expect_equal(trace(x(0)), naive([&] {
                     double s = 0;
                     for (std::int64_t j = 0; j < 6; ++j) s += a[{0, j, j}];
                     return s;
                 }()));
}

/// The first place along an axis where `better(candidate, best)` holds against all before it.
template <class F>
naive place_of(const naive& a, int axis, F better) {
    naive best = fold(a, 1u << axis, true, 0, [](double, double) { return 0.0; });
    for_each_index(a.shape, [&](const index& at) {
        index to = at, from = at;
        to[static_cast<std::size_t>(axis)] = 0;
        from[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(best[to]);
        if (!std::isnan(a[from]) && (better(a[at], a[from]) || std::isnan(a[at])))
            best[to] = static_cast<double>(at[static_cast<std::size_t>(axis)]);
    });
    return best;
}

/// What has a value for no elements does not throw because a maximum is subtracted on the way.
TEST_F(axis_composites, of_axes_without_elements) {
    const double inf_value = std::numeric_limits<double>::infinity();
    const array<double, 2> none(shape<2>(3, 0));
    expect_equal(softmax(none, axis=1), naive({3, 0}));
    expect_equal(log_softmax(none, axis=1), naive({3, 0}));
    expect_equal(softmax(transpose(none), axis=0), naive({0, 3}));
    expect_equal(softmax(array<float16, 1>(shape<1>(0))), naive(index{0}));
    expect_equal(logsumexp(none, axis=1), naive({3}, {-inf_value, -inf_value, -inf_value}));
    expect_equal(logsumexp(none, axis=1, keepdims), naive({3, 1}, {-inf_value, -inf_value, -inf_value}));
    expect_equal(logsumexp(none, axis=0), naive(index{0}));
    EXPECT_EQ(static_cast<double>(item(logsumexp(array<float16, 1>(shape<1>(0))))), -inf_value);
}

TEST_F(axis_composites, places_of_extremes) {
    using namespace sinter::literals;
    naive a = random_integers({5, 6, 41}, 406, -9, 9);  // with many ties
    a[{2, 3, 17}] = a[{2, 3, 30}] = nan_value;
    const auto x = to_array<float, 3>(a);
    for (int k = 0; k < 3; ++k) {
        SCOPED_TRACE(k);
        expect_equal(argmax(x, axis=k, keepdims), place_of(a, k, std::greater<>()));
        expect_equal(argmin(x, axis=k - 3, keepdims), place_of(a, k, std::less<>()));
    }
    EXPECT_EQ(item(argmax(x)), 2 * 6 * 41 + 3 * 41 + 17);
    const naive n = random_integers({300}, 407, -9, 8);
    naive one = n;
    one[{211}] = one[{212}] = 9;
    const auto i = to_array<std::int16_t, 1>(one);
    EXPECT_EQ(item(argmax(i)), 211);
    EXPECT_EQ(item(argmax(i, axis=0)), 211);
    EXPECT_EQ(item(argmax(i == 9)), 211);
    expect_equal(argmin(-i, keepdims), naive({1}, {211}));
    EXPECT_EQ(item(argmin(sum(x))), 0);
    static_assert(launches<decltype(argmax(x, axis=1_c))> == 1 && decltype(argmin(x))::type == dtype::int64);
    const array<float, 2> none(shape<2>(3, 0));
    EXPECT_THROW((void)argmax(none, axis=1), error);
    expect_equal(argmax(none, axis=0), naive(index{0}));
}

}  // namespace
}  // namespace sinter::test
