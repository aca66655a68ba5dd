// Functions composed of the table's rows. They are expressions like a user's own, never ops.
#pragma once

#include <sinter/op/complex.hpp>

namespace sinter {
namespace detail {

/// The element type that a floating function of an operand has: complex for complex operands.
template <class A>
using floating_t = element_t<compute_dtype(dtype_rule::analytic, info_of<A>())>;

/// The number of elements that fold into each element of a reduction of `a`.
template <class A, class... Options>
std::int64_t folded(const char* name, const A& a, const Options&... options) {
    return reduced_size(a.shape(), mask_of<A::rank>(name, options...));
}

}  // namespace detail

/// The arithmetic mean over the given axes (all by default). Integers and bool give the default float; an empty
/// reduction gives NaN. Accumulates in the result's dtype, in float32 for the half types.
template <operand A, detail::reduction_option... Options>
[[nodiscard]] auto mean(A&& a, const Options&... options) {
    using value = detail::floating_t<A>;
    const auto count = detail::folded("mean", a, options...);
    return sum(detail::to_dtype<dtype_of<value>>(std::forward<A>(a)), options...) / static_cast<double>(count);
}

/// The variance over the given axes: the mean of the squared distances from the mean, both in one kernel. Real.
template <operand A, detail::reduction_option... Options>
[[nodiscard]] auto var(const A& a, const Options&... options) {
    return mean(abs2(a - mean(a, detail::find_axes(options...), keepdims)), options...);
}
/// The standard deviation over the given axes: the root of the variance.
template <operand A, detail::reduction_option... Options>
[[nodiscard]] auto stddev(const A& a, const Options&... options) {
    return sqrt(var(a, options...));
}

/// The Euclidean norm over the given axes: sqrt(sum(abs(x)^2)). Real; integers and bool give the default float.
template <operand A, detail::reduction_option... Options>
[[nodiscard]] auto norm(const A& a, const Options&... options) {
    return sqrt(sum(abs2(detail::to_dtype<dtype_of<detail::floating_t<A>>>(a)), options...));
}

/// The number of elements that are not zero, as int64. A NaN counts: it is not zero.
template <operand A, detail::reduction_option... Options>
[[nodiscard]] auto count_nonzero(const A& a, const Options&... options) {
    return sum(a != element_t<A::type>(0), options...);
}

/// exp(x) over its sum along the given axes; the maximum is taken off first, so that nothing overflows. One kernel.
template <operand A, detail::reduction_option... Options>
[[nodiscard]] auto softmax(const A& a, const Options&... options) {
    const auto e = exp(a - max(a, options..., keepdims));
    return e / sum(e, options..., keepdims);
}

}  // namespace sinter
