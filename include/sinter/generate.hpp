// Generated arrays: arange, linspace, logspace, geomspace, eye, tri. They are expressions whose elements are computed
// where a kernel needs them; nothing is stored.
#pragma once

#include <sinter/gather.hpp>
#include <sinter/nested.hpp>
#include <sinter/options.hpp>

#include <cmath>
#include <limits>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_count(const char* what, std::int64_t count);
[[noreturn]] void throw_zero_arange_step();
[[noreturn]] void throw_bad_arange(double start, double stop, double step);

/// The type in which elements of T are generated: float for the storage types.
template <class T>
using computed_t = element_t<computed_in(dtype_of<T>)>;

/// A number as shown in messages; the real part of a complex one.
template <class T>
double real_part(T v) {
    if constexpr (is_complex(dtype_of<T>))
        return static_cast<double>(v.real());
    else
        return static_cast<double>(v);
}

/// The element count of arange as in NumPy: ceil((stop - start) / step); for complex numbers, by the real parts.
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
        // unsigned, so that the difference of any two values fits
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

/// The common dtype of C++ numbers; int64 for integers that have no common integer dtype.
constexpr dtype dtype_of_numbers(dtype a, dtype b) {
    return is_integer(a) && is_integer(b) && !is_integer(promote(a, b)) ? dtype::int64 : promote(a, b);
}
template <element_type A, element_type... B>
constexpr dtype dtype_of_all() {
    dtype common = dtype_of<A>;
    ((common = dtype_of_numbers(common, dtype_of<B>)), ...);
    return common;
}

/// The element type of a generated array: T, or that of the numbers if T is void.
template <class T, class... Numbers>
struct formula {
    static constexpr dtype common = dtype_of_all<Numbers...>();
    using element = std::conditional_t<std::is_void_v<T>, element_t<common>, T>;
    using floating_element =
        std::conditional_t<std::is_void_v<T> && !is_floating(common) && !is_complex(common), double, element>;
};

/// Converts a number to the computing type C. An integer that C cannot represent becomes the nearest one; such a range
/// has too many elements anyway.
template <class C, class A>
constexpr C number_in(A number) {
    if constexpr (holds_some_of<C, A>())
        if (any_integer(static_cast<C>(number)) != any_integer(number))
            return number > A(0) ? std::numeric_limits<C>::max() : std::numeric_limits<C>::min();
    if constexpr (is_complex(dtype_of<C>) && !is_complex(dtype_of<A>))
        return C(static_cast<typename C::value_type>(number));
    else
        return static_cast<C>(number);
}

/// Throws if an integer element type E does not hold the whole part of a number that a generated array is to have.
template <class E, class A>
void expect_held(const char* function, A number) {
    if constexpr (is_integer(dtype_of<E>) && std::is_floating_point_v<A>)
        (void)scalar_value<dtype_of<E>>(std::trunc(number), function);
    else if constexpr (is_integer(dtype_of<E>) && !is_complex(dtype_of<A>))
        (void)scalar_value<dtype_of<E>>(number, function);
}

/// The last of `count` numbers, count >= 1, that begin at `start`.
template <class N>
N last_number(N start, N step, std::int64_t count) {
    if constexpr (std::is_integral_v<N>)  // unsigned, so that what lies between wraps back
        return static_cast<N>(static_cast<std::uint64_t>(start) +
                              static_cast<std::uint64_t>(count - 1) * static_cast<std::uint64_t>(step));
    else
        return start + static_cast<N>(count - 1) * step;
}

struct endpoint_tag {};
using endpoint_option = option<endpoint_tag, bool>;

[[noreturn]] void throw_bad_geomspace(double start, double stop);

/// `count` equally spaced numbers, with `to` as the last one or excluded.
template <class C>
auto spaced(const char* function, C from, C to, std::int64_t count, endpoint_option ends) {
    if (count < 0) throw_bad_count(function, count);
    checked_size(function, &count, 1, static_cast<std::int64_t>(size_of(dtype_of<C>)));
    const std::int64_t steps = ends.value ? count - 1 : count;
    const auto i = index_along<1>(0, count);
    const C step = steps > 0 ? (to - from) / static_cast<element_t<real_of(dtype_of<C>)>>(steps) : C(0);
    // the last element is exactly `to`, whatever the rounding of the steps
    return where(i == (ends.value && count > 1 ? count - 1 : -1), to, astype<C>(i) * step + from);
}

