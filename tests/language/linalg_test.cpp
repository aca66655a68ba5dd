// Systems of equations: solutions, inverses, factors and determinants of random batches by their residuals, shapes,
// what is refused, and gradients against finite differences.
#include <sinter/linalg.hpp>
#include <tests/language/dense.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

namespace sinter::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class linear : public on_devices {};

std::vector<std::int64_t> sizes() {
    return emulated() ? std::vector<std::int64_t>{1, 2, 5, 33} : std::vector<std::int64_t>{1, 2, 3, 7, 16, 33, 70};
}

TEST_F(linear, solutions_and_inverses) {
    for_matrix_types([]<class T>() {
        for (const std::int64_t n : sizes()) {
            SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << " " << n);
            const std::int64_t count = 3, sides = 1 + n % 3;
            const auto a = random_elements<T>(count, n, n, 1), b = random_elements<T>(count, n, sides, 2);
            const auto x = to_host(solve(batches(a, count, n, n), batches(b, count, n, sides)));
            const auto inverse = to_host(inv(batches(a, count, n, n)));
            for (std::int64_t i = 0; i < count; ++i) {
                const dense of_a(a, n, n, i), of_x(x, n, sides, i), y(inverse, n, n, i);
                const double bound = 16 * static_cast<double>(n) * epsilon_of<T>();
                EXPECT_LE((of_a * of_x - dense(b, n, sides, i)).largest(), bound * of_a.largest() * of_x.largest());
                EXPECT_LE((of_a * y - dense::identity(n)).largest(), bound * of_a.largest() * y.largest());
            }
        }
    });
}

TEST_F(linear, cholesky_factors) {
    for_matrix_types([]<class T>() {
        for (const std::int64_t n : sizes()) {
            SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << " " << n);
            auto a = hermitian_elements<T>(2, n, true, 3);
            const dense first(a, n, n, 0), second(a, n, n, 1);
            const double bound = 16 * static_cast<double>(n) * epsilon_of<T>();
            const T nan(std::numeric_limits<float>::quiet_NaN());
            auto above = a, below = a;  // the other triangle is not read
            for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j < i; ++j) {
                    below[static_cast<std::size_t>(j * n + i)] = nan;
                    above[static_cast<std::size_t>(i * n + j)] = nan;
                }
            const auto l = to_host(cholesky(batches(below, 2, n, n)));
            const auto u = to_host(cholesky(batches(above, 2, n, n), upper));
            for (std::int64_t i = 0; i < 2; ++i) {
                const dense x(l, n, n, i), y(u, n, n, i), want = i == 0 ? first : second;
                EXPECT_LE((x * adjoint(x) - want).largest(), bound * want.largest());
                EXPECT_LE((adjoint(y) * y - want).largest(), bound * want.largest());
                EXPECT_LE((adjoint(y) - x).largest(), bound * 16 * want.largest());
                for (std::int64_t row = 0; row < n; ++row)
                    for (std::int64_t column = row + 1; column < n; ++column) EXPECT_EQ(x(row, column), 0.0);
            }
        }
    });
}

template <class T>
void expect_lu(std::int64_t m, std::int64_t n) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << " " << m << " x " << n);
    const auto a = random_elements<T>(2, m, n, 4);
    array<T, 3> factors;
    array<std::int64_t, 2> exchanged;
    tie(factors, exchanged) = lu(batches(a, 2, m, n));
    const auto packed = to_host(factors);
    const auto pivots = to_host(exchanged);
    const std::int64_t k = std::min(m, n);
    for (std::int64_t i = 0; i < 2; ++i) {
        const dense both(packed, m, n, i);
        dense l(m, k), u(k, n), want(a, m, n, i);
        for (std::int64_t row = 0; row < m; ++row)
            for (std::int64_t column = 0; column < n; ++column) {
                if (row > column) {
                    l(row, column) = both(row, column);
                    EXPECT_LE(std::abs(both(row, column)), 1.5);
                } else {
                    u(row, column) = both(row, column);
                }
            }
        for (std::int64_t j = 0; j < k; ++j) {
            l(j, j) = 1;
            const std::int64_t p = pivots[static_cast<std::size_t>(i * k + j)];
            ASSERT_GE(p, j);
            ASSERT_LT(p, m);
            for (std::int64_t column = 0; column < n; ++column) std::swap(want(j, column), want(p, column));
        }
        EXPECT_LE((l * u - want).largest(), 32 * static_cast<double>(m + n) * epsilon_of<T>());
    }
}

