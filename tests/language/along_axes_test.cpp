// Composite functions along an axis and of several operands: differences, integrals, covariances, products of any rank,
// polynomials, window functions, and the kinds that rows leave out. Expected values are NumPy's.
#include <sinter/dtype_info.hpp>
#include <sinter/equality.hpp>
#include <sinter/op/composite/covariance.hpp>
#include <sinter/op/composite/differences.hpp>
#include <sinter/op/composite/kinds.hpp>
#include <sinter/op/composite/nan.hpp>
#include <sinter/polynomial.hpp>
#include <sinter/tensor_products.hpp>
#include <sinter/window_functions.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

namespace sinter::test {
namespace {

class along_axes : public on_devices {};

const naive numbers({3, 4}, {1, 4, 2, 8, 5, 7, 3, 3, 0, 9, 6, 2});

TEST_F(along_axes, differences) {
    const auto x = to_array<double, 2>(numbers);
    expect_equal(diff(x), naive({3, 3}, {3, -2, 6, 2, -4, 0, 9, -3, -4}));
    expect_equal(diff<2>(x, axis=0), naive({1, 4}, {-9, -1, 2, 4}));
    expect_equal(diff<0>(x), numbers);
    expect_equal(diff(concat(zeros({3, 1}), x, axis=1), axis=1_c),
                 naive({3, 4}, {1, 3, -2, 6, 5, 2, -4, 0, 0, 9, -3, -4}));
    EXPECT_EQ(diff<2>(array<double, 1>{1}).size(), 0);
    EXPECT_EQ(to_host(diff(array<bool, 1>{true, true, false})), (std::vector<bool>{false, true}));
    EXPECT_EQ(to_host(diff(array<std::uint8_t, 1>{3, 1})), (std::vector<std::uint8_t>{254}));
    expect_equal(grad(sum(square(diff(x, axis=1))), x),
                 naive({3, 4}, {-6, 10, -16, 12, -4, 12, -8, 0, -18, 24, 2, -8}));
}

TEST_F(along_axes, gradients_of_values) {
    const auto x = to_array<double, 2>(numbers);
    expect_equal(gradient(x, 0.5, axis=0), naive({3, 4}, {8, 6, 2, -10, -1, 5, 4, -6, -10, 4, 6, -2}));
    expect_equal(gradient(x(0)), naive({4}, {3, 0.5, 2, 6}));
    expect_equal(gradient(x, array<double, 1>{0, 1, 1.5, 3}, axis=1),
                 naive({3, 4}, {3, -5. / 3, -2, 4, 2, -14. / 3, -6, 0, 9, -1, -31. / 6, -8. / 3}));
    expect_equal(gradient(array<int, 1>{1, 4}), naive({2}, {3, 3}));
    EXPECT_EQ(gradient(array<float, 1>{1, 4}).dtype(), dtype::float32);
    EXPECT_THROW((void)gradient(array<double, 1>{1}), error);
    expect_equal(grad(gradient(x(0))(1), x), naive({3, 4}, {-0.5, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(along_axes, integrals) {
    const auto x = to_array<double, 2>(numbers);
    expect_equal(trapezoid(x), naive({3}, {10.5, 14, 16}));
    expect_equal(trapezoid(x, 0.5, axis=0), naive({4}, {2.75, 6.75, 3.5, 4}));
    expect_equal(trapezoid(x, array<double, 1>{0, 1, 1.5, 3}), naive({3}, {11.5, 13, 14.25}));
    expect_equal(trapezoid(array<int, 1>{1, 2}), naive({}, {1.5}));
    expect_equal(trapezoid(array<double, 1>{4}), naive({}, {0}));
}

TEST_F(along_axes, coordinates_are_one_per_element) {
    const auto x = to_array<double, 2>(numbers);
    const array<double, 1> three = {0, 1, 3}, four = {0, 1, 1.5, 3}, two = {0, 1};
    EXPECT_EQ(message_of([&] { return gradient(x, three, axis=1); }),
              "gradient: 3 coordinates for axis 1 of extent 4; give one per element of the axis");
    EXPECT_THROW((void)gradient(x, four, axis=0), error) << "more would be read as if they were the first ones";
    EXPECT_THROW((void)gradient(x, x(all, range(0, 3)), axis=1), error);
    EXPECT_EQ(message_of([&] { return trapezoid(x, two, axis=1); }),
              "trapezoid: 2 coordinates for axis 1 of extent 4; give one per element of the axis");
    EXPECT_THROW((void)trapezoid(x, four, axis=0), error);
    expect_equal(gradient(x, three(all, newaxis), axis=0), to_naive(gradient(x, three, axis=0)));
    expect_equal(trapezoid(x, four(newaxis, all)), naive({3}, {11.5, 13, 14.25}));
}

TEST_F(along_axes, cumulative_functions_may_begin_with_nothing) {
    const auto x = to_array<double, 2>(numbers);
    expect_equal(cumulative_sum(x, axis=1), naive({3, 4}, {1, 5, 7, 15, 5, 12, 15, 18, 0, 9, 15, 17}));
    expect_equal(cumulative_sum(x, axis=1, include_initial),
                 naive({3, 5}, {0, 1, 5, 7, 15, 0, 5, 12, 15, 18, 0, 0, 9, 15, 17}));
    expect_equal(cumulative_prod(x, axis=0, include_initial),
                 naive({4, 4}, {1, 1, 1, 1, 1, 4, 2, 8, 5, 28, 6, 24, 0, 252, 36, 48}));
    EXPECT_EQ(to_host(cumulative_sum(array<std::int8_t, 1>{100, 100}, include_initial)),
              (std::vector<std::int64_t>{0, 100, 200}));
    EXPECT_EQ(to_host(cumulative_sum(empty<float>({0}), include_initial)), (std::vector<float>{0}));
}

TEST_F(along_axes, angles_without_jumps) {
    const double pi = 3.141592653589793;
    const array<double, 1> x = {0, 2, 4, 6, 8, 1, -5, 3, 3 + pi, 3};
    expect_equal(unwrap(x), naive({10}, {0, 2, 4, 6, 8, 1 + 2 * pi, -5 + 4 * pi, 3 + 2 * pi, 3 + 3 * pi, 3 + 2 * pi}));
    expect_equal(unwrap(array<int, 1>{0, 1, 2, -1, 0}, 4), naive({5}, {0, 1, 2, 3, 4}));
    expect_equal(unwrap(transpose(x(newaxis, all)), axis=0), naive({10, 1}, to_host(unwrap(x))));
    EXPECT_EQ(unwrap(empty<double>({0})).size(), 0);
}

TEST_F(along_axes, covariances) {
    const auto x = to_array<double, 2>(numbers);
    const double a = 115. / 12, b = -1.5, c = 1. / 12, d = 11. / 3;
    expect_equal(cov(x), naive({3, 3}, {a, b, c, b, d, 3.5, c, 3.5, 16.25}));
    expect_equal(cov(x(0), x(1), ddof=0), naive({2, 2}, {0.75 * a, 0.75 * b, 0.75 * b, 0.75 * d}));
    expect_equal(cov(x(0)), naive({}, {a}));
    const double r = b / std::sqrt(a * d), s = c / std::sqrt(a * 16.25), t = 3.5 / std::sqrt(d * 16.25);
    expect_equal(corrcoef(x), naive({3, 3}, {1, r, s, r, 1, t, s, t, 1}));
    expect_equal(corrcoef(x(0), x(1)), naive({2, 2}, {1, r, r, 1}));
    const array<std::complex<double>, 2> z = {{{1, 1}, {2, -1}, {0, 3}}, {{0, 0}, {1, 0}, {1, -1}}};
    expect_equal(real(cov(z)), naive({2, 2}, {5, -1, -1, 2. / 3}));
    expect_equal(imag(cov(z)), naive({2, 2}, {0, -0.5, 0.5, 0}));
}

TEST_F(along_axes, products_of_any_rank) {
    const array<double, 3> a = reshape(arange<double>(24), {2, 3, 4}), b = reshape(arange<double>(24), {3, 4, 2});
    expect_equal(tensordot(a, b), naive({2, 2}, {1012, 1078, 2596, 2806}));
    expect_equal(tensordot(a, b, {2, 1}, {1, 0}), naive({2, 2}, {1012, 1078, 2596, 2806}));
    expect_equal(tensordot(a, b, {-2}, {0})(1, 3, all, 1),
                 naive({4}, {15 * 1 + 19 * 9 + 23 * 17, 15 * 3 + 19 * 11 + 23 * 19, 15 * 5 + 19 * 13 + 23 * 21,
                             15 * 7 + 19 * 15 + 23 * 23}));
    expect_equal(tensordot<1>(a(0), array<double, 1>{1, 0, 0, -1}), naive({3}, {-3, -3, -3}));
    expect_equal(tensordot<1>(array<double, 1>{1, 2}, array<double, 1>{3, 4}), naive({}, {11}));
    EXPECT_THROW((void)tensordot<1>(a, b(all, 0)(range(0, 2))), error);
    EXPECT_THROW((void)tensordot(a, b, {0, 0}, {0, 1}), error);

    const array<int, 2> p = {{1, 2}, {3, 4}}, q = {{0, 1}, {1, 1}};
    expect_equal(kron(p, q), naive({4, 4}, {0, 1, 0, 2, 1, 1, 2, 2, 0, 3, 0, 4, 3, 3, 4, 4}));
    expect_equal(kron(array<int, 1>{1, 10}, array<int, 1>{1, 2, 3}), naive({6}, {1, 2, 3, 10, 20, 30}));

    const array<double, 2> u = {{1, 2, 3}, {0, 1, 0}}, v = {{4, 5, 6}, {1, 0, 0}};
    expect_equal(cross(u, v), naive({2, 3}, {-3, 6, -3, 0, 0, -1}));
    expect_equal(cross(transpose(u), transpose(v), axis=0), naive({3, 2}, {-3, 0, 6, 0, -3, -1}));
    expect_equal(cross(u, v(0)), naive({2, 3}, {-3, 6, -3, 6, 0, -4}));
    EXPECT_THROW((void)cross(u, p), error);
    EXPECT_THROW((void)cross(u, v, axis=0), error);
    expect_equal(grad(sum(cross(u, v)), u), naive({2, 3}, {-1, 2, -1, 0, -1, 1}));

    expect_equal(diag(array<int, 1>{1, 2}), naive({2, 2}, {1, 0, 0, 2}));
    expect_equal(diag(array<int, 1>{1, 2}, 1), naive({3, 3}, {0, 1, 0, 0, 0, 2, 0, 0, 0}));
    expect_equal(diag(array<int, 1>{1, 2}, -1), naive({3, 3}, {0, 0, 0, 1, 0, 0, 0, 2, 0}));
    expect_equal(diag(p, 1), naive({1}, {2}));
    expect_equal(diag(empty<int>({0}), 2), naive({2, 2}, {0, 0, 0, 0}));
}

TEST_F(along_axes, polynomials) {
    const array<int, 1> x = {0, 1, -2};
    expect_equal(polyval({2, -1, 0.5}, x), naive({3}, {0.5, 1.5, 10.5}));
    expect_equal(polyval(array<double, 1>{2, -1, 0.5}, x), naive({3}, {0.5, 1.5, 10.5}));
    expect_equal(polyval({7}, x), naive({3}, {7, 7, 7}));
    EXPECT_EQ(polyval({2, 1}, array<float, 2>{{1, 2}}).dtype(), dtype::float32);
    const array<double, 1> w = {1, 3};
    expect_equal(grad(sum(polyval({1, 2, 3, 4}, w)), w), naive({2}, {3 + 4 + 3, 27 + 12 + 3}));
    expect_equal(vander(array<int, 1>{1, 2, 3}, 3), naive({3, 3}, {1, 1, 1, 4, 2, 1, 9, 3, 1}));
    expect_equal(vander(array<double, 1>{0, 2}, 3, true), naive({2, 3}, {1, 0, 0, 1, 2, 4}));
}

TEST_F(along_axes, windows_by_which_signals_are_multiplied) {
    expect_equal(bartlett(5), naive({5}, {0, 0.5, 1, 0.5, 0}));
    expect_equal(blackman(4), naive({4}, {0, 0.63, 0.63, 0}));
    expect_equal(hamming(5), naive({5}, {0.08, 0.54, 1, 0.54, 0.08}));
    expect_equal(hanning(4), naive({4}, {0, 0.75, 0.75, 0}));
    expect_equal(kaiser(5, 8.6),
                 naive({5}, {0.00133251399790242, 0.34039362244018856, 1, 0.34039362244018856, 0.00133251399790242}));
    for (const auto& one : {to_host(bartlett(1)), to_host(blackman(1)), to_host(hamming(1)), to_host(kaiser(1, 2))})
        EXPECT_NEAR(one.at(0), 1, 1e-12);
    EXPECT_EQ(hanning(0).size(), 0);
    EXPECT_EQ(hanning<float>(3).dtype(), dtype::float32);
    EXPECT_THROW((void)hanning(-1), error);
}

TEST_F(along_axes, nan_left_out) {
    const array<double, 2> x = {{NaN, 1, 5, 2}, {3, NaN, NaN, -inf}};
    EXPECT_EQ(to_host(nanargmax(x, axis=1)), (std::vector<std::int64_t>{2, 0}));
    EXPECT_EQ(to_host(nanargmin(x, axis=1)), (std::vector<std::int64_t>{1, 3}));
    EXPECT_EQ(item(nanargmax(array<int, 1>{1, 3, 2})), 1);
    expect_equal(nancumsum(x, axis=1), naive({2, 4}, {0, 1, 6, 8, 3, 3, 3, -infinity}));
    expect_equal(nancumprod(x(0)), naive({4}, {1, 1, 5, 10}));
}

TEST_F(along_axes, integers_are_rounded_already) {
    const array<std::int8_t, 1> i = {-128, 0, 127};
    for (const auto& same :
         {to_host(floor(i)), to_host(ceil(i)), to_host(trunc(i)), to_host(round(i)), to_host(rint(i))})
        EXPECT_EQ(same, (std::vector<std::int8_t>{-128, 0, 127}));
    EXPECT_EQ(floor(array<bool, 1>{true}).dtype(), dtype::float64);
    expect_equal(floor(array<double, 1>{-1.5}), naive({1}, {-2}));
}

TEST_F(along_axes, complex_numbers) {
    using z = std::complex<double>;
    const array<z, 1> x = {z(1e-10, 1e-10), z(0.3, -0.4), z(-0.7, 2), z(5, -3), z(-2, 0)};
    const auto expect_parts = [](const auto& e, const naive& re, const naive& im) {
        expect_equal(real(e), re);
        expect_equal(imag(e), im);
    };
    expect_parts(
        expm1(x),
        naive({5}, {1e-10, 2.4330229506950263e-01, -1.2066524032485968, -147.92791390831894, -0.8646647167633873}),
        naive({5}, {1.0000000001e-10, -0.52565977919697882, 0.45154373893697813, -20.944066208745966, 0}));
    expect_parts(log1p(x), naive({5}, {1e-10, 0.30759281954511686, 0.70427248502735518, 1.90333124488516, 0}),
                 naive({5}, {9.999999999e-11, -0.29849893158617929, 1.4219063791853994, -0.46364760900080609,
                             3.141592653589793}));
    expect_parts(sign(x), naive({5}, {0.7071067811865476, 0.6, -0.33035042472810605, 0.8574929257125441, -1}),
                 naive({5}, {0.7071067811865476, -0.8, 0.9438583563660174, -0.5144957554275265, 0}));
    // small numbers keep their digits
    const array<z, 1> tiny = {z(1e-20, -3e-20)};
    EXPECT_EQ(to_host(log1p(tiny)), (std::vector<z>{z(1e-20, -3e-20)}));
    EXPECT_EQ(to_host(expm1(tiny)), (std::vector<z>{z(1e-20, -3e-20)}));
    const array<std::complex<float>, 1> w = {{1.5F, -2.5F}, {0.4F, 0.6F}, {0, 0}, {0, HUGE_VALF}};
    EXPECT_EQ(to_host(round(w)), (std::vector<std::complex<float>>{{2, -2}, {0, 1}, {0, 0}, {0, HUGE_VALF}}));
    EXPECT_EQ(to_host(round(w, 0)), to_host(round(w)));  // an infinite part leaves the other one as it is
    const array<std::complex<float>, 1> tens = {{15, -HUGE_VALF}, {HUGE_VALF, 26}};
    EXPECT_EQ(to_host(round(tens, -1)), (std::vector<std::complex<float>>{{20, -HUGE_VALF}, {HUGE_VALF, 30}}));
    EXPECT_EQ(to_host(isinf(w)), (std::vector<bool>{false, false, false, true}));
    EXPECT_EQ(to_host(sign(w))[2], (std::complex<float>(0, 0)));
    EXPECT_EQ(sign(w).dtype(), dtype::complex64);
    array<z, 1> variable = {z(0.4, 1.6)};  // not constant, and a temporary
    EXPECT_EQ(to_host(round(variable)), (std::vector<z>{z(0, 2)}));
    EXPECT_EQ(to_host(round(variable * 2)), (std::vector<z>{z(1, 3)}));
}

TEST_F(along_axes, one_bound_of_clip) {
    const array<int, 1> i = {-3, 2, 9};
    expect_equal(clip(i, 0, std::nullopt), naive({3}, {0, 2, 9}));
    expect_equal(clip(i, std::nullopt, 5), naive({3}, {-3, 2, 5}));
    expect_equal(clip(i * 2, std::nullopt, i), naive({3}, {-6, 2, 9}));
}

TEST_F(along_axes, equality_is_a_bool) {
    const array<double, 2> x = {{1, 2}, {3, NaN}};
    const array<double, 1> row = {1, 2};
    EXPECT_TRUE(allclose(x(0), row + 1e-9));
    EXPECT_FALSE(allclose(x, row));
    EXPECT_FALSE(allclose(x, x));
    EXPECT_TRUE(allclose(x, x, 1e-5, 1e-8, true));
    EXPECT_TRUE(allclose(empty<double>({0}), 1));
    EXPECT_TRUE(array_equal(x(0), row));
    EXPECT_FALSE(array_equal(x, x));
    EXPECT_TRUE(array_equal(x, x, true));
    EXPECT_FALSE(array_equal(x, row));
    EXPECT_FALSE(array_equal(row, array<double, 1>{1, 2, 3}));
    EXPECT_FALSE(array_equal(row, row(range(0, 1))));
    EXPECT_TRUE(array_equiv(broadcast_to(row, {3, 2}), row));
    EXPECT_FALSE(array_equiv(x, row));
    EXPECT_FALSE(array_equiv(row, array<double, 1>{1, 2, 3}));
}

TEST(dtypes, limits_and_kinds) {
    static_assert(finfo<float>().eps == 0x1p-23 && finfo(dtype::complex64).max == 0x1.fffffep127);
    static_assert(finfo<double>().smallest_normal == 0x1p-1022 && finfo<double>().max == 0x1.fffffffffffffp1023);
    static_assert(finfo(dtype::float16).max == 65504 && finfo(dtype::float16).smallest_normal == 0x1p-14);
    static_assert(finfo(dtype::bfloat16).eps == 0x1p-7 && finfo(dtype::bfloat16).bits == 16);
    static_assert(iinfo<std::int8_t>().min == -128 && iinfo<std::uint64_t>().max == ~std::uint64_t{0});
    EXPECT_THROW((void)finfo(dtype::int32), error);
    const array<float, 1> x = {1};
    const array<std::int8_t, 1> i = {1};
    EXPECT_EQ(result_type(x, 1.0), dtype::float32);
    EXPECT_EQ(result_type(i, 1.0, x), dtype::float32);
    EXPECT_EQ(result_type(i, dtype::uint8), dtype::int16);
    EXPECT_EQ(result_type(dtype::bool_, dtype::complex64), dtype::complex64);
    static_assert(result_type(dtype::int32, dtype::uint32) == dtype::int64);
    static_assert(can_cast(dtype::int8, dtype::float32) && !can_cast(dtype::float64, dtype::float32));
    EXPECT_TRUE(can_cast(i, dtype::int16));
    static_assert(isdtype(dtype::uint8, "integral") && !isdtype(dtype::uint8, "signed integer"));
    static_assert(isdtype(dtype::float16, "real floating") && !isdtype(dtype::bool_, "numeric"));
    static_assert(isdtype(dtype::int8, dtype::int8, dtype::int16) && !isdtype(dtype::int8, dtype::int32));
    static_assert(isdtype(dtype::complex64, "complex floating") && isdtype(dtype::complex64, "numeric"));
    EXPECT_THROW((void)isdtype(dtype::int8, "floating"), error);
}

}  // namespace
}  // namespace sinter::test
