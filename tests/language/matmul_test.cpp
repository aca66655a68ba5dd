// Matrix products: NumPy's rules for shapes and dtypes, operands of any layout, prologues and epilogues.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <array>

namespace sinter::test {
namespace {

class matrix_products : public on_devices {};

/// a[..., i, k] * b[..., k, j] summed over k; leading axes broadcast.
naive multiplied(const naive& a, const naive& b) {
    const std::size_t batch = std::max(a.shape.size(), b.shape.size()) - 2;
    const auto extent = [&](const naive& x, std::size_t axis) {
        const std::size_t missing = batch + 2 - x.shape.size();
        return axis < missing ? 1 : x.shape[axis - missing];
    };
    index shape;
    for (std::size_t i = 0; i < batch; ++i) shape.push_back(extent(a, i) == 1 ? extent(b, i) : extent(a, i));
    shape.push_back(extent(a, batch));
    shape.push_back(extent(b, batch + 1));
    naive result(shape);
    const auto element = [&](const naive& x, const index& at, std::int64_t row, std::int64_t column) {
        index own;
        for (std::size_t i = batch + 2 - x.shape.size(); i < batch; ++i) own.push_back(extent(x, i) == 1 ? 0 : at[i]);
        own.push_back(row);
        own.push_back(column);
        return x[own];
    };
    for_each_index(shape, [&](const index& at) {
        for (std::int64_t k = 0; k < extent(a, batch + 1); ++k)
            result[at] += element(a, at, at[batch], k) * element(b, at, k, at[batch + 1]);
    });
    return result;
}

template <class Tree>
int launched(const expr<Tree>& e) {
    return explain(e).launches;
}
/// The launches of a product and what follows it: a kernel does both, a library may not.
int joined() { return test_device_name() == "cuda" ? 2 : 1; }

TEST_F(matrix_products, of_odd_sizes) {
    for (const auto& [m, k, n] :
         {std::array{1, 1, 1}, {5, 7, 3}, {1, 40, 33}, {37, 1, 29}, {65, 33, 1}, {70, 41, 67}}) {
        SCOPED_TRACE(testing::PrintToString(std::array{m, k, n}));
        const naive a = random({m, k}, 1), b = random({k, n}, 2);
        expect_equal(matmul(to_array<float, 2>(a), to_array<float, 2>(b)), multiplied(a, b));
        expect_equal(matmul(to_array<double, 2>(a), to_array<double, 2>(b)), multiplied(a, b));
    }
}

TEST_F(matrix_products, of_transposed_operands) {
    const naive a = random({21, 34}, 3), b = random({34, 40}, 4), expected = multiplied(a, b);
    const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
    const auto xt = to_array<float, 2>(transposed(a)), yt = to_array<float, 2>(transposed(b));
    expect_equal(matmul(transpose(xt), y), expected);
    expect_equal(matmul(x, transpose(yt)), expected);
    expect_equal(matmul(transpose(xt), transpose(yt)), expected);
    expect_equal(transpose(matmul(transpose(y), transpose(x))), expected);
    expect_equal(matmul(x, transpose(x)), multiplied(a, transposed(a)));
}

TEST_F(matrix_products, of_slices) {
    const naive a = random({12, 19}, 5), b = random({19, 23}, 6);
    const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
    naive part_a({10, 9}), part_b({9, 7});
    for_each_index(part_a.shape, [&](const index& at) { part_a[at] = a[{at[0] + 2, 2 * at[1] + 1}]; });
    for_each_index(part_b.shape, [&](const index& at) { part_b[at] = b[{18 - at[0], at[1] + 16}]; });
    const auto rows = x(range(2, end), range(1, end, 2)), columns = y(range(-1, -10, -1), range(16, end));
    expect_equal(matmul(rows, columns), multiplied(part_a, part_b));
    expect_equal(
        matmul(x(range(3, 8)), y(all, range(1, -1))),
        multiplied(naive({5, 19}, {a.values.begin() + 57, a.values.begin() + 152}),
                   map([](double v) { return v; },
                       [&] {
                           naive inner({19, 21});
                           for_each_index(inner.shape, [&](const index& at) { inner[at] = b[{at[0], at[1] + 1}]; });
                           return inner;
                       }())));
}

TEST_F(matrix_products, of_reshaped_arrays) {
    const naive a = random({6, 5, 8}, 41), b = random({40, 17}, 42), c = random({30, 8}, 43);
    const auto x = to_array<float, 3>(a);
    const auto y = to_array<float, 2>(b), z = to_array<float, 2>(c);
    expect_equal(matmul(reshape(x, {6, 40}), y), multiplied(naive({6, 40}, a.values), b));
    expect_equal(matmul(reshape(x, {30, 8}), transpose(z)), multiplied(naive({30, 8}, a.values), transposed(c)));
    const naive heads = permuted(naive({6, 5, 8}, c.values), {1, 0, 2});
    expect_equal(matmul(permute(reshape(z, {6, 5, 8}), {1, 0, 2}), transpose(z)), multiplied(heads, transposed(c)));
}

TEST_F(matrix_products, with_vectors_fuse) {
    const naive a = random({21, 34}, 7), u = random({21}, 8), v = random({34}, 9);
    const auto x = to_array<double, 2>(a);
    const auto left = to_array<double, 1>(u), right = to_array<double, 1>(v);
    const naive column({34, 1}, v.values), row({1, 21}, u.values);
    static_assert(launches<decltype(tanh(matmul(exp(x), right) + left))> == 1);
    expect_equal(tanh(matmul(exp(x), right) + left),
                 map([](double p, double q) { return std::tanh(p + q); },
                     naive({21}, multiplied(map([](double e) { return std::exp(e); }, a), column).values), u));
    expect_equal(matmul(left, x), naive({34}, multiplied(row, a).values));
    expect_equal(matmul(right, right), naive({}, multiplied(naive({1, 34}, v.values), column).values));
    const naive c = random({3, 34, 5}, 10);
    const naive of_three = multiplied(naive({1, 34}, v.values), c);
    expect_equal(matmul(right, to_array<double, 3>(c)), naive({3, 5}, of_three.values));
}

TEST_F(matrix_products, in_batches_that_broadcast) {
    const naive a = random({3, 17, 20}, 11), b = random({3, 20, 18}, 12), c = random({20, 18}, 13);
    const naive d = random({2, 1, 9, 20}, 14), one = random({1, 20, 18}, 15);
    const auto x = to_array<float, 3>(a), y = to_array<float, 3>(b);
    expect_equal(matmul(x, y), multiplied(a, b));
    expect_equal(matmul(x, to_array<float, 2>(c)), multiplied(a, c));
    expect_equal(matmul(transpose(to_array<float, 2>(c)), permute(x, {0, 2, 1})),
                 multiplied(transposed(c), permuted(a, {0, 2, 1})));
    expect_equal(matmul(x, to_array<float, 3>(one)), multiplied(a, one));
    expect_equal(matmul(to_array<float, 4>(d), y), multiplied(d, b));
    const naive heads = random({2, 5, 3, 8}, 16);
    const auto q = permute(to_array<float, 4>(heads), {0, 2, 1, 3});
    const naive moved = permuted(heads, {0, 2, 1, 3});
    expect_equal(matmul(q, permute(q, {0, 1, 3, 2})), multiplied(moved, permuted(moved, {0, 1, 3, 2})));
}

TEST_F(matrix_products, without_elements) {
    const array<float, 2> none({4, 0}), other({0, 5}), rows({0, 4}), columns({5, 3});
    expect_equal(matmul(none, other), naive({4, 5}));
    expect_equal(matmul(none, other) + 1, map([](double) { return 1.0; }, naive({4, 5})));
    expect_equal(matmul(rows, transpose(array<float, 2>(zeros<float>({6, 4})))), naive({0, 6}));
    expect_equal(matmul(other, columns), naive({0, 3}));
    expect_equal(matmul(zeros<float>({2, 0, 3, 4}), zeros<float>({4, 5})), naive({2, 0, 3, 5}));
}

TEST_F(matrix_products, what_is_computed_before_is_stored_and_after_joins) {
    const naive a = random({18, 25}, 17), b = random({25, 22}, 18), bias = random({22}, 19), c = random({18, 22}, 20);
    const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b), z = to_array<float, 2>(c);
    const auto row = to_array<float, 1>(bias);
    const naive p = multiplied(a, b);
    const auto biased = relu(matmul(x, y) + row);
    static_assert(launches<decltype(biased)> == 2);  // at most: no device needs more
    EXPECT_LE(launched(biased), joined());
    expect_equal(biased, map([](double v, double w) { return std::max(v + w, 0.0); }, p, bias));
    expect_equal(2 * matmul(x, y) - 0.5 * z, map([](double v, double w) { return 2 * v - w / 2; }, p, c));
    const auto of_computed = matmul(relu(x), y);
    static_assert(launches<decltype(of_computed)> == 2);
    EXPECT_EQ(launched(of_computed), 2);
    expect_equal(of_computed, multiplied(map([](double v) { return std::max(v, 0.0); }, a), b));
    const auto scaled = matmul(x, y) / sum(x);
    expect_equal(scaled, map([&](double v) { return v / sum_of(a, 3).values[0]; }, p));
    // read in two places: stored once
    const naive square_a = random({20, 20}, 21);
    const auto s = to_array<float, 2>(square_a);
    const naive ss = multiplied(square_a, square_a);
    const auto product = matmul(s, s);
    EXPECT_EQ(launched(product + transpose(product)), 2);
    expect_equal(product + transpose(product), map(std::plus<double>(), ss, transposed(ss)));
    EXPECT_LE(launched(softmax(product, axis=1)), 2);  // though its type mentions the product more than once
    EXPECT_LE(launched(gelu(product)), joined());
    expect_equal(softmax(product, axis=1), [&] {
        const naive raised = map([](double v, double m) { return std::exp(v - m); }, ss, max_of(ss, 2, true));
        return map(std::divides<double>(), raised, sum_of(raised, 2, true));
    }());
}

TEST_F(matrix_products, chains_and_sums_of_products) {
    const naive a = random({6, 9}, 22), b = random({9, 13}, 23), c = random({13, 4}, 24);
    const auto x = to_array<double, 2>(a), y = to_array<double, 2>(b), z = to_array<double, 2>(c);
    const naive abc = multiplied(multiplied(a, b), c);
    EXPECT_EQ(launched(matmul(matmul(x, y), z)), 2);
    expect_equal(matmul(matmul(x, y), z), abc);
    expect_equal(matmul(x, matmul(y, z)), abc);
    expect_equal(matmul(x, matmul(y, z)) + matmul(matmul(x, y), z), map([](double v) { return 2 * v; }, abc));
    const array<double, 2> both = matmul(matmul(x, y) + 1, z);
    expect_equal(both, multiplied(map([](double v) { return v + 1; }, multiplied(a, b)), c));
}

TEST_F(matrix_products, into_an_operand) {
    const naive a = random({30, 30}, 25), b = random({30, 30}, 26);
    auto x = to_array<float, 2>(a);
    const auto y = to_array<float, 2>(b);
    x = matmul(x, x);
    expect_equal(x, multiplied(a, a));
    x = to_array<float, 2>(a);
    x += matmul(y, x);
    expect_equal(x, map(std::plus<double>(), a, multiplied(b, a)));
    x = to_array<float, 2>(a);
    x(range(0, 10), all) = matmul(x(range(5, 15), all), y);
    naive expected = a;
    const naive p = multiplied(a, b);
    for (std::int64_t i = 0; i < 10; ++i)
        for (std::int64_t j = 0; j < 30; ++j) expected[{i, j}] = p[{i + 5, j}];
    expect_equal(x, expected);
    array<float, 2> wide = zeros<float>({30, 60});
    wide(all, range(0, end, 2)) = matmul(y, y);
    const naive yy = multiplied(b, b);
    naive spaced({30, 60});
    for_each_index(yy.shape, [&](const index& at) { spaced[{at[0], 2 * at[1]}] = yy[at]; });
    expect_equal(wide, spaced);
}

TEST_F(matrix_products, of_integers_wrap_around) {
    const naive a = random_integers({9, 20}, 27, -100, 100), b = random_integers({20, 11}, 28, -100, 100);
    const naive p = multiplied(a, b);
    const auto as_int8 = [](double v) {
        return static_cast<double>(static_cast<std::int8_t>(static_cast<std::int64_t>(v)));
    };
    const auto narrow = matmul(to_array<std::int8_t, 2>(a), to_array<std::int8_t, 2>(b));
    static_assert(std::is_same_v<decltype(array(narrow)), array<std::int8_t, 2>>);
    expect_equal(narrow, map(as_int8, p));
    expect_equal(matmul(to_array<std::int32_t, 2>(a), to_array<std::int16_t, 2>(b)), p);
    const auto mixed = matmul(to_array<std::int32_t, 2>(a), to_array<float, 2>(b));
    static_assert(std::is_same_v<decltype(array(mixed)), array<float, 2>>);
    expect_equal(mixed, p);
}

TEST_F(matrix_products, of_bools_say_whether_any_pair_is_true) {
    const naive a = random_integers({6, 5}, 29, 0, 1), b = random_integers({5, 7}, 30, 0, 1);
    const auto e = matmul(to_array<bool, 2>(a), to_array<bool, 2>(b));
    static_assert(std::is_same_v<decltype(array(e)), array<bool, 2>>);
    expect_equal(e, map([](double v) { return v > 0 ? 1.0 : 0.0; }, multiplied(a, b)));
}

/// Rounded to a half type.
template <class T>
naive rounded(const naive& x) {
    return map([](double v) { return static_cast<double>(static_cast<float>(static_cast<T>(static_cast<float>(v)))); },
               x);
}

template <class T>
void expect_half_products(double allowed) {
    const naive a = rounded<T>(random({19, 33}, 31)), b = rounded<T>(random({33, 24}, 32)), p = multiplied(a, b);
    const auto x = to_array<T, 2>(a), y = to_array<T, 2>(b);
    static_assert(std::is_same_v<decltype(array(matmul(x, y))), array<T, 2>>);
    expect_equal(array<T, 2>(matmul(x, y)), p, allowed);
    expect_equal(array<float, 2>(astype<float>(matmul(x, y))), p, 1e-5);  // kept as it is summed
    // a computed operand is rounded as an array of it would be; what follows is not
    const naive third = rounded<T>(map([](double v) { return static_cast<float>(v) / 3.0f; }, a));
    expect_equal(array<float, 2>(astype<float>(matmul(x / 3, y) + 1)),
                 map([](double v) { return v + 1; }, multiplied(third, b)), 1e-5);
    expect_equal(array<float, 2>(astype<float>(matmul(matmul(x, y), transpose(y)))),
                 multiplied(rounded<T>(p), transposed(b)), 4 * allowed);
}
TEST_F(matrix_products, of_halves_sum_in_float32) {
    expect_half_products<float16>(1e-3);
    expect_half_products<bfloat16>(8e-3);
}

TEST_F(matrix_products, of_complex_numbers) {
    const naive ar = random({7, 9}, 33), ai = random({7, 9}, 34), br = random({9, 6}, 35), bi = random({9, 6}, 36);
    const auto z = [](const naive& re, const naive& im) {
        const auto i = std::complex<float>(0, 1);
        return array(to_array<float, 2>(re) + i * to_array<float, 2>(im));
    };
    const auto x = z(ar, ai), y = z(br, bi);
    const naive re = map(std::minus<double>(), multiplied(ar, br), multiplied(ai, bi));
    const naive im = map(std::plus<double>(), multiplied(ar, bi), multiplied(ai, br));
    expect_equal(real(matmul(x, y)), re);
    expect_equal(imag(matmul(x, y)), im);
    expect_equal(imag(matmul(transpose(conj(y)), y)),
                 map(std::minus<double>(), multiplied(transposed(br), bi), multiplied(transposed(bi), br)));
}

TEST_F(matrix_products, are_one_operation_without_fusion) {
    const naive a = random({9, 14}, 44), b = random({14, 10}, 45), bias = random({10}, 46);
    const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
    const auto row = to_array<float, 1>(bias);
    const auto e = relu(matmul(exp(x), y) + row);
    const fusion_scope off(fusion::off);
    EXPECT_EQ(launched(e), 4);  // exp, the product, the sum, relu
    const naive raised = map([](double v) { return std::exp(v); }, a);
    expect_equal(e, map([](double v, double w) { return std::max(v + w, 0.0); }, multiplied(raised, b), bias));
    expect_equal(matmul(x, y), multiplied(a, b));
}

TEST_F(matrix_products, rough_ones_are_close) {
    const naive a = random({33, 50}, 37), b = random({50, 31}, 38);
    const auto x = to_array<float, 2>(a), y = to_array<float, 2>(b);
    expect_equal(matmul(x, y, precision=tf32), multiplied(a, b), 5e-2);
}

TEST_F(matrix_products, of_two_vectors_with_each_other) {
    const naive a = random({12}, 39), b = random({7}, 40);
    expect_equal(outer(to_array<float, 1>(a), to_array<float, 1>(b)),
                 multiplied(naive({12, 1}, a.values), naive({1, 7}, b.values)));
}

TEST_F(matrix_products, of_shapes_that_do_not_fit) {
    const array<float, 2> x({3, 4}), y({5, 6});
    const array<float, 3> z({2, 4, 6}), w({3, 6, 4});
    const auto message = [](auto f) -> std::string {
        try {
            f();
        } catch (const error& e) {
            return e.what();
        }
        return "no error";
    };
    EXPECT_EQ(message([&] { static_cast<void>(matmul(x, y)); }),
              "matmul: shapes (3, 4) and (5, 6) do not multiply: the last extent of the first must be the last but one "
              "of the second (or its only one), and the axes before those must broadcast");
    EXPECT_NE(message([&] { static_cast<void>(matmul(z, w)); }), "no error");
    EXPECT_NE(message([&] { static_cast<void>(matmul(x, array<float, 1>{3})); }), "no error");
}

}  // namespace
}  // namespace sinter::test
