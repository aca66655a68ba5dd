// Vector and matrix norms, by NumPy's rules.
#pragma once

#include <sinter/op/composite/statistics.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_ord(double ord);

/// The vector norm of x, which is floating or complex, along the axes among the options.
template <class X, class Order, class... Options>
auto vector_norm(const X& x, const Order& order, const Options&... options) {
    static_assert(!std::is_same_v<Order, frobenius_t>,
                  "sinter: the Frobenius norm is for matrices, along two axes; for a vector write norm(x)");
    if constexpr (std::is_same_v<Order, infinity_t>) {
        return max(abs(x), options..., initial=0);
    } else if constexpr (std::is_same_v<Order, negative_infinity_t>) {
        return min(abs(x), options...);
    } else if constexpr (integral_constant_like<Order>) {
        if constexpr (Order::value == 0)
            return sum(to_dtype<real_of(X::type)>(x != element_t<X::type>(0)), options...);
        else if constexpr (Order::value == 1)
            return sum(abs(x), options...);
        else if constexpr (Order::value == 2)
            return sqrt(sum(abs2(x), options...));
        else
            return vector_norm(x, static_cast<int>(Order::value), options...);
    } else if constexpr (!std::is_same_v<Order, frobenius_t>) {
        const auto p = static_cast<double>(order);
        if (p == 0 || p - p != 0) throw_bad_ord(p);
        return pow(sum(pow(abs(x), p), options...), 1 / p);
    }
}

/// The row axis (first) and the column axis (second) of the matrices along a pair of axes.
inline constexpr static_axes<0> first_of(all_axes) { return {}; }
inline constexpr static_axes<1> second_of(all_axes) { return {}; }
template <int Row, int Column>
constexpr static_axes<Row> first_of(static_axes<Row, Column>) {
    return {};
}
template <int Row, int Column>
constexpr static_axes<Column> second_of(static_axes<Row, Column>) {
    return {};
}
constexpr runtime_axes<1> first_of(const runtime_axes<2>& axes) { return {{axes.value[0]}}; }
constexpr runtime_axes<1> second_of(const runtime_axes<2>& axes) { return {{axes.value[1]}}; }

/// The matrix norm of x, which is floating or complex, along the two axes among the options.
template <class X, class Order, class... Options>
auto matrix_norm(const X& x, const Order&, const Options&... options) {
    if constexpr (std::is_same_v<Order, frobenius_t>) {
        return sqrt(sum(abs2(x), options...));
    } else if constexpr (std::is_same_v<Order, infinity_t>) {
        return max(sum(abs(x), second_of(find_axes(options...)), keepdims), options..., initial=0);
    } else if constexpr (std::is_same_v<Order, negative_infinity_t>) {
        return min(sum(abs(x), second_of(find_axes(options...)), keepdims), options...);
    } else if constexpr (integral_constant_like<Order>) {
        constexpr int order = static_cast<int>(Order::value);
        static_assert(order != 2 && order != -2,
                      "sinter: a matrix norm of order 2 needs singular values: write spectral_norm(x), from "
                      "<sinter/linalg.hpp>; norm(x) without ord= is the Frobenius norm");
        static_assert(order == 1 || order == -1 || order == 2 || order == -2,
                      "sinter: the norms of a matrix have ord=1_c, -1_c, inf, -inf or fro; for the norms of its rows "
                      "write norm(x, axis=-1, ord=3)");
        if constexpr (order == 1)
            return max(sum(abs(x), first_of(find_axes(options...)), keepdims), options..., initial=0);
        else if constexpr (order == -1)
            return min(sum(abs(x), first_of(find_axes(options...)), keepdims), options...);
    } else {
        static_assert(never<Order>,
                      "sinter: the order of a matrix norm is a compile-time constant: ord=1_c, -1_c, inf, -inf or fro; "
                      "only norms of vectors, along one axis, have an order given as a number");
    }
}

}  // namespace detail

/// The norm over the given axes (default: all). Without ord= it is the square root of the sum of squares, over any
/// axes. With ord= it is a vector norm along one axis, and a matrix norm along two or for an operand with two axes, as
/// in NumPy:
///
/// | ord= | of vectors | of matrices |
/// | --- | --- | --- |
/// | `2_c` | the root of the sum of squares | |
/// | `fro` | | the root of the sum of squares |
/// | `1_c` | the sum of absolute values | the greatest sum of a column's absolute values |
/// | `-1_c` | (sum of abs(x)^-1)^-1 | the least sum of a column's |
/// | `inf` | the greatest absolute value | the greatest sum of a row's |
/// | `-inf` | the least absolute value | the least sum of a row's |
/// | `0_c` | the number of elements that are not zero | |
/// | a number p | (sum of abs(x)^p)^(1/p) | |
///
/// Matrix rows run along the second axis named. For no elements the greatest is 0, and the least throws. Real; integers
/// and bool give the default float. Options: axis=, keepdims, ord=.
template <operand A, detail::option_among<detail::ord_tag>... Options>
[[nodiscard]] auto norm(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    using detail::without;
    const auto x = detail::to_dtype<detail::floating_dtype<A>>(a);
    const auto& order = detail::option_or<detail::ord_tag>(detail::absent, options...);
    if constexpr (!detail::has_option<detail::ord_tag, Options...>) {
        return sqrt(sum(abs2(x), options...));
    } else {
        using set = detail::axes_of<std::remove_const_t<decltype(detail::find_axes(options...))>, A::rank>;
        static_assert(
            set::count <= 2,
            "sinter: ord= is for vectors and matrices: name one axis or two, as in norm(x, axis=-1, ord=1_c)");
        if constexpr (set::count < 2)
            return detail::vector_norm(x, order, without<detail::ord_tag>(options)...);
        else if constexpr (set::count == 2)
            return detail::matrix_norm(x, order, without<detail::ord_tag>(options)...);
    }
}

}  // namespace sinter
