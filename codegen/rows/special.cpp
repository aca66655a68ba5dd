// Functions of CUDA's math library that <cmath> lacks, for the host. All compute in double, which leaves float one
// rounding. docs/accuracy.md gives the error of each in ulps, as the tests measure it.
#include <sinter/op/math.hpp>

#include <limits>

namespace sinter::detail::special {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double sqrt_pi = 1.77245385090551602730;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// exp(x^2); corrects to first order for the rounding error of the square, which the exponential amplifies.
double exp_of_square(double x) {
    const double square = x * x;
    const double power = std::exp(square);
    return std::isfinite(power) ? power + power * std::fma(x, x, -square) : power;
}

/// Initial approximation of erfinv(x), given w = -log(1 - x^2): x times a polynomial, accurate to 1e-6 for w < 16.
/// M. Giles, "Approximating the erfinv function", GPU Computing Gems Jade Edition, 2012, chapter 10, table 10.5.
double inverse_guess(double x, double w) {
    constexpr double central[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                  -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
    constexpr double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                               -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
    const bool is_central = w < 5;
    const double t = is_central ? w - 2.5 : std::sqrt(w) - 3;
    double p = 0;
    for (const double c : is_central ? central : tail) p = p * t + c;
    return p * x;
}

/// The y > 0 with erfc(y) = q < 1/2, by Newton's method on log(erfc(y)), which is nearly a parabola.
double inverse_of_tail(double q) {
    const double w = -std::log(q * (2 - q));
    double y = w < 16 ? inverse_guess(1 - q, w) : std::sqrt(w - std::log(pi * w) / 2);
    for (int step = 0; step < 4; ++step) {
        const double scaled = erfcx(y);
        const double square = y * y, rest = std::fma(y, y, -square);
        // for y < 1 subtract the arguments rather than the logarithms, which would cancel
        const double off = y < 1 ? std::log1p((std::erfc(y) - q) / q) : std::log(scaled) - std::log(q) - square - rest;
        y += off * scaled * sqrt_pi / 2;
    }
    return y;
}

/// The modified Bessel function of order 0 or 1, for x >= 0; infinity where it overflows.
/// NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov/10.25.E2 (series) and 10.40.E1 (asymptotic).
double modified_bessel(int order, double at) {
    const long double x = at;
    if (at < 30) {
        const long double quarter = x * x / 4;
        long double term = order == 0 ? 1 : x / 2, sum = term;
        for (int k = 1; k < 100 && term > sum * 1e-21L; ++k) {
            term *= quarter / (static_cast<long double>(k) * (k + order));
            sum += term;
        }
        return static_cast<double>(sum);
    }
    long double term = 1, sum = 1;
    for (int k = 1; k < 40; ++k) {
        const long double odd = 2 * k - 1;
        term *= (odd * odd - 4 * order) / (8 * k * x);
        sum += term;
    }
    if (at > 720) return infinity;
    const long double half = std::exp(x / 2);  // exp(x) would overflow before the result does
    return static_cast<double>(half / std::sqrt(2 * static_cast<long double>(pi) * x) * sum * half);
}

}  // namespace

double exp10(double x) noexcept {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    return ::exp10(x);
#else
    return std::pow(10.0, x);
#endif
}

// Reduces the argument exactly, so integers and half-integers give exact results whatever their size.
double sinpi(double x) noexcept {
    if (!std::isfinite(x)) return nan;
    double r = std::remainder(x, 2.0);
    if (std::fabs(r) > 0.5) r = std::copysign(1.0, r) - r;
    if (r == 0) return std::copysign(0.0, x);
    return std::fabs(r) <= 0.25 ? std::sin(pi * r) : std::copysign(std::cos(pi * (0.5 - std::fabs(r))), r);
}

double cospi(double x) noexcept {
    if (!std::isfinite(x)) return nan;
    const double r = std::fabs(std::remainder(x, 2.0));
    if (r <= 0.25) return std::cos(pi * r);
    return r < 0.75 ? std::sin(pi * (0.5 - r)) : -std::cos(pi * (1 - r));
}

double erfinv(double x) noexcept {
    const double size = std::fabs(x);
    if (!(size < 1)) return size == 1 ? std::copysign(infinity, x) : nan;
    if (size > 0.5) return std::copysign(inverse_of_tail(1 - size), x);
    double y = inverse_guess(x, -std::log1p(-x * x));
    for (int step = 0; step < 2; ++step) {  // Halley's method
        const double off = (std::erf(y) - x) * (sqrt_pi / 2) * std::exp(y * y);
        y -= off / (1 + y * off);
    }
    return y;
}

double erfcinv(double q) noexcept {
    if (!(q >= 0 && q <= 2)) return nan;
    if (q == 0) return infinity;
    if (q == 2) return -infinity;
    if (q < 0.5) return inverse_of_tail(q);
    return q > 1.5 ? -inverse_of_tail(2 - q) : erfinv(1 - q);
}

double erfcx(double x) noexcept {
    if (x < 0) return 2 * exp_of_square(x) - erfcx(-x);
    if (x < 10) return exp_of_square(x) * std::erfc(x);
    // NIST DLMF https://dlmf.nist.gov/7.12.E1: alternating; the terms fall below an ulp before they grow
    const double half = 0.5 / x / x;
    double sum = 1;
    for (int k = 14; k > 0; --k) sum = 1 - (2 * k - 1) * half * sum;
    return sum / (x * sqrt_pi);
}

double normcdf(double x) noexcept {
    // x / sqrt(2) in two parts: for large x, erfc multiplies the relative error of its argument by 2 * argument^2
    constexpr double high = 0.70710678118654752440, low = -4.8336466567264567e-17;
    const double y = -x * high;
    if (!(y > 0) || y > 30) return std::erfc(y) / 2;
    const double rest = std::fma(-x, high, -y) - x * low;
    return (std::erfc(y) - 2 / sqrt_pi * std::exp(-y * y) * rest) / 2;
}

double normcdfinv(double p) noexcept {
    constexpr double sqrt_2 = 1.41421356237309504880;
    return -sqrt_2 * erfcinv(2 * p);
}

double cyl_bessel_i0(double x) noexcept { return std::isnan(x) ? x : modified_bessel(0, std::fabs(x)); }
double cyl_bessel_i1(double x) noexcept {
    return std::isnan(x) ? x : std::copysign(modified_bessel(1, std::fabs(x)), x);
}

double j0(double x) noexcept { return ::j0(x); }
double j1(double x) noexcept { return ::j1(x); }
double y0(double x) noexcept { return x < 0 ? nan : ::y0(x); }
double y1(double x) noexcept { return x < 0 ? nan : ::y1(x); }

}  // namespace sinter::detail::special
