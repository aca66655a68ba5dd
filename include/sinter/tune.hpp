// Autotuning: schedules selected by measurement instead of prediction.
#pragma once

#include <sinter/scoped.hpp>

namespace sinter {

/// Whether this thread's first evaluation of an expression with given shapes tries several schedules: the choice of the
/// innermost tuning_scope, else SINTER_TUNE=1 in the environment, else not. Throws sinter::error unless SINTER_TUNE is
/// on, 1, off or 0.
bool current_tuning();

/// Enables tuning until the end of the scope (tuning_scope(false) disables it):
///
///     tuning_scope tuned;
///     y = softmax(x, axis=1);      // the first time on these shapes: times a few kernels, keeps the fastest
///
/// Each variant costs a compilation and about a millisecond. For a matrix product that cuBLASLt computes, the variants
/// are up to eight of its algorithms. Results are stored in the disk cache by expression, shapes and device, so the
/// next process does not measure again. All variants compute the same values, but reductions may use another order:
/// tuned results can differ from untuned ones in the last digits, and between devices. Nothing is tuned on the host or
/// during graph capture.
class tuning_scope {
public:
    explicit tuning_scope(bool on = true);

private:
    detail::scoped<detail::scope_choice> set_;
};

}  // namespace sinter
