// A fused loop as C++ source: one pass over a block along memory, with small strides and extents as literals.
#pragma once

#include <codegen/host/inline_ops.hpp>
#include <codegen/host/plan.hpp>

#include <vector>

namespace sinter::codegen::blocked {

/// The content of one loop: steps with operands before their users.
struct fused_steps {
    std::vector<step> steps;
    std::vector<store_step> stores;  ///< stored to outputs directly
    std::vector<int> results;        ///< slots that it writes as dense blocks
    std::vector<int> folds;          ///< positions in the loop's folds that it folds; only if may_fold
    int loop = -1;                   ///< the loop whose body this is part of, or -1: a stage
};

/// A fastest axis of at most this extent is unrolled.
inline constexpr std::int64_t longest_unrolled = 9;

/// Whether `steps` steps of a loop's body are unrolled over all elements of a row.
bool has_short_rows(const loop_plan& l, std::size_t steps);

/// Accumulators of a row's fold, as of fold_of (op/loops.hpp).
constexpr std::int64_t fold_lanes(dtype type) {
    const auto size = static_cast<std::int64_t>(size_of(type));
    return size >= 4 ? 128 / size : 32;
}

/// Whether the loop can fold beside computing: short rows, columns, or rows along one axis.
bool may_fold(const loop_nest& k, const loop_plan& l, int loop, std::size_t steps);

/// Prints the loop. Every op that it calls is added to `ops`.
fused_loop print_fused_loop(const plan& p, const loop_nest& k, const fused_steps& what, std::set<inline_op>& ops);

}  // namespace sinter::codegen::blocked
