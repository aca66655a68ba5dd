// Arrays that a formula gives: arange, linspace, logspace, eye, tri. They are expressions: a kernel works their
// elements out where it needs them, and nothing is stored.
#pragma once

#include <sinter/gather.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_count(const char* what, std::int64_t count);
[[noreturn]] void throw_zero_arange_step();
[[noreturn]] void throw_bad_arange(double start, double stop, double step);

/// The type that a formula for elements of T computes in: float for the half types.
template <class T>
using computed_t = element_t<computed_in(dtype_of<T>)>;

/// A number as messages show it; of a complex one the real part.
template <class T>
double real_part(T v) {
    if constexpr (is_complex(dtype_of<T>))
        return static_cast<double>(v.real());
    else
        return static_cast<double>(v);
}

/// The number of elements of arange, as NumPy counts them: ceil((stop - start) / step); complex: along the real axis.
template <class T>
std::int64_t arange_count(T start, T stop, T step) {
    if (step == T(0)) throw_zero_arange_step();
    if constexpr (!std::is_integral_v<T>) {
        double n = 0;
        if constexpr (is_complex(dtype_of<T>))
            n = static_cast<double>(((stop - start) / step).real());
        else
            n = (static_cast<double>(stop) - static_cast<double>(start)) / static_cast<double>(step);
        if (!(n < 0x1p62)) throw_bad_arange(real_part(start), real_part(stop), real_part(step));
        const auto whole = n > 0 ? static_cast<std::int64_t>(n) : 0;
        return n <= 0 ? 0 : whole + (n > static_cast<double>(whole) ? 1 : 0);
    } else {
        // unsigned, so that the distance of any two values fits
        const bool up = step > T(0);
        if (up ? stop <= start : stop >= start) return 0;
        const auto from = static_cast<std::uint64_t>(start), to = static_cast<std::uint64_t>(stop);
        const auto by = static_cast<std::uint64_t>(step);
        const std::uint64_t distance = up ? to - from : from - to, stride = up ? by : 0 - by;
        const std::uint64_t count = (distance - 1) / stride + 1;
        if (count >= std::uint64_t{1} << 62)
            throw_bad_arange(static_cast<double>(start), static_cast<double>(stop), static_cast<double>(step));
        return static_cast<std::int64_t>(count);
    }
}

}  // namespace detail

/// start, start + step, ... up to and without `stop`. The element type is that of the arguments: arange(0.0, 1.0, 0.1).
/// Half types are computed in float32 and rounded once. A complex range is as long as its real parts say.
template <element_type T>
    requires(!std::is_same_v<T, bool>)
[[nodiscard]] auto arange(T start, T stop, T step = T(1)) {
    using C = detail::computed_t<T>;
    const std::int64_t count = detail::arange_count(static_cast<C>(start), static_cast<C>(stop), static_cast<C>(step));
    const auto i = astype<C>(detail::index_along<1>(0, count));
    return detail::to_dtype<dtype_of<T>>(i * static_cast<C>(step) + static_cast<C>(start));
}
/// 0, 1, ... up to and without `stop`: arange<int>(10).
template <element_type T>
    requires(!std::is_same_v<T, bool>)
[[nodiscard]] auto arange(T stop) {
    using C = detail::computed_t<T>;
    return astype<T>(detail::index_along<1>(0, detail::arange_count(C(0), static_cast<C>(stop), C(1))));
}

/// `count` values at equal distances from `start` to `stop`, both included; floating or complex.
template <element_type T>
    requires(!std::is_integral_v<T>)
[[nodiscard]] auto linspace(T start, T stop, std::int64_t count) {
    if (count < 0) detail::throw_bad_count("linspace", count);
    detail::checked_size("linspace", &count, 1, static_cast<std::int64_t>(size_of(dtype_of<T>)));
    using C = detail::computed_t<T>;
    const auto from = static_cast<C>(start), to = static_cast<C>(stop);
    const auto i = detail::index_along<1>(0, count);
    const C step = count > 1 ? (to - from) / static_cast<element_t<real_of(dtype_of<C>)>>(count - 1) : C(0);
    // the last one is `stop` itself, whatever the steps' rounding
    return detail::to_dtype<dtype_of<T>>(where(i == (count > 1 ? count - 1 : -1), to, astype<C>(i) * step + from));
}

/// base to the powers from `start` to `stop`, `count` of them at equal distances.
template <element_type T>
    requires(is_floating(dtype_of<T>))
[[nodiscard]] auto logspace(T start, T stop, std::int64_t count, T base = T(10)) {
    using C = detail::computed_t<T>;
    const auto powers = linspace(static_cast<C>(start), static_cast<C>(stop), count);
    return detail::to_dtype<dtype_of<T>>(pow(static_cast<C>(base), powers));
}

/// Ones on a diagonal, zeros elsewhere; `offset` counts diagonals up and to the right. eye<float>(n), eye<float>(n, m).
template <element_type T>
[[nodiscard]] auto eye(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0) {
    if (rows < 0 || columns < 0) detail::throw_bad_count("eye", rows < 0 ? rows : columns);
    const std::int64_t extents[] = {rows, columns};
    detail::checked_size("eye", extents, 2, static_cast<std::int64_t>(size_of(dtype_of<T>)));
    return astype<T>(detail::index_along<2>(1, columns) - detail::index_along<2>(0, rows) == offset);
}
template <element_type T>
[[nodiscard]] auto eye(std::int64_t rows) {
    return eye<T>(rows, rows);
}

/// Ones on and below a diagonal, zeros above it.
template <element_type T>
[[nodiscard]] auto tri(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0) {
    if (rows < 0 || columns < 0) detail::throw_bad_count("tri", rows < 0 ? rows : columns);
    const std::int64_t extents[] = {rows, columns};
    detail::checked_size("tri", extents, 2, static_cast<std::int64_t>(size_of(dtype_of<T>)));
    return astype<T>(detail::index_along<2>(1, columns) - detail::index_along<2>(0, rows) <= offset);
}

/// The operand's last two axes on and below a diagonal, zeros above it (tril), or the reverse (triu).
template <operand A>
[[nodiscard]] auto tril(const A& a, std::int64_t offset = 0) {
    constexpr int rank = A::rank;
    static_assert(rank >= 2, "sinter: tril needs an operand of at least two axes");
    const auto s = a.shape();
    const auto up = detail::index_along<rank>(rank - 1, s[rank - 1]) - detail::index_along<rank>(rank - 2, s[rank - 2]);
    return where(up <= offset, a, element_t<A::type>(0));
}
template <operand A>
[[nodiscard]] auto triu(const A& a, std::int64_t offset = 0) {
    constexpr int rank = A::rank;
    static_assert(rank >= 2, "sinter: triu needs an operand of at least two axes");
    const auto s = a.shape();
    const auto up = detail::index_along<rank>(rank - 1, s[rank - 1]) - detail::index_along<rank>(rank - 2, s[rank - 2]);
    return where(up >= offset, a, element_t<A::type>(0));
}

}  // namespace sinter
