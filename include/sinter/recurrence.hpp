// Linear recurrences as parallel scans, in one kernel.
#pragma once

#include <sinter/gather.hpp>
#include <sinter/op/complex.hpp>
#include <sinter/op/define.hpp>
#include <sinter/scan.hpp>
#include <sinter/view.hpp>

namespace sinter {
namespace detail {

/// Composes two steps y -> re y + im into one. The pair of coefficients is represented by a complex number.
SINTER_DETAIL_FOLD_ROW(linear_steps, complex_, identity, T(1), false, T(x.re* y.re, y.re* x.im + y.im))

/// Evaluates a recurrence with real coefficients, given as steps.
template <class Steps, class... Options>
auto run_steps(const char* name, Steps&& steps, const Options&... options) {
    return imag(scan_along<linear_steps_row>(name, std::forward<Steps>(steps), options...));
}

}  // namespace detail

/// y(i) = a(i) * y(i - 1) + b(i) along an axis, with y = 0 before the first element. a and b are real and broadcast:
/// linear_recurrence(0.9, x) is a one-pole filter. It is a scan, so steps are grouped differently than in a loop, and
/// values agree up to rounding. float32 or shorter gives float32, all else float64. Options: axis=, optional for a
/// single axis, and reverse.
template <operand_or_scalar A, operand B, detail::option_among<detail::reverse_tag>... Options>
[[nodiscard]] auto linear_recurrence(const A& a, const B& b, const Options&... options) {
    const detail::called_as self(__func__);
    return detail::run_steps("linear_recurrence", complex(a, b), options...);
}

/// Exponentially weighted moving average along an axis: y(0) = x(0), y(i) = alpha * x(i) + (1 - alpha) * y(i - 1).
/// Dtypes and options as linear_recurrence.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto ema(const A& x, double alpha, const Options&... options) {
    const detail::called_as self(__func__);
    constexpr int rank = A::rank;
    static_assert(rank > 0, "sinter: ema works along an axis; the operand has none");
    const std::uint32_t mask = detail::mask_of<rank>("ema", options...);
    const int along = mask == 0 ? 0 : __builtin_ctz(mask);
    const auto first = detail::index_along<rank>(along, x.shape().extent[along]) == std::int64_t{0};
    return detail::run_steps("ema", complex(1 - alpha, where(first, x, alpha * x)), options...);
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(linear_recurrence, "linear_recurrence(a, b, axis=0)")
SINTER_DETAIL_USAGE(ema, "ema(x, alpha, axis=0)")

}  // namespace sinter
