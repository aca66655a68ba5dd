// Whether the operations of an expression are fused: off, to see what fusion is worth.
#pragma once

#include <sinter/scoped.hpp>

namespace sinter {

/// How an expression becomes kernels.
enum class fusion : unsigned char {
    on,   ///< as few kernels as there can be
    off,  ///< one kernel an operation, each with its result in memory, as a library of array functions has
};

/// What this thread's evaluations, explain() and source() do: the innermost fusion_scope's; otherwise off if the
/// environment has SINTER_FUSION=off; otherwise on. launches<E> always tells of fused kernels.
fusion current_fusion();

/// Sets it for this thread until the end of the scope:
///
///     fusion_scope unfused(fusion::off);
///     y = sqrt(sum(x * x, axis=1));      // three kernels: multiply, sum, sqrt
///
/// An operation is a row of the op table; mean(x) is two, sum and divide. Views, conversions and elements that a
/// formula gives are read where they are used, as ever, and what is written twice is computed once.
class fusion_scope {
public:
    explicit fusion_scope(fusion mode);

private:
    detail::scoped<detail::scope_choice> set_;
};

}  // namespace sinter
