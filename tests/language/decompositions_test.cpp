// QR, eigenvalues and singular values of random batches, checked by their residuals; special matrices; and functions
// composed of these.
#include <sinter/linalg.hpp>
#include <tests/language/dense.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <cmath>

namespace sinter::test {
namespace {

class decompositions : public on_devices {};

using extents_of_matrix = std::pair<std::int64_t, std::int64_t>;

std::vector<extents_of_matrix> sizes() {
    if (emulated()) return {{1, 1}, {5, 3}, {3, 6}, {9, 9}};
    return {{1, 1}, {1, 4}, {4, 1}, {7, 7}, {9, 5}, {5, 9}, {33, 31}, {70, 40}, {40, 70}};
}

/// Columns of unit length that are orthogonal.
void expect_orthonormal(const dense& q, double bound) {
    EXPECT_LE((adjoint(q) * q - dense::identity(q.columns)).largest(), bound);
}

template <class T, class... Options>
void expect_qr(const std::vector<T>& a, std::int64_t m, std::int64_t n, std::int64_t kept, const Options&... options) {
    array<T, 3> q, r;
    tie(q, r) = qr(batches(a, 2, m, n), options...);
    ASSERT_EQ(q.shape(), (shape<3>(2, m, kept)));
    ASSERT_EQ(r.shape(), (shape<3>(2, kept, n)));
    const double bound = 16 * static_cast<double>(m + n) * epsilon_of<T>();
    for (std::int64_t i = 0; i < 2; ++i) {
        const dense of_q(to_host(q), m, kept, i), of_r(to_host(r), kept, n, i), want(a, m, n, i);
        expect_orthonormal(of_q, bound);
        EXPECT_LE((of_q * of_r - want).largest(), bound * (1 + want.largest()));
        for (std::int64_t row = 0; row < kept; ++row)
            for (std::int64_t column = 0; column < std::min(row, n); ++column) EXPECT_EQ(of_r(row, column), 0.0);
    }
}

TEST_F(decompositions, qr) {
    for_matrix_types([]<class T>() {
        for (const auto& [m, n] : sizes()) {
            SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << " " << m << " x " << n);
            const auto a = random_elements<T>(2, m, n, 1);
            expect_qr(a, m, n, std::min(m, n));
            expect_qr(a, m, n, m, complete);
        }
        expect_qr(std::vector<T>(12), 3, 2, 2);
    });
}

template <class T>
void expect_svd(const std::vector<T>& a, std::int64_t m, std::int64_t n, bool whole) {
    const std::int64_t k = std::min(m, n), left = whole ? m : k, right = whole ? n : k;
    using R = element_t<real_of(dtype_of<T>)>;
    array<T, 3> u, vh;
    array<R, 2> s;
    if (whole)
        tie(u, s, vh) = svd(batches(a, 2, m, n), complete);
    else
        tie(u, s, vh) = svd(batches(a, 2, m, n));
    ASSERT_EQ(u.shape(), (shape<3>(2, m, left)));
    ASSERT_EQ(vh.shape(), (shape<3>(2, right, n)));
    const auto values = to_host(s), alone = to_host(svdvals(batches(a, 2, m, n)));
    const double bound = 32 * static_cast<double>(m + n) * epsilon_of<T>();
    for (std::int64_t i = 0; i < 2; ++i) {
        const dense of_u(to_host(u), m, left, i), of_vh(to_host(vh), right, n, i), want(a, m, n, i);
        expect_orthonormal(of_u, bound);
        expect_orthonormal(adjoint(of_vh), bound);
        EXPECT_LE((of_u * dense::diagonal(values, left, right, i) * of_vh - want).largest(),
                  bound * (1 + want.largest()));
        for (std::int64_t j = 0; j < k; ++j) {
            const auto at = static_cast<std::size_t>(i * k + j);
            EXPECT_GE(values[at], 0);
            EXPECT_NEAR(alone[at], values[at], bound * (1 + want.largest()));
            EXPECT_GE(values[j > 0 ? at - 1 : at], values[at]);
        }
    }
}

TEST_F(decompositions, svd) {
    for_matrix_types([]<class T>() {
        for (const auto& [m, n] : sizes()) {
            SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << " " << m << " x " << n);
            auto a = random_elements<T>(2, m, n, 2);
            expect_svd(a, m, n, false);
            expect_svd(a, m, n, true);
        }
        // of rank 1, of nothing but zeros, and of elements whose squares overflow or vanish
        std::vector<T> flat(2 * 4 * 3);
        for (std::size_t i = 0; i < 12; ++i) flat[i] = T(static_cast<float>((i / 3 + 1) * (i % 3 + 2)));
        expect_svd(flat, 4, 3, true);
        expect_svd(flat, 3, 4, true);
    });
    const array<float, 2> large = {{1e30F, 0}, {0, 2e30F}}, small = {{1e-30F, 0}, {0, 2e-30F}};
    EXPECT_NEAR(to_host(svdvals(large))[0] / 2e30F, 1, 1e-6);
    EXPECT_NEAR(to_host(svdvals(small))[1] / 1e-30F, 1, 1e-6);
}

