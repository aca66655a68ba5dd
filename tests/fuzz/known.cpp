// Intervals, rounding and conversions.
#include <tests/fuzz/known.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace sinter::fuzz {
namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();

struct format {
    int digits;     ///< of the significand, in bits
    int least;      ///< exponent of the least normal number
    real greatest;  ///< finite number
    real least_normal;
};

format format_of(dtype type) {
    switch (type) {
        case dtype::float8_e4m3: return {4, -6, 448, 0x1p-6L};
        case dtype::float8_e5m2: return {3, -14, 57344, 0x1p-14L};
        case dtype::float16: return {11, -14, 65504, 0x1p-14L};
        case dtype::bfloat16: return {8, -126, 0x1.fep127L, 0x1p-126L};
        case dtype::float32: return {24, -126, std::numeric_limits<float>::max(), 0x1p-126L};
        default: return {53, -1022, std::numeric_limits<double>::max(), 0x1p-1022L};
    }
}

/// The exponent of a number's leading digit, as far as the dtype has it.
int exponent_of(const format& f, real v) { return v == 0 ? f.least : std::max(std::ilogb(v), f.least); }

real unit_in_last_place(const format& f, real v) { return std::ldexp(real(1), exponent_of(f, v) - f.digits + 1); }

bool representable(const format& f, real v) {
    if (std::isinf(v)) return true;
    const real digits = std::ldexp(v, f.digits - 1 - exponent_of(f, v));
    return std::fabs(v) <= f.greatest && digits == std::trunc(digits);
}

/// The bytes of numbers for storage: a sign, an exponent, the digits behind the leading one. The greatest exponent is
/// that of infinities and NaN, except for e4m3, which has one NaN.
double narrow_value(dtype type, std::uint64_t bits) {
    const format f = format_of(type);
    const int width = static_cast<int>(8 * size_of(type));
    const int exponent = static_cast<int>(bits >> (f.digits - 1) & ((1u << (width - f.digits)) - 1));
    const auto fraction = static_cast<double>(bits & ((1u << (f.digits - 1)) - 1));
    const double unit = std::ldexp(1.0, f.least - f.digits + 1);
    double value = fraction * unit;
    if (type == dtype::float8_e4m3 ? (bits & 0x7f) == 0x7f : exponent == (1 << (width - f.digits)) - 1)
        value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    else if (exponent > 0)
        value = std::ldexp(std::ldexp(1.0, f.digits - 1) + fraction, exponent - 1) * unit;
    return bits >> (width - 1) & 1 ? -value : value;
}
std::uint64_t narrow_bits(dtype type, real v) {
    const format f = format_of(type);
    const int width = static_cast<int>(8 * size_of(type));
    const std::uint64_t sign = std::signbit(v) ? std::uint64_t{1} << (width - 1) : 0;
    const std::uint64_t infinite =
        type == dtype::float8_e4m3 ? 0x7f : ((std::uint64_t{1} << (width - f.digits)) - 1) << (f.digits - 1);
    if (std::isnan(v)) return infinite | 1;
    // halfway to what would be the next number, of which a tie goes to the even one: 448 is even, the others are odd
    const real beyond = f.greatest + unit_in_last_place(f, f.greatest) / 2;
    if (type == dtype::float8_e4m3 && std::fabs(v) == beyond) v = std::copysign(f.greatest, v);
    if (std::fabs(v) >= beyond) return sign | infinite;
    const int exponent = exponent_of(f, v);
    const auto digits = static_cast<std::uint64_t>(std::rint(std::ldexp(std::fabs(v), f.digits - 1 - exponent)));
    return sign | ((static_cast<std::uint64_t>(exponent - f.least) << (f.digits - 1)) + digits);
}

double value_of(dtype type, std::uint64_t bits) {
    if (is_storage_only(type)) return narrow_value(type, bits);
    if (type == dtype::float32) {
        float narrow;
        std::memcpy(&narrow, &bits, sizeof narrow);
        return static_cast<double>(narrow);
    }
    double wide;
    std::memcpy(&wide, &bits, sizeof wide);
    return wide;
}

/// The bytes of a complex number's parts.
std::pair<std::uint64_t, std::uint64_t> parts_of(dtype type, word bits) {
    if (type == dtype::complex64) return {bits.low & 0xffffffffu, bits.low >> 32};
    return {bits.low, bits.high};
}