TEST_F(linear, lu_factors) {
    for_matrix_types([]<class T>() {
        expect_lu<T>(5, 5);
        expect_lu<T>(9, 4);
        expect_lu<T>(4, 7);
        if (!emulated()) expect_lu<T>(70, 90);
    });
    const array<double, 2> zeros_alone = zeros<double>({3, 3});
    const auto [factors, pivots] = lu(zeros_alone);
    EXPECT_EQ(to_host(factors), std::vector<double>(9));
    EXPECT_THAT(to_host(pivots), ElementsAre(0, 1, 2));
}

TEST_F(linear, determinants) {
    const array<double, 3> x = {{{1, 2}, {3, 4}}, {{0, 1}, {1, 0}}, {{1, 2}, {2, 4}}};
    array<double, 1> sign, logs;
    tie(sign, logs) = slogdet(x);
    const auto d = to_host(det(x));
    EXPECT_NEAR(d[0], -2, 1e-14);
    EXPECT_EQ(d[1], -1);
    EXPECT_EQ(d[2], 0);
    EXPECT_THAT(to_host(sign), ElementsAre(-1, -1, 0));
    const auto l = to_host(logs);
    EXPECT_NEAR(l[0], std::log(2), 1e-15);
    EXPECT_EQ(l[1], 0);
    EXPECT_EQ(l[2], -std::numeric_limits<double>::infinity());
    const array<std::complex<double>, 2> turn = {{std::complex<double>(0, 2), 0}, {0, std::complex<double>(3, 0)}};
    EXPECT_EQ(item(det(turn)), std::complex<double>(0, 6));
    const auto [direction, modulus] = slogdet(turn);
    EXPECT_EQ(item(direction), std::complex<double>(0, 1));
    EXPECT_NEAR(item(modulus), std::log(6), 1e-15);
    EXPECT_EQ(to_host(det(zeros<float>({2, 0, 0}))), (std::vector<float>{1, 1}));
    // of a matrix that one block has
    array<double, 2> exchanged = 2 * eye<double>(33);
    exchanged(range(0, 2), range(0, 2)) = array<double, 2>{{0, 2}, {2, 0}};
    EXPECT_EQ(item(det(exchanged)), -std::pow(2, 33));
    // as large as det cannot be
    array<double, 1> one, wide;
    const auto [s, log_of_large] = slogdet(1e300 * eye<double>(3));
    EXPECT_EQ(item(s), 1);
    EXPECT_NEAR(item(log_of_large), 3 * std::log(1e300), 1e-10);
}

TEST_F(linear, operands_are_expressions_views_and_batches) {
    const array<double, 2> a = {{4, 1}, {2, 3}};
    const array<double, 1> v = {1, 2};
    EXPECT_THAT(to_host(solve(a, v)), ElementsAre(testing::DoubleNear(0.1, 1e-15), testing::DoubleNear(0.6, 1e-15)));
    const auto twice = to_host(solve(2 * transpose(a), flip(v, axis=0)));
    EXPECT_NEAR(twice[0] * 8 + twice[1] * 4, 2, 1e-14);
    EXPECT_NEAR(twice[0] * 2 + twice[1] * 6, 1, 1e-14);
    // batches of (3, 1) and (2) make (3, 2)
    const auto many = random_elements<double>(3, 2, 2, 9), sides = random_elements<double>(2, 2, 1, 10);
    const auto matrices = from_host(std::span<const double>(many), {3, 1, 2, 2});
    const auto columns = from_host(std::span<const double>(sides), {2, 2, 1});
    const array<double, 4> x = solve(matrices, columns);
    ASSERT_EQ(x.shape(), (shape<4>(3, 2, 2, 1)));
    const auto found = to_host(x);
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 2; ++j)
            EXPECT_LE((dense(many, 2, 2, i) * dense(found, 2, 1, 2 * i + j) - dense(sides, 2, 1, j)).largest(), 1e-12);
    const array<int, 2> whole = {{2, 0}, {0, 4}};
    static_assert(decltype(inv(whole))::type == dtype::float64);
    EXPECT_THAT(to_host(reshape(inv(whole), {4})), ElementsAre(0.5, 0, 0, 0.25));
    const array<float16, 2> half = astype<float16>(whole);
    static_assert(decltype(inv(half))::type == dtype::float16);
    static_assert(decltype(solve(half, v))::type == dtype::float64);
    EXPECT_EQ(static_cast<float>(to_host(inv(half))[3]), 0.25F);
    EXPECT_EQ((array<double, 3>(inv(zeros<double>({0, 2, 2}))).shape()), (shape<3>(0, 2, 2)));
    EXPECT_EQ((array<double, 2>(solve(zeros<double>({0, 0}), zeros<double>({0, 3}))).shape()), (shape<2>(0, 3)));
}

