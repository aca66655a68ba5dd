// Constants for differentiation.
#pragma once

#include <sinter/expr.hpp>

namespace sinter {
namespace tree {

/// An operand that derivatives treat as a constant.
template <class In>
struct stop_gradient {
    static constexpr dtype type = In::type;
    static constexpr int rank = In::rank;
    static constexpr counts size = In::size + counts{1, 0, 0, 0};
    template <class B>
    static constexpr int emit(B& b) {
        const auto in = static_cast<std::int16_t>(In::emit(b));
        return b.add({.what = ir::kind::stop_gradient, .type = type, .rank = rank, .in = {in, -1, -1}});
    }
};

}  // namespace tree

/// The operand, treated as a constant by derivatives: grad(sum(w * stop_gradient(w)), w) is w, not 2 w.
template <operand A>
[[nodiscard]] auto stop_gradient(A&& a) {
    expr<tree::stop_gradient<typename detail::expr_of<A>::tree_type>> e;
    e.shape_ = a.shape();
    tree::counts at{};
    e.append(at, detail::as_expr(std::forward<A>(a)));
    return e;
}

}  // namespace sinter
