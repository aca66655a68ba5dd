// Reductions broadcast back to their operand: centring, softmax, layer normalisation, several of them in one kernel,
// and expressions that need two launches.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class broadcast_back : public on_devices {};

const auto minus = std::minus<>();
const auto over = std::divides<>();

naive softmax_of(const naive& a, unsigned mask) {
    const naive e = map([](double p, double m) { return std::exp(p - m); }, a, max_of(a, mask, true));
    return map(over, e, sum_of(e, mask, true));
}

naive layernorm_of(const naive& a, unsigned mask) {
    const naive centred = map(minus, a, mean_of(a, mask, true));
    const naive variance = mean_of(map([](double p) { return p * p; }, centred), mask, true);
    return map([](double c, double v) { return c / std::sqrt(v + 1e-5); }, centred, variance);
}

template <class X, class... Axes>
auto written_softmax(const X& x, Axes... axes) {
    auto e = exp(x - max(x, axes..., keepdims));
    return e / sum(e, axes..., keepdims);
}

template <class X, class... Axes>
auto written_layernorm(const X& x, Axes... axes) {
    auto centred = x - mean(x, axes..., keepdims);
    return centred / sqrt(mean(square(centred), axes..., keepdims) + 1e-5);
}

TEST_F(broadcast_back, centre_along_each_axis) {
    const naive a = random({11, 6, 37}, 50);
    const auto x = to_array<double, 3>(a);
    for (int k = 0; k < 3; ++k) expect_equal(x - mean(x, axis=k, keepdims), map(minus, a, mean_of(a, 1u << k, true)));
    expect_equal(x - mean(x, axis={0, 2}, keepdims), map(minus, a, mean_of(a, 5, true)));
    expect_equal(x - mean(x, axis=0), map(minus, a, mean_of(a, 1)));  // the first axis need not be kept
}

TEST_F(broadcast_back, softmax_along_each_axis) {
    for (const index& s : {index{3, 5}, index{1, 300}, index{300, 1}, index{64, 33}, index{2, 1031}, index{1031, 2}}) {
        SCOPED_TRACE(testing::PrintToString(s));
        const naive a = random(s, 51, -5, 5);
        const auto x = to_array<float, 2>(a);
        expect_equal(written_softmax(x, axis=1), softmax_of(a, 2));
        expect_equal(written_softmax(x, axis=0), softmax_of(a, 1));
    }
    const naive a = random({4, 17, 9}, 52, -5, 5);
    const auto x = to_array<double, 3>(a);
    for (int k = 0; k < 3; ++k) expect_equal(written_softmax(x, axis=k), softmax_of(a, 1u << k));
    expect_equal(written_softmax(x, axis={0, 2}), softmax_of(a, 5));
    expect_equal(written_softmax(x), softmax_of(a, 7));
}

TEST_F(broadcast_back, softmax_survives_large_values) {
    naive a = random({5, 40}, 53);
    a[{0, 3}] = 1e4;
    a[{2, 0}] = -1e4;
    expect_equal(written_softmax(to_array<double, 2>(a), axis=1), softmax_of(a, 2));
}

TEST_F(broadcast_back, layer_normalisation) {
    for (const index& s : {index{7, 3}, index{5, 256}, index{33, 100}, index{2, 3001}}) {
        SCOPED_TRACE(testing::PrintToString(s));
        const naive a = random(s, 54);
        const auto x = to_array<double, 2>(a);
        expect_equal(written_layernorm(x, axis=1), layernorm_of(a, 2), 1e-10);
        expect_equal(written_layernorm(x, axis=0), layernorm_of(a, 1), 1e-10);
        const naive gain = random({s[1]}, 55), bias = random({s[1]}, 56);
        expect_equal(written_layernorm(x, axis=1) * to_array<double, 1>(gain) + to_array<double, 1>(bias),
                     map([](double p, double g, double b) { return p * g + b; }, layernorm_of(a, 2), gain, bias),
                     1e-10);
    }
}

