// Queries about dtypes, as in the Array API: finfo, iinfo, result_type, can_cast, isdtype. All are constexpr.
#pragma once

#include <sinter/error.hpp>
#include <sinter/expr.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace sinter {

/// The result of finfo: the limits of a floating dtype, or of the parts of a complex one.
struct floating_limits {
    int bits;                ///< per element; for a complex dtype, per part
    double eps;              ///< distance from 1 to the next larger number
    double max;              ///< the largest finite number
    double min;              ///< the smallest finite number, -max
    double smallest_normal;  ///< the smallest positive number with full precision
    sinter::dtype dtype;     ///< of the element, or of the parts
};

/// The result of iinfo: the limits of an integer dtype.
template <class T>
struct integer_limits {
    int bits;             ///< per element
    T max;                ///< the largest number
    T min;                ///< the smallest number
    sinter::dtype dtype;  ///< the dtype itself
};

/// The limits of a floating or complex dtype: finfo(dtype::float32).eps, finfo(x.dtype()).max. Throws for other dtypes.
constexpr floating_limits finfo(dtype of) {
    const auto limits = [](dtype type, int digits, int max_exponent) {
        double spacing = 1, smallest = 1, largest = 2;
        for (int i = 1; i < digits; ++i) spacing /= 2;
        for (int i = 2; i < max_exponent; ++i) smallest /= 2;
        largest -= spacing;
        for (int i = 1; i < max_exponent; ++i) largest *= 2;
        return floating_limits{static_cast<int>(8 * size_of(type)), spacing, largest, -largest, smallest, type};
    };
    switch (real_of(of)) {
        case dtype::float8_e4m3: return {8, 0.125, 448, -448, 0x1p-6, dtype::float8_e4m3};  // no infinity
        case dtype::float8_e5m2: return limits(dtype::float8_e5m2, 3, 16);
        case dtype::float16: return limits(dtype::float16, 11, 16);
        case dtype::bfloat16: return limits(dtype::bfloat16, 8, 128);
        case dtype::float32: return limits(dtype::float32, 24, 128);
        case dtype::float64: return limits(dtype::float64, 53, 1024);
        default:
            throw error(std::string("finfo: ") + name(of) +
                        " is not a floating dtype; iinfo<T>() has the limits of integers");
    }
}
/// As above, for an element type: finfo<float>().
template <element_type T>
    requires(is_floating(dtype_of<T>) || is_complex(dtype_of<T>))
constexpr floating_limits finfo() {
    return finfo(dtype_of<T>);
}

/// The limits of an integer type: iinfo<std::int16_t>().max.
template <element_type T>
    requires(is_integer(dtype_of<T>))
constexpr integer_limits<T> iinfo() {
    return {static_cast<int>(8 * sizeof(T)), std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), dtype_of<T>};
}

namespace detail {

/// A dtype in place of an operand counts as an array of that dtype.
constexpr operand_info info_of_any(dtype d) { return {d, false}; }
template <operand_or_scalar A>
constexpr operand_info info_of_any(const A&) {
    return info_of<A>();
}

}  // namespace detail

/// The promoted dtype of operands, by the rules of operators. Operands are arrays, expressions, dtypes and C++ scalars,
/// which are weak: result_type(x, y), result_type(dtype::int8, dtype::uint8), result_type(x, 1.0).
template <class... A>
    requires(sizeof...(A) > 0 && ((operand_or_scalar<A> || std::is_same_v<A, dtype>)&&...))
[[nodiscard]] constexpr dtype result_type(const A&... of) {
    const detail::operand_info operands[] = {detail::info_of_any(of)...};
    return detail::common_dtype(operands, 0);
}

/// Whether promotion converts one dtype into another: whether their common dtype is `to`.
[[nodiscard]] constexpr bool can_cast(dtype from, dtype to) { return promote(from, to) == to; }
template <operand A>
[[nodiscard]] constexpr bool can_cast(const A&, dtype to) {
    return can_cast(A::type, to);
}

/// Whether a dtype belongs to a kind of the Array API: "bool", "signed integer", "unsigned integer", "integral", "real
/// floating", "complex floating" or "numeric" (all but bool). Throws for other kinds.
[[nodiscard]] constexpr bool isdtype(dtype of, std::string_view kind) {
    if (kind == "bool") return of == dtype::bool_;
    if (kind == "signed integer") return kind_of(of) == dtype_kind::signed_integer;
    if (kind == "unsigned integer") return kind_of(of) == dtype_kind::unsigned_integer;
    if (kind == "integral") return is_integer(of);
    if (kind == "real floating") return is_floating(of);
    if (kind == "complex floating") return is_complex(of);
    if (kind == "numeric") return of != dtype::bool_;
    throw error(
        "isdtype: there is no kind \"" + std::string(kind) +
        "\"; give bool, signed integer, unsigned integer, integral, real floating, complex floating or numeric");
}
/// Whether a dtype is one of those given.
template <std::same_as<dtype>... D>
[[nodiscard]] constexpr bool isdtype(dtype of, D... kinds) {
    return ((of == kinds) || ...);
}

}  // namespace sinter
