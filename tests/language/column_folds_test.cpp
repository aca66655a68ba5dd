// Reductions of columns beside computations of rows, and of what these come to, against the same without fusion.
#include <sinter/sort.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <random>
#include <string>

namespace sinter::test {
namespace {

class folds_of_columns : public on_devices {
protected:
    /// On the emulated device, whose memory is slow, the kernels that these tests are about are chosen.
    template <class E>
    static bool is_folded(const E& e) {
        return source(e).find("folds their columns") != std::string::npos;
    }
    template <class E>
    static void expect_folds(const E& e, bool folds = true) {
        if (!emulated()) return;
        EXPECT_EQ(is_folded(e), folds) << source(e);
    }

    template <class T, int Rank>
    static void expect_same(const array<T, Rank>& a, const array<T, Rank>& b, double tolerance) {
        expect_equal(array<double, Rank>(astype<double>(a)), to_naive(array<double, Rank>(astype<double>(b))),
                     tolerance);
    }

    /// Two results, fused and not.
    template <class A, int RankA, class B, int RankB, class E>
    static void check(const E& e, double tolerance, bool folds = true) {
        expect_folds(e, folds);
        array<A, RankA> a, c;
        array<B, RankB> b, d;
        tie(a, b) = e;
        {
            const fusion_scope off(fusion::off);
            tie(c, d) = e;
        }
        expect_same(a, c, tolerance);
        expect_same(b, d, tolerance);
    }

    template <class T>
    static array<T, 2> numbers(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
        return astype<T>(8 * uniform<double>(random_key(seed), shape<2>(rows, columns)) - 4);
    }
};

/// Rows per thread, per warp and per block; of odd length; more blocks than rows; a last tile of rows that is not full.
TEST_F(folds_of_columns, of_all_shapes) {
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1501, 64},
                                        {300, 96},
                                        {411, 257},
                                        {120, 1000},
                                        {97, 2048},
                                        {65, 4099}}) {
        const auto x = numbers<float>(rows, columns, 1);
        check<float, 1, float, 1>(pack(sum(x, axis=1), sum(x, axis=0)), 1e-3);
        check<float, 2, float, 1>(pack(softmax(x, axis=1), sum(softmax(x, axis=1), axis=0)), 1e-5);
        check<float, 1, float, 2>(pack(max(x, axis=0), x - mean(x, axis=1, keepdims)), 1e-5);
    }
}

TEST_F(folds_of_columns, by_any_reduction) {
    const auto x = numbers<float>(600, 128, 2);
    check<float, 1, float, 1>(pack(norm(x, axis=1), max(x, axis=0)), 1e-4);
    check<float, 1, float, 1>(pack(norm(x, axis=1), max(abs(x) / norm(x, axis=1, keepdims), axis=0)), 1e-4);
    check<float, 1, bool, 1>(pack(norm(x, axis=1), any(x > 3.99f, axis=0)), 1e-4);
    check<float, 1, float, 1>(pack(norm(x, axis=1), mean(exp(x - max(x, axis=1, keepdims)), axis=0) + 1.f), 1e-4);
    // sums of short integers, which fit 32 bits and are stored in 64
    check<float, 1, std::int64_t, 1>(
        pack(max(x, axis=1),
             sum(astype<std::int16_t>(x * 9) - astype<std::int16_t>(max(x, axis=1, keepdims)), axis=0)),
        1e-4);
    // an accumulator of several values, which no array has
    check<float, 1, float, 1>(pack(norm(x, axis=1), var(x, axis=0)), 1e-3, false);
}

/// Several loops that load the same elements, since all rows have them.
TEST_F(folds_of_columns, of_equal_rows) {
    const auto wide = numbers<float>(1, 2 * 96, 7);
    const auto x = broadcast_to(wide(0, range(0, end, 2)), {300, 96});
    const auto y = x - max(x, axis=1, keepdims);
    const auto z = y - max(y, axis=1, keepdims);
    check<float, 2, float, 1>(pack(z, min(z, axis=0)), 1e-5);
}

TEST_F(folds_of_columns, in_all_types) {
    const auto check_type = [&]<class T>(T, double tolerance, bool sums_fold = true) {
        const auto x = numbers<T>(500, 192, 3);
        check<T, 1, T, 1>(pack(max(x, axis=1), min(x, axis=0)), tolerance);
        const array<T, 1> v = x(7);
        check<T, 1, T, 1>(pack(sum(x * v, axis=1), sum(x * v, axis=0)), tolerance * 10, sums_fold);
    };
    check_type(double(), 1e-12);
    check_type(float16(), 2e-2);
    check_type(bfloat16(), 2e-1);
    check_type(std::int32_t(), 0);
    check_type(std::uint8_t(), 0, false);  // sums are so wide that few bytes would be under way
}

