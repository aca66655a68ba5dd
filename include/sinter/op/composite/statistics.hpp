// Statistics over axes: mean, variance, range and counts; of all, masked, or non-NaN elements.
#pragma once

#include <sinter/op/composite/elementwise.hpp>
#include <sinter/stop_gradient.hpp>
#include <sinter/view.hpp>

namespace sinter {
namespace detail {

/// The number of elements reduced into each result element; with a mask, the number of selected ones.
template <class A, class... Options>
auto folded(const char* name, const A& a, const Options&... options) {
    if constexpr (has_option<where_tag, Options...>) {
        const auto& mask = option_or<where_tag>(absent, options...);
        check_mask(name, mask, a.shape());
        return to_dtype<real_of(floating_dtype<A>)>(sum(broadcast_to(mask, a.shape()), without<where_tag>(options)...));
    } else {
        return fixed{static_cast<double>(reduced_size(a.shape(), mask_of<A::rank>(name, options...)))};
    }
}

/// The moments of the elements along axes; with a mask, of the selected ones.
template <class A, class... Options>
auto moments(const char* name, const A& a, const Options&... options) {
    constexpr dtype part = floating_dtype<A>;
    (void)mask_of<A::rank>(name, options...);
    const auto folded = [&](auto&& x) {
        return fold_over<op::moments, keeps_dims<Options...>>(std::forward<decltype(x)>(x), find_axes(options...),
                                                              true);
    };
    if constexpr (has_option<where_tag, Options...>) {
        const auto& mask = option_or<where_tag>(absent, options...);
        check_mask(name, mask, a.shape());
        return folded(join<op::moments_of_chosen, moments_of(part)>(mask, to_dtype<part>(a)));
    } else {
        return folded(to_dtype<part>(a));
    }
}

/// Extracts a statistic from the moments of an array of A's, in its floating dtype.
template <class Op, class A, class M>
auto of_moments(const M& m) {
    return join<Op, floating_dtype<A>>(m);
}

/// The maxima along axes; -inf for no elements, where max throws: for functions that have a value for these.
template <class X, class... Options>
auto greatest(const X& x, const Options&... options) {
    constexpr dtype accumulator = compute_dtype(op::max::row.rule, info_of<const X&>());
    check_kind<op::max, accumulator>();
    return fold_over<op::max, keeps_dims<Options...>>(to_dtype<accumulator>(x), find_axes(options...), true);
}

/// The non-NaN elements as a where= option, combined with an existing where=.
template <class A, class... Options>
auto numbers(const A& a, const Options&... options) {
    if constexpr (has_option<where_tag, Options...>) {
        check_mask("where", option_or<where_tag>(absent, options...), a.shape());
        return where = !isnan(a) && option_or<where_tag>(absent, options...);
    } else {
        return where = !isnan(a);
    }
}

}  // namespace detail

/// The arithmetic mean over the given axes (default: all). Integers and bool give the default float; no elements give
/// NaN. Accumulates in the result's dtype, or float32 for storage types. Options: axis=, keepdims, where=.
template <operand A, detail::option_among<detail::where_tag>... Options>
[[nodiscard]] auto mean(A&& a, const Options&... options) {
    const detail::called_as self(__func__);
    const auto count = detail::folded("mean", a, options...);
    return sum(detail::to_dtype<detail::floating_dtype<A>>(std::forward<A>(a)), options...) / count;
}

/// The variance over the given axes: the sum of squared distances from the mean, divided by the element count minus
/// ddof= (default 0). One kernel reads real elements once (number/moments.hpp). Real; integers and bool give the
/// default float. Options: axis=, keepdims, where=, ddof=.
template <operand A, detail::option_among<detail::where_tag, detail::ddof_tag>... Options>
[[nodiscard]] auto var(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    using detail::without;
    const auto count = detail::folded("var", a, without<detail::ddof_tag>(options)...);
    const auto less = static_cast<double>(detail::option_or<detail::ddof_tag>(0, options...));
    const auto squares = [&] {
        if constexpr (is_complex(A::type)) {
            const auto off =
                a - mean(a, detail::find_axes(options...), keepdims, without<detail::ddof_tag>(options)...);
            return sum(abs2(off), without<detail::ddof_tag>(options)...);
        } else {
            return detail::of_moments<op::squares_of_moments, A>(
                detail::moments("var", a, without<detail::ddof_tag>(options)...));
        }
    }();
    if constexpr (detail::has_option<detail::where_tag, Options...>)
        return squares / maximum(count - less, 0);
    else
        return squares / detail::fixed{count > less ? count - less : 0.0};
}
/// The standard deviation: the square root of the variance, with its options.
template <operand A, detail::option_among<detail::where_tag, detail::ddof_tag>... Options>
[[nodiscard]] auto stddev(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return sqrt(var(a, options...));
}

/// The greatest element minus the smallest. Throws for no elements.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto ptp(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return max(a, options...) - min(a, options...);
}

/// The number of nonzero elements, int64. NaN counts as nonzero. Options: axis=, keepdims, where=.
template <operand A, detail::option_among<detail::where_tag>... Options>
[[nodiscard]] auto count_nonzero(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return sum(a != element_t<A::type>(0), options...);
}

/// log(sum(exp(x))); the maximum is subtracted first to avoid overflow. -inf for no elements.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto logsumexp(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    const auto shift = [](const auto& most) { return stop_gradient(where(isfinite(most), most, 0.0)); };
    const auto x = detail::to_dtype<detail::floating_dtype<A>>(a);
    const auto total = sum(exp(x - shift(detail::greatest(x, detail::find_axes(options...), keepdims))), options...);
    return log(total) + shift(detail::greatest(x, options...));
}

// NaN-ignoring statistics. nanmax and nanmin, which give NaN if all elements are NaN, are rows of the op table.

/// The sum, ignoring NaN. Options: axis=, keepdims, where=, initial=.
template <operand A, detail::reduction_option... Options>
[[nodiscard]] auto nansum(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return sum(where(isnan(a), element_t<A::type>(0), a), options...);
}
/// The product, ignoring NaN. Options: axis=, keepdims, where=, initial=.
template <operand A, detail::reduction_option... Options>
[[nodiscard]] auto nanprod(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return prod(where(isnan(a), element_t<A::type>(1), a), options...);
}
/// The mean, ignoring NaN; NaN if nothing remains. Options: axis=, keepdims, where=.
template <operand A, detail::option_among<detail::where_tag>... Options>
[[nodiscard]] auto nanmean(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return mean(a, detail::numbers(a, options...), detail::without<detail::where_tag>(options)...);
}
/// The variance, ignoring NaN. Options: axis=, keepdims, where=, ddof=.
template <operand A, detail::option_among<detail::where_tag, detail::ddof_tag>... Options>
[[nodiscard]] auto nanvar(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return var(a, detail::numbers(a, options...), detail::without<detail::where_tag>(options)...);
}
/// The standard deviation, ignoring NaN. Options: axis=, keepdims, where=, ddof=.
template <operand A, detail::option_among<detail::where_tag, detail::ddof_tag>... Options>
[[nodiscard]] auto nanstd(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    return sqrt(nanvar(a, options...));
}

}  // namespace sinter
