// Products of half types, which devices with tensor cores compute on them: operands of any layout and computed
// operands, epilogues, batches, odd extents.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class half_products : public on_devices {};

template <class T>
naive rounded(const naive& x) {
    return map([](double v) { return static_cast<double>(static_cast<float>(static_cast<T>(static_cast<float>(v)))); },
               x);
}

naive multiplied(const naive& a, const naive& b) {
    naive result({a.shape[0], b.shape[1]});
    for_each_index(result.shape, [&](const index& at) {
        for (std::int64_t k = 0; k < a.shape[1]; ++k) result[at] += a[{at[0], k}] * b[{k, at[1]}];
    });
    return result;
}

template <class T>
struct operands {
    operands(std::int64_t rows, std::int64_t columns, std::int64_t steps)
        : a(rounded<T>(random({rows, steps}, 1))),
          b(rounded<T>(random({steps, columns}, 2))),
          p(multiplied(a, b)),
          x(to_array<T, 2>(a)),
          y(to_array<T, 2>(b)),
          xt(to_array<T, 2>(transposed(a))),
          yt(to_array<T, 2>(transposed(b))) {}
    naive a, b, p;
    array<T, 2> x, y, xt, yt;
};

TEST_F(half_products, operands_that_lie_in_any_way) {
    for (const auto& [rows, columns, steps] : {std::array{48, 40, 64}, {33, 57, 19}, {8, 130, 9}}) {
        const operands<float16> of(rows, columns, steps);
        for (const array<float, 2>& result :
             {array(astype<float>(matmul(of.x, of.y))), array(astype<float>(matmul(transpose(of.xt), of.y))),
              array(astype<float>(matmul(of.x, transpose(of.yt)))),
              array(astype<float>(matmul(transpose(of.xt), transpose(of.yt))))})
            expect_equal(result, of.p, 1e-5);
    }
    const operands<bfloat16> of(40, 48, 56);
    expect_equal(array<float, 2>(astype<float>(matmul(of.x, of.y))), of.p, 1e-5);
    expect_equal(array<bfloat16, 2>(matmul(of.x, of.y)), of.p, 8e-3);
}

TEST_F(half_products, of_slices_that_are_not_aligned) {
    const operands<float16> of(40, 48, 56);
    naive a({37, 51}), b({51, 45});
    for_each_index(a.shape, [&](const index& at) { a[at] = of.a[{at[0] + 1, at[1] + 3}]; });
    for_each_index(b.shape, [&](const index& at) { b[at] = of.b[{at[0] + 3, at[1] + 1}]; });
    const auto x = of.x(range(1, 38), range(3, 54)), y = of.y(range(3, 54), range(1, 46));
    expect_equal(array<float, 2>(astype<float>(matmul(x, y))), multiplied(a, b), 1e-5);
}

TEST_F(half_products, with_what_follows) {
    const operands<float16> of(40, 48, 56);
    const naive bias = rounded<float16>(random({48}, 3)), residual = rounded<float16>(random({40, 48}, 4));
    const auto row = to_array<float16, 1>(bias);
    const auto more = to_array<float16, 2>(residual);
    expect_equal(array<float16, 2>(maximum(matmul(of.x, of.y) + row, 0)),
                 map([](double v, double w) { return std::max(v + w, 0.0); }, of.p, bias), 1e-3);
    expect_equal(array<float, 2>(astype<float>(tanh(matmul(of.x, of.y)) * more + 2)),
                 map([](double v, double w) { return std::tanh(v) * w + 2; }, of.p, residual), 1e-4);
}

TEST_F(half_products, of_operands_that_are_computed) {
    const operands<float16> of(40, 48, 56);
    const naive whole = random_integers({56, 48}, 5, -127, 127), scales = rounded<float16>(random({48}, 6));
    const auto bytes = to_array<std::int8_t, 2>(whole);
    const auto scale = to_array<float16, 1>(scales);
    const naive weights = rounded<float16>(map(std::multiplies<double>(), whole, scales));
    expect_equal(array<float, 2>(astype<float>(matmul(of.x, astype<float16>(bytes) * scale))),
                 multiplied(of.a, weights), 1e-3);
    const naive positive = map([](double v) { return std::max(v, 0.0); }, of.a);
    expect_equal(array<float, 2>(astype<float>(matmul(maximum(of.x, 0), of.y))), multiplied(positive, of.b), 1e-5);
}

