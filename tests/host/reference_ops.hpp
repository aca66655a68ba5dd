// The ops written down a second time, in double: what the host back end is compared with.
#pragma once

#include <sinter/dtype.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace sinter::codegen::testing {

inline constexpr long double pi = 3.14159265358979323846264338327950288L;

inline double floored_remainder(double x, double y) {
    if (y == 0) return 0;
    const double r = std::fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

inline std::pair<double, int> significand_and_exponent(double x) {
    int exponent = 0;
    const double significand = std::frexp(x, &exponent);
    return {significand, exponent};
}

inline long double normal(long double x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }

/// Where an increasing function has the value y, by bisection.
template <class F>
double inverse(F f, double y) {
    long double low = -40, high = 40;
    for (int step = 0; step < 90; ++step) {
        const long double middle = (low + high) / 2;
        (f(middle) < y ? low : high) = middle;
    }
    return static_cast<double>(low);
}

/// What hangs on the width of T = t; false where the op is none of these.
inline bool reference_op_of_bits(const std::string& op, double x, double y, dtype t, double& result) {
    const int width = static_cast<int>(8 * size_of(t));
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) & (~std::uint64_t{0} >> (64 - width));
    const bool out = y < 0 || y >= width;
    if (op == "nextafter") {
        result =
            t == dtype::float32 ? std::nextafter(static_cast<float>(x), static_cast<float>(y)) : std::nextafter(x, y);
    } else if (op == "invert") {
        result = t == dtype::bool_                            ? x == 0
                 : kind_of(t) == dtype_kind::unsigned_integer ? std::ldexp(1.0, width) - 1 - x
                                                              : -1 - x;
    } else if (op == "left_shift") {
        result = out ? 0 : static_cast<double>(static_cast<std::int64_t>(bits << static_cast<int>(y)));
    } else if (op == "right_shift") {
        result = out ? (x < 0 ? -1 : 0) : std::floor(std::ldexp(x, -static_cast<int>(y)));
    } else if (op == "popcount") {
        result = __builtin_popcountll(bits);
    } else if (op == "clz") {
        result = bits == 0 ? width : __builtin_clzll(bits) - (64 - width);
    } else if (op == "to_bits" && t == dtype::float32) {
        const float narrow = static_cast<float>(x);
        std::int32_t i;
        std::memcpy(&i, &narrow, sizeof i);
        result = i;
    } else if (op == "to_bits") {
        std::int64_t i;
        std::memcpy(&i, &x, sizeof i);
        result = static_cast<double>(i);
    } else if (op == "of_bits" && t == dtype::int32) {
        const auto i = static_cast<std::int32_t>(x);
        float f;
        std::memcpy(&f, &i, sizeof f);
        result = f;
    } else if (op == "of_bits") {
        const auto i = static_cast<std::int64_t>(x);
        std::memcpy(&result, &i, sizeof i);
    } else {
        return false;
    }
    return true;
}

using reference_function = double (*)(double x, double y, double z);

