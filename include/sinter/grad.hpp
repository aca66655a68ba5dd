// Derivatives: grad(loss, w), the derivative of a scalar with respect to one of its inputs, is an expression that fuses
// like any other.
//
//     auto loss = mean(square(sum(x * w, axis=1) - y));
//     w -= 0.1 * grad(loss, w);
#pragma once

#include <sinter/pack.hpp>
#include <sinter/stop_gradient.hpp>

namespace sinter {
namespace tree {

/// The derivative of `Loss` with respect to `By`, which occurs in it.
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

template <class Value, class By>
struct unshared<gradient<shared<Value>, By>> {
    using type = gradient<Value, By>;
    static constexpr counts borrowed{};
};
template <class Value, class By>
struct unshared<gradient<shared_again<Value>, By>> {
    using type = gradient<Value, By>;
    static constexpr counts borrowed = Value::size;
};

}  // namespace tree

namespace detail {

/// Reports in one line why an expression cannot be differentiated.
template <class Loss, class... By>
constexpr bool differentiable() {
    static_assert(Loss::rank == 0,
                  "sinter: the loss of a gradient must be a single number: reduce it, for example by sum or mean");
    static_assert(is_floating(Loss::type) && (is_floating(By::type) && ...),
                  "sinter: derivatives are of floating numbers with respect to floating numbers; integers, bools and "
                  "complex numbers have none");
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

/// The loss as the first result of a pack has it, and as the others do.
template <class Loss>
auto shared(const Loss& loss) {
    expr<tree::shared<typename expr_of<Loss>::tree_type>> e;
    tree::counts at{};
    e.append(at, expr_of<const Loss&>(as_expr(loss)));
    return e;
}
template <class Loss>
auto shared_again(const Loss&) {
    return expr<tree::shared_again<typename expr_of<Loss>::tree_type>>();
}

}  // namespace detail

/// The derivative of `loss`, a floating expression of rank 0, with respect to an array that it reads or a subexpression
/// of it; same shape and dtype. Several give a pack, which contains the loss once: tie(dw, db) = grad(loss, w, b).
/// Uses reverse mode, once per set of shapes; common subexpressions of the loss are computed and differentiated once.
///
/// The derivatives with respect to the factors of a matrix product are matrix products. Those of halves read halves, as
/// the product does; a factor of the whole loss, such as a mean's 1 / n, is applied after them, so that it makes no
/// float16 number too small.
///
/// Arrays are identified by their storage, so a copy that shares it counts as the same. Use stop_gradient() for
/// constants. Comparisons, rounding and values that pass through integers or bool have derivative 0; ties in max and
/// the like share the gradient evenly. Evaluation throws if the loss does not read the array, or reads it through an
/// op that has no rule in include/sinter/op/derivatives.def.
///
/// Where a function has no derivative, its formula decides: 0 for abs at 0, infinity for sqrt at 0, and so NaN,
/// infinity times 0, for the norm of zeros and the stddev of equal elements. A where() of the result does not hide it,
/// but one of the operand does: sqrt(where(x > 0, x, 1)).
template <operand Loss, operand By>
[[nodiscard]] auto grad(const Loss& loss, const By& by) {
    if constexpr (detail::differentiable<Loss, By>())
        return detail::gradient_of(detail::expr_of<const Loss&>(detail::as_expr(loss)),
                                   detail::expr_of<const By&>(detail::as_expr(by)));
}
template <operand Loss, operand First, operand... By>
    requires(sizeof...(By) >= 1 && sizeof...(By) < ir::max_roots)
[[nodiscard]] auto grad(const Loss& loss, const First& first, const By&... by) {
    if constexpr (detail::differentiable<Loss, First, By...>())
        return pack(
            detail::gradient_of(detail::shared(loss), detail::expr_of<const First&>(detail::as_expr(first))),
            detail::gradient_of(detail::shared_again(loss), detail::expr_of<const By&>(detail::as_expr(by)))...);
}

/// The loss followed by its derivatives: tie(loss, dw, db) = value_and_grad(loss, w, b).
template <operand Loss, operand... By>
    requires(sizeof...(By) >= 1 && sizeof...(By) < ir::max_roots)
[[nodiscard]] auto value_and_grad(const Loss& loss, const By&... by) {
    if constexpr (detail::differentiable<Loss, By...>())
        return pack(detail::shared(loss), detail::gradient_of(detail::shared_again(loss),
                                                              detail::expr_of<const By&>(detail::as_expr(by)))...);
}

}  // namespace sinter
