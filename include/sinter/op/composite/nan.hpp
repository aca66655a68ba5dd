// NaN-ignoring searches and cumulative functions: nanargmax, nanargmin, nancumsum, nancumprod.
#pragma once

#include <sinter/op/composite/search.hpp>
#include <sinter/scan.hpp>

namespace sinter {

/// The index of the greatest element, ignoring NaN; see argmax. If all are NaN, the index of the first. Options: axis=,
/// keepdims.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto nanargmax(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    if constexpr (is_floating(A::type))
        return argmax(where(isnan(a), -inf, a), options...);
    else
        return argmax(a, options...);
}
/// The index of the smallest element, ignoring NaN; see nanargmax.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto nanargmin(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    if constexpr (is_floating(A::type))
        return argmin(where(isnan(a), inf, a), options...);
    else
        return argmin(a, options...);
}
/// cumsum with NaN treated as 0. Options as cumsum.
template <operand A, detail::scan_option... Options>
[[nodiscard]] auto nancumsum(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return cumsum(where(isnan(a), element_t<A::type>(0), a), options...);
}
/// cumprod with NaN treated as 1. Options as cumprod.
template <operand A, detail::scan_option... Options>
[[nodiscard]] auto nancumprod(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return cumprod(where(isnan(a), element_t<A::type>(1), a), options...);
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(nanargmax, "nanargmax(x, axis=1, keepdims)")
SINTER_DETAIL_USAGE(nanargmin, "nanargmin(x, axis=1, keepdims)")
SINTER_DETAIL_USAGE(nancumsum, "nancumsum(x, axis=1)")
SINTER_DETAIL_USAGE(nancumprod, "nancumprod(x, axis=1)")

}  // namespace sinter
