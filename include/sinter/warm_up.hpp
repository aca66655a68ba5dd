// Compiles kernels before their first use.
#pragma once

#include <sinter/evaluate.hpp>

namespace sinter {
namespace detail {

/// One expression to prepare.
struct preparation {
    const ir::program* program;
    plan_slot* slot;
    arguments_view arguments;
    int rank;
    const std::int64_t* extents;
};

/// Makes the plans of all expressions, several concurrently. Throws the first error.
void prepare(const preparation* all, std::size_t count);

}  // namespace detail

/// Plans expressions and compiles their kernels, in parallel on the host's cores, without running them. Later
/// evaluations of the same expression types with the same shapes find them ready. Kernels already in memory, in the
/// program or on disk are reused. Assignment to an array of another dtype, or in place, uses a different kernel: for
/// the dtype write astype<T>(e); in-place kernels are compiled at their first use.
///
///     warm_up(sqrt(sum(x * x, axis=1)), x / norm(x, axis=1, keepdims));
template <class... Tree>
    requires(sizeof...(Tree) > 0)
void warm_up(const expr<Tree>&... e) {
    const detail::preparation list[] = {
        {&detail::program_of<Tree>, &detail::slot_of<Tree>, e.arguments(), Tree::rank, e.shape_.extent}...};
    detail::prepare(list, sizeof...(Tree));
}

}  // namespace sinter
