// Examples of functions that are composed of rows of the op table, and of functions of your own.
#include <sinter/polynomial.hpp>
#include "show.hpp"

using namespace sinter;

SINTER_UNARY(softsign, floating, x / (T(1) + abs(x)))
SINTER_BINARY(weighted, floating, x* T(0.25) + y * T(0.75))
SINTER_TERNARY(between, same, x<y ? y : x> z ? z : x)

int main() {
    SECTION(operands);
    DO(array<double, 1> x = {-1.5, 0, 0.5, 2});
    DO(array<int, 1> i = {7, -7, 0, 2});
    DO(array<std::complex<double>, 1> z = {{3, 4}, {0, -1}});

    SECTION(real, imag, conj, abs, arg, abs2);
    SHOW(real(z));
    SHOW(imag(z));
    SHOW(conj(z));
    SHOW(abs(z));
    SHOW(arg(z));
    SHOW(abs2(z));
    SECTION(complex, polar);
    SHOW(complex(x, i));
    SHOW(complex(i, 1));
    SHOW(polar(2, x));
    SECTION(remainder, negative, positive, operator+, logical_and, logical_or, logical_not);
    SHOW(remainder(i, 3));
    SHOW(negative(i));
    SHOW(positive(i));
    SHOW(+i);
    SHOW(logical_and(x > 0, i > 0));
    SHOW(logical_or(x > 0, i > 0));
    SHOW(logical_not(x > 0));
    SECTION(deg2rad, rad2deg, sinc);
    SHOW(rad2deg(x));
    SHOW(deg2rad(i));
    SHOW(sinc(x));
    SECTION(round);
    SHOW(round(x * 1.234, 1));
    SECTION(modf, frexp);
    DO(auto [fraction, whole] = modf(x));
    SHOW(fraction);
    SHOW(whole);
    DO(auto [part, exponent] = frexp(x));
    SHOW(part);
    SHOW(exponent);
    SECTION(isclose, nan_to_num);
    SHOW(isclose(x, x + 1e-6));
    SHOW(nan_to_num(x / 0, -1));
    SHOW(nan_to_num(x / 0, 0, 9, -9));
    SECTION(bit_cast);
    SHOW(bit_cast<std::int64_t>(x));
    SECTION(relu, leaky_relu, elu, selu, gelu);
    SHOW(relu(x));
    SHOW(leaky_relu(x, 0.1));
    SHOW(elu(x));
    SHOW(selu(x));
    SHOW(gelu(x));
    SECTION(sigmoid, silu, softplus, mish, hardswish);
    SHOW(sigmoid(x));
    SHOW(silu(x));
    SHOW(softplus(x));
    SHOW(mish(x));
    SHOW(hardswish(x));
    SECTION(SINTER_UNARY, SINTER_BINARY, SINTER_TERNARY);
    SHOW(softsign(x));
    SHOW(weighted(x, 4));
    SHOW(between(x, 0, 1));
    SECTION(custom, custom_reduce);
    DO(auto squares = custom<double>("x * x", x));
    SHOW(launches<decltype(squares)>);
    FAILS(to_string(squares));
    FAILS(to_string(custom_reduce<double>("x > y ? x : y", "T(0)", x)));

    SECTION(floor, ceil, trunc, rint, sign, isinf, expm1, log1p, clip);
    SHOW(floor(i));
    SHOW(sign(z));
    SHOW(rint(z * 1.3));
    SHOW(isinf(z));
    SHOW(expm1(1e-12 * z));
    SHOW(log1p(1e-12 * z));
    SHOW(clip(i, 0, std::nullopt));
    SHOW(clip(i, std::nullopt, 5));
    SECTION(allclose, array_equal, array_equiv);
    SHOW(allclose(x, x + 1e-9));
    SHOW(array_equal(x, x(range(0, 2))));
    SHOW(array_equiv(full({2, 4}, 0.5) * 0 + x, x));
    SECTION(polyval, vander);
    SHOW(polyval({1, 0, -2}, x));
    SHOW(polyval(array<double, 1>{1, 0, -2}, x));
    SHOW(vander(x, 3));
}
