// What elementwise operations give of floating operands.
#include <tests/fuzz/intervals.hpp>
#include <tests/fuzz/special_functions.hpp>
#include <tests/fuzz/tables.hpp>

#include <cmath>
#include <limits>

namespace sinter::fuzz {

known divided(dtype type, const known* in) {
    if (!in[0].is_sure() || !in[1].is_sure())
        return in[0].state == certainty::unknown || in[1].state == certainty::unknown ? unknown() : not_a_number();
    if (in[1].lo > 0 || in[1].hi < 0) return at_corners<[](real x, real y, real) { return x / y; }, 2, 0>(type, in);
    if (!in[1].is_point()) return unknown();
    if (in[0].is_point() && in[0].lo == 0) return not_a_number();
    constexpr real infinity = std::numeric_limits<real>::infinity();
    if (in[0].lo > 0 || in[0].hi < 0) return {-infinity, infinity};  // by the sign of the zero
    return unknown();
}

namespace {

known tangent(dtype type, const known* in) {
    if (in[0].is_sure() && !in[0].is_point() && std::floor(in[0].lo / pi + 0.5L) != std::floor(in[0].hi / pi + 0.5L))
        return unknown();  // a pole lies between
    return at_corners<[](real x, real, real) { return std::tan(x); }, 1, function_ulps>(type, in);
}

/// gamma has its least value, 0.8856, at 1.4616: on either side it is monotone.
known gamma_function(dtype type, const known* in) {
    constexpr real lowest_at = 1.461632144968362341L;
    if (!in[0].is_sure()) return in[0];
    if (in[0].lo <= 0) return unknown();  // between the poles nothing is monotone, and -0 and 0 differ
    known x = at_corners<[](real v, real, real) { return std::tgamma(v); }, 1, gamma_ulps>(type, in);
    if (in[0].lo < lowest_at && in[0].hi > lowest_at) x.lo = 0.88L;
    return x;
}
known log_of_gamma(dtype type, const known* in) {
    if (!in[0].is_sure()) return in[0];
    if (in[0].lo <= 0) return unknown();
    known x = at_corners<[](real v, real, real) { return std::lgamma(v); }, 1, gamma_ulps>(type, in);
    if (in[0].hi > 1.2L && in[0].lo < 1.8L) x.lo = std::fmin(x.lo, -0.13L);  // least value: -0.1215
    return x;
}

known power(dtype type, const known* in) {
    // Below 0 only integral powers are defined. At 0 the sign of a zero base decides.
    if (!in[0].is_sure() || !in[1].is_sure()) return unknown();
    const bool points = in[0].is_point() && in[1].is_point();
    if (in[0].lo <= 0 && !(points && in[0].lo < 0)) return unknown();
    return at_corners<[](real x, real y, real) { return std::pow(x, y); }, 2, function_ulps>(type, in);
}

known angle(dtype type, const known* in) {
    if (!in[0].is_sure() || !in[1].is_sure()) return unknown();
    // On the negative half of the x axis the sign of a zero y decides.
    if (in[0].lo <= 0 && in[0].hi >= 0 && in[1].lo <= 0) return unknown();
    return at_corners<[](real y, real x, real) { return std::atan2(y, x); }, 2, function_ulps>(type, in);
}

known inverse(dtype type, const known* in) {
    const known operands[] = {exactly(1), in[0]};
    return divided(type, operands);
}
known inverse_root(dtype type, const known* in) {
    if (in[0].is_sure() && in[0].lo <= 0 && !(in[0].hi < 0)) return unknown();
    return at_corners<[](real x, real, real) { return 1 / std::sqrt(x); }, 1, 3>(type, in);
}

known product(dtype type, const known* in) {
    // nothing times infinity: NaN, which the corners of an interval about 0 do not show
    for (int i = 0; i < 2; ++i)
        if (may_vanish(in[i]) && may_be_infinite(in[1 - i]) && !(in[0].is_point() && in[1].is_point()))
            return unknown();
    known x = at_corners<[](real a, real b, real) { return a * b; }, 2, 0>(type, in);
    // The product of two float64 values may need more digits than the reference has.
    if (x.is_sure() && x.lo == x.hi && std::isfinite(x.lo) && in[0].is_point() && in[1].is_point() &&
        std::fma(in[0].lo, in[1].lo, -x.lo) != 0)
        return rounded(type, x.lo, x.hi, 1);
    return x;
}
known squared(dtype type, const known* in) {
    const known operands[] = {mirrored(in[0]), mirrored(in[0])};
    return product(type, operands);
}

known negated(const known& x) { return x.is_sure() ? truth(x.integer == 0) : x; }

/// A point decides; so does an interval with finite ends, which no infinity is in.
known is_infinite(dtype, const known* in) {
    if (in[0].state == certainty::nan) return truth(false);
    if (!in[0].is_sure() || (!in[0].is_point() && may_be_infinite(in[0]))) return unknown();
    return truth(std::isinf(in[0].lo));
}
known is_finite(dtype type, const known* in) {
    return in[0].state == certainty::nan ? truth(false) : negated(is_infinite(type, in));
}
known sign_bit(dtype, const known* in) {
    return in[0].is_sure() && (in[0].lo > 0 || in[0].hi < 0) ? truth(in[0].hi < 0) : unknown();
}
/// 0 below 0, 1 above it, and there the second operand.
known step_at_zero(dtype, const known* in) {
    if (!in[0].is_sure()) return in[0];
    if (in[0].lo > 0 || in[0].hi < 0) return exactly(in[0].lo > 0 ? 1 : 0);
    return in[0].is_point() ? in[1] : unknown();
}

/// A Bessel function of slope at most 1 (y0 and y1 beyond 0.5: 4). CUDA's errors are of the order of 1, not of the
/// result, and grow with x.
template <auto F, bool Second>
known bessel(dtype type, const known* in) {
    if (!in[0].is_sure()) return in[0];
    const real lo = in[0].lo, hi = in[0].hi;
    if (Second && hi < 0) return not_a_number();
    if (Second && lo == 0 && hi == 0) return exactly(-std::numeric_limits<real>::infinity());
    if ((Second && (lo <= 0 || (lo < 0.5L && lo != hi))) || std::fmax(std::fabs(lo), std::fabs(hi)) > 1e4L)
        return unknown();
    const real middle = F(lo / 2 + hi / 2, 0, 0), off = (Second ? 4 : 1) * (hi / 2 - lo / 2);
    const real slack = computed_in(type) == dtype::float32 ? 1e-5L : 2e-11L;
    return rounded(type, middle - off - slack, middle + off + slack, special_ulps);
}

known fused(dtype type, const known* in) {
    for (int i = 0; i < 2; ++i)
        if (may_vanish(in[i]) && may_be_infinite(in[1 - i]) && !(in[0].is_point() && in[1].is_point()))
            return unknown();
    return at_corners<[](real x, real y, real z) { return std::fma(x, y, z); }, 3, 0>(type, in);
}

/// log(e^x + e^y) by the larger of them, whose roundings are left where the logarithm cancels it.
template <auto F>
known log_of_sum(dtype type, const known* in) {
    known x = at_corners<F, 2, function_ulps>(type, in);
    if (!x.is_sure() || !std::isfinite(x.lo) || !std::isfinite(x.hi)) return x;
    real largest = 1;
    for (int i = 0; i < 2; ++i)
        for (real end : {in[i].lo, in[i].hi})
            if (std::isfinite(end)) largest = std::fmax(largest, std::fabs(end));
    const real off = function_ulps * largest * (computed_in(type) == dtype::float32 ? 0x1p-23L : 0x1p-52L);
    return {x.lo - off, x.hi + off};
}
real log_add(real x, real y, real) {
    return x == y ? x + std::log(real(2)) : std::fmax(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
}
real log2_add(real x, real y, real) {
    return x == y ? x + 1 : std::fmax(x, y) + std::log1p(std::exp2(-std::fabs(x - y))) / std::log(real(2));
}

enum class order { less, less_equal, equal };

template <order O>
known compared(const known& x, const known& y) {
    if (x.state == certainty::nan || y.state == certainty::nan) return truth(false);
    if (!x.is_sure() || !y.is_sure()) return unknown();
    if (O == order::less && x.hi < y.lo) return truth(true);
    if (O == order::less && x.lo >= y.hi) return truth(false);
    if (O == order::less_equal && x.hi <= y.lo) return truth(true);
    if (O == order::less_equal && x.lo > y.hi) return truth(false);
    if (O == order::equal && x.is_point() && y.is_point()) return truth(x.lo == y.lo);
    if (O == order::equal && (x.hi < y.lo || x.lo > y.hi)) return truth(false);
    return unknown();
}
real sign_of(real x, real, real) { return std::isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : 0; }
real positive_difference(real x, real y, real) { return std::isnan(x) || std::isnan(y) || x > y ? x - y : 0; }
real greater_of(real x, real y, real) { return std::isnan(x) || std::isnan(y) ? x + y : x > y ? x : y; }
real lesser_of(real x, real y, real) { return std::isnan(x) || std::isnan(y) ? x + y : x < y ? x : y; }
real clipped(real x, real y, real z) { return lesser_of(greater_of(x, y, 0), z, 0); }

#define F1(value) [](real x, real, real) { return value; }
#define F2(value) [](real x, real y, real) { return value; }
#define FUNCTION(name, value) \
    { #name, at_corners<F1(value), 1, function_ulps> }
#define SINTER_SPECIAL(name, value) \
    { #name, at_corners<F1(value), 1, special_ulps> }
#define WHOLE(name) \
    { #name, at_corners<F1(std::name(x)), 1, unrounded> }
#define ROUNDED(name, value) \
    { #name, at_corners<F1(value), 1, 0> }

constexpr meaning rows[] = {
    {"negative", at_corners<F1(-x), 1, unrounded>},
    {"add", at_corners<F2(x + y), 2, 0>},
    {"subtract", at_corners<F2(x - y), 2, 0>},
    {"multiply", product},
    {"divide", divided},
    {"abs", even<F1(x), 1, unrounded>},
    {"square", squared},
    {"reciprocal", inverse},
    {"maximum", at_corners<greater_of, 2, unrounded>},
    {"minimum", at_corners<lesser_of, 2, unrounded>},
    {"fmax", at_corners<F2(std::fmax(x, y)), 2, unrounded>},
    {"fmin", at_corners<F2(std::fmin(x, y)), 2, unrounded>},
    {"fdim", at_corners<positive_difference, 2, 0>},
    {"sign", at_corners<sign_of, 1, unrounded>},
    {"heaviside", step_at_zero},
    {"clip", at_corners<clipped, 3, unrounded>},
    {"fma", fused},

    FUNCTION(exp, std::exp(x)),
    FUNCTION(exp2, std::exp2(x)),
    FUNCTION(exp10, std::pow(real(10), x)),
    FUNCTION(expm1, std::expm1(x)),
    FUNCTION(log, std::log(x)),
    FUNCTION(log2, std::log2(x)),
    FUNCTION(log10, std::log10(x)),
    FUNCTION(log1p, std::log1p(x)),
    {"logaddexp", log_of_sum<log_add>},
    {"logaddexp2", log_of_sum<log2_add>},
    {"pow", power},
    ROUNDED(sqrt, std::sqrt(x)),
    {"rsqrt", inverse_root},
    FUNCTION(cbrt, std::cbrt(x)),
    {"hypot", even<F2(std::hypot(x, y)), 2, function_ulps>},

    {"sin", wave<F1(std::sin(x))>},
    {"cos", wave<F1(std::cos(x))>},
    {"tan", tangent},
    {"sinpi", wave<F1(sin_of_pi(x)), 4>},
    {"cospi", wave<F1(cos_of_pi(x)), 4>},
    FUNCTION(asin, std::asin(x)),
    FUNCTION(acos, std::acos(x)),
    FUNCTION(atan, std::atan(x)),
    {"atan2", angle},
    FUNCTION(sinh, std::sinh(x)),
    {"cosh", even<F1(std::cosh(x)), 1, function_ulps>},
    FUNCTION(tanh, std::tanh(x)),
    FUNCTION(asinh, std::asinh(x)),
    FUNCTION(acosh, std::acosh(x)),
    FUNCTION(atanh, std::atanh(x)),

    WHOLE(floor),
    WHOLE(ceil),
    WHOLE(trunc),
    WHOLE(rint),
    {"round", at_corners<F1(std::rint(x)), 1, unrounded>},
    FUNCTION(erf, std::erf(x)),
    FUNCTION(erfc, std::erfc(x)),
    {"tgamma", gamma_function},
    {"lgamma", log_of_gamma},
    SINTER_SPECIAL(erfinv, erf_inverse(x)),
    SINTER_SPECIAL(erfcinv, erfc_inverse(x)),
    SINTER_SPECIAL(erfcx, scaled_erfc(x)),
    SINTER_SPECIAL(normcdf, normal_below(x)),
    SINTER_SPECIAL(normcdfinv, normal_quantile(x)),
    {"j0", bessel<F1(j0l(x)), false>},
    {"j1", bessel<F1(j1l(x)), false>},
    {"y0", bessel<F1(y0l(x)), true>},
    {"y1", bessel<F1(y1l(x)), true>},
    {"i0", even<F1(modified_bessel(0, x)), 1, special_ulps>},
    SINTER_SPECIAL(i1, modified_bessel(1, x)),

    {"less", [](dtype, const known* in) { return compared<order::less>(in[0], in[1]); }},
    {"less_equal", [](dtype, const known* in) { return compared<order::less_equal>(in[0], in[1]); }},
    {"greater", [](dtype, const known* in) { return compared<order::less>(in[1], in[0]); }},
    {"greater_equal", [](dtype, const known* in) { return compared<order::less_equal>(in[1], in[0]); }},
    {"equal", [](dtype, const known* in) { return compared<order::equal>(in[0], in[1]); }},
    {"not_equal", [](dtype, const known* in) { return negated(compared<order::equal>(in[0], in[1])); }},
    {"isnan",
     [](dtype, const known* in) { return in[0].state == certainty::unknown ? unknown() : truth(!in[0].is_sure()); }},
    {"isinf", is_infinite},
    {"isfinite", is_finite},
    {"signbit", sign_bit},
};

}  // namespace

rule floating_rule(const char* op) { return find(rows, op); }

}  // namespace sinter::fuzz
