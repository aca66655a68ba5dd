// What reductions give. A device may fold in any order and grouping, so the interval of a floating sum is that of every
// order: |error| <= (n - 1) u / (1 - (n - 1) u) * sum |x| (Higham, "Accuracy and Stability of Numerical Algorithms",
// section 4.2). Where every partial sum is representable there is no error at all, and the interval is a point.
#include <tests/fuzz/meaning.hpp>

#include <sinter/error.hpp>
#include <tests/fuzz/tables.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace sinter::fuzz {
namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();

struct limits {
    int digits;
    int least, greatest;  ///< exponents of the normal numbers
};
/// Of the dtype that accumulates.
limits limits_of(dtype type) {
    return computed_in(type) == dtype::float32 ? limits{24, -126, 127} : limits{53, -1022, 1023};
}

/// A finite number as odd * 2^exponent: how many bits `odd` has, and the exponent.
struct odd_part {
    int bits = 0, exponent = 0;
};
odd_part odd_part_of(real v) {
    if (v == 0) return {0, std::numeric_limits<int>::max()};
    int exponent = 0;
    const auto digits = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(v), &exponent), 64));
    const int zeros = std::countr_zero(digits);
    return {64 - zeros, exponent - 64 + zeros};
}

/// What the elements of a floating reduction have in common.
struct survey {
    bool unknown = false, nan = false, points = true;
    bool maybe_infinite = false;  ///< an interval reaches infinity
    bool maybe_zero = false;      ///< or 0
    int positive_infinities = 0, negative_infinities = 0, zeros = 0;
};
survey look_at(const std::vector<known>& elements) {
    survey s;
    for (const known& x : elements) {
        s.unknown = s.unknown || x.state == certainty::unknown;
        s.nan = s.nan || x.state == certainty::nan;
        if (!x.is_sure()) continue;
        s.points = s.points && x.is_point();
        if (!x.is_point()) s.maybe_infinite = s.maybe_infinite || std::isinf(x.lo) || std::isinf(x.hi);
        if (!x.is_point()) s.maybe_zero = s.maybe_zero || (x.lo <= 0 && x.hi >= 0);
        if (!x.is_point()) continue;
        s.positive_infinities += x.lo == infinity;
        s.negative_infinities += x.lo == -infinity;
        s.zeros += x.lo == 0;
    }
    return s;
}

known sum_of(dtype type, const std::vector<known>& elements) {
    const survey s = look_at(elements);
    if (s.nan || (s.positive_infinities > 0 && s.negative_infinities > 0)) return not_a_number();
    if (s.unknown || s.maybe_infinite) return unknown();
    const limits l = limits_of(type);
    real lo = 0, hi = 0, magnitude = 0;
    int quantum = std::numeric_limits<int>::max();
    for (const known& x : elements) {
        if (std::isinf(x.lo)) continue;
        lo += x.lo;
        hi += x.hi;
        magnitude += std::fmax(std::fabs(x.lo), std::fabs(x.hi));
        quantum = std::min(quantum, odd_part_of(x.lo).exponent);
    }
    if (magnitude > std::ldexp(real(1), l.greatest)) return unknown();
    if (s.positive_infinities > 0) return exactly(infinity);
    if (s.negative_infinities > 0) return exactly(-infinity);
    if (magnitude == 0) return exactly(0);
    if (s.points && magnitude <= std::ldexp(real(1), l.digits + quantum)) return rounded(type, lo, lo, 0);
    const real n = static_cast<real>(elements.size()) + 2;
    const real off = n * std::ldexp(magnitude, -l.digits) * (1 + n * std::ldexp(real(1), -l.digits + 1));
    return rounded(type, lo - off, hi + off, 1);
}

