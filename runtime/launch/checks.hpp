// The checks around one evaluation that SINTER_DEBUG or a debug_scope enables.
#pragma once

#include <runtime/system/debug.hpp>
#include <sinter/evaluate.hpp>
#include <sinter/scoped.hpp>

namespace sinter::codegen {

/// During its lifetime, this thread's evaluations are internal: their indices and values are not checked.
class unchecked_scope {
private:
    const detail::scoped<int> set_{chosen_checks, checks_of_launches()};
};

/// Throws if an index that the program reads or writes at is out of range. Call within an unchecked_scope.
void check_indices(const ir::program& program, const detail::arguments_view& arguments);

/// Throws if a result has a NaN or an infinity. The results must be in memory of their own (`made`), and no argument
/// may have been written since they were computed. Call within an unchecked_scope.
void check_results(const ir::program& program, const detail::arguments_view& arguments,
                   const detail::evaluation_result* results);

}  // namespace sinter::codegen