TEST_F(half_products, in_batches) {
    const naive a = rounded<float16>(random({3, 24, 40}, 7)), b = rounded<float16>(random({40, 32}, 8));
    const naive c = rounded<float16>(random({3, 40, 32}, 9));
    naive shared({3, 24, 32}), own({3, 24, 32});
    for_each_index(own.shape, [&](const index& at) {
        for (std::int64_t k = 0; k < 40; ++k) {
            shared[at] += a[{at[0], at[1], k}] * b[{k, at[2]}];
            own[at] += a[{at[0], at[1], k}] * c[{at[0], k, at[2]}];
        }
    });
    const auto x = to_array<float16, 3>(a);
    expect_equal(array<float, 3>(astype<float>(matmul(x, to_array<float16, 2>(b)))), shared, 1e-5);
    expect_equal(array<float, 3>(astype<float>(matmul(x, to_array<float16, 3>(c)))), own, 1e-5);
}

TEST_F(half_products, that_are_written_as_sums) {
    const operands<float16> of(40, 48, 56);
    const auto x = astype<float>(of.x)(all, all, newaxis), y = astype<float>(of.y)(newaxis, all, all);
    expect_equal(array<float, 2>(sum(x * y, axis=1)), of.p, 1e-5);
    // float32 numbers are not rounded to halves
    const naive exact = random({40, 56}, 10);
    const auto z = to_array<float, 2>(exact)(all, all, newaxis);
    expect_equal(array<float, 2>(sum(z * y, axis=1)), multiplied(exact, of.b), 1e-5);
}

/// Products split into heads, (2, rows, heads * n) as (2, heads, rows, n), multiplied by themselves and joined again.
TEST_F(half_products, of_heads_that_are_split_and_joined) {
    constexpr std::int64_t rows = 20, heads = 3, features = 8 * heads;
    const auto small = [](double v) { return v / 4; };
    const naive x = rounded<float16>(map(small, random({2, rows, features}, 11)));
    const naive w = rounded<float16>(map(small, random({features, features}, 12)));
    naive split({2, heads, rows, 8}), joined({2, rows, features}), result({2, rows, features});
    for_each_index(split.shape, [&](const index& at) {
        for (std::int64_t k = 0; k < features; ++k) split[at] += x[{at[0], at[2], k}] * w[{k, at[1] * 8 + at[3]}];
    });
    split = rounded<float16>(split);
    for_each_index(split.shape, [&](const index& at) {
        double& sum = joined[{at[0], at[2], at[1] * 8 + at[3]}];
        for (std::int64_t k = 0; k < rows; ++k)
            for (std::int64_t d = 0; d < 8; ++d)
                sum += split[{at[0], at[1], at[2], d}] * split[{at[0], at[1], k, d}] * split[{at[0], at[1], k, at[3]}] /
                       64;
    });
    for_each_index(result.shape, [&](const index& at) {
        for (std::int64_t k = 0; k < features; ++k) result[at] += joined[{at[0], at[1], k}] * w[{k, at[2]}];
    });
    const auto a = to_array<float16, 3>(x);
    const auto b = to_array<float16, 2>(w);
    const auto h = moveaxis(reshape(matmul(a, b), {2, rows, heads, 8}), 2, 1);
    const auto mixed = matmul(matmul(h, permute(h, {0, 1, 3, 2})) / 64, h);
    const array<float16, 3> y = matmul(reshape(moveaxis(mixed, 1, 2), {2, rows, features}), b);
    expect_equal(y, result, 2e-3);
    // a split result that is stored, joined and reduced is the same in any order
    const array<float, 2> sums = sum(astype<float>(reshape(moveaxis(h * 2, 1, 2), {2, rows, features})), axis=1);
    naive expected({2, features});
    for_each_index(split.shape, [&](const index& at) { expected[{at[0], at[1] * 8 + at[3]}] += 2 * split[at]; });
    expect_equal(sums, expected, 1e-2);
}

TEST_F(half_products, numbers_that_are_not_finite_stay_in_their_rows) {
    operands<float16> of(24, 24, 20);
    of.a[{3, 7}] = INFINITY;
    of.a[{5, 19}] = NAN;
    const auto x = to_array<float16, 2>(of.a);
    const array<bool, 2> finite = isfinite(astype<float>(matmul(x, of.y)));
    naive expected({24, 24});
    for_each_index(expected.shape, [&](const index& at) { expected[at] = at[0] != 3 && at[0] != 5 ? 1 : 0; });
    expect_equal(finite, expected);
}

}  // namespace
}  // namespace sinter::test
