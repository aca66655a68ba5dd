// What gradients take for a constant: hold(x).
#pragma once

#include <sinter/expr.hpp>

namespace sinter {
namespace tree {

/// What derivatives take for a constant.
template <class In>
struct held {
    static constexpr dtype type = In::type;
    static constexpr int rank = In::rank;
    static constexpr counts size = In::size + counts{1, 0, 0, 0};
    template <class B>
    static constexpr int emit(B& b) {
        const auto in = static_cast<std::int16_t>(In::emit(b));
        return b.add({.what = ir::kind::held, .type = type, .rank = rank, .in = {in, -1, -1}});
    }
};

}  // namespace tree

/// The operand, which derivatives take for a constant: grad(sum(w * hold(w)), w) is w, not 2 w.
template <operand A>
[[nodiscard]] auto hold(A&& a) {
    expr<tree::held<typename detail::expr_of<A>::tree_type>> e;
    e.shape_ = a.shape();
    tree::counts at{};
    e.append(at, detail::as_expr(std::forward<A>(a)));
    return e;
}

}  // namespace sinter
