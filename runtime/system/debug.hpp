// The checks that evaluations make: those of SINTER_DEBUG, or of the innermost debug_scope.
#pragma once

#include <atomic>

namespace sinter::codegen {

inline constexpr int check_nan = 1, check_bounds = 2, check_sync = 4;

/// The bits that the innermost debug_scope of this thread sets; -1 without one.
inline constinit thread_local int chosen_checks = -1;
/// Those of SINTER_DEBUG; -1 before the first query.
inline constinit std::atomic<int> checks_of_environment{-1};

/// Throws if SINTER_DEBUG is invalid.
int read_checks_of_environment();

inline int current_checks() {
    if (chosen_checks >= 0) return chosen_checks;
    const int known = checks_of_environment.load(std::memory_order_relaxed);
    return known >= 0 ? known : read_checks_of_environment();
}

/// The current checks without those of values, for the library's own evaluations.
inline int checks_of_launches() { return current_checks() & check_sync; }

}  // namespace sinter::codegen
