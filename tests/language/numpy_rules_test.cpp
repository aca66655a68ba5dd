// Functions with easily missed rules in NumPy: the results equal NumPy's, which were computed separately.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <sinter/einsum.hpp>

#include <gmock/gmock.h>

#include <complex>

namespace sinter::test {
namespace {

using namespace sinter::literals;
using testing::HasSubstr;

class numpy_rules : public on_devices {};

/// np.clip is minimum(maximum(x, low), high): NaN in any of them is the result, and of bounds in the wrong order the
/// upper one.
TEST_F(numpy_rules, clip_of_odd_bounds) {
    const array<double, 1> x = {1, 5, nan_value, 2}, low = {nan_value, 1, 1, 4}, high = {3, nan_value, 3, 3};
    expect_equal(clip(x, low, high), naive({4}, {nan_value, nan_value, nan_value, 3}));
    expect_equal(clip(x, 3.0, 2.0), naive({4}, {2, 2, nan_value, 2}));
    const array<std::int8_t, 1> i = {-5, 0, 7};
    expect_equal(clip(i, 3, 2), naive({3}, {2, 2, 2}));
    expect_equal(grad(sum(clip(x, low, high)), high), naive({4}, {0, 0, 0, 1}));
    expect_equal(grad(sum(clip(x, low, high)), low), naive(index{4}));
}

TEST_F(numpy_rules, vecdot_conjugates_the_first) {
    using number = std::complex<double>;
    const array<number, 1> a = {{1, 2}, {3, -1}}, b = {{0, 1}, {2, 2}};
    const array<double, 1> r = {2, 3};
    EXPECT_EQ(item(vecdot(a, b)), number(6, 9));
    EXPECT_EQ(item(vecdot(b, a)), number(6, -9));
    EXPECT_EQ(item(vecdot(a, r)), number(11, -1));
    EXPECT_EQ(item(dot(a, b)), number(6, 5));
    EXPECT_EQ(item(inner(a, b)), number(6, 5));
    EXPECT_EQ(item(matmul(a, b)), number(6, 5));
    EXPECT_EQ(item(einsum<"i,i->">(a, b)), number(6, 5));
}

TEST_F(numpy_rules, products_keep_the_dtype) {
    const array<bool, 1> p = {true, true, false}, q = {true, true, true}, none = {false, false, true};
    EXPECT_TRUE(item(dot(p, q)));
    EXPECT_FALSE(item(inner(p, none)));
    static_assert(decltype(dot(p, q))::type == dtype::bool_ && decltype(inner(p, q))::type == dtype::bool_);
    static_assert(decltype(vecdot(p, q))::type == dtype::bool_ && decltype(matmul(p, q))::type == dtype::bool_);
    EXPECT_EQ(item(sum(p * q)), 2);  // as np.sum(p * q)
    const array<std::int8_t, 1> i = {100, 100, 1};
    static_assert(decltype(dot(i, i))::type == dtype::int8 && decltype(vecdot(i, i))::type == dtype::int8);
    EXPECT_EQ(item(dot(i, i)), static_cast<std::int8_t>(20001));
    EXPECT_EQ(item(sum(i * 1 * astype<int>(i))), 20001);
}

TEST_F(numpy_rules, vectors_of_different_lengths_have_no_product) {
    const array<float, 1> one = {1}, five = {1, 2, 3, 4, 5};
    const array<float, 2> x = ones<float>({5, 1}), y = ones<float>({5, 4});
    EXPECT_EQ(message_of([&] { return dot(one, five); }),
              "dot: shapes (1,) and (5,) differ along the axis that is summed; the vectors must have equal lengths");
    EXPECT_THAT(message_of([&] { return inner(five, one); }), HasSubstr("inner: shapes (5,) and (1,)"));
    EXPECT_THAT(message_of([&] { return vecdot(x, y); }), HasSubstr("vecdot: shapes (5, 1) and (5, 4)"));
    EXPECT_THAT(message_of([&] { return vecdot(y, five, axis=0); }), HasSubstr("(5, 4) and (5,)"));
    expect_equal(vecdot(x, y, axis=0), naive({4}, {5, 5, 5, 5}));
    expect_equal(vecdot(transpose(y), five), naive({4}, {15, 15, 15, 15}));
}

TEST_F(numpy_rules, nan_to_num_of_every_kind) {
    using number = std::complex<float>;
    const float most = std::numeric_limits<float>::max(), inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const array<number, 1> z = {{nan, 1}, {inf, -inf}, {-0.0f, nan}, {2, 3}};
    EXPECT_EQ(to_host(nan_to_num(z)), (std::vector<number>{{0, 1}, {most, -most}, {0, 0}, {2, 3}}));
    EXPECT_EQ(to_host(nan_to_num(z, 7, 8, 9)), (std::vector<number>{{7, 1}, {8, 9}, {0, 7}, {2, 3}}));
    EXPECT_TRUE(std::signbit(to_host(nan_to_num(z))[2].real()));
    const array<float, 1> x = {nan, inf, -inf};
    EXPECT_EQ(to_host(nan_to_num(x, 1, inf)), (std::vector<float>{1, inf, -most}));
    EXPECT_EQ(to_host(nan_to_num(x, inf, 2, -3)), (std::vector<float>{inf, 2, -3}));
    const array<float16, 1> h = astype<float16>(x);
    expect_equal(nan_to_num(h), naive({3}, {0, 65504, -65504}));
    const array<int, 1> i = {1, 2};
    EXPECT_EQ(to_host(nan_to_num(i, 7, 8, 9)), (std::vector<int>{1, 2}));
}

TEST_F(numpy_rules, weights_lie_along_the_axis_that_is_named) {
    const array<double, 2> x = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}};
    const array<double, 1> w = {1, 0, 3};
    expect_equal(average(x, w, axis=0), naive({3}, {4.5, 5.5, 6.5}));
    expect_equal(average(x, w, axis=-2_c), naive({3}, {4.5, 5.5, 6.5}));
    expect_equal(average(x, w, axis=1), naive({3}, {1.5, 4.5, 7.5}));
    expect_equal(average(x, w, axis=0, keepdims), naive({1, 3}, {4.5, 5.5, 6.5}));
    const array<double, 3> deep = reshape(astype<double>(arange(8)), {2, 2, 2});
    const array<double, 2> weights = {{1, 2}, {3, 4}};
    expect_equal(average(deep, weights, axis={2, 0}), naive({2}, {3.1, 5.1}));
    EXPECT_ANY_THROW((void)average(x, array<double, 1>({1.0, 2.0}), axis=0));
    // NumPy raises ZeroDivisionError
    const array<double, 2> sums_to_0 = {{1, -1, 0}, {0, 0, 0}, {1, 1, 2}};
    expect_equal(average(x, sums_to_0, axis=1), naive({3}, {nan_value, nan_value, 7.25}));
}