/// The derivative by the scale of a normalisation is such a sum beside that by its operand.
TEST_F(folds_of_columns, in_derivatives) {
    for (const std::int64_t columns : {128, 260}) {
        const auto x = numbers<float>(400, columns, 4), y = numbers<float>(400, columns, 5);
        const array<float, 1> v = y(3), u = y(4);
        const auto of_norm = grad(sum((layer_norm(x, axis=1) * v + u) * y), x, v, u);
        expect_folds(of_norm);
        array<float, 2> dx, dx_apart;
        array<float, 1> dv, du, dv_apart, du_apart;
        tie(dx, dv, du) = of_norm;
        {
            const fusion_scope off(fusion::off);
            tie(dx_apart, dv_apart, du_apart) = of_norm;
        }
        expect_same(dx, dx_apart, 1e-3);
        expect_same(dv, dv_apart, 1e-2);
        expect_same(du, du_apart, 1e-2);
    }
    // products with a matrix and its transpose read it once
    const auto x = numbers<float>(700, 96, 6);
    const array<float, 1> w = x(0), t = x(all, 0);
    const auto logistic = grad(mean(log1p(exp(-t / 20 * sum(x * w, axis=1)))), w);
    expect_folds(logistic);
    const array<float, 1> dw = logistic;
    const array<double, 2> xd = astype<double>(x);
    const array<double, 1> wd = astype<double>(w), td = astype<double>(t);
    const array<double, 1> expected = grad(mean(log1p(exp(-td / 20 * sum(xd * wd, axis=1)))), wd);
    expect_equal(array<double, 1>(astype<double>(dw)), to_naive(expected), 1e-4);
}

/// Rows of any length: what is left at the ends of rows, of blocks and of accesses differs from shape to shape.
TEST_F(folds_of_columns, of_random_shapes) {
    std::mt19937 random(1);
    const auto below = [&random](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
    int folded = 0;
    for (int round = 0; round < 24; ++round) {
        const std::int64_t columns = 64 + below(round % 3 == 0 ? 4000 : 400), rows = 60 + below(200000 / columns);
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
        const auto x = numbers<float>(rows, columns, random()), y = numbers<float>(rows, columns, random());
        const array<float, 1> v = x(0), u = y(1);
        const auto check_either = [&](const auto& e, double tolerance) {
            const bool folds = is_folded(e);
            folded += folds;
            check<float, 2, float, 1>(e, tolerance, folds);
        };
        switch (round % 4) {
            case 0: check_either(pack(x - max(x, axis=1, keepdims), min(x, axis=0)), 1e-5); break;
            case 1: check_either(pack(layer_norm(x, axis=1) * v + u, sum(x * y, axis=0)), 1e-3); break;
            case 2:
                check_either(pack(x / norm(x, axis=1, keepdims), mean(y / norm(x, axis=1, keepdims), axis=0)),
                             1e-4);
                break;
            default: check_either(grad(sum(layer_norm(x, axis=1) * v * y), x, v), 5e-3);
        }
    }
    EXPECT_GE(folded, emulated() ? 12 : 0);
}

/// What the columns read may be there only after the rows, which then wait for it; not where it needs them.
TEST_F(folds_of_columns, of_what_is_computed_between) {
    const auto x = numbers<float>(300, 128, 8);
    const array<float, 1> w = x(5);
    const auto check_one = [](const auto& e, bool folds) {
        expect_folds(e, folds);
        const array<float, 1> sums = e;
        const fusion_scope off(fusion::off);
        expect_same(sums, array<float, 1>(e), 1e-4);
    };
    check_one(sum(x / norm(x, axis=1, keepdims) * sort(w), axis=0), true);
    check_one(sum(x / norm(x, axis=1, keepdims) * sort(norm(x, axis=1))(range(0, 128)), axis=0), false);
}

/// Operands that are views, and results that are written in place or elsewhere.
TEST_F(folds_of_columns, of_views) {
    const auto whole = numbers<float>(301, 400, 7);
    const auto part = whole(range(1, end), range(8, 328));
    check<float, 1, float, 1>(pack(sum(part * part, axis=1), max(part, axis=0)), 1e-3);
    const auto every_other = whole(range(0, end, 2), all);
    check<float, 1, float, 1>(pack(sum(every_other, axis=1), sum(every_other, axis=0)), 1e-3);
    const auto apart = whole(all, range(0, end, 2));  // neighbouring threads have neighbours neither way
    check<float, 1, float, 1>(pack(sum(apart, axis=1), sum(apart, axis=0)), 1e-3, false);
    const auto odd = whole(all, range(1, 200));
    check<float, 1, float, 1>(pack(sum(odd, axis=1), sum(odd, axis=0)), 1e-3);
    array<float, 2> x = copy(whole);
    array<float, 1> sums;
    tie(x, sums) = pack(x / norm(x, axis=1, keepdims), sum(x, axis=0));
    expect_same(x, array<float, 2>(whole / norm(whole, axis=1, keepdims)), 1e-5);
    expect_same(sums, array<float, 1>(sum(whole, axis=0)), 1e-3);
}

}  // namespace
}  // namespace sinter::test
