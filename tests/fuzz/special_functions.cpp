// Inverses by Newton's iteration, the rest by series and continued fractions.
#include <tests/fuzz/special_functions.hpp>

#include <cmath>
#include <limits>

namespace sinter::fuzz {
namespace {

constexpr real pi = 3.14159265358979323846264338327950288L;
constexpr real infinity = std::numeric_limits<real>::infinity(), none = std::numeric_limits<real>::quiet_NaN();

/// exp(factor x^2), where the rounding of x^2 alone would cost digits.
real exp_of_square(real x, real factor) {
    const real square = x * x, rest = std::isinf(square) ? 0 : std::fma(x, x, -square);
    return std::exp(factor * square) * (1 + factor * rest);
}

/// What sin and cos of pi x repeat after: x = quarter / 2 + rest, exactly.
struct turn {
    int quarter;
    real rest;
};
turn turn_of(real x) {
    const real within = std::fmod(x, real(2)), quarter = std::rint(2 * within);
    return {static_cast<int>(quarter) & 3, within - quarter / 2};
}
real quarter_wave(int quarter, real rest) {
    const real value = quarter % 2 == 0 ? std::sin(pi * rest) : std::cos(pi * rest);
    return quarter < 2 ? value : -value;
}

/// The y >= 0 with erfc(y) = q, for q from 0 to 0.5: log(erfc) bends one way, so that Newton's steps end.
real erfc_inverse_of_small(real q) {
    real y = std::sqrt(std::fmax(-std::log(q), real(0.1)));
    for (int i = 0; i < 60; ++i) {
        const real tail = std::erfc(y);
        const real step = std::log(tail / q) * tail * std::sqrt(pi) / (2 * exp_of_square(y, -1));
        y += step;
        if (std::fabs(step) <= 1e-18L * y) break;
    }
    return y;
}

}  // namespace

real sin_of_pi(real x) {
    if (!std::isfinite(x)) return none;
    const turn t = turn_of(x);
    return quarter_wave(t.quarter, t.rest);
}
real cos_of_pi(real x) {
    if (!std::isfinite(x)) return none;
    const turn t = turn_of(x);
    return quarter_wave((t.quarter + 1) & 3, t.rest);
}

real erf_inverse(real x) {
    const real size = std::fabs(x);
    if (!(size <= 1)) return none;
    if (size == 1) return x * infinity;
    if (size > 0.5L) return std::copysign(erfc_inverse_of_small(1 - size), x);
    real y = x * std::sqrt(pi) / 2;
    for (int i = 0; i < 60 && x != 0; ++i) {
        const real step = (x - std::erf(y)) * std::sqrt(pi) / (2 * exp_of_square(y, -1));
        y += step;
        if (std::fabs(step) <= 1e-18L * std::fabs(y)) break;
    }
    return y;
}

real erfc_inverse(real x) {
    if (!(x >= 0 && x <= 2)) return none;
    if (x == 0) return infinity;
    if (x == 2) return -infinity;
    if (x <= 0.5L) return erfc_inverse_of_small(x);
    return x >= 1.5L ? -erfc_inverse_of_small(2 - x) : erf_inverse(1 - x);
}

real scaled_erfc(real x) {
    if (x < -100) return infinity;  // no dtype has it
    if (x < 0) return 2 * exp_of_square(x, 1) - scaled_erfc(-x);
    if (x < 8) return exp_of_square(x, 1) * std::erfc(x);
    real below = x;  // Laplace's continued fraction, from its far end
    for (int k = 60; k > 0; --k) below = x + k / (2 * below);
    return 1 / (below * std::sqrt(pi));
}

real normal_below(real x) {
    const real in_roots = std::fabs(x) / std::sqrt(real(2));
    const real tail = std::isinf(x) ? 0 : exp_of_square(x, -0.5L) * scaled_erfc(in_roots) / 2;
    return std::isnan(x) ? x : x < 0 ? tail : 1 - tail;
}

real normal_quantile(real p) { return -std::sqrt(real(2)) * erfc_inverse(2 * p); }

real modified_bessel(int order, real x) {
    if (!std::isfinite(x)) return order % 2 == 0 ? std::fabs(x) : x;
    if (std::fabs(x) > 2000) return std::copysign(infinity, order % 2 == 0 ? real(1) : x);  // no dtype has it
    real term = 1;  // (x/2)^n / n!, and from there one factor of the series a step; nothing cancels
    for (int n = 1; n <= order; ++n) term *= x / 2 / n;
    real sum = 0;
    for (int k = 1; k < 4000; ++k) {
        sum += term;
        term *= x / 2 * (x / 2) / (static_cast<real>(k) * static_cast<real>(k + order));
        if (std::fabs(term) <= 1e-21L * std::fabs(sum)) break;
    }
    return sum;
}

}  // namespace sinter::fuzz