TEST_F(numpy_rules, norms_of_matrices) {
    const naive a = random({4, 5, 6}, 501), sizes = map([](double p) { return std::abs(p); }, a);
    const auto x = to_array<double, 3>(a);
    const auto most = [](const naive& of, unsigned sum, unsigned max, bool keep = false) {
        return max_of(sum_of(of, sum, true), sum | max, keep);
    };
    const auto least = [](const naive& of, unsigned sum, unsigned min) {
        return min_of(sum_of(of, sum, true), sum | min);
    };
    expect_equal(norm(x, axis={0, 1}, ord=1_c), most(sizes, 1, 2));
    expect_equal(norm(x, axis={1, 0}, ord=1_c), most(sizes, 2, 1));
    expect_equal(norm(x, axis={-1, 0}, ord=inf, keepdims), most(sizes, 1, 4, true));
    expect_equal(norm(x, axis={2, 1}, ord=-inf), least(sizes, 2, 4));
    expect_equal(norm(x, axis={2, 1}, ord=-1_c), least(sizes, 4, 2));
    const auto matrix = x(1);
    EXPECT_EQ(item(norm(matrix, ord=inf)), item(norm(x, axis={1, 2}, ord=inf)(1)));
    EXPECT_EQ(item(norm(matrix, ord=1_c)), item(norm(x, axis={1, 2}, ord=1_c)(1)));
    EXPECT_EQ(item(norm(matrix, ord=fro)), item(norm(matrix)));
    const array<float, 2> none(shape<2>(3, 0));
    EXPECT_EQ(item(norm(none, ord=1_c)), 0);
    EXPECT_ANY_THROW((void)norm(none, ord=-1_c));
    const naive w = random({4, 6}, 502);
    const auto g = grad(sum(norm(x, axis={0, 1}, ord=1_c)), x);
    EXPECT_EQ(item(sum(abs(g))), 4 * 6);  // the signs of the greatest columns
}

TEST_F(numpy_rules, norms_of_vectors) {
    const array<double, 1> v = {0, 3, -4, 0, 12};
    EXPECT_EQ(item(norm(v, ord=0_c)), 3);
    EXPECT_EQ(item(norm(v, ord=-inf)), 0);
    EXPECT_EQ(item(norm(v, ord=-1_c)), 0);
    const array<double, 1> plain = {2, -4};
    EXPECT_NEAR(item(norm(plain, ord=-1_c)), 4.0 / 3, 1e-15);
    EXPECT_NEAR(item(norm(plain, ord=-2.0)), 1 / std::sqrt(0.25 + 0.0625), 1e-15);
    EXPECT_THAT(message_of([&] { return norm(v, ord=0.0); }), HasSubstr("norm: the order 0 cannot be given"));
    const array<std::complex<float>, 1> z = {{3, 4}, {0, 0}, {0, 2}};
    EXPECT_EQ(item(norm(z, ord=0_c)), 2);
    static_assert(decltype(norm(z, ord=0_c))::type == dtype::float32);
}

}  // namespace
}  // namespace sinter::test