/// Arithmetic, rounding and selection.
inline const std::map<std::string, reference_function>& reference_arithmetic() {
    static const std::map<std::string, reference_function> ops = {
        {"negative", [](double x, double, double) { return -x; }},
        {"add", [](double x, double y, double) { return x + y; }},
        {"subtract", [](double x, double y, double) { return x - y; }},
        {"multiply", [](double x, double y, double) { return x * y; }},
        {"divide", [](double x, double y, double) { return x / y; }},
        {"near_quotient", [](double x, double y, double) { return x / y; }},
        {"abs", [](double x, double, double) { return std::abs(x); }},
        {"square", [](double x, double, double) { return x * x; }},
        {"reciprocal", [](double x, double, double) { return 1 / x; }},
        {"maximum",
         [](double x, double y, double) { return std::isnan(x) || std::isnan(y) ? std::nan("") : std::max(x, y); }},
        {"minimum",
         [](double x, double y, double) { return std::isnan(x) || std::isnan(y) ? std::nan("") : std::min(x, y); }},
        {"clip",
         [](double x, double y, double z) {
             return std::isnan(x) || std::isnan(y) || std::isnan(z) ? std::nan("") : std::min(std::max(x, y), z);
         }},
        {"floor", [](double x, double, double) { return std::floor(x); }},
        {"ceil", [](double x, double, double) { return std::ceil(x); }},
        {"trunc", [](double x, double, double) { return std::trunc(x); }},
        {"rint", [](double x, double, double) { return std::nearbyint(x); }},
        {"where", [](double x, double y, double z) { return x != 0 ? y : z; }},
        {"sum", [](double x, double y, double) { return x + y; }},
        {"prod", [](double x, double y, double) { return x * y; }},
        {"max",
         [](double x, double y, double) { return std::isnan(x) || std::isnan(y) ? std::nan("") : std::max(x, y); }},
        {"min",
         [](double x, double y, double) { return std::isnan(x) || std::isnan(y) ? std::nan("") : std::min(x, y); }},
        {"remainder", [](double x, double y, double) { return floored_remainder(x, y); }},
        {"floor_divide", [](double x, double y, double) { return y == 0 ? 0 : std::floor(x / y); }},
        {"fmod", [](double x, double y, double) { return y == 0 ? 0 : std::fmod(x, y); }},
        {"ieee_remainder", [](double x, double y, double) { return std::remainder(x, y); }},
        {"sign", [](double x, double, double) { return double(x > 0) - double(x < 0); }},
        {"fma", [](double x, double y, double z) { return std::fma(x, y, z); }},
        {"fdim", [](double x, double y, double) { return std::fdim(x, y); }},
        {"fmax", [](double x, double y, double) { return std::fmax(x, y); }},
        {"fmin", [](double x, double y, double) { return std::fmin(x, y); }},
        {"heaviside", [](double x, double y, double) { return x == 0 ? y : double(x > 0); }},
        {"gcd", [](double x, double y, double) { return double(std::gcd(std::int64_t(x), std::int64_t(y))); }},
        {"lcm", [](double x, double y, double) { return double(std::lcm(std::int64_t(x), std::int64_t(y))); }},
        {"copysign", [](double x, double y, double) { return std::copysign(x, y); }},
        {"ldexp", [](double x, double y, double) { return std::ldexp(x, int(y)); }},
        {"significand", [](double x, double, double) { return significand_and_exponent(x).first; }},
        {"exponent", [](double x, double, double) { return double(significand_and_exponent(x).second); }},
        {"round", [](double x, double, double) { return std::nearbyint(x); }},
        {"nanmax", [](double x, double y, double) { return std::fmax(x, y); }},
        {"nanmin", [](double x, double y, double) { return std::fmin(x, y); }},
    };
    return ops;
}

/// Comparisons, predicates and logic.
inline const std::map<std::string, reference_function>& reference_predicates() {
    static const std::map<std::string, reference_function> ops = {
        {"less", [](double x, double y, double) { return double(x < y); }},
        {"less_equal", [](double x, double y, double) { return double(x <= y); }},
        {"greater", [](double x, double y, double) { return double(x > y); }},
        {"greater_equal", [](double x, double y, double) { return double(x >= y); }},
        {"equal", [](double x, double y, double) { return double(x == y); }},
        {"not_equal", [](double x, double y, double) { return double(x != y); }},
        {"isnan", [](double x, double, double) { return double(std::isnan(x)); }},
        {"logical_and", [](double x, double y, double) { return double(x != 0 && y != 0); }},
        {"logical_or", [](double x, double y, double) { return double(x != 0 || y != 0); }},
        {"logical_not", [](double x, double, double) { return double(x == 0); }},
        {"bitwise_and", [](double x, double y, double) { return double(std::int64_t(x) & std::int64_t(y)); }},
        {"bitwise_or", [](double x, double y, double) { return double(std::int64_t(x) | std::int64_t(y)); }},
        {"bitwise_xor", [](double x, double y, double) { return double(std::int64_t(x) ^ std::int64_t(y)); }},
        {"any", [](double x, double y, double) { return double(x != 0 || y != 0); }},
        {"all", [](double x, double y, double) { return double(x != 0 && y != 0); }},
        {"isinf", [](double x, double, double) { return double(std::isinf(x)); }},
        {"isfinite", [](double x, double, double) { return double(std::isfinite(x)); }},
        {"signbit", [](double x, double, double) { return double(std::signbit(x)); }},
        {"logical_xor", [](double x, double y, double) { return double((x != 0) != (y != 0)); }},
    };
    return ops;
}

