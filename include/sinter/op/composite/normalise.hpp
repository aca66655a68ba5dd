// Normalisation along axes: softmax, layer_norm and others. Each is one kernel.
#pragma once

#include <sinter/op/composite/statistics.hpp>

namespace sinter {

/// exp(x) divided by its sum along the given axes; the maximum is subtracted first to avoid overflow. Integers give the
/// default float.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto softmax(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    const auto x = detail::to_dtype<detail::floating_dtype<A>>(a);  // unsigned differences cannot be negative
    const auto e = exp(x - stop_gradient(detail::greatest(x, options..., keepdims)));
    return e / sum(e, options..., keepdims);
}

/// The logarithm of softmax, accurate even where softmax underflows.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto log_softmax(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    const auto x = detail::to_dtype<detail::floating_dtype<A>>(a);
    const auto below = x - stop_gradient(detail::greatest(x, options..., keepdims));
    return below - log(sum(exp(below), options..., keepdims));
}

/// (x - mean) / stddev along the given axes; multiplies by the reciprocal of stddev to divide once per reduction.
/// Options: axis=, ddof=.
template <operand A, detail::option_among<detail::ddof_tag>... Options>
[[nodiscard]] auto standardise(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    using detail::without;
    if constexpr (is_complex(A::type)) {
        return (a - mean(a, without<detail::ddof_tag>(options)..., keepdims)) / stddev(a, options..., keepdims);
    } else {
        const auto m = detail::moments("standardise", a, without<detail::ddof_tag>(options)..., keepdims);
        return (a - detail::of_moments<op::mean_of_moments, A>(m)) * reciprocal(stddev(a, options..., keepdims));
    }
}

/// (x - mean) / sqrt(var + eps) along the given axes, as a product with rsqrt(var + eps); eps= defaults to 1e-5. Scale
/// and shift are separate: layer_norm(x, axis=-1) * weight + bias.
template <operand A, detail::option_among<detail::eps_tag>... Options>
[[nodiscard]] auto layer_norm(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    const auto small = detail::option_or<detail::eps_tag>(1e-5, options...);
    const auto off = a - mean(a, detail::without<detail::eps_tag>(options)..., keepdims);
    return off * rsqrt(mean(square(off), detail::without<detail::eps_tag>(options)..., keepdims) + small);
}

/// x / sqrt(mean(x^2) + eps) along the given axes, as a product with rsqrt(mean(x^2) + eps); eps= defaults to 1e-5.
template <operand A, detail::option_among<detail::eps_tag>... Options>
[[nodiscard]] auto rms_norm(const A& a, const Options&... options) {
    const detail::called_as self(__func__);
    const auto small = detail::option_or<detail::eps_tag>(1e-5, options...);
    const auto x = detail::to_dtype<detail::floating_dtype<A>>(a);
    return x * rsqrt(mean(square(x), detail::without<detail::eps_tag>(options)..., keepdims) + small);
}

}  // namespace sinter