std::string message_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

TEST_F(linear, refusals) {
    const array<double, 2> wide = zeros<double>({2, 3}), square = eye<double>(3);
    EXPECT_THAT(message_of([&] { (void)inv(wide); }), HasSubstr("inv: the matrices of an operand of shape (2, 3)"));
    EXPECT_THAT(message_of([&] { (void)solve(wide, wide); }), HasSubstr("not square"));
    EXPECT_THAT(message_of([&] { (void)solve(square, wide); }), HasSubstr("shapes (3, 3) and (2, 3) do not fit"));
    EXPECT_THAT(message_of([&] {
                    (void)solve(zeros<double>({2, 3, 3}), zeros<double>({4, 3, 1}));
                }),
                HasSubstr("must broadcast"));
    EXPECT_THAT(message_of([&] { (void)cholesky(wide); }), HasSubstr("cholesky"));
    EXPECT_THAT(message_of([&] { (void)det(wide); }), HasSubstr("det"));
}

TEST_F(linear, singular_matrices) {
    const array<double, 3> some = {{{1, 0}, {0, 1}}, {{1, 2}, {2, 4}}};
    const array<double, 2> indefinite = {{1, 0}, {0, -1}};
    array<double, 3> target = zeros<double>({2, 2, 2});
    if (test_device_name() == "host") {
        EXPECT_EQ(message_of([&] { target = inv(some); }),
                  "inv: matrix 1 of 2 is singular; use lstsq or pinv, which take any matrix");
        EXPECT_EQ(to_host(target), std::vector<double>(8)) << "the target is as it was";
        EXPECT_THAT(message_of([&] { (void)to_host(solve(some(1), ones<double>({2}))); }),
                    HasSubstr("solve: the matrix is singular"));
        EXPECT_THAT(message_of([&] { (void)to_host(cholesky(indefinite)); }),
                    HasSubstr("cholesky: the matrix is not positive definite"));
    } else {
        target = inv(some);
        const auto found = to_host(target);
        EXPECT_EQ(found[0], 1);
        EXPECT_FALSE(std::isfinite(found[4]));
        for (const double x : to_host(solve(some(1), ones<double>({2})))) EXPECT_FALSE(std::isfinite(x));
        const auto factor = to_host(cholesky(indefinite));
        EXPECT_TRUE(std::isnan(factor[0]) && std::isnan(factor[2]) && std::isnan(factor[3]));
        EXPECT_EQ(factor[1], 0);
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const array<double, 2> unknown = {{nan, 1}, {1, 2}};
    for (const double x : to_host(inv(unknown))) EXPECT_TRUE(std::isnan(x));
    EXPECT_TRUE(std::isnan(item(det(unknown))));
}

/// The derivative of a function of matrices beside central differences.
template <class F>
void expect_gradient(const std::vector<double>& at, std::int64_t n, std::int64_t columns, const F& loss,
                     bool symmetric = false) {
    const array<double, 2> x = from_host(std::span<const double>(at), {n, columns});
    const auto found = to_host(grad(loss(x), x));
    const double step = 1e-6;
    for (std::size_t e = 0; e < at.size(); ++e) {
        const std::size_t row = e / static_cast<std::size_t>(columns), column = e % static_cast<std::size_t>(columns);
        const std::size_t mirrored = column * static_cast<std::size_t>(columns) + row;
        if (symmetric && column > row) continue;
        double values[2];
        for (int side = 0; side < 2; ++side) {
            auto moved = at;
            moved[e] += side == 0 ? step : -step;
            if (symmetric && mirrored != e) moved[mirrored] += side == 0 ? step : -step;
            const array<double, 2> y = from_host(std::span<const double>(moved), {n, columns});
            values[side] = item(loss(y));
        }
        const double want = (values[0] - values[1]) / (2 * step);
        const double got = symmetric && mirrored != e ? found[e] + found[mirrored] : found[e];
        EXPECT_NEAR(got, want, 1e-6 * (1 + std::abs(want))) << "element " << e;
    }
}

TEST_F(linear, gradients) {
    const auto elements = random_elements<double>(1, 3, 3, 20), right = random_elements<double>(1, 3, 2, 21);
    const array<double, 2> b = from_host(std::span<const double>(right), {3, 2});
    const array<double, 2> a = from_host(std::span<const double>(elements), {3, 3});
    const array<double, 2> w = from_host(std::span<const double>(random_elements<double>(1, 3, 3, 22)), {3, 3});
    expect_gradient(elements, 3, 3, [&](const auto& x) { return sum(square(solve(x, b))); });
    expect_gradient(right, 3, 2, [&](const auto& x) { return sum(square(solve(a, x))); });
    expect_gradient(elements, 3, 3, [&](const auto& x) { return sum(w * inv(x)); });
    expect_gradient(elements, 3, 3, [&](const auto& x) { return det(x); });
    expect_gradient(elements, 3, 3, [&](const auto& x) { return slogdet(x).template get<1>(); });
    const auto definite = hermitian_elements<double>(1, 3, true, 23);
    expect_gradient(
        definite, 3, 3, [&](const auto& x) { return sum(w * cholesky(x)); }, true);
    expect_gradient(
        definite, 3, 3, [&](const auto& x) { return sum(w * cholesky(x, upper)); }, true);
}

TEST_F(linear, gradients_of_broadcast_batches) {
    const auto elements = random_elements<double>(1, 2, 2, 30);
    const auto sides = random_elements<double>(3, 2, 1, 31);
    const array<double, 3> b = from_host(std::span<const double>(sides), {3, 2, 1});
    expect_gradient(elements, 2, 2, [&](const auto& x) { return sum(square(solve(x, b))); });
    expect_gradient(elements, 2, 2, [&](const auto& x) { return sum(det(x * b) * inv(x)(0, 0)); });
}

TEST_F(linear, powers) {
    const array<int, 2> a = {{1, 1}, {1, 0}};
    EXPECT_THAT(to_host(reshape(matrix_power(a, 7_c), {4})), ElementsAre(21, 13, 13, 8));
    EXPECT_THAT(to_host(reshape(matrix_power(a, 0_c), {4})), ElementsAre(1, 0, 0, 1));
    const auto back = to_host(matrix_power(a, -2_c));
    EXPECT_NEAR(back[0], 1, 1e-14);
    EXPECT_NEAR(back[3], 2, 1e-14);
    EXPECT_NEAR(to_host(matmul(inv(a), a))[0], 1, 1e-14);
    EXPECT_NEAR(to_host(matmul(transpose(inv(a)), inv(a)))[0], 1, 1e-14);
}

TEST_F(linear, calls_of_equal_operands_are_one_launch) {
    const array<double, 2> a = {{4, 1}, {2, 3}};
    const auto [sign, logs] = slogdet(a);
    EXPECT_EQ(explain(pack(sign, logs)).launches, 1);
    EXPECT_EQ(explain(inv(exp(a)) + 1).launches, 3);
}

}  // namespace
}  // namespace sinter::test