/// Geometrically spaced numbers, between reals of the same sign or between complex numbers.
template <class C>
auto spaced_by_ratio(C from, C to, std::int64_t count, endpoint_option ends) {
    using number = element_t<real_of(dtype_of<C>)>;
    const auto i = index_along<1>(0, count < 0 ? 0 : count);
    const auto between = [&] {
        if constexpr (is_complex(dtype_of<C>)) {
            if (from == C(0) || to == C(0)) throw_bad_geomspace(std::abs(from), std::abs(to));
            return from * pow(number(10), spaced("geomspace", C(0), std::log10(to / from), count, ends));
        } else {
            if (!(from * to > 0) && !(from != from || to != to)) throw_bad_geomspace(from, to);
            const C sign = from < 0 ? -1 : 1;
            return sign * pow(C(10), spaced("geomspace", std::log10(sign * from), std::log10(sign * to), count, ends));
        }
    }();
    const auto ends_in_to = where(i == (ends.value && count > 1 ? count - 1 : -1), to, between);
    return where(i == std::int64_t{0}, from, ends_in_to);
}

}  // namespace detail

/// linspace(0, 1, 5, endpoint=false) excludes the last value.
inline constexpr detail::keyword<detail::endpoint_tag> endpoint{};

/// start, start + step, ... up to but excluding `stop`. The element type is the numbers' promoted type, as in arange(0,
/// 1, 0.25), or T: arange<float>(0, 1, 0.25). Half types are computed in float32 and rounded once. The length of a
/// complex range follows from its real parts.
template <class T = void, element_type A, element_type B, element_type C>
[[nodiscard]] auto arange(A start, B stop, C step) {
    using numbers = detail::formula<void, A, B, C>;
    using E = typename detail::formula<T, A, B, C>::element;
    static_assert(!std::is_same_v<E, bool>, "sinter: arange makes numbers, not bools: write arange<int>(n)");
    using N = detail::computed_t<typename numbers::element>;
    using R = detail::computed_t<E>;
    const N first = detail::number_in<N>(start), by = detail::number_in<N>(step);
    const std::int64_t count = detail::arange_count(first, detail::number_in<N>(stop), by);
    if constexpr (!is_complex(dtype_of<N>)) {
        if (count > 0) detail::expect_held<E>("arange", first);
        if (count > 0) detail::expect_held<E>("arange", detail::last_number(first, by, count));
    }
    const auto i = astype<R>(detail::index_along<1>(0, count));
    return detail::to_dtype<dtype_of<E>>(i * detail::number_in<R>(step) + detail::number_in<R>(start));
}
template <class T = void, element_type A, element_type B>
[[nodiscard]] auto arange(A start, B stop) {
    return arange<T>(start, stop, typename detail::formula<void, A, B>::element(1));
}
/// 0, 1, ... up to but excluding `stop`: arange(10), arange<float>(10).
template <class T = void, element_type A>
[[nodiscard]] auto arange(A stop) {
    using E = typename detail::formula<T, A>::element;
    static_assert(!std::is_same_v<E, bool>, "sinter: arange makes numbers, not bools: write arange<int>(n)");
    using N = detail::computed_t<A>;
    const std::int64_t count = detail::arange_count(N(0), static_cast<N>(stop), N(1));
    if (count > 0) detail::expect_held<E>("arange", count - 1);
    return astype<E>(detail::index_along<1>(0, count));
}

