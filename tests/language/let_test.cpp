// let(): its result equals the body applied to the value itself, and the type contains the value once.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class names : public on_devices {};

template <class E>
int nodes(const E&) {
    return E::tree_type::size.nodes;
}

TEST_F(names, stand_for_values) {
    for (const index& s : {index{37, 20}, index{1, 1}, index{3, 0}}) {
        const naive x = random(s, 1);
        const auto a = to_array<double, 2>(x);
        expect_equal(let(a, [](const auto& v) { return v * v + v; }), map([](double v) { return v * v + v; }, x));
        expect_equal(let(exp(a), [](const auto& e) { return e / sum(e, axis=1_c, keepdims); }),
                     map(std::divides<>(), map([](double v) { return std::exp(v); }, x),
                         sum_of(map([](double v) { return std::exp(v); }, x), 2, true)));
        expect_equal(let(sum(a, axis=0), [&](const auto& t) { return a - t(newaxis) * 2; }),
                     map([](double v, double t) { return v - 2 * t; }, x, sum_of(x, 1)));
        if (emulated()) return;
    }
}

TEST_F(names, within_names) {
    const naive x = random({5, 7}, 2), y = random({5, 7}, 3);
    const auto a = to_array<double, 2>(x), b = to_array<double, 2>(y);
    const auto e = let(a * 2, [&](const auto& u) {
        return let(u + b, [&](const auto& v) { return let(v * u, [&](const auto& w) { return 3 * w + u - v * b; }); });
    });
    expect_equal(e, map([](double p, double q) { return 3 * (2 * p + q) * 2 * p + 2 * p - (2 * p + q) * q; }, x, y));
    // one function's names within each other's values
    const auto doubled = [](const auto& v) { return let(v, [](const auto& u) { return u + u; }); };
    expect_equal(doubled(doubled(doubled(a))), map([](double v) { return 8 * v; }, x));
}

TEST_F(names, keep_expressions_small) {
    const array<double, 1> x = {1, 2, 3};
    const auto square_of = [](const auto& v) { return let(v, [](const auto& u) { return u * u; }); };
    const auto e = square_of(square_of(square_of(square_of(x))));
    EXPECT_EQ(nodes(e), 5);  // 31 with each operand written twice
    EXPECT_EQ(to_host(e), (std::vector<double>{1, 65536, 43046721}));
    const auto softmax_of = let(exp(x - stop_gradient(max(x, axis=0_c, keepdims))),
                                [](const auto& v) { return v / sum(v, axis=0_c, keepdims); });
    static_assert(launches<decltype(softmax_of)> == 1);
    // in place, for all shares of the array are the expression's
    array<double, 1> y = {1, 2, 3};
    const void* at = address(y);
    y = let(y + 1, [&](const auto& v) { return v * v + y; });
    EXPECT_EQ(address(y), at);
    EXPECT_EQ(to_host(y), (std::vector<double>{5, 11, 19}));
}

TEST_F(names, in_packs_and_gradients) {
    const array<double, 1> x = {1, 2, 3};
    const auto cube = let(x * x, [&](const auto& s) { return s * x; });
    array<double, 1> c, g;
    tie(c, g) = pack(cube, grad(sum(cube), x));
    EXPECT_EQ(to_host(c), (std::vector<double>{1, 8, 27}));
    EXPECT_EQ(to_host(g), (std::vector<double>{3, 12, 27}));
}

/// What a product reads is stored, and a product is stored already.
TEST_F(names, of_products_that_products_read) {
    const array<double, 2> a = {{1, 2}, {3, 4}};
    const naive squared({2, 2}, {7, 10, 15, 22}), fourth({2, 2}, {199, 290, 435, 634});
    expect_equal(let(matmul(a, a), [](const auto& h) { return matmul(h, h); }), fourth);
    expect_equal(matmul(let(a, [](const auto& h) { return matmul(h, h); }), matmul(a, a)), fourth);
    expect_equal(let(matmul(a, a), [](const auto& h) { return h; }), squared);
}

}  // namespace
}  // namespace sinter::test
