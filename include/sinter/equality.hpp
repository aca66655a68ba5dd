// Equality of arrays as a C++ bool: allclose, array_equal, array_equiv. They evaluate and wait for the device; the lazy
// forms are all(x == y) and all(isclose(x, y)).
#pragma once

#include <sinter/array.hpp>
#include <sinter/op/composite/elementwise.hpp>

namespace sinter {

/// Whether all elements are close, as defined by isclose. Operands broadcast; true for no elements. Evaluates.
template <operand_or_scalar A, operand_or_scalar B>
    requires(operand<A> || operand<B>)
[[nodiscard]] bool allclose(const A& a, const B& b, double relative = 1e-5, double absolute = 1e-8,
                            bool equal_nan = false) {
    return item(all(isclose(a, b, relative, absolute, equal_nan)));
}

/// Whether two operands have the same shape and elements; NaN equals nothing, or NaN if equal_nan. False if shapes
/// differ. Evaluates.
template <operand A, operand B>
[[nodiscard]] bool array_equal(const A& a, const B& b, bool equal_nan = false) {
    if constexpr (A::rank != B::rank)
        return false;
    else
        return a.shape() == b.shape() && item(all(a == b || (equal_nan && isnan(a) && isnan(b))));
}

/// As array_equal, for shapes of which one broadcasts to the other. Evaluates.
template <operand A, operand B>
[[nodiscard]] bool array_equiv(const A& a, const B& b) {
    constexpr int rank = A::rank > B::rank ? A::rank : B::rank;
    const auto x = a.shape();
    const auto y = b.shape();
    for (int i = 1; i <= rank; ++i) {
        const std::int64_t m = i <= A::rank ? x.extent[A::rank - i] : 1, n = i <= B::rank ? y.extent[B::rank - i] : 1;
        if (m != n && m != 1 && n != 1) return false;
    }
    return item(all(a == b));
}

}  // namespace sinter
