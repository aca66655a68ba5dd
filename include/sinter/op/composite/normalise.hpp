// What brings the elements along axes to a common scale: softmax and the normalisations. Each is one kernel.
#pragma once

#include <sinter/op/composite/statistics.hpp>

namespace sinter {

/// exp(x) over its sum along the given axes; the maximum is taken off first, so that nothing overflows. Integers give
/// the default float.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto softmax(const A& a, const Options&... options) {
    const auto x = detail::to_dtype<detail::floating_dtype<A>>(a);  // unsigned integers have no differences below 0
    const auto e = exp(x - hold(max(x, options..., keepdims)));
    return e / sum(e, options..., keepdims);
}

/// The logarithm of softmax, also where softmax itself is too small to be told from 0.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto log_softmax(const A& a, const Options&... options) {
    const auto x = detail::to_dtype<detail::floating_dtype<A>>(a);
    const auto below = x - hold(max(x, options..., keepdims));
    return below - log(sum(exp(below), options..., keepdims));
}

/// (x - mean) / stddev along the given axes: by stddev's reciprocal, so that there is one division for all elements.
/// Options: axis=, ddof=.
template <operand A, detail::option_among<detail::ddof_tag>... Options>
[[nodiscard]] auto standardise(const A& a, const Options&... options) {
    using detail::without;
    if constexpr (is_complex(A::type)) {
        return (a - mean(a, without<detail::ddof_tag>(options)..., keepdims)) / stddev(a, options..., keepdims);
    } else {
        const auto m = detail::moments("standardise", a, without<detail::ddof_tag>(options)..., keepdims);
        return (a - detail::of_moments<op::mean_of_moments, A>(m)) * reciprocal(stddev(a, options..., keepdims));
    }
}

/// (x - mean) / sqrt(var + eps) along the given axes; eps= is 1e-5 if not given. Scale and shift are written behind it:
/// layer_norm(x, axis=-1) * weight + bias.
template <operand A, detail::option_among<detail::eps_tag>... Options>
[[nodiscard]] auto layer_norm(const A& a, const Options&... options) {
    const auto small = detail::option_or<detail::eps_tag>(1e-5, options...);
    const auto off = a - mean(a, detail::without<detail::eps_tag>(options)..., keepdims);
    return off / sqrt(mean(square(off), detail::without<detail::eps_tag>(options)..., keepdims) + small);
}

/// x / sqrt(mean(x^2) + eps) along the given axes; eps= is 1e-5 if not given.
template <operand A, detail::option_among<detail::eps_tag>... Options>
[[nodiscard]] auto rms_norm(const A& a, const Options&... options) {
    const auto small = detail::option_or<detail::eps_tag>(1e-5, options...);
    const auto x = detail::to_dtype<detail::floating_dtype<A>>(a);
    return x / sqrt(mean(square(x), detail::without<detail::eps_tag>(options)..., keepdims) + small);
}

}  // namespace sinter