/// Functions of real numbers.
inline const std::map<std::string, reference_function>& reference_functions() {
    static const std::map<std::string, reference_function> ops = {
        {"exp", [](double x, double, double) { return std::exp(x); }},
        {"exp2", [](double x, double, double) { return std::exp2(x); }},
        {"expm1", [](double x, double, double) { return std::expm1(x); }},
        {"log", [](double x, double, double) { return std::log(x); }},
        {"log2", [](double x, double, double) { return std::log2(x); }},
        {"log10", [](double x, double, double) { return std::log10(x); }},
        {"log1p", [](double x, double, double) { return std::log1p(x); }},
        {"pow", [](double x, double y, double) { return std::pow(x, y); }},
        {"sqrt", [](double x, double, double) { return std::sqrt(x); }},
        {"rsqrt", [](double x, double, double) { return 1 / std::sqrt(x); }},
        {"cbrt", [](double x, double, double) { return std::cbrt(x); }},
        {"hypot", [](double x, double y, double) { return std::hypot(x, y); }},
        {"sin", [](double x, double, double) { return std::sin(x); }},
        {"cos", [](double x, double, double) { return std::cos(x); }},
        {"tan", [](double x, double, double) { return std::tan(x); }},
        {"asin", [](double x, double, double) { return std::asin(x); }},
        {"acos", [](double x, double, double) { return std::acos(x); }},
        {"atan", [](double x, double, double) { return std::atan(x); }},
        {"atan2", [](double x, double y, double) { return std::atan2(x, y); }},
        {"sinh", [](double x, double, double) { return std::sinh(x); }},
        {"cosh", [](double x, double, double) { return std::cosh(x); }},
        {"tanh", [](double x, double, double) { return std::tanh(x); }},
        {"asinh", [](double x, double, double) { return std::asinh(x); }},
        {"acosh", [](double x, double, double) { return std::acosh(x); }},
        {"atanh", [](double x, double, double) { return std::atanh(x); }},
        {"erf", [](double x, double, double) { return std::erf(x); }},
        {"erfc", [](double x, double, double) { return std::erfc(x); }},
        {"tgamma", [](double x, double, double) { return std::tgamma(x); }},
        {"lgamma", [](double x, double, double) { return std::lgamma(x); }},
        {"exp10", [](double x, double, double) { return double(std::pow(10.0L, x)); }},
        {"logaddexp", [](double x, double y, double) { return std::log(std::exp(x) + std::exp(y)); }},
        {"logaddexp2", [](double x, double y, double) { return std::log2(std::exp2(x) + std::exp2(y)); }},
        {"sinpi", [](double x, double, double) { return double(std::sin(pi * x)); }},
        {"cospi", [](double x, double, double) { return double(std::cos(pi * x)); }},
        {"erfinv", [](double x, double, double) { return inverse([](long double v) { return std::erf(v); }, x); }},
        {"erfcinv", [](double x, double, double) { return -inverse([](long double v) { return std::erfc(-v); }, x); }},
        {"erfcx",
         [](double x, double, double) { return double(std::exp((long double)x * x) * std::erfc((long double)x)); }},
        {"normcdf", [](double x, double, double) { return double(normal(x)); }},
        {"normcdfinv", [](double x, double, double) { return inverse(normal, x); }},
        {"j0", [](double x, double, double) { return double(::j0l(x)); }},
        {"j1", [](double x, double, double) { return double(::j1l(x)); }},
        {"y0", [](double x, double, double) { return double(::y0l(x)); }},
        {"y1", [](double x, double, double) { return double(::y1l(x)); }},
        {"i0", [](double x, double, double) { return double(std::cyl_bessel_il(0, std::abs(x))); }},
        {"i1", [](double x, double, double) { return double(std::copysign(std::cyl_bessel_il(1, std::abs(x)), x)); }},
    };
    return ops;
}

/// An op by its name; null where its value depends on the width of its operands.
inline reference_function reference_function_named(const std::string& op) {
    for (const auto* ops : {&reference_arithmetic(), &reference_predicates(), &reference_functions()})
        if (const auto found = ops->find(op); found != ops->end()) return found->second;
    return nullptr;
}

/// An op by its name, of T = t. Integers are checked with values that stay small.
inline double reference_op(const std::string& op, double x, double y, double z, dtype t = dtype::float64) {
    if (const reference_function f = reference_function_named(op)) return f(x, y, z);
    if (double result; reference_op_of_bits(op, x, y, t, result)) return result;
    throw std::out_of_range("the reference does not know '" + op + "': write it down here too");
}

}  // namespace sinter::codegen::testing
