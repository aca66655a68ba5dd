// Derivatives by the factors of matrix products, in all floating dtypes, and programs of several derivatives.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class gradients_of_products : public on_devices {};

/// Factors' derivatives are products themselves, whose operands are rounded as the product's own are.
TEST_F(gradients_of_products, of_halves) {
    const auto loss = [](const auto& a, const auto& b, const auto& c) {
        return sum(sin(astype<double>(matmul(tanh(matmul(a, b)), c))));
    };
    const auto scaled = [](const naive& x) { return map([](double v) { return v / 8; }, x); };
    const auto x = to_array<double, 3>(scaled(random({2, 12, 24}, 23)));
    const auto w = to_array<double, 2>(scaled(random({24, 16}, 24))),
               v = to_array<double, 2>(scaled(random({16, 10}, 25)));
    const auto check = [&]<class T>(T, double tolerance) {
        const array<T, 3> p = astype<T>(x);
        const array<T, 2> q = astype<T>(w), r = astype<T>(v);
        const array<double, 3> a = astype<double>(p);
        const array<double, 2> b = astype<double>(q), c = astype<double>(r);
        array<T, 3> by_p;
        array<T, 2> by_q, by_r;
        tie(by_p, by_q, by_r) = grad(loss(p, q, r), p, q, r);
        expect_equal(by_p, to_naive(array<double, 3>(grad(loss(a, b, c), a))), tolerance);
        expect_equal(by_q, to_naive(array<double, 2>(grad(loss(a, b, c), b))), tolerance);
        expect_equal(by_r, to_naive(array<double, 2>(grad(loss(a, b, c), c))), tolerance);
    };
    check(float16(), 4e-3);
    check(bfloat16(), 3e-2);
}

/// The factor of a mean is applied last: the derivatives by a product are not too small for float16 because of it.
TEST_F(gradients_of_products, in_means) {
    const array<double, 2> x = to_array<double, 2>(random_integers({512, 16}, 28, 0, 4)) / 4;
    const array<double, 2> w = to_array<double, 2>(random_integers({16, 8}, 29, 0, 4)) / 4;
    const array<float16, 2> a = astype<float16>(x), b = astype<float16>(w);
    const auto small = [](const auto& product) { return mean(square(product)) * 1e-5; };
    const array<float16, 2> by_b = grad(small(astype<float>(matmul(a, b))), b);
    expect_equal(array<double, 2>(1e5 * astype<double>(by_b)),
                 to_naive(array<double, 2>(1e5 * grad(small(matmul(x, w)), w))), 2e-2);
}

/// Terms of a loss with factors of their own.
TEST_F(gradients_of_products, in_sums_of_means) {
    const array<double, 2> x = to_array<double, 2>(random_integers({24, 16}, 30, 0, 4)) / 4;
    const array<double, 2> w = to_array<double, 2>(random_integers({16, 8}, 31, 0, 4)) / 4;
    const array<float16, 2> a = astype<float16>(x), b = astype<float16>(w);
    const auto terms = [](const auto& p) { return mean(square(p)) + sum(p) * 0.25 - 3 * mean(p); };
    const array<float16, 2> by_b = grad(terms(astype<float>(matmul(a, b))), b);
    expect_equal(by_b, to_naive(array<double, 2>(grad(terms(matmul(x, w)), w))), 4e-3);
}

/// The program of several derivatives contains the loss once; each is an expression of its own, too.
TEST_F(gradients_of_products, of_one_loss_are_in_one_program) {
    const naive x = random({5, 7}, 26), w = random({7, 4}, 27);
    const auto a = to_array<double, 2>(x), b = to_array<double, 2>(w);
    const auto loss = sum(exp(2.0 * matmul(a, b)) + matmul(a + 1, b));
    const auto all_three = value_and_grad(loss, a, b);
    using tree_of_loss = decltype(loss)::tree_type;
    EXPECT_LT(decltype(all_three)::tree_type::size.nodes, tree_of_loss::size.nodes + 8);
    EXPECT_LT(decltype(grad(loss, a, b))::tree_type::size.nodes, tree_of_loss::size.nodes + 8);
    const auto [value, by_a, by_b] = all_three;
    expect_equal(array<double, 0>(value), to_naive(array<double, 0>(loss)), 0);
    expect_equal(array<double, 2>(by_a), to_naive(array<double, 2>(grad(loss, a))), 1e-15);
    expect_equal(array<double, 2>(by_b), to_naive(array<double, 2>(grad(loss, b))), 1e-15);
    const auto [only_a, only_b] = grad(loss, a, b);
    expect_equal(array<double, 2>(only_b), to_naive(array<double, 2>(grad(loss, b))), 1e-15);
    expect_equal(array<double, 2>(only_a * 2.0), to_naive(array<double, 2>(2.0 * grad(loss, a))), 1e-15);
}

}  // namespace
}  // namespace sinter::test
