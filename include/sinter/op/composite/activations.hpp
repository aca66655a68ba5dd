// Activation functions of neural networks, as defined in PyTorch's documentation
// (https://pytorch.org/docs/stable/nn.functional.html). relu and leaky_relu promote integers as NumPy would; the others
// give the default float for integers and bool. NaN stays NaN.
#pragma once

#include <sinter/op/functions.hpp>

#include <numbers>

namespace sinter {

/// max(x, 0)
template <operand A>
[[nodiscard]] auto relu(A&& a) {
    return maximum(std::forward<A>(a), detail::fixed{0});
}

/// x if it is positive, else slope * x.
template <operand A>
[[nodiscard]] auto leaky_relu(const A& a, double slope = 0.01) {
    return where(a > 0, a, slope * a);
}

/// x if it is positive, else alpha (e^x - 1).
template <operand A>
[[nodiscard]] auto elu(const A& a, double alpha = 1) {
    return where(a > 0, a, alpha * expm1(a));
}

/// Scaled elu, with constants that preserve mean 0 and variance 1 across layers: G. Klambauer et al., "Self-Normalizing
/// Neural Networks", 2017, https://arxiv.org/abs/1706.02515.
template <operand A>
[[nodiscard]] auto selu(const A& a) {
    return 1.0507009873554804934193349852946 * elu(a, 1.6732632423543772848170429916717);
}

/// x normcdf(x), computed with erfc, which keeps the small values of negative x accurate.
template <operand A>
[[nodiscard]] auto gelu(const A& a) {
    return detail::fixed{0.5} * a * erfc(a * detail::fixed{-0.5 * std::numbers::sqrt2});
}

/// 1 / (1 + e^-x)
template <operand A>
[[nodiscard]] auto sigmoid(A&& a) {
    return detail::apply<op::near_quotient>(detail::fixed{1},
                                            detail::fixed{1} + exp(detail::fixed{-1.0} * std::forward<A>(a)));
}

/// x sigmoid(x), also called swish.
template <operand A>
[[nodiscard]] auto silu(const A& a) {
    return detail::apply<op::near_quotient>(a, detail::fixed{1} + exp(detail::fixed{-1.0} * a));
}

/// log(1 + e^x)
template <operand A>
[[nodiscard]] auto softplus(A&& a) {
    return logaddexp(std::forward<A>(a), detail::fixed{0});
}

/// x tanh(softplus(x))
template <operand A>
[[nodiscard]] auto mish(const A& a) {
    return a * tanh(softplus(a));
}

/// x clip(x + 3, 0, 6) / 6.
template <operand A>
[[nodiscard]] auto hardswish(const A& a) {
    return a * clip(a + 3, 0, 6) / 6;
}

}  // namespace sinter
