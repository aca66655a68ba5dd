// Scalars outside the range of an array's dtype: the bounds that replace them in comparisons, and the error message
// elsewhere.
#include <sinter/called_as.hpp>
#include <sinter/error.hpp>
#include <sinter/scalar.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <string>

namespace sinter::detail {
namespace {

constexpr double beyond_64_bits = 0x1p64;

/// The smallest and the largest value of an integer dtype.
struct integer_range {
    std::int64_t min;
    std::uint64_t max;
};
integer_range range_of(dtype d) {
    const auto bits = static_cast<int>(8 * size_of(d));
    if (kind_of(d) == dtype_kind::boolean) return {0, 1};
    if (kind_of(d) == dtype_kind::unsigned_integer) return {0, ~std::uint64_t{0} >> (64 - bits)};
    const auto max = static_cast<std::int64_t>(~std::uint64_t{0} >> (65 - bits));
    return {-max - 1, static_cast<std::uint64_t>(max)};
}

bound_position position_in(const integer_range& r, const real_number& integer) {
    if (!integer.negative) return integer.magnitude <= r.max ? bound_position::held : bound_position::above;
    return integer.magnitude <= 0 - static_cast<std::uint64_t>(r.min) ? bound_position::held : bound_position::below;
}

std::uint64_t bits_of(const real_number& integer) {
    return integer.negative ? 0 - integer.magnitude : integer.magnitude;
}

/// Rounds a floating-point number to an integer on the given side: `above` or `below` beyond 64 bits.
bound_position to_integer(real_number& v, bound_side side) {
    const double whole = side == bound_side::next ? std::ceil(v.value) : std::floor(v.value);
    if (std::isnan(v.value) || (side == bound_side::none && whole != v.value)) return bound_position::none;
    if (std::fabs(whole) >= beyond_64_bits) return whole > 0 ? bound_position::above : bound_position::below;
    v = {false, whole < 0, static_cast<std::uint64_t>(std::fabs(whole))};
    return bound_position::held;
}

scalar_bound integer_bound(real_number v, dtype type, bound_side side) {
    const integer_range r = range_of(type);
    const auto least = static_cast<std::uint64_t>(r.min);
    bound_position at = v.floating ? to_integer(v, side) : bound_position::held;
    if (at == bound_position::held) at = position_in(r, v);
    if (at == bound_position::held) return {{bits_of(v)}, at};
    if (side == bound_side::next && at == bound_position::below) return {{least}, bound_position::held};
    if (side == bound_side::previous && at == bound_position::above) return {{r.max}, bound_position::held};
    return {{least}, side == bound_side::none ? bound_position::none : at};
}

/// Compares a floating-point number with an integer of the same sign: -1 (less), 0 (equal) or 1 (greater).
template <class R>
int compared_with(R x, const real_number& integer) {
    const R size = std::fabs(x);
    int order = 1;
    if (size < static_cast<R>(beyond_64_bits)) {
        const auto magnitude = static_cast<std::uint64_t>(size);
        order = magnitude < integer.magnitude ? -1 : magnitude > integer.magnitude ? 1 : 0;
    }
    return integer.negative ? -order : order;
}

/// The value of R next to `v` on the given side, or NaN.
template <class R>
R floating_bound(const real_number& v, bound_side side) {
    constexpr R infinity = std::numeric_limits<R>::infinity(), max = std::numeric_limits<R>::max();
    int order = 0;  // of `nearest` compared with v
    R nearest = 0;
    if (!v.floating) {
        nearest = static_cast<R>(v.magnitude);
        nearest = v.negative ? -nearest : nearest;
        order = compared_with(nearest, v);
    } else if (std::isfinite(v.value) && std::fabs(v.value) > static_cast<double>(max)) {
        nearest = v.value < 0 ? -max : max;
        order = v.value < 0 ? 1 : -1;
    } else {
        nearest = static_cast<R>(v.value);
    }
    if (order == 0) return nearest;
    if (side == bound_side::none) return std::numeric_limits<R>::quiet_NaN();
    if (side == bound_side::next) return order > 0 ? nearest : std::nextafter(nearest, infinity);
    return order < 0 ? nearest : std::nextafter(nearest, -infinity);
}

template <class R>
scalar_bound as_bound(R x) {
    scalar_bound b{{}, std::isnan(x) ? bound_position::none : bound_position::held};
    std::memcpy(&b.bits.bits, &x, sizeof x);
    return b;
}

std::string text_of(const real_number& v) {
    if (v.floating) return fmt::format("{}", v.value);
    return fmt::format("{}{}", v.negative ? "-" : "", v.magnitude);
}

/// The C++ type that holds `v` and all values of an integer dtype.
std::string type_for(const real_number& v, dtype type) {
    constexpr dtype wider[] = {dtype::uint8,  dtype::int8,  dtype::uint16, dtype::int16,
                               dtype::uint32, dtype::int32, dtype::uint64, dtype::int64};
    for (const dtype d : wider)
        if (!v.floating && promote(type, d) == d && position_in(range_of(d), v) == bound_position::held)
            return fmt::format("std::{}_t", name(d));
    return "double";
}

}  // namespace

scalar_bound bound_of(const real_number& v, dtype type, bound_side side) {
    if (!is_floating(type)) return integer_bound(v, type, side);
    return computed_in(type) == dtype::float64 ? as_bound(floating_bound<double>(v, side))
                                               : as_bound(floating_bound<float>(v, side));
}

void throw_scalar_does_not_fit(const char* function, const real_number& v, dtype type) {
    const integer_range r = range_of(type);
    throw error(fmt::format(
        "{0}: the scalar {2} does not fit {1}, whose range is {3} to {4}; convert the operand to {5}: astype<{5}>(x)",
        called(function), name(type), text_of(v), r.min, r.max, type_for(v, type)));
}

}  // namespace sinter::detail
