// Derivatives: grad(loss, w) is an expression, the derivative of a scalar by an array that it is computed from, and
// fuses as any other.
//
//     auto loss = mean(square(sum(x * w, axis=1) - y));
//     w -= 0.1 * grad(loss, w);
#pragma once

#include <sinter/hold.hpp>
#include <sinter/pack.hpp>

namespace sinter {
namespace tree {

/// The derivative of `Loss` by `By`, which occurs in it.
template <class Loss, class By>
struct gradient {
    static constexpr dtype type = By::type;
    static constexpr int rank = By::rank;
    static constexpr counts size = Loss::size + By::size + counts{1, 0, 0, 0};
    template <class B>
    static constexpr int emit(B& b) {
        const auto loss = static_cast<std::int16_t>(Loss::emit(b));
        const auto by = static_cast<std::int16_t>(By::emit(b));
        return b.add({.what = ir::kind::gradient, .type = type, .rank = rank, .in = {loss, by, -1}});
    }
};

}  // namespace tree

namespace detail {

/// Says in one line what has no derivative.
template <class Loss, class... By>
constexpr bool differentiable() {
    static_assert(Loss::rank == 0, "sinter: a gradient is that of one number: reduce the loss, as by sum or mean");
    static_assert(is_floating(Loss::type) && (is_floating(By::type) && ...),
                  "sinter: derivatives are of floating numbers by floating numbers; integers, bool and complex numbers "
                  "have none");
    return Loss::rank == 0 && is_floating(Loss::type) && (is_floating(By::type) && ...);
}

template <class Loss, class By>
auto gradient_of(const expr<Loss>& loss, const expr<By>& by) {
    expr<tree::gradient<Loss, By>> e;
    e.shape_ = by.shape_;
    tree::counts at{};
    e.append(at, loss);
    e.append(at, by);
    return e;
}

}  // namespace detail

/// The derivative of `loss`, a floating expression of rank 0, by an array that it reads or an expression that it is
/// made of; of its shape and dtype. By several it is a pack: tie(dw, db) = grad(loss, w, b). It is found in reverse
/// mode when the expression meets new shapes; what the loss mentions several times is computed and differentiated once.
///
/// An array is known by its elements, so a copy that shares them counts as the same; hold() what is to stay constant.
/// The derivatives of comparisons, of rounding and of what goes through integers or bool are 0; where max and the like
/// meet ties, those share evenly. Throws on evaluation where the loss does not read the array, or by way of an op that
/// has no rule in include/sinter/op/derivatives.def.
template <operand Loss, operand By>
[[nodiscard]] auto grad(const Loss& loss, const By& by) {
    if constexpr (detail::differentiable<Loss, By>())
        return detail::gradient_of(detail::expr_of<const Loss&>(detail::as_expr(loss)),
                                   detail::expr_of<const By&>(detail::as_expr(by)));
}
template <operand Loss, operand... By>
    requires(sizeof...(By) >= 2 && sizeof...(By) <= ir::max_roots)
[[nodiscard]] auto grad(const Loss& loss, const By&... by) {
    if constexpr (detail::differentiable<Loss, By...>()) return pack(grad(loss, by)...);
}

/// The loss itself before its derivatives: tie(loss, dw, db) = value_and_grad(loss, w, b).
template <operand Loss, operand... By>
    requires(sizeof...(By) >= 1 && sizeof...(By) < ir::max_roots)
[[nodiscard]] auto value_and_grad(const Loss& loss, const By&... by) {
    if constexpr (detail::differentiable<Loss, By...>()) return pack(loss, grad(loss, by)...);
}

}  // namespace sinter
