// The composite functions for C++ scalars: gelu(0.5f) is a float. Each evaluates the expression of a rank-0 array on
// the host, so the value is the same as for arrays there, and so is the cost of an evaluation.
#pragma once

#include <sinter/device.hpp>
#include <sinter/op/composite/activations.hpp>
#include <sinter/op/composite/elementwise.hpp>
#include <sinter/op/scalars.hpp>

namespace sinter {
namespace detail {

/// The value of f(x, options...) for a rank-0 expression x of a scalar's type and value.
template <class F, class A, class... Options>
auto value_on_host(F f, const A& a, const Options&... options) {
    const device_scope on(host());
    return item(f(broadcast_to(a, shape<0>()), options...));
}

template <class... A>
concept scalars = sizeof...(A) > 0 && (scalar<A> && ...);
template <class... A>
concept one_complex_scalar = sizeof...(A) == 1 && scalars<A...> && (is_complex(scalar_dtype<A>) && ...);

}  // namespace detail

#define SINTER_DETAIL_COMPOSITE_OF_SCALARS(name)                                                                       \
    template <class... A>                                                                                              \
        requires detail::scalars<A...>                                                                                 \
    [[nodiscard]] auto name(A... a) {                                                                                  \
        return detail::value_on_host([](const auto& x, const auto&... options) { return name(x, options...); }, a...); \
    }

SINTER_DETAIL_COMPOSITE_OF_SCALARS(relu)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(leaky_relu)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(elu)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(selu)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(gelu)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(sigmoid)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(silu)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(softplus)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(mish)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(hardswish)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(deg2rad)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(rad2deg)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(sinc)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(nan_to_num)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(isclose)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(arg)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(abs2)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(real)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(imag)
SINTER_DETAIL_COMPOSITE_OF_SCALARS(conj)
#undef SINTER_DETAIL_COMPOSITE_OF_SCALARS

/// The modulus of a complex number.
template <class... A>
    requires detail::one_complex_scalar<A...>
[[nodiscard]] auto abs(A... z) {
    return (hypot(z.real(), z.imag()), ...);
}
/// Rounds a number to a number of decimals.
template <detail::scalar A>
[[nodiscard]] auto round(A a, int decimals) {
    return detail::value_on_host([](const auto& x, int to) { return round(x, to); }, a, decimals);
}

}  // namespace sinter
