// A maximum and the sum of exponentials relative to it: rows and columns too long for registers, with finite and
// non-finite elements, as in softmax and logsumexp and written out.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <cmath>
#include <string>

namespace sinter::test {
namespace {

class sums_of_exponentials : public on_devices {};

naive exp_of(const naive& a) {
    return map([](double v) { return std::exp(v); }, a);
}

struct softmax_of {
    naive highest, total, each;

    softmax_of(const naive& a, unsigned over)
        : highest(max_of(a, over, true)),
          total(sum_of(exp_of(map(std::minus<>(), a, highest)), over, true)),
          each(map([](double v, double m, double s) { return std::exp(v - m) / s; }, a, highest, total)) {}
};

naive flat(naive a, const index& shape) {
    a.shape = shape;
    return a;
}

TEST_F(sums_of_exponentials, of_rows_and_columns_of_every_length) {
    for (const index& s : {index{3, 9000}, index{9000, 3}, index{1100, 70}}) {
        SCOPED_TRACE(testing::PrintToString(s));
        const naive a = random(s, 950, -40, 40);
        const auto x = to_array<float, 2>(a);
        const auto y = to_array<double, 2>(a);
        for (int k = 0; k < 2; ++k) {
            const softmax_of expected(a, 1u << k);
            const naive lse =
                flat(map([](double m, double t) { return m + std::log(t); }, expected.highest, expected.total),
                     {s[static_cast<std::size_t>(1 - k)]});
            expect_equal(logsumexp(x, axis=k), lse);
            expect_equal(logsumexp(y, axis=k), lse);
            expect_equal(softmax(x, axis=k), expected.each);
            expect_equal(log_softmax(y, axis=k), map([](double v) { return std::log(v); }, expected.each), 1e-10);
        }
    }
}

TEST_F(sums_of_exponentials, of_what_is_not_finite) {
    const std::int64_t n = 1100;
    for (const double far : {infinity, -infinity, nan_value})
        for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
            SCOPED_TRACE(std::to_string(far) + " at " + std::to_string(at));
            naive a = random({n, 34}, 951);
            for (std::int64_t j = 0; j < 34; j += 2) a[{at, j}] = far;
            const auto x = to_array<float, 2>(a);
            naive expected(index{34});
            for (std::int64_t j = 0; j < 34; ++j) {
                double sum = 0;
                for (std::int64_t i = 0; i < n; ++i) sum += std::exp(a[{i, j}]);
                expected[{j}] = std::log(sum);
            }
            expect_equal(logsumexp(x, axis=0), expected);
            const naive each = softmax_of(a, 1).each;
            expect_equal(softmax(x, axis=0), each);
        }
    const auto nothing = full({1100, 34}, -std::numeric_limits<float>::infinity());
    expect_equal(logsumexp(nothing, axis=0), naive({34}, std::vector<double>(34, -infinity)));
    expect_equal(softmax(nothing, axis=0), naive({1100, 34}, std::vector<double>(1100 * 34, nan_value)));
}

TEST_F(sums_of_exponentials, of_functions_and_beside_other_reductions) {
    const naive a = random({1500, 70}, 952, -9, 9), b = random({70}, 953);
    const auto x = to_array<float, 2>(a);
    const auto w = to_array<float, 1>(b);
    const naive scaled = map([](double v, double f) { return 3 * v * f; }, a, b);
    const softmax_of expected(scaled, 1);
    const auto e = 3.f * x * w;
    const auto most = max(e, axis=0);
    const auto total = sum(exp(e - most), axis=0);
    expect_equal(total, flat(expected.total, {70}));
    array<float, 1> highest, least, sums;
    tie(highest, least, sums) = pack(most, min(e, axis=0), total);
    expect_equal(highest, flat(expected.highest, {70}));
    expect_equal(least, min_of(scaled, 1));
    expect_equal(sums, flat(expected.total, {70}));
    // by what else depends on the maximum
    expect_equal(
        log(sum(exp(e - 0.5f * most), axis=0)),
        flat(map([](double m, double t) { return 0.5 * m + std::log(t); }, expected.highest, expected.total), {70}));
    // of other elements than those whose maximum is taken off
    const naive raised = map([](double v, double m) { return std::exp(2 * v - m); }, scaled, expected.highest);
    expect_equal(log(sum(exp(2.f * e - most), axis=0)), map([](double v) { return std::log(v); }, sum_of(raised, 1)),
                 1e-4);
}

}  // namespace
}  // namespace sinter::test