known float_to_integer(const known& x, dtype to) {
    if (to == dtype::bool_) {
        if (x.state == certainty::nan) return truth(true);
        if (!x.is_sure() || (x.lo <= 0 && x.hi >= 0 && !x.is_point())) return unknown();
        return truth(x.lo != 0 || x.hi != 0);
    }
    if (!x.is_sure()) return unknown();
    const real lo = std::trunc(x.lo), hi = std::trunc(x.hi);
    const int width = static_cast<int>(8 * size_of(to)) - (is_unsigned(to) ? 0 : 1);
    const real least = is_unsigned(to) ? 0 : -std::ldexp(real(1), width);
    if (lo != hi || lo < least || hi >= std::ldexp(real(1), width)) return unknown();
    return whole(lo < 0x1p63L ? static_cast<std::int64_t>(lo)
                              : static_cast<std::int64_t>(static_cast<std::uint64_t>(lo)));
}

real integer_value(dtype type, std::int64_t value) {
    return type == dtype::uint64 ? static_cast<real>(static_cast<std::uint64_t>(value)) : static_cast<real>(value);
}

}  // namespace

real known::point() const { return state == certainty::nan ? std::numeric_limits<real>::quiet_NaN() : lo; }

known unknown() { return {-infinity, infinity, -infinity, infinity, 0, certainty::unknown}; }
known not_a_number() { return {-infinity, infinity, 0, 0, 0, certainty::nan}; }
known whole(std::int64_t integer) { return {0, 0, 0, 0, integer, certainty::sure}; }
known truth(bool value) { return whole(value ? 1 : 0); }
known exactly(real value) { return std::isnan(value) ? not_a_number() : known{value, value}; }

known joined(const known& re, const known& im) {
    const bool finite = std::isfinite(re.lo) && std::isfinite(re.hi) && std::isfinite(im.lo) && std::isfinite(im.hi);
    return re.is_sure() && im.is_sure() && finite ? known{re.lo, re.hi, im.lo, im.hi} : unknown();
}
known real_part(const known& z) { return z.is_sure() ? known{z.lo, z.hi} : z; }
known imaginary_part(const known& z) { return z.is_sure() ? known{z.im_lo, z.im_hi} : z; }

bool is_number_of(dtype type, real value) { return representable(format_of(type), value); }

known rounded(dtype type, real lo, real hi, int ulps) {
    if (std::isnan(lo) || std::isnan(hi)) return unknown();
    const format f = format_of(type);
    // e4m3 has no infinity: what is beyond its greatest number is one until it is stored, and then NaN
    if (type == dtype::float8_e4m3 && !(std::max(std::fabs(lo), std::fabs(hi)) <= f.greatest)) return unknown();
    if (ulps == 0 && lo == hi && representable(f, lo)) return exactly(lo);
    // These are computed with as float32: that they are rounded, or not yet, is all that shows.
    const int units = is_storage_only(type) ? std::clamp(ulps, 1, 2) : std::max(ulps, 1);
    const auto slack = [&](real v) {
        const real off = units * unit_in_last_place(f, v);
        // functions may flush what is below the normal numbers
        return ulps > 0 && std::fabs(v) < 2 * f.least_normal ? off + 2 * f.least_normal : off;
    };
    known x{lo, hi};
    if (std::isfinite(lo)) x.lo -= slack(lo);
    if (std::isfinite(hi)) x.hi += slack(hi);
    if (type == dtype::float8_e4m3 && std::max(x.hi, -x.lo) > f.greatest) return unknown();
    if (x.hi > f.greatest) x.hi = infinity;
    if (x.lo < -f.greatest) x.lo = -infinity;
    return x;
}

bool is_unsigned(dtype type) { return kind_of(type) == dtype_kind::unsigned_integer; }

std::int64_t wrapped(dtype type, std::int64_t value) {
    switch (type) {
        case dtype::bool_: return value != 0 ? 1 : 0;
        case dtype::int8: return static_cast<std::int8_t>(value);
        case dtype::int16: return static_cast<std::int16_t>(value);
        case dtype::int32: return static_cast<std::int32_t>(value);
        case dtype::uint8: return static_cast<std::uint8_t>(value);
        case dtype::uint16: return static_cast<std::uint16_t>(value);
        case dtype::uint32: return static_cast<std::uint32_t>(value);
        default: return value;
    }
}

