// Making kernels ahead of their first use.
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

/// Makes the plans of all, several at a time. Throws the first error.
void prepare(const preparation* all, std::size_t count);

}  // namespace detail

/// Plans expressions and compiles their kernels, all at once on the host's cores, without running them: the later
/// evaluation of the same expression types on the same shapes is a warm one. Where the kernels are in memory, in the
/// program or on disk, they are taken from there. An expression that is assigned to an array of another dtype, or in
/// place, is another kernel: say astype<T>(e); kernels in place are compiled at their first use.
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
