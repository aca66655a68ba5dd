// Named arguments of reductions: axis=2, axis=-1, axis={0, 2}, axis=2_c and keepdims.
#pragma once

#include <sinter/misuse.hpp>
#include <sinter/shape.hpp>

#include <boost/hana/integral_constant.hpp>
#include <boost/hana/negate.hpp>

#include <cstddef>

namespace sinter {
namespace detail {

/// `Count` axes known at run time.
template <int Count>
struct runtime_axes {
    int value[Count];
};

template <int... A>
struct static_axes;

/// A single run-time axis, for functions along one axis.
template <>
struct runtime_axes<1> {
    int value[1];

    constexpr runtime_axes() : value{} {}
    constexpr runtime_axes(const int (&one)[1]) : value{one[0]} {}
    template <int A>
    constexpr runtime_axes(static_axes<A>) : value{A} {}
    template <class T>
    constexpr runtime_axes(const T&) : value{} {
        static_assert(never<T>, "sinter: this function works along one axis, given by name: axis=1, or axis=1_c");
    }
};

/// Axes known at compile time. Views accept them too: take(x, indices, axis=0_c).
template <int... A>
struct static_axes {
    constexpr operator runtime_axes<static_cast<int>(sizeof...(A))>() const
        requires(sizeof...(A) != 1)
    {
        return {{A...}};
    }
};

struct all_axes {};

struct keepdims_t {
    template <class T>
    keepdims_t operator=(const T&) const {
        static_assert(never<T>, "sinter: keepdims takes no value: write sum(x, axis=1, keepdims)");
        return {};
    }
};

template <class T>
concept integral_constant_like = requires {
    typename T::value_type;
    { T::value } -> std::convertible_to<int>;
};

/// Converts an integer to an axis number; one that int cannot hold becomes an axis that no operand has.
constexpr int axis_number(any_integer n) {
    constexpr int none = 0x7fffffff;
    return n > none || n < -none ? none : static_cast<int>(n);
}

struct axis_keyword {
    template <std::integral I>
    constexpr runtime_axes<1> operator=(I value) const {
        return {{axis_number(value)}};
    }
    template <std::integral I, std::size_t N>
        requires(!std::is_same_v<I, char>)
    constexpr runtime_axes<static_cast<int>(N)> operator=(const I (&values)[N]) const {
        runtime_axes<static_cast<int>(N)> axes{};
        for (std::size_t i = 0; i < N; ++i) axes.value[i] = axis_number(values[i]);
        return axes;
    }
    template <integral_constant_like C>
    constexpr static_axes<static_cast<int>(C::value)> operator=(C) const {
        return {};
    }
    template <class T>
        requires(!std::integral<T> && !integral_constant_like<T>)
    runtime_axes<1> operator=(const T&) const {
        static_assert(
            never<T>,
            "sinter: an axis is an integer, a list of integers, or a constant: axis=1, axis={0, 2}, axis=2_c");
        return {{0}};
    }
    axis_keyword& operator=(const axis_keyword&) = delete;
};

[[noreturn]] void throw_bad_axis(const char* op, int axis, int rank);
[[noreturn]] void throw_repeated_axis(const char* op, int axis);

/// The set of axes as a bit mask; negative axes count from the end.
template <int Count>
constexpr std::uint32_t axis_mask(const char* op, const runtime_axes<Count>& axes, int rank) {
    std::uint32_t mask = 0;
    for (int a : axes.value) {
        if (a < -rank || a >= rank) throw_bad_axis(op, a, rank);
        const std::uint32_t bit = 1u << (a < 0 ? a + rank : a);
        if (mask & bit) throw_repeated_axis(op, a);
        mask |= bit;
    }
    return mask;
}

/// A range of axes, for functions that accept any number of them.
template <int Rank>
constexpr std::uint32_t mask_of_axes(const char*, all_axes) {
    return (1u << Rank) - 1;
}
template <int Rank, int Count>
constexpr std::uint32_t mask_of_axes(const char* function, const runtime_axes<Count>& axes) {
    return axis_mask(function, axes, Rank);
}
template <int Rank, int... A>
constexpr std::uint32_t mask_of_axes(const char* function, static_axes<A...> axes) {
    static_assert(((A >= -Rank && A < Rank) && ...),
                  "sinter: the axis is out of range: axes of an expression of rank r are -r to r-1");
    return axis_mask(function, runtime_axes<static_cast<int>(sizeof...(A))>(axes), Rank);
}
template <int Rank, class T>
constexpr std::uint32_t mask_of_axes(const char*, const T&) {
    static_assert(never<T>, "sinter: axes are given by name: axis=1, axis={0, 1}, or axis=1_c");
    return 0;
}

/// The axes that a reduction's options select, for an operand of rank `Rank`.
template <class Axes, int Rank>
struct axes_of;
template <int Rank>
struct axes_of<all_axes, Rank> {
    static constexpr bool known = true;
    static constexpr int count = Rank;
    static constexpr std::uint32_t mask = (1u << Rank) - 1;
};
template <int Rank, int... A>
struct axes_of<static_axes<A...>, Rank> {
    static constexpr bool in_range = ((A >= -Rank && A < Rank) && ...);
    static_assert(in_range, "sinter: the axis is out of range: axes of an expression of rank r are -r to r-1");
    static constexpr bool known = true;
    static constexpr int count = sizeof...(A) <= Rank ? sizeof...(A) : 0;  // no further errors after the one above
    static constexpr std::uint32_t mask = ((1u << (!in_range ? 0 : A < 0 ? A + Rank : A)) | ... | 0u);
};
template <int Rank, int Count>
struct axes_of<runtime_axes<Count>, Rank> {
    static_assert(Count <= Rank, "sinter: there are more axes to reduce than the expression has");
    static constexpr bool known = false;
    static constexpr int count = Count <= Rank ? Count : 0;
    static constexpr std::uint32_t mask = 0;
};

template <class T>
struct is_axes : std::false_type {};
template <>
struct is_axes<all_axes> : std::true_type {};
template <int N>
struct is_axes<runtime_axes<N>> : std::true_type {};
template <int... A>
struct is_axes<static_axes<A...>> : std::true_type {};

/// Whether a type is a reduction option: one of this file or of options.hpp.
template <class T>
inline constexpr bool is_reduction_option = is_axes<T>::value || std::is_same_v<T, keepdims_t>;

/// The axes among a reduction's options; all axes if none is given.
constexpr all_axes find_axes() { return {}; }
template <class First, class... Rest>
constexpr auto find_axes(const First& first, const Rest&... rest) {
    static_assert(is_reduction_option<First>,
                  "sinter: a reduction takes one array or expression, then axis=... and keepdims by name: sum(x, "
                  "axis=1, keepdims); for two arrays write maximum(x, y) and the like");
    if constexpr (is_axes<First>::value)
        return first;
    else
        return find_axes(rest...);
}

/// The number of axes that an option names: 0 for all axes, -1 if the option is not an axis option.
template <class T>
inline constexpr int axis_count = is_axes<T>::value ? 0 : -1;
template <int Count>
inline constexpr int axis_count<runtime_axes<Count>> = Count;
template <int... A>
inline constexpr int axis_count<static_axes<A...>> = static_cast<int>(sizeof...(A));

template <int Count>
constexpr runtime_axes<Count> as_runtime(const runtime_axes<Count>& axes) {
    return axes;
}
template <int... A>
constexpr runtime_axes<static_cast<int>(sizeof...(A))> as_runtime(static_axes<A...> axes) {
    return axes;
}

}  // namespace detail

/// The axes that a reduction runs over: sum(x, axis=2), axis=-1, axis={0, 2}, or the compile-time axis=2_c.
inline constexpr detail::axis_keyword axis{};

/// Keeps the reduced axes with extent 1, so that the result broadcasts against the operand.
inline constexpr detail::keepdims_t keepdims{};

inline namespace literals {
/// 2_c is the constant 2 as a type (boost::hana::integral_constant).
using boost::hana::literals::operator""_c;
}  // namespace literals

}  // namespace sinter
