// The fuzzer's own table of elementwise operations.
#include <tests/fuzz/meaning.hpp>

#include <sinter/error.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

namespace sinter::fuzz {
namespace {

constexpr real pi = 3.14159265358979323846264338327950288L;

/// How far from the right value functions may be: libmvec promises 4 units in the last place, CUDA's guide (appendix
/// "Mathematical Functions") gives the device's as up to 5, and 10 for the gamma functions.
constexpr int function_ulps = 8, gamma_ulps = 24;
/// The result is one of the numbers of the dtype by its nature: nothing is rounded.
constexpr int unrounded = -1;

using floating_op = known (*)(dtype type, const known* in);
using integer_op = std::int64_t (*)(std::int64_t x, std::int64_t y, std::int64_t z, bool is_unsigned);

/// The values of `F` on the corners of its operands' intervals. Where F is monotone in each operand, which the caller
/// answers for, these enclose all of them.
template <auto F, int Arity, int Ulps>
known at_corners(dtype type, const known* in) {
    bool points = true;
    for (int i = 0; i < Arity; ++i) {
        if (in[i].state == certainty::unknown) return unknown();
        points = points && in[i].is_point();
    }
    real lo = 0, hi = 0;
    int nans = 0;
    const int corners = points ? 1 : 1 << Arity;
    for (int corner = 0; corner < corners; ++corner) {
        real at[3] = {};
        for (int i = 0; i < Arity; ++i)
            at[i] = in[i].is_point() ? in[i].point() : corner >> i & 1 ? in[i].hi : in[i].lo;
        const real value = F(at[0], at[1], at[2]);
        if (std::isnan(value)) {
            ++nans;
            continue;
        }
        lo = corner == nans || value < lo ? value : lo;
        hi = corner == nans || value > hi ? value : hi;
    }
    if (nans == corners) return not_a_number();
    if (nans > 0) return unknown();
    return Ulps == unrounded ? known{lo, hi, 0, certainty::sure} : rounded(type, lo, hi, Ulps);
}

/// The operand's absolute value, for functions that are even.
known mirrored(const known& x) {
    if (!x.is_sure()) return x;
    const real a = std::fabs(x.lo), b = std::fabs(x.hi);
    const bool crosses = x.lo < 0 && x.hi > 0;
    return {crosses ? 0 : std::fmin(a, b), std::fmax(a, b), 0, certainty::sure};
}

template <auto F, int Arity, int Ulps>
known even(dtype type, const known* in) {
    known positive[3];
    for (int i = 0; i < Arity; ++i) positive[i] = mirrored(in[i]);
    return at_corners<F, Arity, Ulps>(type, positive);
}

/// A function whose slope is nowhere beyond 1, and whose values are nowhere beyond 1.
template <auto F>
known wave(dtype type, const known* in) {
    if (in[0].is_point()) return at_corners<F, 1, function_ulps>(type, in);
    if (!in[0].is_sure() || !std::isfinite(in[0].lo) || !std::isfinite(in[0].hi)) return unknown();
    const real middle = F(in[0].lo / 2 + in[0].hi / 2, 0, 0), off = in[0].hi / 2 - in[0].lo / 2;
    return rounded(type, std::fmax(middle - off, -1), std::fmin(middle + off, 1), function_ulps);
}

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

known divided(dtype type, const known* in) {
    if (!in[0].is_sure() || !in[1].is_sure())
        return in[0].state == certainty::unknown || in[1].state == certainty::unknown ? unknown() : not_a_number();
    if (in[1].lo > 0 || in[1].hi < 0) return at_corners<[](real x, real y, real) { return x / y; }, 2, 0>(type, in);
    if (!in[1].is_point()) return unknown();
    if (in[0].is_point() && in[0].lo == 0) return not_a_number();
    constexpr real infinity = std::numeric_limits<real>::infinity();
    if (in[0].lo > 0 || in[0].hi < 0) return {-infinity, infinity, 0, certainty::sure};  // by the sign of the zero
    return unknown();
}
known inverse(dtype type, const known* in) {
    const known operands[] = {exactly(1), in[0]};
    return divided(type, operands);
}
known inverse_root(dtype type, const known* in) {
    if (in[0].is_sure() && in[0].lo <= 0 && !(in[0].hi < 0)) return unknown();
    return at_corners<[](real x, real, real) { return 1 / std::sqrt(x); }, 1, 3>(type, in);
}

bool may_vanish(const known& x) { return x.is_sure() && x.lo <= 0 && x.hi >= 0; }
bool may_be_infinite(const known& x) { return x.is_sure() && (std::isinf(x.lo) || std::isinf(x.hi)); }

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

/// x held between y and z. With y beyond z there is no such thing.
known clipped(dtype type, const known* in) {
    if (in[1].is_sure() && in[2].is_sure() && in[1].hi > in[2].lo) return unknown();
    if (in[1].state == certainty::nan || in[2].state == certainty::nan) return unknown();
    return at_corners<[](real x, real y, real z) { return std::isnan(x) ? x : std::fmin(std::fmax(x, y), z); }, 3,
                      unrounded>(type, in);
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

using i64 = std::int64_t;
using u64 = std::uint64_t;
bool less_than(i64 x, i64 y, bool u) { return u ? static_cast<u64>(x) < static_cast<u64>(y) : x < y; }
i64 wrapping(u64 x) { return static_cast<i64>(x); }

struct meaning {
    const char* name;
    floating_op floating;
    integer_op integer;
};

#define F1(value) [](real x, real, real) { return value; }
#define F2(value) [](real x, real y, real) { return value; }
#define I(value) [](i64 x, i64 y, i64 z, bool u) -> i64 { return (void)x, (void)y, (void)z, (void)u, value; }
#define U(value)                                                    \
    [](i64 a, i64 b, i64, bool) -> i64 {                            \
        const u64 x = static_cast<u64>(a), y = static_cast<u64>(b); \
        return (void)y, wrapping(value);                            \
    }
#define FUNCTION(name, value) \
    { #name, at_corners<F1(value), 1, function_ulps>, nullptr }
#define WHOLE(name) \
    { #name, at_corners<F1(std::name(x)), 1, unrounded>, nullptr }
#define ROUNDED(name, value) \
    { #name, at_corners<F1(value), 1, 0>, nullptr }

constexpr meaning meanings[] = {
    {"negative", at_corners<F1(-x), 1, unrounded>, U(0 - x)},
    {"add", at_corners<F2(x + y), 2, 0>, U(x + y)},
    {"subtract", at_corners<F2(x - y), 2, 0>, U(x - y)},
    {"multiply", product, U(x* y)},
    {"divide", divided, nullptr},
    {"abs", even<F1(x), 1, unrounded>,
     [](i64 x, i64, i64, bool u) { return !u && x < 0 ? wrapping(0 - static_cast<u64>(x)) : x; }},
    {"square", squared, U(x* x)},
    {"reciprocal", inverse, nullptr},
    {"maximum", at_corners<greater_of, 2, unrounded>, I(less_than(x, y, u) ? y : x)},
    {"minimum", at_corners<lesser_of, 2, unrounded>, I(less_than(x, y, u) ? x : y)},
    {"fmax", at_corners<F2(std::fmax(x, y)), 2, unrounded>, I(less_than(x, y, u) ? y : x)},
    {"fmin", at_corners<F2(std::fmin(x, y)), 2, unrounded>, I(less_than(x, y, u) ? x : y)},
    {"fdim", at_corners<positive_difference, 2, 0>, nullptr},
    {"sign", at_corners<sign_of, 1, unrounded>,
     I(x == 0        ? 0
       : !u && x < 0 ? -1
                     : 1)},
    {"heaviside", step_at_zero, nullptr},
    {"clip", clipped, nullptr},

    FUNCTION(exp, std::exp(x)),
    FUNCTION(exp2, std::exp2(x)),
    FUNCTION(exp10, std::pow(real(10), x)),
    FUNCTION(expm1, std::expm1(x)),
    FUNCTION(log, std::log(x)),
    FUNCTION(log2, std::log2(x)),
    FUNCTION(log10, std::log10(x)),
    FUNCTION(log1p, std::log1p(x)),
    {"pow", power, nullptr},
    ROUNDED(sqrt, std::sqrt(x)),
    {"rsqrt", inverse_root, nullptr},
    FUNCTION(cbrt, std::cbrt(x)),
    {"hypot", even<F2(std::hypot(x, y)), 2, function_ulps>, nullptr},

    {"sin", wave<F1(std::sin(x))>, nullptr},
    {"cos", wave<F1(std::cos(x))>, nullptr},
    {"tan", tangent, nullptr},
    FUNCTION(asin, std::asin(x)),
    FUNCTION(acos, std::acos(x)),
    FUNCTION(atan, std::atan(x)),
    {"atan2", angle, nullptr},
    FUNCTION(sinh, std::sinh(x)),
    {"cosh", even<F1(std::cosh(x)), 1, function_ulps>, nullptr},
    FUNCTION(tanh, std::tanh(x)),
    FUNCTION(asinh, std::asinh(x)),
    FUNCTION(acosh, std::acosh(x)),
    FUNCTION(atanh, std::atanh(x)),

    WHOLE(floor),
    WHOLE(ceil),
    WHOLE(trunc),
    WHOLE(rint),
    {"round", at_corners<F1(std::rint(x)), 1, unrounded>, nullptr},
    FUNCTION(erf, std::erf(x)),
    FUNCTION(erfc, std::erfc(x)),
    {"tgamma", gamma_function, nullptr},
    {"lgamma", log_of_gamma, nullptr},

    {"less", [](dtype, const known* in) { return compared<order::less>(in[0], in[1]); }, I(less_than(x, y, u))},
    {"less_equal", [](dtype, const known* in) { return compared<order::less_equal>(in[0], in[1]); },
     I(!less_than(y, x, u))},
    {"greater", [](dtype, const known* in) { return compared<order::less>(in[1], in[0]); }, I(less_than(y, x, u))},
    {"greater_equal", [](dtype, const known* in) { return compared<order::less_equal>(in[1], in[0]); },
     I(!less_than(x, y, u))},
    {"equal", [](dtype, const known* in) { return compared<order::equal>(in[0], in[1]); }, I(x == y)},
    {"not_equal", [](dtype, const known* in) { return negated(compared<order::equal>(in[0], in[1])); }, I(x != y)},
    {"isnan",
     [](dtype, const known* in) { return in[0].state == certainty::unknown ? unknown() : truth(!in[0].is_sure()); },
     I(0)},
    {"isinf", is_infinite, I(0)},
    {"isfinite", is_finite, I(1)},
    {"signbit", sign_bit, I(!u && x < 0)},
    {"logical_xor", nullptr, I((x != 0) != (y != 0))},
    {"logical_and", nullptr, I(x != 0 && y != 0)},
    {"logical_or", nullptr, I(x != 0 || y != 0)},
    {"logical_not", nullptr, I(x == 0)},
    {"bitwise_and", nullptr, I(x& y)},
    {"bitwise_or", nullptr, I(x | y)},
    {"bitwise_xor", nullptr, I(x ^ y)},
};

const meaning* find(const op_row& op) {
    for (const meaning& m : meanings)
        if (std::strcmp(m.name, op.name) == 0) return &m;
    return nullptr;
}

/// The second or the third operand, by the first; both of them where that is not known.
known chosen(dtype type, const known* in) {
    if (in[0].is_sure()) return in[0].integer != 0 ? in[1] : in[2];
    if (!in[1].is_sure() || !in[2].is_sure()) return unknown();
    if (is_floating(type)) return {std::fmin(in[1].lo, in[2].lo), std::fmax(in[1].hi, in[2].hi), 0, certainty::sure};
    return in[1].integer == in[2].integer ? in[1] : unknown();
}

/// clip of integers; as for floating dtypes, a least value beyond the greatest has no meaning.
known clipped_integer(dtype type, const known* in) {
    const bool u = is_unsigned(type);
    const i64 x = in[0].integer, y = in[1].integer, z = in[2].integer;
    if (less_than(z, y, u)) return unknown();
    return whole(less_than(x, y, u) ? y : less_than(z, x, u) ? z : x);
}

}  // namespace

bool has_meaning(const op_row& op) {
    for (const char* other : {"where", "sum", "prod", "any", "all", "max", "min", "nanmax", "nanmin"})
        if (std::strcmp(op.name, other) == 0) return true;
    return find(op) != nullptr;
}

known apply(const op_row& op, dtype compute, const known* operands) {
    if (std::strcmp(op.name, "where") == 0) return chosen(compute, operands);
    const meaning* m = find(op);
    if (m == nullptr)
        throw error(std::string("fuzz: no meaning of '") + op.name + "'; add it to tests/fuzz/meaning.cpp");
    if (is_floating(compute) ? m->floating == nullptr : m->integer == nullptr && std::strcmp(op.name, "clip") != 0)
        throw error(std::string("fuzz: '") + op.name + "' has no meaning for " + name(compute));
    if (is_floating(compute)) return m->floating(compute, operands);
    for (int i = 0; i < op.arity; ++i)
        if (!operands[i].is_sure()) return unknown();
    if (std::strcmp(op.name, "clip") == 0) return clipped_integer(compute, operands);
    const i64 value = m->integer(operands[0].integer, operands[1].integer, operands[2].integer, is_unsigned(compute));
    return whole(wrapped(result_of(op.rule, compute), value));
}

}  // namespace sinter::fuzz
