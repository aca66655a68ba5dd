// Switches fusion off, to measure its benefit.
#pragma once

#include <sinter/scoped.hpp>

namespace sinter {

/// How an expression is split into kernels.
enum class fusion : unsigned char {
    on,   ///< as few kernels as possible
    off,  ///< one kernel per operation, each with its result in memory, like a library of array functions
};

/// The mode of this thread's evaluations, explain() and source(): that of the innermost fusion_scope, else off if the
/// environment sets SINTER_FUSION=off, else on. launches<E> always counts fused kernels.
fusion current_fusion();

/// Sets the fusion mode of this thread until the end of the scope:
///
///     fusion_scope unfused(fusion::off);
///     y = sqrt(sum(x * x, axis=1));      // three kernels: multiply, sum, sqrt
///
/// An operation is a row of the op table; mean(x) is two, sum and divide. Views, conversions and generated elements are
/// still computed where they are read, and common subexpressions are computed once.
class fusion_scope {
public:
    explicit fusion_scope(fusion mode);

private:
    detail::scoped<detail::scope_choice> set_;
};

}  // namespace sinter
