// Window functions for signals before a transform: bartlett, blackman, hamming, hanning, kaiser. Generated from the
// index, as linspace: nothing is stored.
#pragma once

#include <sinter/generate.hpp>

#include <numbers>

namespace sinter {
namespace detail {

/// From -1 to 1 in `count` equal steps; 0 for a single element.
template <class C>
auto across_window(const char* function, std::int64_t count) {
    if (count < 0) throw_bad_count(function, count);
    const auto i = astype<C>(index_along<1>(0, count));
    return (2 * i - static_cast<double>(count - 1)) / static_cast<double>(count > 1 ? count - 1 : 1);
}

/// a0 + a1 cos(pi t) + a2 cos(2 pi t) for t from -1 to 1; 1 for a single element.
template <class T>
auto cosine_window(const char* function, std::int64_t count, double a0, double a1, double a2) {
    static_assert(is_floating(dtype_of<T>), "sinter: a window function makes floating numbers: hanning<float>(n)");
    const auto t = across_window<computed_t<T>>(function, count);
    return to_dtype<dtype_of<T>>(a0 + a1 * cospi(t) + a2 * cospi(2 * t));
}

}  // namespace detail

/// The triangular window of `count` elements, from 0 to 1 and back; symmetric, as NumPy's windows. Here and below the
/// element type is double by default, bartlett<float>(n), and a single element is 1.
template <element_type T = double>
[[nodiscard]] auto bartlett(std::int64_t count) {
    static_assert(is_floating(dtype_of<T>), "sinter: a window function makes floating numbers: bartlett<float>(n)");
    return detail::to_dtype<dtype_of<T>>(1 - abs(detail::across_window<detail::computed_t<T>>("bartlett", count)));
}
/// 0.42 + 0.5 cos(pi t) + 0.08 cos(2 pi t) for t from -1 to 1.
template <element_type T = double>
[[nodiscard]] auto blackman(std::int64_t count) {
    return detail::cosine_window<T>("blackman", count, 0.42, 0.5, 0.08);
}
/// 0.54 + 0.46 cos(pi t) for t from -1 to 1.
template <element_type T = double>
[[nodiscard]] auto hamming(std::int64_t count) {
    return detail::cosine_window<T>("hamming", count, 0.54, 0.46, 0);
}
/// 0.5 + 0.5 cos(pi t) for t from -1 to 1: the Hann window.
template <element_type T = double>
[[nodiscard]] auto hanning(std::int64_t count) {
    return detail::cosine_window<T>("hanning", count, 0.5, 0.5, 0);
}
/// i0(beta sqrt(1 - t^2)) / i0(beta) for t from -1 to 1. J. F. Kaiser, "Digital filters", in System Analysis by Digital
/// Computer, 1966.
template <element_type T = double>
[[nodiscard]] auto kaiser(std::int64_t count, double beta) {
    static_assert(is_floating(dtype_of<T>), "sinter: a window function makes floating numbers: kaiser<float>(n, 8)");
    using C = detail::computed_t<T>;
    const auto t = detail::across_window<C>("kaiser", count);
    const auto scale = i0(detail::to_dtype<dtype_of<C>>(beta));
    return detail::to_dtype<dtype_of<T>>(i0(beta * sqrt(maximum(1 - square(t), 0))) / scale);
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE_OF_NUMBERS(bartlett, "bartlett<float>(count)")
SINTER_DETAIL_USAGE_OF_NUMBERS(blackman, "blackman<float>(count)")
SINTER_DETAIL_USAGE_OF_NUMBERS(hamming, "hamming<float>(count)")
SINTER_DETAIL_USAGE_OF_NUMBERS(hanning, "hanning<float>(count)")
SINTER_DETAIL_USAGE_OF_NUMBERS(kaiser, "kaiser<float>(count, beta)")

}  // namespace sinter
