// What elementwise operations give of complex operands. Sums, differences and products are known part by part. Of a
// function the reference knows its value in the middle of the operands, and how far it moves to their corners; what
// that says of both parts is measured against the modulus. Where a cut of the function may lie between, nothing is
// known.
#include <tests/fuzz/intervals.hpp>
#include <tests/fuzz/tables.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

namespace sinter::fuzz {
namespace {

using number = std::complex<real>;

real epsilon_of(dtype type) { return real_of(type) == dtype::float32 ? 0x1p-23L : 0x1p-52L; }

/// The ends of the product of two intervals.
known times(const known& x, const known& y) {
    const real corners[] = {x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi};
    return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}
known plus(const known& x, const known& y) { return {x.lo + y.lo, x.hi + y.hi}; }
known minus(const known& x) { return {-x.hi, -x.lo}; }
real size_of_interval(const known& x) { return std::fmax(std::fabs(x.lo), std::fabs(x.hi)); }

/// A sum of two products, each of which is rounded or, contracted, is not.
known sum_of_products(dtype part, const known& x, const known& y) {
    const known sum = plus(x, y);
    const auto exact = [&](const known& v) { return v.lo == v.hi && is_number_of(part, v.lo); };
    if (exact(x) && exact(y)) return rounded(part, sum.lo, sum.hi, 0);
    const real off = (size_of_interval(x) + size_of_interval(y)) * (part == dtype::float32 ? 0x1p-23L : 0x1p-52L);
    return rounded(part, sum.lo - off, sum.hi + off, 1);
}

known product(dtype type, const known* in) {
    if (!in[0].is_sure() || !in[1].is_sure()) return unknown();
    const known a = real_part(in[0]), b = imaginary_part(in[0]), c = real_part(in[1]), d = imaginary_part(in[1]);
    const dtype part = real_of(type);
    return joined(sum_of_products(part, times(a, c), minus(times(b, d))),
                  sum_of_products(part, times(a, d), times(b, c)));
}
known squared(dtype type, const known* in) {
    const known operands[] = {in[0], in[0]};
    return product(type, operands);
}

template <int Sign>
known sum(dtype type, const known* in) {
    if (!in[0].is_sure() || !in[1].is_sure()) return unknown();
    const auto part = [&](known (*of)(const known&)) {
        const known v = plus(of(in[0]), Sign > 0 ? of(in[1]) : minus(of(in[1])));
        return rounded(real_of(type), v.lo, v.hi, 0);
    };
    return joined(part(real_part), part(imaginary_part));
}
known negated(dtype, const known* in) {
    return in[0].is_sure() ? joined(minus(real_part(in[0])), minus(imaginary_part(in[0]))) : in[0];
}
known conjugate(dtype, const known* in) {
    return in[0].is_sure() ? joined(real_part(in[0]), minus(imaginary_part(in[0]))) : in[0];
}

/// Neither so large nor so small that a step on the way to a result may leave the range of float32.
bool is_moderate(real x) { return x == 0 || (std::fabs(x) < 0x1p40L && std::fabs(x) > 0x1p-40L); }

/// The ends of an interval, and where 0 is one both zeros, for they lie on either side of a cut.
std::vector<real> ends(real lo, real hi) {
    std::vector<real> all{lo};
    if (lo != hi) all.push_back(hi);
    if (lo <= 0 && hi >= 0) all.insert(all.end(), {real(0), -real(0)});
    return all;
}
std::vector<number> corners(const known& z) {
    std::vector<number> all;
    for (real re : ends(z.lo, z.hi))
        for (real im : ends(z.im_lo, z.im_hi)) all.emplace_back(re, im);
    return all;
}

constexpr int complex_ulps = 32;

/// A function whose errors are `ulps` units in the last place of its modulus.
template <class F>
known function(dtype type, const known* in, int arity, real ulps, F f) {
    for (int i = 0; i < arity; ++i) {
        if (!in[i].is_sure()) return unknown();
        for (real end : {in[i].lo, in[i].hi, in[i].im_lo, in[i].im_hi})
            if (!is_moderate(end)) return unknown();
    }
    const auto middle = [](const known& z) { return number(z.lo / 2 + z.hi / 2, z.im_lo / 2 + z.im_hi / 2); };
    const number second = arity > 1 ? middle(in[1]) : number();
    const number value = f(middle(in[0]), second);
    real off = 0;
    for (const number& x : corners(in[0]))
        for (const number& y : arity > 1 ? corners(in[1]) : std::vector<number>{second}) {
            const number moved = f(x, y) - value;
            off = std::fmax(off, std::fmax(std::fabs(moved.real()), std::fabs(moved.imag())));
            if (std::isnan(moved.real()) || std::isnan(moved.imag())) return unknown();
        }
    const real size = std::abs(value);
    if (!(size < 0x1p60L) || (size != 0 && size < 0x1p-60L) || off > size / 8) return unknown();
    const real slack = 2 * off + ulps * epsilon_of(type) * size;
    return joined({value.real() - slack, value.real() + slack}, {value.imag() - slack, value.imag() + slack});
}

#define FUNCTION(name, value)                                                                             \
    {                                                                                                     \
        #name, [](dtype type, const known* in) {                                                          \
            return function(type, in, 1, complex_ulps, [](number z, number) -> number { return value; }); \
        }                                                                                                 \
    }

bool may_vanish_in_both(const known& z) { return z.lo <= 0 && z.hi >= 0 && z.im_lo <= 0 && z.im_hi >= 0; }

known quotient(dtype type, const known* in) {
    if (!in[1].is_sure() || may_vanish_in_both(in[1])) return unknown();
    return function(type, in, 2, complex_ulps, [](number x, number y) { return x / y; });
}
known inverse(dtype type, const known* in) {
    const known operands[] = {exactly(1), in[0]};
    return quotient(type, operands);
}
/// e^(w log z), whose error is that of the exponent; of whole exponents that of as many products.
known power(dtype type, const known* in) {
    if (!in[0].is_sure() || !in[1].is_sure() || may_vanish_in_both(in[0])) return unknown();
    const real exponent = std::fmax(size_of_interval(real_part(in[1])), size_of_interval(imaginary_part(in[1])));
    const number base(in[0].lo, in[0].im_lo);
    const real grows = 1 + 2 * exponent * (1 + std::abs(std::log(base)));
    return function(type, in, 2, complex_ulps * grows, [](number x, number y) { return std::exp(y * std::log(x)); });
}

known equality(const known& x, const known& y) {
    if (!x.is_sure() || !y.is_sure()) return unknown();
    const auto apart = [](real a_lo, real a_hi, real b_lo, real b_hi) { return a_hi < b_lo || b_hi < a_lo; };
    if (apart(x.lo, x.hi, y.lo, y.hi) || apart(x.im_lo, x.im_hi, y.im_lo, y.im_hi)) return truth(false);
    if (x.is_point() && y.is_point()) return truth(x.lo == y.lo && x.im_lo == y.im_lo);
    return unknown();
}

constexpr meaning rows[] = {
    {"negative", negated},
    {"add", sum<1>},
    {"subtract", sum<-1>},
    {"multiply", product},
    {"divide", quotient},
    {"square", squared},
    {"reciprocal", inverse},
    FUNCTION(exp, std::exp(z)),
    FUNCTION(log, std::log(z)),
    FUNCTION(log2, std::log(z) / std::log(real(2))),
    FUNCTION(log10, std::log(z) / std::log(real(10))),
    {"pow", power},
    FUNCTION(sqrt, std::sqrt(z)),
    FUNCTION(rsqrt, real(1) / std::sqrt(z)),
    FUNCTION(sin, std::sin(z)),
    FUNCTION(cos, std::cos(z)),
    FUNCTION(tan, std::tan(z)),
    FUNCTION(asin, std::asin(z)),
    FUNCTION(acos, std::acos(z)),
    FUNCTION(atan, std::atan(z)),
    FUNCTION(sinh, std::sinh(z)),
    FUNCTION(cosh, std::cosh(z)),
    FUNCTION(tanh, std::tanh(z)),
    FUNCTION(asinh, std::asinh(z)),
    FUNCTION(acosh, std::acosh(z)),
    FUNCTION(atanh, std::atanh(z)),
    {"real", [](dtype, const known* in) { return real_part(in[0]); }},
    {"imag", [](dtype, const known* in) { return imaginary_part(in[0]); }},
    {"conj", conjugate},
    {"equal", [](dtype, const known* in) { return equality(in[0], in[1]); }},
    {"not_equal",
     [](dtype, const known* in) {
         const known same = equality(in[0], in[1]);
         return same.is_sure() ? truth(same.integer == 0) : same;
     }},
    {"isnan", [](dtype, const known* in) { return in[0].is_sure() ? truth(false) : unknown(); }},
    {"isfinite", [](dtype, const known* in) { return in[0].is_sure() ? truth(true) : unknown(); }},
};

}  // namespace

rule complex_rule(const char* op) { return find(rows, op); }

known complex_product(dtype type, const known* elements, std::size_t count) {
    number middle = 1;
    real spread = 0;        // relative to the product
    real up = 0, down = 0;  // how far partial products may go, in powers of 2
    for (std::size_t i = 0; i < count; ++i) {
        const known& z = elements[i];
        if (!z.is_sure()) return unknown();
        const number at(z.lo / 2 + z.hi / 2, z.im_lo / 2 + z.im_hi / 2);
        const real size = std::abs(at), off = (z.hi - z.lo) / 2 + (z.im_hi - z.im_lo) / 2;
        if (!is_moderate(size) || size == 0 || off > size / 8) return unknown();
        up += std::fmax(std::log2(size), real(0));
        down += std::fmin(std::log2(size), real(0));
        spread += off / size * (1 + spread) + spread * off / size;
        middle *= at;
    }
    if (up > 60 || down < -60 || spread > 0.125L) return unknown();
    const real slack = std::abs(middle) * (2 * spread + 4 * static_cast<real>(count + 1) * epsilon_of(type));
    return joined({middle.real() - slack, middle.real() + slack}, {middle.imag() - slack, middle.imag() + slack});
}

}  // namespace sinter::fuzz