TEST_F(broadcast_back, whole_array_reductions_used_elementwise) {
    for (const index& s : {index{3}, index{1000}, index{10007}}) {
        const naive a = random(s, 57, 0.1, 1);
        const auto x = to_array<double, 1>(a);
        expect_equal(x / sum(x), map(over, a, sum_of(a, 1)));
        expect_equal(
            (x - min(x)) / (max(x) - min(x)),
            map([](double p, double lo, double hi) { return (p - lo) / (hi - lo); }, a, min_of(a, 1), max_of(a, 1)));
        expect_equal(sum(square(x - mean(x))),
                     sum_of(map([](double p, double m) { return (p - m) * (p - m); }, a, mean_of(a, 1)), 1), 1e-10);
    }
}

TEST_F(broadcast_back, several_reductions_in_one_kernel) {
    const naive a = random({29, 53}, 58), b = random({29, 53}, 59);
    const auto x = to_array<double, 2>(a), y = to_array<double, 2>(b);
    expect_equal(max(x, axis=1) - min(x, axis=1), map(minus, max_of(a, 2), min_of(a, 2)));
    expect_equal(sum(x, axis=0) / sum(exp(y), axis=0),
                 map(over, sum_of(a, 1), sum_of(map([](double p) { return std::exp(p); }, b), 1)));
    expect_equal(mean(x * y, axis=1) - mean(x, axis=1) * mean(y, axis=1),
                 map([](double pq, double p, double q) { return pq - p * q; },
                     mean_of(map(std::multiplies<>(), a, b), 2), mean_of(a, 2), mean_of(b, 2)));
    // operands of different lengths along the reduced axis
    const naive c = random({29, 7}, 60);
    expect_equal(sum(x, axis=1) + max(to_array<double, 2>(c), axis=1),
                 map(std::plus<>(), sum_of(a, 2), max_of(c, 2)));
}

TEST_F(broadcast_back, rows_meet_columns) {
    const naive a = random({31, 31}, 61);
    const auto x = to_array<double, 2>(a);
    // one launch: both keep the result's only axis
    expect_equal(max(x, axis=1) + sum(x, axis=0), map(std::plus<>(), max_of(a, 2), sum_of(a, 1)));
}

TEST_F(broadcast_back, two_launches) {
    for (const index& s : {index{1, 9}, index{9, 1}, index{40, 33}}) {
        SCOPED_TRACE(testing::PrintToString(s));
        const naive a = random(s, 62);
        const auto x = to_array<double, 2>(a);
        expect_equal(
            x - mean(x, axis=0, keepdims) - mean(x, axis=1, keepdims),
            map([](double p, double q, double r) { return p - q - r; }, a, mean_of(a, 1, true), mean_of(a, 2, true)));
        expect_equal(sum(max(x, axis=1)), sum_of(max_of(a, 2), 1));
        expect_equal(max(sum(exp(x), axis=0, keepdims), axis=1),
                     max_of(sum_of(map([](double p) { return std::exp(p); }, a), 1, true), 2));
        expect_equal(written_softmax(written_softmax(x, axis=1), axis=0), softmax_of(softmax_of(a, 2), 1));
        expect_equal(x * sum(x, axis=0) + x / sum(abs(x)),
                     map([](double p, double c, double t) { return p * c + p / t; }, a, sum_of(a, 1),
                         sum_of(map([](double p) { return std::abs(p); }, a), 3)));
    }
}

TEST_F(broadcast_back, operands_first_mentioned_in_different_loops) {
    for (const index& s : {index{5, 7}, index{3, 300}, index{300, 3}}) {
        SCOPED_TRACE(testing::PrintToString(s));
        const naive a = random(s, 58), b = random(s, 59);
        const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
        const naive dots = sum_of(map(std::multiplies<>(), a, b), 2, true);
        expect_equal(y - sum(x * y, axis=1, keepdims) * x,
                     map([](double p, double q, double d) { return q - p * d; }, a, b, dots), 1e-4);
        const naive down = sum_of(map(std::multiplies<>(), a, b), 1, true);
        expect_equal(y - sum(x * y, axis=0, keepdims) * x,
                     map([](double p, double q, double d) { return q - p * d; }, a, b, down), 1e-4);
    }
}

TEST_F(broadcast_back, a_chain_of_reductions) {
    const naive a = random({5, 6, 7}, 63);
    const auto x = to_array<double, 3>(a);
    expect_equal(max(min(sum(x, axis=0), axis=1), axis=0), max_of(min_of(sum_of(a, 1), 2), 1));
    expect_equal(sum(sum(sum(x, axis=2), axis=1), axis=0), sum_of(a, 7));
}

}  // namespace
}  // namespace sinter::test
