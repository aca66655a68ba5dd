// The checks that SINTER_DEBUG or a debug_scope asks for, around one evaluation.
#pragma once

#include <runtime/system/debug.hpp>
#include <sinter/evaluate.hpp>
#include <sinter/scoped.hpp>

namespace sinter::codegen {

/// While it lives, this thread's evaluations are the library's own: their indices and values are not checked.
class unchecked_scope {
private:
    const detail::scoped<int> set_{chosen_checks, checks_of_launches()};
};

/// Throws where an index that the program reads or writes at is beyond its axis. In an unchecked_scope.
void check_indices(const ir::program& program, const detail::arguments_view& arguments);

/// Throws where a result has a NaN or an infinity. The results are in memory of their own (`made`), and nothing that
/// the arguments hold has been written since they were computed. In an unchecked_scope.
void check_results(const ir::program& program, const detail::arguments_view& arguments,
                   const detail::evaluation_result* results);

}  // namespace sinter::codegen