template <class T>
void expect_eigh(std::int64_t n) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << " " << n);
    using R = element_t<real_of(dtype_of<T>)>;
    const auto a = hermitian_elements<T>(2, n, false, 3);
    auto below = a, above = a;
    const T nan(std::numeric_limits<float>::quiet_NaN());
    for (std::int64_t b = 0; b < 2; ++b)
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < i; ++j) {
                below[static_cast<std::size_t>((b * n + j) * n + i)] = nan;
                above[static_cast<std::size_t>((b * n + i) * n + j)] = nan;
            }
    array<R, 2> w, of_upper;
    array<T, 3> v, v_of_upper;
    tie(w, v) = eigh(batches(below, 2, n, n));
    tie(of_upper, v_of_upper) = eigh(batches(above, 2, n, n), upper);
    const auto values = to_host(w), again = to_host(of_upper), alone = to_host(eigvalsh(batches(below, 2, n, n)));
    for (std::int64_t i = 0; i < 2; ++i) {
        const dense want(a, n, n, i), x(to_host(v), n, n, i), y(to_host(v_of_upper), n, n, i);
        const double bound = 32 * static_cast<double>(n) * epsilon_of<T>();
        expect_orthonormal(x, bound);
        expect_orthonormal(y, bound);
        const dense d = dense::diagonal(values, n, n, i);
        EXPECT_LE((want * x - x * d).largest(), bound * (1 + want.largest()));
        EXPECT_LE((want * y - y * d).largest(), bound * (1 + want.largest()));
        for (std::int64_t j = 0; j < n; ++j) {
            const auto at = static_cast<std::size_t>(i * n + j);
            EXPECT_NEAR(again[at], values[at], bound * (1 + want.largest()));
            EXPECT_NEAR(alone[at], values[at], bound * (1 + want.largest()));
            EXPECT_LE(values[j > 0 ? at - 1 : at], values[at]);
        }
    }
}

TEST_F(decompositions, eigh) {
    for_matrix_types([]<class T>() {
        for (const std::int64_t n : {1, 2, 3, 7, 16, 33, 70}) {
            if (emulated() && n != 1 && n != 3 && n != 7) continue;
            expect_eigh<T>(n);
        }
    });
    EXPECT_EQ(to_host(eigvalsh(zeros<double>({3, 3}))), std::vector<double>(3));
    EXPECT_EQ(to_host(eigvalsh(eye<float>(5))), std::vector<float>(5, 1));
}

TEST_F(decompositions, of_what_is_no_number_end) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    for (const double x : {nan, inf}) {
        array<double, 2> a = eye<double>(3);
        a(1, 0) = x;
        for (const double value : to_host(svdvals(a))) EXPECT_TRUE(std::isnan(value));
        for (const double value : to_host(eigvalsh(a))) EXPECT_TRUE(std::isnan(value));
        for (const double value : to_host(pinv(a))) EXPECT_TRUE(std::isnan(value));
        const auto [q, r] = qr(a);
        (void)to_host(q);
        if (emulated()) continue;
        EXPECT_TRUE(std::isnan(to_host(eigvals(a))[0].real()));
    }
}