/// `count` equally spaced values from `start` to `stop`, inclusive. Integers give double unless an element type is
/// named, linspace<float>(0, 1, 5); integer types round down. endpoint=false excludes `stop`.
template <class T = void, element_type A, element_type B>
[[nodiscard]] auto linspace(A start, B stop, std::int64_t count = 50, detail::endpoint_option ends = {true}) {
    using E = typename detail::formula<T, A, B>::floating_element;
    if constexpr (std::is_integral_v<E>) {
        if (count > 0) detail::expect_held<E>("linspace", std::floor(detail::number_in<double>(start)));
        if (count > 1) detail::expect_held<E>("linspace", std::floor(detail::number_in<double>(stop)));
        return astype<E>(floor(linspace<double>(start, stop, count, ends)));
    } else {
        using C = detail::computed_t<E>;
        return detail::to_dtype<dtype_of<E>>(
            detail::spaced("linspace", detail::number_in<C>(start), detail::number_in<C>(stop), count, ends));
    }
}

/// `count` powers of base whose exponents are equally spaced from `start` to `stop`; real.
template <class T = void, element_type A, element_type B, element_type Base = int>
[[nodiscard]] auto logspace(A start, B stop, std::int64_t count = 50, Base base = 10,
                            detail::endpoint_option ends = {true}) {
    using E = typename detail::formula<T, A, B>::floating_element;
    static_assert(is_floating(dtype_of<E>),
                  "sinter: logspace makes floating numbers; for complex ones write geomspace");
    using C = detail::computed_t<E>;
    const auto powers =
        detail::spaced("logspace", detail::number_in<C>(start), detail::number_in<C>(stop), count, ends);
    return detail::to_dtype<dtype_of<E>>(pow(detail::number_in<C>(base), powers));
}
template <class T = void, element_type A, element_type B>
[[nodiscard]] auto logspace(A start, B stop, std::int64_t count, detail::endpoint_option ends) {
    return logspace<T>(start, stop, count, 10, ends);
}

/// `count` values in geometric progression from `start` to `stop`, inclusive; both must be nonzero and of the same
/// sign. Complex ones turn through the smaller angle. Element types and endpoint=false as in linspace.
template <class T = void, element_type A, element_type B>
[[nodiscard]] auto geomspace(A start, B stop, std::int64_t count = 50, detail::endpoint_option ends = {true}) {
    using E = typename detail::formula<T, A, B>::floating_element;
    static_assert(!std::is_integral_v<E>,
                  "sinter: geomspace makes floating or complex numbers: geomspace<double>(1, 8, 4)");
    using C = std::conditional_t<is_complex(dtype_of<E>), std::complex<double>, double>;
    return detail::to_dtype<dtype_of<E>>(
        detail::spaced_by_ratio(detail::number_in<C>(start), detail::number_in<C>(stop), count, ends));
}

/// Ones on a diagonal, zeros elsewhere; `offset` moves it up and right. eye<float>(n), eye<float>(n, m). Here and below
/// the default element type is double, as in NumPy.
template <element_type T = double>
[[nodiscard]] auto eye(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0) {
    if (rows < 0 || columns < 0) detail::throw_bad_count("eye", rows < 0 ? rows : columns);
    const std::int64_t extents[] = {rows, columns};
    detail::checked_size("eye", extents, 2, static_cast<std::int64_t>(size_of(dtype_of<T>)));
    return astype<T>(detail::index_along<2>(1, columns) - detail::index_along<2>(0, rows) == offset);
}
template <element_type T = double>
[[nodiscard]] auto eye(std::int64_t rows) {
    return eye<T>(rows, rows);
}

/// Ones on and below a diagonal, zeros above.
template <element_type T = double>
[[nodiscard]] auto tri(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0) {
    if (rows < 0 || columns < 0) detail::throw_bad_count("tri", rows < 0 ? rows : columns);
    const std::int64_t extents[] = {rows, columns};
    detail::checked_size("tri", extents, 2, static_cast<std::int64_t>(size_of(dtype_of<T>)));
    return astype<T>(detail::index_along<2>(1, columns) - detail::index_along<2>(0, rows) <= offset);
}
template <element_type T = double>
[[nodiscard]] auto tri(std::int64_t rows) {
    return tri<T>(rows, rows);
}

/// tril keeps the last two axes' elements on and below a diagonal and sets those above to zero; triu the reverse.
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
