// Remainders, quotients, neighbours, and the parts that a floating number is made of.
#include <tests/fuzz/intervals.hpp>
#include <tests/fuzz/tables.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace sinter::fuzz {
namespace {

/// For functions that go on and on: what they give where both ends of x lie in one period.
template <auto F>
known within_a_period(dtype type, const known* in) {
    if (in[0].state == certainty::unknown || in[1].state == certainty::unknown) return unknown();
    if (!in[0].is_sure() || !in[1].is_sure()) return not_a_number();
    const real x = in[0].lo, y = in[1].lo;
    if (!in[1].is_point() || (y == 0 && in[0].lo <= 0 && in[0].hi >= 0 && !in[0].is_point())) return unknown();
    const real low = F(x, y, 0), high = F(in[0].hi, y, 0);
    if (std::isnan(low) && std::isnan(high)) return not_a_number();
    // `<`: where y is infinite and x may be of either sign the ends lie infinitely far apart
    if (!in[0].is_point() && !(std::fabs(high - low - (in[0].hi - x)) < 1e-15L * std::fabs(y))) return unknown();
    return rounded(type, low, high, 0);
}
real floored_remainder(real x, real y, real) {
    const real r = std::fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/// The whole number below x / y. Of quotients with more digits than the dtype has the last ones are lost.
known floored_quotient(dtype type, const known* in) {
    if (in[0].state == certainty::unknown || in[1].state == certainty::unknown) return unknown();
    if (!in[0].is_sure() || !in[1].is_sure()) return not_a_number();
    if (in[1].lo <= 0 && in[1].hi >= 0) return divided(type, in);
    const auto quotient = [](real x, real y) {
        const real r = std::fmod(x, y), q = (x - r) / y;
        return std::rint(r != 0 && (r < 0) != (y < 0) ? q - 1 : q);
    };
    const real low = quotient(in[0].lo, in[1].lo), high = quotient(in[0].hi, in[1].hi);
    if (std::isnan(low) && in[0].is_point() && in[1].is_point()) return not_a_number();
    const bool same = low == high && quotient(in[0].lo, in[1].hi) == low && quotient(in[0].hi, in[1].lo) == low;
    if (!same) return unknown();
    const bool exact = std::fabs(low) < (computed_in(type) == dtype::float32 ? 0x1p22L : 0x1p51L);
    return rounded(type, low, low, exact ? 0 : 2);
}

known with_sign_of(dtype, const known* in) {
    if (!in[0].is_sure()) return in[0];
    const known size = mirrored(in[0]);
    if (in[1].is_sure() && in[1].lo > 0) return size;
    if (in[1].is_sure() && in[1].hi < 0) return {-size.hi, -size.lo};
    return {-size.hi, size.hi};
}

/// The neighbour of x towards y. Halves are computed with as float32, whose neighbours round to x.
known neighbour(dtype type, const known* in) {
    if (in[0].state == certainty::unknown || in[1].state == certainty::unknown) return unknown();
    if (!in[0].is_sure() || !in[1].is_sure()) return not_a_number();
    // infinity's neighbour is the largest number: what may have become infinite has one or the other
    const real largest =
        type == dtype::float64 ? real(std::numeric_limits<double>::max()) : real(std::numeric_limits<float>::max());
    if (std::fabs(in[0].lo) >= largest || std::fabs(in[0].hi) >= largest) return unknown();
    if (!in[0].is_point() || !in[1].is_point() || is_storage_only(type)) return rounded(type, in[0].lo, in[0].hi, 1);
    if (type == dtype::float32)
        return exactly(std::nextafter(static_cast<float>(in[0].lo), static_cast<float>(in[1].lo)));
    return exactly(std::nextafter(static_cast<double>(in[0].lo), static_cast<double>(in[1].lo)));
}

known scaled(dtype type, const known* in) {
    if (in[0].state == certainty::nan || in[1].state == certainty::nan) return not_a_number();
    if (!in[0].is_sure() || !in[1].is_sure()) return unknown();
    const auto power = [](real y) { return static_cast<int>(std::trunc(std::clamp<real>(y, -9999, 9999))); };
    if (power(in[1].lo) != power(in[1].hi)) return unknown();
    return rounded(type, std::ldexp(in[0].lo, power(in[1].lo)), std::ldexp(in[0].hi, power(in[1].lo)), 0);
}

/// x = m 2^e: an interval has one e if its ends have. Zeros, infinities and NaN have none.
bool has_exponent(const known& x, int& e) {
    int other = 0;
    std::frexp(x.lo, &e);
    std::frexp(x.hi, &other);
    return e == other && (x.lo > 0 || x.hi < 0) && !may_be_infinite(x);
}
known significand_of(dtype, const known* in) {
    int e = 0;
    if (!in[0].is_sure()) return in[0];
    if (has_exponent(in[0], e)) return {std::ldexp(in[0].lo, -e), std::ldexp(in[0].hi, -e)};
    return in[0].is_point() ? in[0] : unknown();
}
known exponent_of(dtype, const known* in) {
    int e = 0;
    if (in[0].state == certainty::unknown) return unknown();
    if (in[0].is_sure() && has_exponent(in[0], e)) return exactly(e);
    return in[0].is_point() ? exactly(0) : unknown();
}

known bytes_of(dtype type, const known* in) {
    if (!in[0].is_sure() || !in[0].is_point() || in[0].lo == 0) return unknown();  // the sign of a zero is not known
    return whole(wrapped(result_of(dtype_rule::to_bits, type), static_cast<std::int64_t>(bits_of(type, in[0]).low)));
}

constexpr meaning rows[] = {
    {"remainder", within_a_period<floored_remainder>},
    {"fmod", within_a_period<[](real x, real y, real) { return std::fmod(x, y); }>},
    {"ieee_remainder", within_a_period<[](real x, real y, real) { return std::remainder(x, y); }>},
    {"floor_divide", floored_quotient},
    {"copysign", with_sign_of},
    {"nextafter", neighbour},
    {"ldexp", scaled},
    {"significand", significand_of},
    {"exponent", exponent_of},
    {"to_bits", bytes_of},
};

}  // namespace

rule stepwise_rule(const char* op) { return find(rows, op); }

}  // namespace sinter::fuzz
