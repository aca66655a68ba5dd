// C++ scalars as operands next to arrays. A scalar that the dtype cannot represent throws when the expression is
// written; it never wraps. Comparisons are defined for every number, so they replace such a scalar by a representable
// bound: u < 300.5 is u < 301 for a uint16 u.
#pragma once

#include <sinter/ir/node.hpp>

#include <limits>
#include <utility>

namespace sinter::detail {

/// The types of `inf` and `-inf`: doubles, except in ord=inf, where the value is a compile-time constant. They convert
/// to float, so that they narrow neither in braces of floats nor of doubles.
template <int Sign>
struct signed_infinity {
    constexpr operator float() const { return Sign * std::numeric_limits<float>::infinity(); }
    constexpr signed_infinity<-Sign> operator-() const { return {}; }
};
using infinity_t = signed_infinity<1>;
using negative_infinity_t = signed_infinity<-1>;

template <class T>
inline constexpr bool is_infinity = false;
template <int Sign>
inline constexpr bool is_infinity<signed_infinity<Sign>> = true;

/// A scalar that a function of the library writes into an expression: a constant, or a number that follows from shapes.
/// Equal ones of one dtype are copies of one scalar, so that `sigmoid(x) * (1 - sigmoid(x))` has one exponential. A
/// caller's scalars are not: equal values may differ at the next evaluation (codegen/ir/scalar_identity.hpp).
template <element_type T>
struct fixed {
    T value;
    constexpr operator T() const { return value; }
};
template <class T>
fixed(T) -> fixed<T>;  // clang++ 16 does not deduce it
template <class T>
inline constexpr bool is_fixed = false;
template <class T>
inline constexpr bool is_fixed<fixed<T>> = true;

/// The scalar operands: C++ numbers of an element type, inf and -inf, and the library's own.
template <class T>
concept scalar =
    element_type<std::remove_cvref_t<T>> || is_infinity<std::remove_cvref_t<T>> || is_fixed<std::remove_cvref_t<T>>;

/// A scalar as a value of an element type.
template <scalar T>
constexpr auto number_of_scalar(const T& a) {
    if constexpr (is_infinity<T>)
        return static_cast<double>(a);
    else if constexpr (is_fixed<T>)
        return a.value;
    else
        return a;
}
template <scalar T>
inline constexpr dtype scalar_dtype = dtype_of<decltype(number_of_scalar(std::declval<std::remove_cvref_t<T>>()))>;

/// The value of a C++ scalar of any real type.
struct real_number {
    bool floating = false;
    bool negative = false;        ///< integers
    std::uint64_t magnitude = 0;  ///< integers
    double value = 0;             ///< floating numbers
};

template <class A>
constexpr real_number number_value(A a) {
    if constexpr (is_storage_only(dtype_of<A>)) {
        return {true, false, 0, static_cast<float>(a)};
    } else if constexpr (std::is_floating_point_v<A>) {
        return {true, false, 0, a};
    } else {
        const auto bits = static_cast<std::uint64_t>(a);
        if constexpr (std::is_signed_v<A>)
            if (a < 0) return {false, true, 0 - bits};
        return {false, false, bits};
    }
}

[[noreturn]] void throw_scalar_does_not_fit(const char* function, const real_number& value, dtype type);

/// Whether an integer dtype can represent a scalar.
template <dtype D, class A>
constexpr bool holds(A a) {
    using limits = std::numeric_limits<element_t<D>>;
    if constexpr (std::is_integral_v<A>) {
        if constexpr (std::is_signed_v<A>)
            if (a < 0) return static_cast<std::int64_t>(a) >= static_cast<std::int64_t>(limits::min());
        return static_cast<std::uint64_t>(a) <= static_cast<std::uint64_t>(limits::max());
    } else {
        const double v = static_cast<double>(a), beyond = 2.0 * static_cast<double>(limits::max() / 2 + 1);
        return v >= static_cast<double>(limits::min()) && v < beyond &&
               static_cast<double>(static_cast<element_t<D>>(v)) == v;
    }
}

/// Rounds a floating number to the nearest R; infinite beyond R's range, as in NumPy.
template <class R, class A>
constexpr R rounded(A a) {
    if constexpr (sizeof(R) < sizeof(A)) {
        static_assert(std::is_same_v<R, float> && std::is_same_v<A, double>);
        constexpr float max = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
        constexpr double beyond = 0x1.ffffffp127;  // half way from max to 2^128
        if (a > max) return a < beyond ? max : infinity;
        if (a < -max) return a > -beyond ? -max : -infinity;
    }
    return static_cast<R>(a);
}

/// Converts a scalar to a dtype; throws if the dtype cannot represent it. Floating dtypes round to nearest, and bool is
/// whether it is nonzero. For storage types it stays a float: it takes part in the computation, and only stored values
/// are rounded.
template <dtype D, class A>
constexpr auto scalar_value(A a, const char* function = "scalar") {
    using to = element_t<computed_in(D)>;
    if constexpr (is_storage_only(dtype_of<A>)) {
        return scalar_value<D>(static_cast<float>(a), function);
    } else if constexpr (D == dtype::bool_) {
        return a != A(0);
    } else if constexpr (is_complex(D)) {
        using part = typename to::value_type;
        if constexpr (is_complex(dtype_of<A>))
            return to(rounded<part>(a.real()), rounded<part>(a.imag()));
        else
            return to(scalar_value<real_of(D)>(a));
    } else if constexpr (is_integer(D)) {
        if constexpr (!std::is_same_v<A, bool> && dtype_of<A> != D)
            if (!holds<D>(a)) [[unlikely]]
                throw_scalar_does_not_fit(function, number_value(a), D);
        return static_cast<to>(a);
    } else if constexpr (std::is_floating_point_v<A>) {
        return rounded<to>(a);
    } else {
        return static_cast<to>(a);
    }
}

/// The position of a scalar relative to a dtype's range.
enum class bound_position : std::uint8_t {
    held,
    below,  ///< less than all its numbers
    above,  ///< greater than all its numbers
    none,   ///< NaN, or not representable
};
/// Which neighbouring value of a dtype replaces one that it cannot represent.
enum class bound_side : std::uint8_t { next, previous, none };

/// A dtype's smallest number not below `v` (next), its largest not above `v` (previous), or `v` itself if
/// representable. Finite floating numbers within the dtype's range round as usual. If a floating dtype has no such
/// number, it is NaN.
struct scalar_bound {
    ir::scalar_bits bits;
    bound_position position;
};
scalar_bound bound_of(const real_number& v, dtype type, bound_side side);

/// Whether a comparison uses scalar_value(a): it is representable, or rounded as usual for a floating dtype, where x ==
/// 0.1 is true for 0.1f.
template <dtype D, class A>
constexpr bool compares_as_given(A a) {
    using to = element_t<computed_in(D)>;
    if constexpr (is_storage_only(dtype_of<A>)) {
        return compares_as_given<D>(static_cast<float>(a));
    } else if constexpr (dtype_of<A> == D || std::is_same_v<A, bool>) {
        return true;
    } else if constexpr (is_integer(D)) {
        return holds<D>(a);
    } else if constexpr (std::is_floating_point_v<A>) {
        constexpr A max = static_cast<A>(sizeof(A) > sizeof(to) ? std::numeric_limits<to>::max() : 0);
        return sizeof(A) <= sizeof(to) || !(a > max || a < -max) || a - a != a - a;  // infinity is no overflow
    } else if constexpr (std::numeric_limits<A>::digits <= std::numeric_limits<to>::digits) {
        return true;
    } else {
        return number_value(a).magnitude <= std::uint64_t{1} << std::numeric_limits<to>::digits;
    }
}

}  // namespace sinter::detail