known product_of(dtype type, const std::vector<known>& elements) {
    const survey s = look_at(elements);
    if (s.nan) return not_a_number();
    if (s.unknown || s.maybe_infinite) return unknown();
    const limits l = limits_of(type);
    real lo = 1, hi = 1, up = 0, down = 0;
    int bits = 0;
    for (const known& x : elements) {
        if (x.is_point() && (std::isinf(x.lo) || x.lo == 0)) continue;
        const real corners[] = {lo * x.lo, lo * x.hi, hi * x.lo, hi * x.hi};
        lo = hi = corners[0];
        for (real c : corners) {
            lo = std::fmin(lo, c);
            hi = std::fmax(hi, c);
        }
        const real most = std::fmax(std::fabs(x.lo), std::fabs(x.hi));
        const real least = x.lo <= 0 && x.hi >= 0 ? real(1) : std::fmin(std::fabs(x.lo), std::fabs(x.hi));
        up += std::fmax(std::log2(most), real(0));
        down += std::fmin(std::log2(least), real(0));
        bits += odd_part_of(x.lo).bits;
    }
    // Some order may overflow, or lose digits to underflow, where another does not.
    if (up > static_cast<real>(l.greatest - 1) || down < static_cast<real>(l.least + 1)) return unknown();
    if (s.positive_infinities + s.negative_infinities > 0 && s.maybe_zero && s.zeros == 0) return unknown();
    if (s.positive_infinities + s.negative_infinities > 0)
        return s.zeros > 0 ? not_a_number() : known{-infinity, infinity};
    if (s.zeros > 0) return exactly(0);
    if (s.points && bits <= l.digits) return rounded(type, lo, lo, 0);
    const real n = static_cast<real>(elements.size()) + 2;
    const real off = 2 * n * std::ldexp(std::fmax(std::fabs(lo), std::fabs(hi)), -l.digits) +
                     std::ldexp(n, static_cast<int>(up) + 2 + l.least - l.digits);
    return rounded(type, lo - off, hi + off, 1);
}

template <bool Greatest>
known extreme_of(const std::vector<known>& elements) {
    const survey s = look_at(elements);
    if (s.nan) return not_a_number();
    if (s.unknown) return unknown();
    known x = elements[0];
    for (const known& e : elements) {
        x.lo = Greatest ? std::fmax(x.lo, e.lo) : std::fmin(x.lo, e.lo);
        x.hi = Greatest ? std::fmax(x.hi, e.hi) : std::fmin(x.hi, e.hi);
    }
    return x;
}

known fold_integers(const std::string& op, dtype type, const std::vector<known>& elements) {
    const bool any = op == "any", all = op == "all";
    if (any || all) {
        bool unsure = false;
        for (const known& x : elements) {
            unsure = unsure || !x.is_sure();
            if (x.is_sure() && (x.integer != 0) == any) return truth(any);
        }
        return unsure ? unknown() : truth(all);
    }
    std::uint64_t total = op == "prod" ? 1 : 0;
    known most = elements.empty() ? known{} : elements[0];
    for (const known& x : elements) {
        if (!x.is_sure()) return unknown();
        const auto value = static_cast<std::uint64_t>(x.integer);
        total = op == "prod" ? total * value : total + value;
        const bool less =
            is_unsigned(type) ? value < static_cast<std::uint64_t>(most.integer) : x.integer < most.integer;
        const bool same = x.integer == most.integer;
        if (op == "max" ? !less && !same : less) most = x;
    }
    if (op == "max" || op == "min") return most;
    return whole(wrapped(type, static_cast<std::int64_t>(total)));
}

}  // namespace

known fold(const op_row& op, dtype type, const std::vector<known>& elements) {
    std::string name = op.name;
    if (name == "nanmax" || name == "nanmin") {  // the extreme of what is a number
        name = name.substr(3);
        std::vector<known> numbers;
        for (const known& x : elements)
            if (x.state != certainty::nan) numbers.push_back(x);
        if (is_floating(type) && numbers.empty()) return not_a_number();
        if (is_floating(type)) return name == "max" ? extreme_of<true>(numbers) : extreme_of<false>(numbers);
    }
    if (is_complex(type) && name == "prod") return complex_product(type, elements.data(), elements.size());
    if (is_complex(type)) {
        std::vector<known> re, im;
        for (const known& z : elements) {
            if (!z.is_sure()) return unknown();
            re.push_back(real_part(z));
            im.push_back(imaginary_part(z));
        }
        return joined(sum_of(real_of(type), re), sum_of(real_of(type), im));
    }
    if (!is_floating(type)) return fold_integers(name, type, elements);
    if (name == "sum") return sum_of(type, elements);
    if (name == "prod") return product_of(type, elements);
    if (name == "max") return extreme_of<true>(elements);
    if (name == "min") return extreme_of<false>(elements);
    throw error("fuzz: no meaning of '" + name + "'; add it to tests/fuzz/fold.cpp");
}

}  // namespace sinter::fuzz