known converted(const known& x, dtype from, dtype to) {
    if (is_complex(to)) {
        const known re = converted(is_complex(from) ? real_part(x) : x, real_of(from), real_of(to));
        return joined(re, is_complex(from) ? converted(imaginary_part(x), real_of(from), real_of(to)) : exactly(0));
    }
    if (is_complex(from) && to == dtype::bool_) {
        const known re = float_to_integer(real_part(x), to), im = float_to_integer(imaginary_part(x), to);
        const bool any = (re.is_sure() && re.integer != 0) || (im.is_sure() && im.integer != 0);
        return any ? truth(true) : re.is_sure() && im.is_sure() ? truth(false) : unknown();
    }
    if (is_complex(from)) return converted(real_part(x), real_of(from), to);
    if (is_floating(from) && is_floating(to))
        return !x.is_sure() ? x : x.is_point() ? rounded(to, x.lo, x.hi, 0) : rounded(to, x.lo, x.hi, 1);
    if (is_floating(from)) return float_to_integer(x, to);
    if (!x.is_sure()) return unknown();
    if (!is_floating(to)) return whole(wrapped(to, x.integer));
    const real value = integer_value(from, x.integer);
    return rounded(to, value, value, 0);
}

known read(dtype type, word bits) {
    if (is_complex(type)) {
        const auto [re, im] = parts_of(type, bits);
        return joined(read(real_of(type), {re}), read(real_of(type), {im}));
    }
    if (is_floating(type)) return exactly(static_cast<real>(value_of(type, bits.low)));
    return whole(wrapped(type, static_cast<std::int64_t>(bits.low)));
}

word bits_of(dtype type, const known& x) {
    std::uint64_t bits = 0;
    if (is_complex(type)) {
        const std::uint64_t re = bits_of(real_of(type), real_part(x)).low;
        const std::uint64_t im = bits_of(real_of(type), imaginary_part(x)).low;
        return type == dtype::complex64 ? word{re | im << 32} : word{re, im};
    }
    if (!is_floating(type)) {
        const auto all = static_cast<std::uint64_t>(x.integer);
        std::memcpy(&bits, &all, size_of(type));
        return {bits};
    }
    const real middle = x.is_point() ? x.point() : x.is_sure() ? x.lo / 2 + x.hi / 2 : 0;
    if (is_storage_only(type)) return {narrow_bits(type, middle)};
    const auto wide = static_cast<double>(middle);
    const auto narrow = static_cast<float>(middle);
    if (type == dtype::float32)
        std::memcpy(&bits, &narrow, sizeof narrow);
    else
        std::memcpy(&bits, &wide, sizeof wide);
    return {bits};
}

bool admits(const known& x, dtype type, word bits) {
    if (type == dtype::bool_ && bits.low > 1) return false;  // no bool at all, whatever is known of it
    if (x.state == certainty::unknown) return true;
    if (is_complex(type)) {
        const auto [re, im] = parts_of(type, bits);
        return admits(real_part(x), real_of(type), {re}) && admits(imaginary_part(x), real_of(type), {im});
    }
    if (!is_floating(type)) return wrapped(type, static_cast<std::int64_t>(bits.low)) == x.integer;
    const double value = value_of(type, bits.low);
    if (x.state == certainty::nan) return std::isnan(value);
    return x.lo <= static_cast<real>(value) && static_cast<real>(value) <= x.hi;
}

std::string text(const known& x, dtype type) {
    if (x.state == certainty::unknown) return "anything";
    if (x.state == certainty::nan) return "NaN";
    if (is_complex(type))
        return fmt::format("{} + {} i", text(real_part(x), real_of(type)), text(imaginary_part(x), real_of(type)));
    if (!is_floating(type)) return text(type, word{static_cast<std::uint64_t>(x.integer)});
    if (x.lo == x.hi) return fmt::format("{}", static_cast<double>(x.lo));
    return fmt::format("[{}, {}]", static_cast<double>(x.lo), static_cast<double>(x.hi));
}

std::string text(dtype type, word bits) {
    if (is_complex(type)) {
        const auto [re, im] = parts_of(type, bits);
        return fmt::format("{} + {} i", text(real_of(type), word{re}), text(real_of(type), word{im}));
    }
    if (is_floating(type)) return fmt::format("{}", value_of(type, bits.low));
    if (type == dtype::bool_)
        return bits.low == 0 ? "false" : bits.low == 1 ? "true" : fmt::format("the byte {}", bits.low);
    const std::int64_t value = wrapped(type, static_cast<std::int64_t>(bits.low));
    return type == dtype::uint64 ? fmt::format("{}", static_cast<std::uint64_t>(value)) : fmt::format("{}", value);
}

}  // namespace sinter::fuzz
