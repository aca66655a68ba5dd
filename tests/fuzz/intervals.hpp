// Functions of intervals, as far as one rule serves many functions.
#pragma once

#include <tests/fuzz/known.hpp>

#include <cmath>

namespace sinter::fuzz {

inline constexpr real pi = 3.14159265358979323846264338327950288L;

/// How far from the right value functions may be: libmvec promises 4 units in the last place, CUDA's guide (appendix
/// "Mathematical Functions") gives the device's as up to 5, 8 for normcdfinv and 10 for the gamma functions.
inline constexpr int function_ulps = 8, special_ulps = 16, gamma_ulps = 24;
/// The result is one of the numbers of the dtype by its nature: nothing is rounded.
inline constexpr int unrounded = -1;

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
    return Ulps == unrounded ? known{lo, hi} : rounded(type, lo, hi, Ulps);
}

/// The operand's absolute value, for functions that are even.
inline known mirrored(const known& x) {
    if (!x.is_sure()) return x;
    const real a = std::fabs(x.lo), b = std::fabs(x.hi);
    const bool crosses = x.lo < 0 && x.hi > 0;
    return {crosses ? 0 : std::fmin(a, b), std::fmax(a, b)};
}

template <auto F, int Arity, int Ulps>
known even(dtype type, const known* in) {
    known positive[3];
    for (int i = 0; i < Arity; ++i) positive[i] = mirrored(in[i]);
    return at_corners<F, Arity, Ulps>(type, positive);
}

/// A function whose slope is nowhere beyond `Slope`, and whose values are nowhere beyond 1.
template <auto F, int Slope = 1>
known wave(dtype type, const known* in) {
    if (in[0].is_point()) return at_corners<F, 1, function_ulps>(type, in);
    if (!in[0].is_sure() || !std::isfinite(in[0].lo) || !std::isfinite(in[0].hi)) return unknown();
    const real middle = F(in[0].lo / 2 + in[0].hi / 2, 0, 0), off = Slope * (in[0].hi / 2 - in[0].lo / 2);
    return rounded(type, std::fmax(middle - off, -1), std::fmin(middle + off, 1), function_ulps);
}

inline bool may_vanish(const known& x) { return x.is_sure() && x.lo <= 0 && x.hi >= 0; }
inline bool may_be_infinite(const known& x) { return x.is_sure() && (std::isinf(x.lo) || std::isinf(x.hi)); }

/// x / y, which division and what is made of it have in common.
known divided(dtype type, const known* in);

}  // namespace sinter::fuzz