TEST_F(decompositions, of_nothing) {
    const array<double, 2> none = zeros<double>({3, 0});
    const auto [u, s, vh] = svd(none, complete);
    EXPECT_EQ(to_host(u), to_host(eye<double>(3)));
    EXPECT_EQ(to_host(s).size(), 0u);
    const auto [q, r] = qr(none, complete);
    EXPECT_EQ(to_host(q), to_host(eye<double>(3)));
    EXPECT_EQ(item(spectral_norm(none)), 0);
    EXPECT_EQ((array<double, 1>(eigvalsh(zeros<double>({0, 0}))).shape()), shape<1>(0));
}

TEST_F(decompositions, eig) {
    const array<double, 2> turn = {{0, -1}, {1, 0}};
    if (emulated()) {  // there is no library of linear algebra
        EXPECT_THROW((void)to_host(eigvals(turn)), error);
        return;
    }
    for_matrix_types([]<class T>() {
        for (const std::int64_t n : {1, 2, 5, 40}) {
            const auto a = random_elements<T>(2, n, n, 4);
            using C = element_t<complex_of(dtype_of<T>)>;
            array<C, 2> w;
            array<C, 3> v;
            tie(w, v) = eig(batches(a, 2, n, n));
            for (std::int64_t i = 0; i < 2; ++i) {
                const dense want(a, n, n, i), x(to_host(v), n, n, i), d = dense::diagonal(to_host(w), n, n, i);
                EXPECT_LE((want * x - x * d).largest(), 64 * static_cast<double>(n) * epsilon_of<T>() * want.largest());
                EXPECT_GE(x.largest(), 0.1);
            }
        }
    });
    EXPECT_NEAR(std::abs(to_host(eigvals(turn))[0].imag()), 1, 1e-12);
}

TEST_F(decompositions, pseudo_inverses_and_least_squares) {
    const auto all = random_elements<double>(2, 6, 4, 5), sides = random_elements<double>(2, 6, 2, 6);
    const auto a = from_host(std::span<const double>(all), {2, 6, 4});
    const auto b = from_host(std::span<const double>(sides), {2, 6, 2});
    const auto inverse = to_host(pinv(a)), x = to_host(lstsq(a, b));
    for (std::int64_t i = 0; i < 2; ++i) {
        const dense of_a(all, 6, 4, i), y(inverse, 4, 6, i), of_x(x, 4, 2, i);
        EXPECT_LE((y * of_a - dense::identity(4)).largest(), 1e-12);
        EXPECT_LE((adjoint(of_a) * (of_a * of_x - dense(sides, 6, 2, i))).largest(), 1e-12);
    }
    // of rank 1: the solution of the least norm
    const array<double, 2> flat = {{1, 2}, {2, 4}};
    const array<double, 1> right = {5, 10};
    const auto least = to_host(lstsq(flat, right));
    EXPECT_NEAR(least[0], 1, 1e-13);
    EXPECT_NEAR(least[1], 2, 1e-13);
    const auto wide = to_host(pinv(transpose(flat(sinter::all, range(0, 1)))));
    EXPECT_NEAR(wide[0], 0.2, 1e-14);
    EXPECT_NEAR(wide[1], 0.4, 1e-14);
}

TEST_F(decompositions, ranks_conditions_and_norms) {
    const array<double, 3> a = {{{3, 0}, {0, 4}}, {{1, 2}, {2, 4}}, {{0, 0}, {0, 0}}};
    EXPECT_THAT(to_host(matrix_rank(a)), testing::ElementsAre(2, 1, 0));
    EXPECT_THAT(to_host(matrix_rank(a, rtol=0.9)), testing::ElementsAre(1, 1, 0));
    EXPECT_NEAR(to_host(cond(a))[0], 4.0 / 3, 1e-15);
    EXPECT_NEAR(to_host(spectral_norm(a))[1], 5, 1e-14);
    EXPECT_NEAR(to_host(nuclear_norm(a))[0], 7, 1e-14);
    EXPECT_EQ(explain(cond(a)).launches, 2);
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(to_host(cond(stack(zeros<double>({2, 2}), ones<double>({2, 2}) * eye<double>(2)))),
              (std::vector<double>{infinite, 1}));
    EXPECT_TRUE(std::isnan(item(cond(array<double, 2>{{std::numeric_limits<double>::quiet_NaN(), 1}, {1, 1}}))));
}

}  // namespace
}  // namespace sinter::test
