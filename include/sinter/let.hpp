// Names a subexpression: let(value, body) is body(x), where x stands for the value. The type contains the value once,
// however often body uses x, whereas `auto x = value; x / sum(x)` contains it once per use. This avoids doubling the
// expression type at each step.
//
//     auto softmax = let(exp(x), [](const auto& e) { return e / sum(e, axis=1, keepdims); });
#pragma once

#include <sinter/expr.hpp>

namespace sinter {
namespace tree {

/// A reference to a node that an enclosing let has emitted. `Name` is the type of the let's body.
template <class Name, dtype D, int Rank>
struct bound {
    static constexpr dtype type = D;
    static constexpr int rank = Rank;
    static constexpr counts size{};
    template <class B>
    static constexpr int emit(B& b) {
        if constexpr (requires { B::template knows<Name>; })
            return b.template node_of<Name>();
        else
            return b.unknown_name();
    }
};

/// A builder with one more name in scope than its outer builder.
template <class Name, class Outer>
struct naming_builder {
    Outer& outer;
    int node;
    int leaves = outer.leaves;
    int scalars = outer.scalars;
    int integers = outer.integers;

    template <class Other>
        requires(std::is_same_v<Other, Name> || requires { Outer::template knows<Other>; })
    static constexpr bool knows = true;

    constexpr int add(const ir::node& n) { return outer.add(n); }
    constexpr int unknown_name() { return outer.unknown_name(); }
    template <class Other>
    constexpr int node_of() const {
        if constexpr (std::is_same_v<Other, Name>)
            return node;
        else
            return outer.template node_of<Other>();
    }
    constexpr void give_back() {
        outer.leaves = leaves;
        outer.scalars = scalars;
        outer.integers = integers;
    }
};

/// `Body` with a name for `Value`.
template <class Name, class Value, class Body>
struct let {
    static constexpr dtype type = Body::type;
    static constexpr int rank = Body::rank;
    static constexpr counts size = Value::size + Body::size;
    template <class B>
    static constexpr int emit(B& b) {
        const int value = Value::emit(b);
        naming_builder<Name, B> inner{b, value};
        const int body = Body::emit(inner);
        inner.give_back();
        return body;
    }
};

}  // namespace tree

/// Returns body(x), where x is an expression that stands for the value. The body is a function object, such as a
/// lambda, that returns an expression; x must not be used outside of it.
template <operand V, class F>
[[nodiscard]] auto let(V&& value, F body) {
    using in = detail::expr_of<V>;
    expr<tree::bound<F, in::type, in::rank>> name;
    name.shape_ = value.shape();
    constexpr bool one = operand<decltype(body(name))>;
    static_assert(one,
                  "sinter: the body of a let returns one expression; value_and_grad(loss, a, b) has a loss and its "
                  "derivatives");
    if constexpr (one) {
        auto made = detail::expr_of<decltype(body(name))>(detail::as_expr(body(name)));
        expr<tree::let<F, typename in::tree_type, typename decltype(made)::tree_type>> e;
        e.shape_ = made.shape_;
        tree::counts at{};
        e.append(at, detail::as_expr(std::forward<V>(value)));
        e.append(at, std::move(made));
        return e;
    }
}

}  // namespace sinter
